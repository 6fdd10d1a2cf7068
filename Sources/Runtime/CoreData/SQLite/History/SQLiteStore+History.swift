internal import Foundation

extension SQLiteStore {
    var keepsHistory: Bool { history.exists }

    func lastTransaction() throws -> Int64 {
        try reporting(.coreData, what: "the history of the store at \(fileURL.path) cannot be read") {
            try history.lastTransaction(connection())
        }
    }

    // MARK: Reading

    func history(after position: HistoryPosition, includesChanges: Bool) throws -> [HistoryRecord] {
        try reporting(.coreData, what: "the history of the store at \(fileURL.path) cannot be read") {
            let connection = try connection()
            // Readers of changes usually fetch the changed objects next.
            try invalidateIfChanged(connection)
            // All reads see one state.
            return try connection.transaction(.deferred) {
                try checkExpiry(position, connection)
                var records = try transactions(after: position, connection)
                guard includesChanges, !records.isEmpty else { return records }
                for index in records.indices { records[index].changes = [] }
                try readChanges(after: position, into: &records, connection)
                return records
            }
        }
    }

    /// Throws an error if a transaction after a position was deleted, or the position is not in this history.
    private func checkExpiry(_ position: HistoryPosition, _ connection: SQLiteConnection) throws {
        guard case .transaction(let number) = position else { return }
        let last = try history.lastTransaction(connection)
        let first = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION") ?? last + 1
        guard number + 1 < first || number > last else { return }
        throw CoreDataError.error(
            .persistentHistoryTokenExpired,
            text:
                "the history after the token is not all there any more: it begins with transaction \(first), and the token "
                + "names transaction \(number)",
            userInfo: [NSAffectedStoresErrorKey: affectedStores, NSURLErrorKey: fileURL])
    }

    private static func condition(_ position: HistoryPosition, _ comparison: String) -> String {
        switch position {
        case .beginning: "1"
        case .transaction: "Z_PK \(comparison) ?"
        case .date: "ZTIMESTAMP \(comparison) ?"
        }
    }

    private static func bind(_ position: HistoryPosition, _ statement: SQLiteStatement) {
        switch position {
        case .beginning: return
        case .transaction(let number): statement.bind(number, at: 1)
        case .date(let date): statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
        }
    }

    private func transactions(after position: HistoryPosition, _ connection: SQLiteConnection) throws -> [HistoryRecord]
    {
        let statement = try connection.statement(
            Self.transactionQuery + "WHERE \(Self.condition(position, ">")) ORDER BY Z_PK")
        defer { statement.reset() }
        Self.bind(position, statement)
        return try transactions(statement)
    }

    private static var transactionQuery: String {
        // Older versions of Apple's framework wrote the strings themselves.
        func text(_ column: String) -> String {
            "ifnull(\(column), (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS))"
        }
        return "SELECT Z_PK, ZTIMESTAMP, \(text("ZAUTHOR")), \(text("ZCONTEXTNAME")), \(text("ZBUNDLEID")), "
            + "\(text("ZPROCESSID")) FROM ATRANSACTION t "
    }

