internal import Foundation

/// The names of the options of PostgreSQL stores; the module CoreDataPostgreSQL has public names for them.
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
}

/// What a program says of how a PostgreSQL store is opened: the options of `addPersistentStore`.
struct PostgreSQLSettings {
    /// The most connections unless the option for it says otherwise.
    private static let defaultConnections = 8

    /// The name of the schema; `nil` for the default.
    var namespace: String?
    /// The partitions of new tables.
    var partitions: Int
    /// The most connections that are open at once, besides those of query generations and notifications.
    var connections: Int
    /// Whether the server keeps prepared statements for the connections.
    var preparesStatements: Bool
    /// A hot standby that reads go to.
    var standby: String?
    /// Where to listen, if not at the store's URL.
    var listener: String?
    /// Whether the store keeps a history of its changes.
    var tracksHistory: Bool
    /// Whether changes are told by notifications.
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
        // A dictionary of settings counts as yes.
        tracksHistory = flag(NSPersistentHistoryTrackingKey) || options[NSPersistentHistoryTrackingKey] is NSDictionary
        postsRemoteChanges = flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    }
}
