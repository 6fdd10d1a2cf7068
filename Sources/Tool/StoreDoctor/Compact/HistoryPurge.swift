internal import CoreData

/// The history that is deleted, as by Apple's request for deleting history before a date: transactions with an earlier time
/// stamp, and their changes. The strings of transactions and the last keys stay, so that no number is used again.
struct HistoryPurge {
    /// The condition of a transaction; `nil` if none is deleted.
    private let condition: String?
    private let limit: Double?

    init(_ history: CompactionPlan.Options.History) {
        switch history {
        case .none: (condition, limit) = (nil, nil)
        case .all: (condition, limit) = ("1", .infinity)
        case .before(let time): (condition, limit) = ("ZTIMESTAMP < \(time)", time)
        }
    }

    /// Returns whether there is history that could be deleted.
    func exists(in database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Bool {
        guard condition != nil else { return false }
        return try database.integer(
            """
            SELECT count(*) FROM pragma_table_info('ATRANSACTION') AS t, pragma_table_info('ACHANGE') AS c \
            WHERE t.name = 'ZTIMESTAMP' AND c.name = 'ZTRANSACTIONID'
            """) == 1
    }

    /// Throws if CloudKit may still need the transactions.
    func requireUnmirrored(_ database: DoctorDatabase, now: Double) throws {
        let columns = try database.integer(
            "SELECT count(*) FROM pragma_table_info('ANSCKRECORDMETADATA') WHERE name = 'ZPENDINGEXPORTTRANSACTIONNUMBER'"
        )
        guard columns != 0, let limit, try database.integer("SELECT 1 FROM ANSCKRECORDMETADATA LIMIT 1") != nil else {
            return
        }
        let pending = try database.integer(
            "SELECT 1 FROM ANSCKRECORDMETADATA WHERE ZPENDINGEXPORTTRANSACTIONNUMBER IS NOT NULL LIMIT 1")
        guard pending == nil, limit <= now - 7 * 86_400 else {
            throw StoreDoctor.Failure(
                kind: .unchangeable,
                message: "CloudKit mirrors the store, and may not have exported "
                    + (pending == nil ? "transactions of the last 7 days" : "all transactions"))
        }
    }

    private var transactions: String { "SELECT Z_PK FROM ATRANSACTION WHERE \(condition ?? "0")" }

    /// Returns the number of transactions and changes that are deleted, and the newest time.
    func count(
        in database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) -> (transactions: Int64, changes: Int64, newest: Double?) {
        let query = try database.query(
            "SELECT count(*), max(ZTIMESTAMP) FROM ATRANSACTION WHERE \(condition ?? "0")")
        guard try query.step() else { return (0, 0, nil) }
        let changes = try database.integer("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IN (\(transactions))")
        return (query.integer(0) ?? 0, changes ?? 0, query.real(1))
    }

    /// Deletes the oldest changes; those of all transactions go before the first transaction, so that a run which is killed
    /// is continued by the next.
    ///
    /// - Parameters:
    ///   - last: The key of the last change that was looked at.
    ///   - limit: The maximum number of rows.
    /// - Returns: The number of deleted rows; 0 at the end.
    func deleteChanges(
        _ database: DoctorDatabase, after last: inout Int64, limit: Int64
    ) throws(DoctorDatabase.Failure) -> Int {
        var keys: [Int64] = []
        let query = try database.query(
            "SELECT Z_PK FROM ACHANGE WHERE Z_PK > \(last) AND ZTRANSACTIONID IN (\(transactions)) "
                + "ORDER BY Z_PK LIMIT \(limit)")
        while try query.step() { keys.append(query.integer(0) ?? 0) }
        guard let end = keys.last else { return 0 }
        try Self.delete(keys, from: "ACHANGE", database)
        last = end
        return keys.count
    }

    /// Deletes the oldest transactions.
    ///
    /// - Returns: The number of deleted rows; 0 at the end.
    func deleteTransactions(_ database: DoctorDatabase, limit: Int64) throws(DoctorDatabase.Failure) -> Int {
        var keys: [Int64] = []
        let query = try database.query("\(transactions) ORDER BY Z_PK LIMIT \(limit)")
        while try query.step() { keys.append(query.integer(0) ?? 0) }
        try Self.delete(keys, from: "ATRANSACTION", database)
        return keys.count
    }

    private static func delete(
        _ keys: [Int64], from table: String, _ database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) {
        guard !keys.isEmpty else { return }
        try database.execute("DELETE FROM \(table) WHERE Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))")
    }
}
