import CoreData
import StoreFile
import Testing

/// A SQLite store in a temporary folder, which is removed with this object.
final class TestStore {
    let folder: URL
    let url: URL
    let model: NSManagedObjectModel
    /// Whether the file must be consistent at the end of the test; `false` if the test damages it.
    var isSound = true

    /// - Parameter parent: The parent of the folder; `nil` for the folder of temporary files.
    init(_ model: NSManagedObjectModel = Library.model(), in parent: URL? = nil) throws {
        folder = (parent ?? FileManager.default.temporaryDirectory).appendingPathComponent(
            "modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Store.sqlite")
        self.model = model
    }

    deinit {
        if isSound { StoreIntegrity.expectSound(url) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens the store with a new coordinator, like another program, and returns a context.
    func open(
        _ options: [AnyHashable: Any]? = nil, model: NSManagedObjectModel? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? self.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Opens the file with SQLite.
    func database() throws -> TestDatabase { try TestDatabase(path: url.path) }

    /// Returns the names of all files in the folder.
    func files() throws -> [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
    }

    /// Returns the model that a store was written with.
    static func modelArchive(_ url: URL) throws -> Data {
        Data(try #require(try StoreFile(path: url.path).modelArchive))
    }
}

/// Returns the error thrown by a block.
func nsError(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}
