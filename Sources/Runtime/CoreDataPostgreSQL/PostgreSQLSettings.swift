internal import CoreData
internal import Foundation
internal import PostgreSQLSchema

/// The names of the options of PostgreSQL stores; the module CoreDataPostgreSQL has public constants for them.
package enum PostgreSQLOptions {
    /// The name of the schema.
    package static let schema = "NSPostgreSQLSchemaOption"
    /// The partitions of new tables.
    package static let partitions = "NSPostgreSQLPartitionsOption"
    /// Whether connections go through a pooler in transaction mode.
    package static let pooler = "NSPostgreSQLTransactionPoolerOption"
    /// The URL of a hot standby for reads.
    package static let standby = "NSPostgreSQLStandbyURLOption"
    /// The URL of the server for notifications.
    package static let listener = "NSPostgreSQLListenerURLOption"
    /// What receives the events of the store.
    package static let observer = "NSPostgreSQLObserverOption"
}

/// The options of `addPersistentStore` for opening a PostgreSQL store.
struct PostgreSQLSettings {
    /// The maximum number of connections unless the option for it is set.
    private static let defaultConnections = 8

    /// The name of the schema; `nil` for the default.
    var namespace: String?
    var partitions: Int
    /// The maximum number of open connections, not counting those of query generations and notifications.
    var connections: Int
    /// Whether the server keeps prepared statements for the connections.
    var preparesStatements: Bool
    /// The URL of a hot standby for reads; `nil` if there is none.
    var standby: String?
    /// The URL to listen at, if it is not the store's.
    var listener: String?
    /// Receives slow statements, retries and waits.
    var observer: PostgreSQLObserver?
    /// Whether the store keeps a history of its changes.
    var tracksHistory: Bool
    /// Whether notifications are posted for changes.
    var postsRemoteChanges: Bool

    init(_ options: [AnyHashable: Any]) {
        func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false }
        func number(_ key: String) -> Int? { (options[key] as? NSNumber)?.intValue ?? options[key] as? Int }
        func url(_ key: String) -> String? { (options[key] as? URL)?.absoluteString ?? options[key] as? String }
        namespace = options[PostgreSQLOptions.schema] as? String
        partitions = number(PostgreSQLOptions.partitions) ?? 0
        connections = max(1, number(NSPersistentStoreConnectionPoolMaxSizeKey) ?? Self.defaultConnections)
        preparesStatements = !flag(PostgreSQLOptions.pooler)
        standby = url(PostgreSQLOptions.standby)
        listener = url(PostgreSQLOptions.listener)
        observer = options[PostgreSQLOptions.observer] as? PostgreSQLObserver
        // A dictionary of settings counts as true.
        tracksHistory = flag(NSPersistentHistoryTrackingKey) || options[NSPersistentHistoryTrackingKey] is NSDictionary
        postsRemoteChanges = flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    }
}

extension PostgreSQLSettings {
    /// Returns the name of the schema in the database.
    func namespace(of configuration: String?) -> String {
        namespace.map { PostgreSQLName.fitted($0) } ?? PostgreSQLSchemaBuilder.defaultNamespace(configuration)
    }
}
