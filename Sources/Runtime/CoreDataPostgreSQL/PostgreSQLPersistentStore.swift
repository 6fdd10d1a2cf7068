internal import CoreData

/// A store in a PostgreSQL database.
final class PostgreSQLPersistentStore: _BuiltInStore, @unchecked Sendable {
    override class var _engine: AnyClass { PostgreSQLStore.self }
}
