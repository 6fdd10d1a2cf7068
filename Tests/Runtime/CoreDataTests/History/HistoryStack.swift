import CoreData
import CoreDataPostgreSQL
import Testing

/// A store with a history, for tests: a SQLite file, or PostgreSQL if the test runs with it.
final class HistoryStack {
    let folder: URL
    let url: URL
    let model: NSManagedObjectModel
    private let schema = UUID().uuidString
    private let kind: StoreKind

    init(_ model: NSManagedObjectModel = Library.model()) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        kind = StoreKind.current == .postgreSQL ? .postgreSQL : .sqlite
        let file = folder.appendingPathComponent("history.sqlite")
        url = kind == .postgreSQL ? try #require(try kind.makeURL()) : file
        self.model = model
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    static var tracking: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
    }

    /// Creates a coordinator for the store.
    func coordinator(_ options: [AnyHashable: Any]? = tracking) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let schema: [AnyHashable: Any] = kind == .postgreSQL ? [NSPostgreSQLSchemaOption: schema] : [:]
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url, options: (options ?? [:]).merging(schema) { $1 })
        return coordinator
    }

    /// Creates a context for a coordinator, or for a new one.
    func context(_ coordinator: NSPersistentStoreCoordinator? = nil) throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try coordinator ?? self.coordinator()
        return context
    }

    /// Returns the rows of a query through another connection to the file.
    func rows(_ sql: String) throws -> [[String?]] { try TestDatabase(path: url.path).rows(sql) }
}

extension NSManagedObjectContext {
    /// Returns the history after a token.
    func history(after token: NSPersistentHistoryToken? = nil) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    /// Returns the result of a history request.
    func result(of request: NSPersistentHistoryChangeRequest) throws -> Any? {
        try #require(try execute(request) as? NSPersistentHistoryResult).result
    }
}
