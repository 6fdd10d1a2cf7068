import CoreData
import StoreFile
import Testing

/// A SQLite store in a folder of its own, which is removed with it.
final class TestStore {
    let folder: URL
    let url: URL
    let model: NSManagedObjectModel
    /// Whether the file is expected to be sound when the test is over. False where a test damages it.
    var isSound = true

    /// - Parameter parent: where the folder is made; where temporary files are if nil.
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

    /// A context of a new coordinator with the store, as another program would have.
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

    /// The file as SQLite sees it.
    func database() throws -> TestDatabase { try TestDatabase(path: url.path) }

    /// The names of all files in the folder.
    func files() throws -> [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
    }

    /// The model that a store was written with.
    static func modelArchive(_ url: URL) throws -> Data {
        Data(try #require(try StoreFile(path: url.path).modelArchive))
    }
}

/// The error that a block throws.
func nsError(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}
