@testable import CoreData

/// A stack with an XML or binary store in a separate folder.
struct FormatStack {
    let folder: URL
    let url: URL
    let type: String
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore

    init(
        _ type: String, _ url: URL? = nil, model: NSManagedObjectModel = Library.model(),
        options: [AnyHashable: Any]? = nil
    ) throws {
        self.type = type
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-format-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.url = url ?? folder.appendingPathComponent("store.\(type.lowercased())")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: self.url, options: options)
    }

    func context() throws -> NSManagedObjectContext { try Library.context(coordinator) }

    func bytes() throws -> Data { try Data(contentsOf: url) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
