internal import CSQLite3

/// Adds changes to the history of a store, as one transaction for each call of `finish()`.
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
    private let tombstoneCount: Int

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - handle: SQLite's connection, which must outlive the writer. Changes are added within a transaction of
    ///     SQLite; after the failure of one, the writer is no longer valid.
    ///   - author: The author of the changes.
    /// - Returns: `nil` if the last numbers of the history are invalid, so that it cannot be continued.
    /// - Throws: `Failure` if the tables of the history cannot be read.
    package init?(_ handle: OpaquePointer, author: String) throws(Failure) {
        let connection = SQLiteConnection(borrowing: handle)
        do {
            tombstoneCount = try FileLayout(connection).tombstoneCount
            rows = try HistoryRows(connection, tombstoneCount: tombstoneCount, author: author, contextName: nil)
            guard try rows.hasRoom() else { return nil }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Records that properties of an object were changed.
    package func update(
        _ key: Int64, _ entity: StoreLayout.Entity, properties: [StoreLayout.Property]
    ) throws(Failure) {
        let columns = StoreLayout.historyColumns(properties, of: entity)
        try Self.converting { try rows.add(.update, key: key, entity: entity.number, columns: columns) { _, _ in } }
    }

    /// Records that an object was deleted.
    ///
    /// - Parameter value: Returns the value of a column as SQLite's value; `nil` if it is unknown.
    package func delete(
        _ key: Int64, _ entity: StoreLayout.Entity, value: (StoreLayout.Attribute) -> OpaquePointer?
    ) throws(Failure) {
        try Self.converting {
            try rows.add(.delete, key: key, entity: entity.number, columns: nil) { statement, first in
                for (index, attribute) in entity.tombstones.prefix(tombstoneCount).enumerated() {
                    guard let value = attribute.flatMap(value) else { continue }
                    sqlite3_bind_value(statement.handle, first + Int32(index), value)
                }
            }
        }
    }

    /// Ends the transaction of the changes since the last call. Nothing is written if there are none.
    package func finish() throws(Failure) { try Self.converting { try rows.finish() } }

    private static func converting(_ body: () throws -> Void) throws(Failure) {
        do {
            try body()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        guard let error = error as? SQLiteError else { return Failure(code: SQLITE_ERROR, message: "\(error)") }
        return Failure(code: error.code, message: error.message)
    }
}
