internal import Foundation

/// Reads and deletes the history of a store.
extension SQLiteStore {
    /// The number of the last transaction; an error when the store keeps no history.
    func lastTransaction() throws -> Int64 {
        guard history != nil else {
            throw CoreDataError.error(.persistentStoreUnsupportedRequestType, "the store keeps no history")
        }
        return try reporting(.coreData, "the history of \(fileURL.path) cannot be read") {
            let sql = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionEntity)"
            return try connection().integer(sql) ?? 0
        }
    }

    /// The transactions after a place, with their changes if the result needs them.
    func transactions(
        after limit: NSPersistentHistoryChangeRequest.Limit, _ type: NSPersistentHistoryResultType
    ) throws -> [NSPersistentHistoryTransaction] {
        try reporting(.coreData, "the history of \(fileURL.path) cannot be read") {
            let connection = try connection()
            // Whoever merges what others did looks at the rows next.
            try notice(connection)
            // Transactions and changes of one state.
            return try connection.transaction(.deferred) {
                var transactions: [NSPersistentHistoryTransaction] = []
                let statement = try connection.statement(
                    "SELECT t.Z_PK, t.ZTIMESTAMP, b.ZNAME, p.ZNAME, c.ZNAME, a.ZNAME, t.ZBUNDLEID, t.ZPROCESSID, "
                        + "t.ZCONTEXTNAME, t.ZAUTHOR FROM ATRANSACTION t "
                        + "LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS "
                        + "LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS "
                        + "LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS "
                        + "LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS WHERE \(try condition(limit)) "
                        + "ORDER BY t.Z_PK")
                defer { statement.reset() }
                bind(limit, statement)
                while try statement.step() { transactions.append(transaction(statement)) }
                if type != .transactionsOnly, type != .count, type != .statusOnly {
                    try readChanges(of: transactions, connection)
                }
                return transactions
            }
        }
    }

    private func transaction(_ statement: SQLiteStatement) -> NSPersistentHistoryTransaction {
        /// Old stores have the texts in the rows themselves.
        func text(_ column: Int32) -> String? {
            if !statement.isNull(column) { return statement.text(column) }
            return statement.isNull(column + 4) ? nil : statement.text(column + 4)
        }
        return NSPersistentHistoryTransaction(
            timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)), number: statement.integer(0),
            storeID: identifier, bundleID: text(2) ?? "", processID: text(3) ?? "", contextName: text(4),
            author: text(5))
    }

    private func condition(_ limit: NSPersistentHistoryChangeRequest.Limit, isBefore: Bool = false) throws -> String {
        switch limit {
        case .none: return "1"
        case .date: return isBefore ? "t.ZTIMESTAMP < ?" : "t.ZTIMESTAMP > ?"
        case .token(let token):
            // A token that does not know the store was made before the store was added.
            guard let number = token.numbers[identifier] else { return isBefore ? "0" : "1" }
            if !isBefore { try checkReach(number) }
        case .transaction(let number, let store):
            guard store == identifier else { return isBefore ? "0" : "1" }
            if !isBefore { try checkReach(number) }
        }
        return isBefore ? "t.Z_PK < ?" : "t.Z_PK > ?"
    }

    private func bind(_ limit: NSPersistentHistoryChangeRequest.Limit, _ statement: SQLiteStatement) {
        switch limit {
        case .none: return
        case .date(let date): statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
        case .token(let token):
            if let number = token.numbers[identifier] { statement.bind(number, at: 1) }
        case .transaction(let number, let store):
            if store == identifier { statement.bind(number, at: 1) }
        }
    }

    /// Throws an error when transactions after a number have been deleted: whoever reads on would miss them.
    private func checkReach(_ number: Int64) throws {
        let connection = try connection()
        let first = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
        let last = try lastTransaction()
        guard number < last, (first ?? last + 1) > number + 1 else { return }
        throw CoreDataError.error(
            .persistentHistoryTokenExpired, "the history of the store does not reach back to the transaction \(number)",
            [NSURLErrorKey: fileURL])
    }

    private func readChanges(
        of transactions: [NSPersistentHistoryTransaction], _ connection: SQLiteConnection
    ) throws {
        guard let first = transactions.first, let last = transactions.last else { return }
        let wanted = Dictionary(uniqueKeysWithValues: transactions.map { ($0.transactionNumber, $0) })
        for transaction in transactions { transaction.changes = [] }
        let count = try Tombstone.columnCount(connection)
        let columns = (0..<count).map { ", \(Tombstone.column($0))" }.joined()
        let statement = try connection.statement(
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(columns) FROM ACHANGE "
                + "WHERE ZTRANSACTIONID BETWEEN ? AND ? ORDER BY Z_PK")
        defer { statement.reset() }
        statement.bind(first.transactionNumber, at: 1)
        statement.bind(last.transactionNumber, at: 2)
        while try statement.step() {
            guard let transaction = wanted[statement.integer(4)],
                let entity = entity(number: Int(truncatingIfNeeded: statement.integer(2))),
                let type = NSPersistentHistoryChangeType(rawValue: Int(truncatingIfNeeded: statement.integer(1)))
            else { continue }
            let change = NSPersistentHistoryChange(
                id: statement.integer(0), object: id(statement.integer(3), entity), type: type,
                tombstone: type == .delete ? tombstone(statement, entity, count) : nil,
                properties: type == .update ? properties([UInt8](statement.bytes(5)), entity) : nil)
            change.transaction = transaction
            transaction.changes?.append(change)
        }
    }

    private func properties(_ bytes: [UInt8], _ entity: StoredEntity) -> Set<NSPropertyDescription> {
        Set(ChangedColumns.names(bytes, entity).compactMap { entity.layout.entity.propertiesByName[$0] })
    }

    private func tombstone(_ statement: SQLiteStatement, _ entity: StoredEntity, _ count: Int) -> [AnyHashable: Any]? {
        var values: [AnyHashable: Any] = [:]
        for (index, field) in Tombstone.fields(entity).enumerated() where index < count {
            values[field.name] = field.coding.value(statement, Int32(6 + index)).anyValue
        }
        return values.isEmpty ? nil : values
    }

    // MARK: Deletion

    /// Deletes what was done before a place, and gives the number of transactions that are gone.
    func deleteHistory(_ limit: NSPersistentHistoryChangeRequest.Limit) throws -> Int {
        try reporting(.persistentStoreSave, "the history of \(fileURL.path) cannot be deleted") {
            let connection = try connection()
            return try connection.transaction {
                let condition = try condition(limit, isBefore: true)
                let changes = try connection.statement(
                    "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK FROM ATRANSACTION t WHERE \(condition))"
                )
                bind(limit, changes)
                try changes.run()
                let transactions = try connection.statement("DELETE FROM ATRANSACTION AS t WHERE \(condition)")
                bind(limit, transactions)
                let count = try transactions.run()
                try connection.execute(
                    "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK NOT IN (SELECT ifnull(ZAUTHORTS, 0) FROM ATRANSACTION UNION "
                        + "SELECT ifnull(ZBUNDLEIDTS, 0) FROM ATRANSACTION UNION SELECT ifnull(ZCONTEXTNAMETS, 0) FROM "
                        + "ATRANSACTION UNION SELECT ifnull(ZPROCESSIDTS, 0) FROM ATRANSACTION)")
                return count
            }
        }
    }

    // MARK: Notification

    /// Tells everybody that the store was written to, if the program wants that.
    func postRemoteChange() {
        guard settings.postsRemoteChanges, let coordinator = persistentStoreCoordinator else { return }
        var userInfo: [String: Any] = [NSStoreUUIDKey: identifier ?? "", NSPersistentStoreURLKey: fileURL]
        if let number = try? lastTransaction() {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([identifier: number])
        }
        // Not under the coordinator's lock: whoever hears of it will want to fetch.
        let post = SendableBox { [weak coordinator] in
            guard let coordinator else { return }
            NotificationCenter.default.post(
                name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
        }
        DispatchQueue.global().async { post.value() }
    }
}
