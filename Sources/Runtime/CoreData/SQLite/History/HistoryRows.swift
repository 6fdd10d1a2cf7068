internal import CSQLite3
internal import Foundation

/// The rows of one transaction in the tables of a history, for saves, batch requests and tools.
///
/// A transaction without changes is not recorded.
final class HistoryRows {
    private let connection: SQLiteConnection
    private let tombstoneCount: Int
    /// The author, bundle identifier, context name and process.
    private let names: [String?]
    private let insertion: SQLiteStatement
    /// The number of the transaction; `nil` before the first change.
    private var transaction: Int64?
    private var nextChange: Int64 = 0

    /// The largest number after which a history is continued: a larger one is damage.
    static let largest: Int64 = 1 << 62

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - connection: The connection, within a transaction.
    ///   - tombstoneCount: The number of columns for values of deleted objects.
    ///   - author: The author of the changes.
    ///   - contextName: The name of the context that makes the changes.
    init(
        _ connection: SQLiteConnection, tombstoneCount: Int, author: String?, contextName: String?
    ) throws(SQLiteError) {
        self.connection = connection
        self.tombstoneCount = tombstoneCount
        names = [author, Bundle.main.bundleIdentifier, contextName, ProcessInfo.processInfo.processName]
        let columns = (0..<tombstoneCount).map { ", \(StoreHistory.tombstoneColumn($0))" }.joined()
        let positions = (0..<tombstoneCount).map { _ in ", ?" }.joined()
        insertion = try connection.statement(
            "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns)) "
                + "VALUES(?, \(HistoryTables.changeEntity), ?, ?, ?, ?, ?\(positions))")
    }

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - columns: The bits of the changed properties; `nil` for other changes than updates.
    ///   - tombstones: Binds the kept values of a deleted object, from a position.
    func add(
        _ kind: NSPersistentHistoryChangeType, key: Int64, entity: Int, columns: [UInt8]? = nil,
        tombstones: (SQLiteStatement, Int32) throws -> Void = { _, _ in }
    ) throws {
        let transaction = try transaction ?? begin()
        insertion.bind(nextChange, at: 1)
        insertion.bind(Int64(kind.rawValue), at: 2)
        insertion.bind(Int64(entity), at: 3)
        insertion.bind(key, at: 4)
        insertion.bind(transaction, at: 5)
        if let columns { insertion.bind(columns, at: 6) } else { insertion.bindNull(at: 6) }
        for position in 0..<tombstoneCount { insertion.bindNull(at: Int32(7 + position)) }
        try tombstones(insertion, 7)
        try insertion.run()
        nextChange += 1
    }

    private func begin() throws -> Int64 {
        let transaction = try last(HistoryTables.transactionEntity, "ATRANSACTION") + 1
        nextChange = try last(HistoryTables.changeEntity, "ACHANGE") + 1
        // Framework 851 has no table of strings: transactions contain the strings.
        let usesTable = try connection.hasTable("ATRANSACTIONSTRING")
        let columns = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map { usesTable ? "\($0)TS" : $0 }
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP, \(columns.joined(separator: ", "))) "
                + "VALUES(?, \(HistoryTables.transactionEntity), ?, ?, ?, ?, ?)")
        statement.bind(transaction, at: 1)
        statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
        for (position, text) in zip(Int32(3)..., names) {
            switch text {
            case nil: statement.bindNull(at: position)
            case let text? where usesTable: statement.bind(try number(of: text), at: position)
            case let text?: statement.bind(text, at: position)
            }
        }
        try statement.run()
        self.transaction = transaction
        return transaction
    }

    /// Returns whether there are numbers for other changes: an invalid last number can be the largest that SQLite has.
    func hasRoom() throws(SQLiteError) -> Bool {
        for (entity, table) in HistoryTables.numbers where try connection.hasTable(table) {
            guard try connection.lastKey(entity: entity, table: table) < Self.largest else { return false }
        }
        return true
    }

    /// Returns the largest number that a table of the history has or had.
    private func last(_ entity: Int, _ table: String) throws(SQLiteError) -> Int64 {
        let number = try connection.lastKey(entity: entity, table: table)
        guard number < Self.largest else {
            throw SQLiteError(code: SQLITE_CORRUPT, message: "the last number of \(table), \(number), is invalid")
        }
        return number
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
        try setLast(number, of: HistoryTables.stringEntity, named: "TRANSACTIONSTRING")
        return number
    }

    private func setLast(_ number: Int64, of entity: Int, named name: String) throws {
        let statement = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        statement.bind(number, at: 1)
        statement.bind(Int64(entity), at: 2)
        try statement.run()
        guard sqlite3_changes(connection.handle) == 0 else { return }
        // In Apple's stores, the rows come with the first change.
        try connection.execute(
            "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(\(entity), '\(name)', 0, \(number))")
    }

    /// Writes the last numbers, so that later ones are larger even if the history is deleted. A later change begins
    /// another transaction.
    func finish() throws {
        guard let transaction else { return }
        try setLast(transaction, of: HistoryTables.transactionEntity, named: "TRANSACTION")
        try setLast(nextChange - 1, of: HistoryTables.changeEntity, named: "CHANGE")
        self.transaction = nil
    }
}
