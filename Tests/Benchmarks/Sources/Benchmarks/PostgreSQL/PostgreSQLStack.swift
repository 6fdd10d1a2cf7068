import CoreData
import CoreDataPostgreSQL
import Foundation

/// Stores on a server with the model of `Generated/Bench.xcdatamodeld`, and their databases as libpq sees them.
final class PostgreSQLStack {
    /// The columns of books, in the order in which `copyBooks` sends them.
    static let columns =
        "\"_pk\", \"_entity\", \"_version\", \"isbn\", \"isNew\", \"pages\", \"price\", \"published\", \"title\", \"author\""

    private let workspace: Workspace
    private var started: PostgreSQLServer?
    private var modelURL: URL?
    private var loadedModel: NSManagedObjectModel?
    private var filled: [Int: String] = [:]

    init(_ workspace: Workspace) {
        self.workspace = workspace
    }

    /// The server, which is started when it is first needed.
    func server() throws -> PostgreSQLServer {
        let server = try started ?? PostgreSQLServer()
        started = server
        return server
    }

    /// Returns where the compiled model is.
    func compiledModel() throws -> URL {
        let url = try modelURL ?? BenchModel.compile(workspace)
        modelURL = url
        return url
    }

    /// Stops the server if it was started.
    func stop() { started?.stop() }

    /// Returns a context of a coordinator of its own.
    ///
    /// - Parameter host: The folder of the socket if it is another than the server's.
    func context(_ database: String, host: String? = nil) throws -> NSManagedObjectContext {
        let model = try loadedModel ?? BenchModel.load(compiledModel())
        loadedModel = model
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: server().url(database, host: host))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Runs a closure with a new database that has an empty store.
    func withStore(_ body: (String, NSManagedObjectContext) throws -> Double) throws -> Double {
        let server = try server()
        let database = try server.createDatabase()
        defer { server.drop(database) }
        let context = try context(database)
        defer { close(context) }
        return try body(database, context)
    }

    /// Closes the connections of a context's store.
    func close(_ context: NSManagedObjectContext) {
        context.reset()
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// Returns a database with so many books, of which each author has a hundred.
    func filledDatabase(_ count: Int) throws -> String {
        if let known = filled[count] { return known }
        let server = try server()
        let database = try server.createDatabase()
        close(try context(database))
        let connection = try connection(database)
        try copyAuthors(connection, count)
        try copyBooks(connection, count)
        try connection.run("SELECT setval('coredata.\"Book_keys\"', \(count + 64))")
        try connection.run("VACUUM ANALYZE")
        filled[count] = database
        return database
    }

    /// Returns a connection to a database.
    func connection(_ database: String) throws -> ReferenceConnection {
        try ReferenceConnection(server().conninfo(database))
    }

    /// Sends the authors of so many books.
    func copyAuthors(_ connection: ReferenceConnection, _ count: Int) throws {
        try connection.copy(
            "coredata.\"Author\" (\"_pk\", \"_entity\", \"_version\", \"name\")", columns: 4, rows: max(count / 100, 1)
        ) { number, buffer in
            Wire.appendField(Int64(number + 1), to: &buffer)
            Wire.appendField(Int32(1), to: &buffer)
            Wire.appendField(Int64(1), to: &buffer)
            Wire.appendField("Author \(number)", to: &buffer)
        }
    }

    /// Sends books with the keys from 1 on.
    func copyBooks(_ connection: ReferenceConnection, _ count: Int) throws {
        try connection.copy("coredata.\"Book\" (\(Self.columns))", columns: 10, rows: count) { number, buffer in
            Wire.appendField(Int64(number + 1), to: &buffer)
            Wire.appendField(Int32(2), to: &buffer)
            Wire.appendField(Int64(1), to: &buffer)
            Wire.appendField("978-\(number)", to: &buffer)
            Wire.appendField(UInt8(number & 1), to: &buffer)
            Wire.appendField(Int64(number), to: &buffer)
            Wire.appendField((Double(number) * 0.5).bitPattern, to: &buffer)
            Wire.appendField(Double(number).bitPattern, to: &buffer)
            Wire.appendField("The title of book \(number)", to: &buffer)
            Wire.appendField(Int64(number / 100 + 1), to: &buffer)
        }
    }
}
