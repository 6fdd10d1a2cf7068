import CSQLiteReference
import CoreData
import Foundation

/// SQLite stores with the model of `Generated/Bench.xcdatamodeld`, and the same files opened with SQLite.
///
/// Stores that are only read are created once, by SQLite alone.
final class StoreStack {
    private static let insertSQL =
        "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZISNEW, ZPAGES, ZAUTHOR, ZPRICE, ZPUBLISHED, ZISBN, ZTITLE) "
        + "VALUES(?, 2, 1, ?, ?, ?, ?, ?, ?, ?)"

    private let workspace: Workspace
    private var compiledModel: URL?
    private var loadedModel: NSManagedObjectModel?
    private var filled: [Int: URL] = [:]
    private var contexts: [Int: NSManagedObjectContext] = [:]
    private var databases: [Int: ReferenceDatabase] = [:]

    init(_ workspace: Workspace) {
        self.workspace = workspace
    }

    /// Returns the URL of the compiled model.
    func modelURL() throws -> URL {
        let url = try compiledModel ?? BenchModel.compile(workspace)
        compiledModel = url
        return url
    }

    private func model() throws -> NSManagedObjectModel {
        let model = try loadedModel ?? BenchModel.load(modelURL())
        loadedModel = model
        return model
    }

    /// Returns a URL for a new store or other file.
    func newURL() -> URL { workspace.scratch.appendingPathComponent("\(UUID().uuidString).sqlite") }

    /// Returns a context with its own coordinator, as in a program that has just started.
    func context(_ url: URL) throws -> NSManagedObjectContext { try Self.context(url, model()) }

    /// Returns a context with its own coordinator and the given model.
    static func context(_ url: URL, _ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Removes a store's files.
    func remove(_ url: URL) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    /// Returns another context for the store with the given number of books, a hundred for each author.
    func filledContext(_ count: Int) throws -> NSManagedObjectContext {
        if contexts[count] == nil {
            let url = newURL()
            contexts[count] = try context(url)
            let database = try ReferenceDatabase(url)
            try fill(database, count)
            databases[count] = database
            filled[count] = url
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = contexts[count]?.persistentStoreCoordinator
        return context
    }

    /// Returns the file of such a store.
    func filledURL(_ count: Int) throws -> URL {
        _ = try filledContext(count)
        guard let url = filled[count] else { throw CommandFailure(description: "no store") }
        return url
    }

    /// Returns the file of such a store, opened with SQLite.
    func filledDatabase(_ count: Int) throws -> ReferenceDatabase {
        _ = try filledContext(count)
        guard let database = databases[count] else { throw CommandFailure(description: "no database") }
        return database
    }

    /// Inserts authors and their books.
    func fill(_ database: ReferenceDatabase, _ count: Int) throws {
        try database.run("BEGIN IMMEDIATE")
        let authors = try database.prepare("INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 1, 1, ?)")
        for key in 1...max(count / 100, 1) {
            sqlite3_bind_int64(authors, 1, Int64(key))
            ReferenceDatabase.bind("Author \(key)", authors, 2)
            try ReferenceDatabase.step(authors)
        }
        sqlite3_finalize(authors)
        try insert(database, count)
        try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = 2")
        try database.run("COMMIT")
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Inserts books with keys starting at 1.
    func insert(_ database: ReferenceDatabase, _ count: Int) throws {
        let statement = try database.prepare(Self.insertSQL)
        defer { sqlite3_finalize(statement) }
        for number in 0..<count {
            sqlite3_bind_int64(statement, 1, Int64(number + 1))
            sqlite3_bind_int64(statement, 2, Int64(number & 1))
            sqlite3_bind_int64(statement, 3, Int64(number))
            sqlite3_bind_int64(statement, 4, Int64(number / 100 + 1))
            sqlite3_bind_double(statement, 5, Double(number) * 0.5)
            sqlite3_bind_double(statement, 6, Double(number))
            ReferenceDatabase.bind("978-\(number)", statement, 7)
            ReferenceDatabase.bind("The title of book \(number)", statement, 8)
            try ReferenceDatabase.step(statement)
        }
    }
}