    private func transactions(_ statement: SQLiteStatement) throws -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        while try statement.step() {
            records.append(
                HistoryRecord(
                    number: statement.integer(0), storeUUID: identifier,
                    timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
                    author: statement.isNull(2) ? nil : statement.text(2),
                    contextName: statement.isNull(3) ? nil : statement.text(3), bundleID: statement.text(4),
                    processID: statement.text(5)))
        }
        return records
    }

    private func readChanges(
        after position: HistoryPosition, into records: inout [HistoryRecord], _ connection: SQLiteConnection
    ) throws {
        let requested: String
        switch position {
        case .beginning: requested = "1"
        case .transaction: requested = "ZTRANSACTIONID > ?"
        case .date: requested = "ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP > ?)"
        }
        let count = try tombstoneCount(connection)
        let statement = try connection.statement(
            Self.changeQuery(count) + "WHERE \(requested) ORDER BY ZTRANSACTIONID, Z_PK")
        defer { statement.reset() }
        Self.bind(position, statement)
        var index = 0
        while try statement.step() {
            let transaction = statement.integer(1)
            while index < records.count, records[index].number < transaction { index += 1 }
            guard index < records.count else { break }
            guard records[index].number == transaction, let change = change(statement, count) else { continue }
            records[index].changes?.append(change)
        }
    }

    private static func changeQuery(_ tombstoneCount: Int) -> String {
        let columns = (0..<tombstoneCount).map { ", \(StoreHistory.tombstoneColumn($0))" }.joined()
        return "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(columns) FROM ACHANGE "
    }

    /// Returns the newest transactions before a number, the newest first.
    ///
    /// Reads no more rows than it returns, apart from counting changes.
    ///
    /// - Parameters:
    ///   - number: The number of the transaction after those; `nil` for the end of the history.
    ///   - limit: The maximum number of transactions.
    ///   - changeLimit: The maximum number of changes of each.
    func newestTransactions(
        before number: Int64?, limit: Int, changeLimit: Int
    ) throws -> [(record: HistoryRecord, changeCount: Int)] {
        try reporting(.coreData, what: "the history of the store at \(fileURL.path) cannot be read") {
            let connection = try connection()
            try invalidateIfChanged(connection)
            return try connection.transaction(.deferred) {
                let found = try connection.statement(
                    Self.transactionQuery + "WHERE Z_PK < ? ORDER BY Z_PK DESC LIMIT ?")
                defer { found.reset() }
                found.bind(number ?? .max, at: 1)
                found.bind(Int64(limit), at: 2)
                let tombstones = try tombstoneCount(connection)
                return try transactions(found).map { record in
                    var record = record
                    record.changes = try changes(of: record.number, limit: changeLimit, tombstones, connection)
                    return (record, try changeCount(of: record.number, connection))
                }
            }
        }
    }

    private func changes(
        of transaction: Int64, limit: Int, _ tombstoneCount: Int, _ connection: SQLiteConnection
    ) throws -> [HistoryRecord.Change] {
        let statement = try connection.statement(
            Self.changeQuery(tombstoneCount) + "WHERE ZTRANSACTIONID = ? ORDER BY Z_PK LIMIT ?")
        defer { statement.reset() }
        statement.bind(transaction, at: 1)
        statement.bind(Int64(limit), at: 2)
        var changes: [HistoryRecord.Change] = []
        while try statement.step() {
            if let change = change(statement, tombstoneCount) { changes.append(change) }
        }
        return changes
    }

    private func changeCount(of transaction: Int64, _ connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ?")
        defer { statement.reset() }
        statement.bind(transaction, at: 1)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Returns the number of tombstone columns, which is not yet known for a read-only store.
    private func tombstoneCount(_ connection: SQLiteConnection) throws -> Int {
        if history.tombstoneCount > 0 || !isReadOnly { return history.tombstoneCount }
        return try FileLayout(connection).tombstoneCount
    }

    /// Returns the change in a statement's current row, or `nil` if the model no longer contains its entity.
    private func change(_ statement: SQLiteStatement, _ tombstoneCount: Int) -> HistoryRecord.Change? {
        guard let entity = entity(number: Int(truncatingIfNeeded: statement.integer(3))),
            let kind = NSPersistentHistoryChangeType(rawValue: Int(truncatingIfNeeded: statement.integer(2)))
        else { return nil }
        var change = HistoryRecord.Change(
            number: statement.integer(0), kind: kind, id: id(statement.integer(4), entity))
        switch kind {
        case .insert: break
        case .update where !statement.isNull(5):
            change.slots = ColumnBits.slots(statement.bytes(5), count: entity.layout.slots.count)
        case .update: break
        case .delete:
            var values: [AnyHashable: Any] = [:]
            for (index, tombstone) in history.tombstones(of: entity).enumerated() where index < tombstoneCount {
                values[tombstone.name] = tombstone.coding.value(statement, Int32(6 + index)).anyValue
            }
            if !values.isEmpty { change.tombstone = values }
        }
        return change
    }

    // MARK: Deleting

    func deleteHistory(before position: HistoryPosition) throws -> Int {
        try reporting(.persistentStoreSave, what: "the history of the store at \(fileURL.path) cannot be deleted") {
            let connection = try connection()
            return try connection.transaction {
                try checkIdentity(connection)
                let condition = Self.condition(position, "<")
                let changes = try connection.statement(
                    "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))")
                Self.bind(position, changes)
                try changes.run()
                let transactions = try connection.statement("DELETE FROM ATRANSACTION WHERE \(condition)")
                Self.bind(position, transactions)
                return try transactions.run()
            }
        }
    }
}
