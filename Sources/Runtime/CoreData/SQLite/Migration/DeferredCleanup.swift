internal import Foundation

/// The cleanup after a migration: dropping the tables of the old version, which takes long for large ones.
enum DeferredCleanup {
    /// Drops all remaining tables of the old version.
    static func run(_ connection: SQLiteConnection) throws(SQLiteError) {
        for table in try tables(connection) { try connection.execute("DROP TABLE \(SQLName.quoted(table))") }
    }

    /// Returns the remaining tables of the old version.
    static func tables(_ connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ? ORDER BY name")
        defer { statement.reset() }
        statement.bind(Int64(MigrationTables.oldPrefix.count), at: 1)
        statement.bind(MigrationTables.oldPrefix, at: 2)
        var result: [String] = []
        while try statement.step() { result.append(statement.text(0)) }
        return result
    }

    /// Drops one table of an open store, and updates its metadata if it was the last one.
    ///
    /// - Returns: Whether there was a table to drop.
    static func step(_ store: SQLiteStore) throws -> Bool {
        let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
        guard store.metadata[key] != nil, !store.isReadOnly else { return false }
        return try store.reporting(
            .migration, what: "the migration of the store at \(store.fileURL.path) cannot be finished"
        ) {
            let connection = try store.connection()
            let isLeft = try connection.transaction { () throws -> Bool in
                let left = try tables(connection)
                if let table = left.first { try connection.execute("DROP TABLE \(SQLName.quoted(table))") }
                guard left.count < 2, let stored = try SQLiteMetadata(connection) else { return true }
                var values = stored.values
                values[key] = nil
                try SQLiteMetadata(values, uuid: stored.uuid).write(to: connection)
                return false
            }
            if !isLeft {
                let hasUnsavedMetadata = store.hasUnsavedMetadata
                store.metadata[key] = nil
                store.hasUnsavedMetadata = hasUnsavedMetadata
            }
            return true
        }
    }
}

extension SQLiteStore {
    func finishMigrationStep() throws -> Bool { try DeferredCleanup.step(self) }
}
