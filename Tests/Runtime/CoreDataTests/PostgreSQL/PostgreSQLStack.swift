import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A database with a store, for tests.
struct PostgreSQLStack {
    let cluster: PostgreSQLCluster
    let database: String
    let url: URL
    var connection: PostgreSQLConnection
    var model: NSManagedObjectModel

    init(_ model: NSManagedObjectModel = Library.model(), cluster: PostgreSQLCluster? = nil) throws {
        self.cluster = try cluster ?? PostgreSQLCluster.shared.get()
        database = try self.cluster.createDatabase()
        url = try self.cluster.url(database: database)
        connection = try PostgreSQLConnection(self.cluster.parameters(database: database))
        self.model = model
    }

    /// Creates a coordinator for the store.
    func coordinator(_ options: [AnyHashable: Any] = [:], at url: URL? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url ?? self.url, options: options)
        return coordinator
    }

    /// Creates a context for a coordinator, or for a new one.
    func context(_ coordinator: NSPersistentStoreCoordinator? = nil) throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try coordinator ?? self.coordinator()
        return context
    }

    /// Returns the first value of a query as text.
    func text(_ sql: String) throws -> String? { try connection.execute(sql).text(0, 0) }

    /// Runs statements.
    func run(_ statements: String...) throws {
        for statement in statements { try connection.execute(statement) }
    }

    /// Returns the URL with other or additional parameters.
    func url(_ parameters: [String: String]) throws -> URL {
        var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        let others = (components.queryItems ?? []).filter { parameters[$0.name] == nil }
        components.queryItems = others + parameters.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0, value: $1) }
        return try #require(components.url)
    }
}

extension NSManagedObjectContext {
    /// The PostgreSQL store.
    var postgreSQL: PostgreSQLStore? {
        persistentStoreCoordinator?.persistentStores.first?.engine as? PostgreSQLStore
    }

    /// Returns the number of times that a block waits for the server.
    func roundTrips(_ body: () throws -> Void) throws -> Int {
        let connections = try #require(postgreSQL).connections
        let before = connections.roundTrips
        try body()
        return connections.roundTrips - before
    }
}
