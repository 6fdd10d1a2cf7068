internal import CSQLite3

/// Adds changes to the history of a store, as one transaction.
///
/// For tools that change a store through a connection that they have opened.
package final class StoreHistoryWriter {
    /// SQLite's reason why a change cannot be added.
    package struct Failure: Error {
        /// SQLite's extended result code.
        package var code: Int32
        /// SQLite's message.
        package var message: String
    }

    private let rows: HistoryRows
    /// The number of values that the history can keep of a deleted object.
    package let tombstoneCount: Int

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - handle: SQLite's connection, within a transaction. It must outlive the writer.
    ///   - author: the author of the changes.
    /// - Returns: `nil` if the last numbers of the history are invalid, so that it cannot be continued.
    /// - Throws: `Failure` if the tables of the history cannot be read.
    package init?(_ handle: OpaquePointer, author: String) throws(Failure) {
        let connection = SQLiteConnection(borrowing: handle)
        do {
            let table = try FileLayout(connection).table("ACHANGE")
            var count = 0
            while table?.column(StoreHistory.tombstoneColumn(count)) != nil { count += 1 }
            tombstoneCount = count
            rows = try HistoryRows(connection, tombstoneCount: count, author: author, contextName: nil)
            guard try rows.hasRoom() else { return nil }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Records that properties of an object were changed.
    package func update(
        _ key: Int64, _ entity: StoreLayout.Entity, properties: [StoreLayout.Property]
    ) throws(Failure) {
        try add(.update, key, entity, columns: StoreLayout.historyColumns(properties, of: entity)) { _ in nil }
    }

    /// Records that an object was deleted.
    ///
    /// - Parameter value: Returns the value of a column as SQLite's value; `nil` if it is unknown.
    package func delete(
        _ key: Int64, _ entity: StoreLayout.Entity, value: (StoreLayout.Attribute) -> OpaquePointer?
    ) throws(Failure) {
        try add(.delete, key, entity, columns: nil, value: value)
    }

    private func add(
        _ kind: NSPersistentHistoryChangeType, _ key: Int64, _ entity: StoreLayout.Entity, columns: [UInt8]?,
        value: (StoreLayout.Attribute) -> OpaquePointer?
    ) throws(Failure) {
        do {
            try rows.add(kind, key: key, entity: entity.number, columns: columns) { statement, first in
                guard kind == .delete else { return }
                for (index, attribute) in entity.tombstones.prefix(tombstoneCount).enumerated() {
                    guard let value = attribute.flatMap(value) else { continue }
                    sqlite3_bind_value(statement.handle, first + Int32(index), value)
                }
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Writes the last numbers. Nothing is written if there are no changes.
    package func finish() throws(Failure) {
        do {
            try rows.finish()
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        guard let error = error as? SQLiteError else { return Failure(code: SQLITE_ERROR, message: "\(error)") }
        return Failure(code: error.code, message: error.message)
    }
}
