internal import Foundation

/// Writes one transaction of a store's history, within the database transaction that makes its changes.
///
/// A transaction without changes is not recorded.
final class HistoryWriter {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let author: String?
    private let contextName: String?
    private let insertion: SQLiteStatement
    /// The number of the transaction; nil before the first change.
    private(set) var transaction: Int64?
    private var nextChange: Int64 = 0

    /// - Parameters:
    ///   - author: the author of the changes.
    ///   - contextName: the name of the context that makes the changes.
    /// - Returns: nil if the store keeps no history.
    init?(_ store: SQLiteStore, _ connection: SQLiteConnection, author: String?, contextName: String?) throws {
        guard store.settings.tracksHistory, store.history.exists else { return nil }
        self.store = store
        self.connection = connection
        self.author = author
        self.contextName = contextName
        let columns = (0..<store.history.tombstoneCount).map { ", \(StoreHistory.tombstoneColumn($0))" }.joined()
        let positions = (0..<store.history.tombstoneCount).map { _ in ", ?" }.joined()
        insertion = try connection.statement(
            "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) "
                + "VALUES(?, \(HistoryTables.changeEntity), ?, ?, ?, ?, ?\(positions))")
    }

    // MARK: Changes

    /// Records that an object was inserted.
    func insert(_ key: Int64, _ entity: StoredEntity) throws {
        try write(.insert, key: key, entity: entity, columns: nil, row: nil)
    }

    /// Records that properties of an object were changed.
    func update(_ key: Int64, _ entity: StoredEntity, slots: [Int]) throws {
        let kept = slots.filter { slot in
            guard entity.layout.slots.indices.contains(slot), !entity.layout.slots[slot].isTransient else {
                return false
            }
            return entity.layout.slots[slot].kind != .fetched
        }
        guard !kept.isEmpty else { return }
        try write(
            .update, key: key, entity: entity, columns: ColumnBits.bytes(kept, count: entity.layout.slots.count),
            row: nil)
    }

    /// Records that an object was deleted.
    ///
    /// - Parameter row: its last values; nil if they are unknown.
    func delete(_ key: Int64, entity: StoredEntity, row: Row?) throws {
        try write(.delete, key: key, entity: entity, columns: nil, row: row)
    }

    private func write(
        _ kind: NSPersistentHistoryChangeType, key: Int64, entity: StoredEntity, columns: [UInt8]?, row: Row?
    ) throws {
        let transaction = try transaction ?? begin()
        insertion.bind(nextChange, at: 1)
        insertion.bind(Int64(kind.rawValue), at: 2)
        insertion.bind(Int64(entity.number), at: 3)
        insertion.bind(key, at: 4)
        insertion.bind(transaction, at: 5)
        if let columns { insertion.bind(columns, at: 6) } else { insertion.bindNull(at: 6) }
        for position in 0..<store.history.tombstoneCount { insertion.bindNull(at: Int32(7 + position)) }
        if let row {
            for (index, tombstone) in store.history.tombstones(of: entity).enumerated()
            where index < store.history.tombstoneCount && tombstone.slot < row.count {
                // An object whose value cannot be read can be deleted.
                let value = row[tombstone.slot].readable
                try tombstone.coding.bind(value, to: insertion, at: Int32(7 + index))
            }
        }
        try insertion.run()
        nextChange += 1
    }

    // MARK: The transaction

    private func begin() throws -> Int64 {
        let transaction = try store.history.lastTransaction(connection) + 1
        nextChange = try last(HistoryTables.changeEntity, "ACHANGE") + 1
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
                + "VALUES(?, \(HistoryTables.transactionEntity), ?, ?, ?, ?, ?)")
        statement.bind(transaction, at: 1)
        let process = ProcessInfo.processInfo.processName
        for (index, text) in [author, Bundle.main.bundleIdentifier, contextName, process].enumerated() {
            let position = Int32(index + 2)
            if let text { statement.bind(try number(of: text), at: position) } else { statement.bindNull(at: position) }
        }
        statement.bind(Date().timeIntervalSinceReferenceDate, at: 6)
        try statement.run()
        self.transaction = transaction
        return transaction
    }

    private func last(_ entity: Int, _ table: String) throws -> Int64 {
        try connection.integer(
            "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), 0), "
                + "ifnull((SELECT max(Z_PK) FROM \(table)), 0))") ?? 0
    }

    /// Returns the number of a string in the table of strings, which contains each string once.
    private func number(of text: String) throws -> Int64 {
        let search = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        defer { search.reset() }
        search.bind(text, at: 1)
        if try search.step() { return search.integer(0) }
        let number = try last(HistoryTables.stringEntity, "ATRANSACTIONSTRING") + 1
        let insertion = try connection.statement(
            "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, ZNAME) VALUES(?, \(HistoryTables.stringEntity), ?)")
        insertion.bind(number, at: 1)
        insertion.bind(text, at: 2)
        try insertion.run()
        try setLast(number, of: HistoryTables.stringEntity)
        return number
    }

    private func setLast(_ number: Int64, of entity: Int) throws {
        let statement = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        statement.bind(number, at: 1)
        statement.bind(Int64(entity), at: 2)
        try statement.run()
    }

    /// Writes the last numbers, so that later ones are larger even if the history is deleted.
    func finish() throws {
        guard let transaction else { return }
        try setLast(transaction, of: HistoryTables.transactionEntity)
        try setLast(nextChange - 1, of: HistoryTables.changeEntity)
    }
}

extension SQLiteStore {
    /// Writes the history of a save. Called within its transaction, before the rows change: tombstones are read from
    /// them.
    func recordHistory(of save: StoreSave, _ connection: SQLiteConnection) throws {
        guard !save.changes.isEmpty,
            let writer = try HistoryWriter(self, connection, author: save.author, contextName: save.contextName)
        else { return }
        for change in save.changes {
            guard case .number(let key) = change.id.reference, let entity = entity(change.layout) else { continue }
            switch change.kind {
            case .insert: try writer.insert(key, entity)
            case .update: try writer.update(key, entity, slots: change.changedSlots)
            case .delete:
                // A row that no longer exists was not deleted by this save.
                guard let row = try knownRow(of: change.id, change.layout) else { continue }
                try writer.delete(key, entity: entity, row: row)
            }
        }
        try writer.finish()
    }
}
