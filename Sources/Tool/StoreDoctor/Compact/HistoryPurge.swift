internal import CoreData
internal import StoreFile

/// The history that is deleted, as with Apple's request for deleting history before a date: transactions with an
/// earlier time stamp, and their changes. The newest transaction, the strings of transactions and the last keys stay,
/// so that no number is used again.
struct HistoryPurge {
    /// The condition of the transactions that stay; `nil` if none is deleted.
    private let kept: String?
    private let limit: Double?

    init(_ history: CompactionPlan.Options.History) {
        switch history {
        case .none: (kept, limit) = (nil, nil)
        case .all: (kept, limit) = ("0", .infinity)
        case .before(let time): (kept, limit) = ("ZTIMESTAMP >= \(time)", time)
        }
    }

    /// Returns whether there is history that could be deleted.
    func exists(in database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Bool {
        guard kept != nil else { return false }
        return try database.integer(
            """
            SELECT count(*) FROM pragma_table_info('ATRANSACTION') AS t, pragma_table_info('ACHANGE') AS c \
            WHERE t.name = 'ZTIMESTAMP' AND c.name = 'ZTRANSACTIONID'
            """) == 1
    }

    /// Throws unless it is certain that CloudKit does not need the transactions.
    func requireUnmirrored(_ database: DoctorDatabase, now: Double) throws {
        guard try CloudKitMirror.exists(in: database), let limit else { return }
        let columns = try database.integer(
            "SELECT count(*) FROM pragma_table_info('ANSCKRECORDMETADATA') WHERE name = 'ZPENDINGEXPORTTRANSACTIONNUMBER'"
        )
        // Without a record, nothing has been exported yet.
        let isExported =
            try columns == 1 && database.integer("SELECT 1 FROM ANSCKRECORDMETADATA LIMIT 1") != nil
            && database.integer(
                "SELECT 1 FROM ANSCKRECORDMETADATA WHERE ZPENDINGEXPORTTRANSACTIONNUMBER IS NOT NULL LIMIT 1") == nil
        guard isExported, limit <= now - 7 * 86_400 else {
            throw StoreDoctor.Failure(
                kind: .unchangeable,
                message: "CloudKit mirrors the store, and may not have exported "
                    + (isExported ? "transactions of the last 7 days" : "all transactions"))
        }
    }

    /// Returns the key of the oldest transaction that stays: numbers of transactions only grow, so that what is left
    /// has no holes even if a clock was set back.
    private func end(in database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Int64 {
        try database.integer(
            "SELECT min(ifnull((SELECT min(Z_PK) FROM ATRANSACTION WHERE \(kept ?? "1")), \(Int64.max)), max(Z_PK)) "
                + "FROM ATRANSACTION") ?? 0
    }

    /// Returns the number of transactions and changes that are deleted, and the newest time.
    func count(
        in database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) -> (transactions: Int64, changes: Int64, newest: Double?) {
        let end = try end(in: database)
        let query = try database.query("SELECT count(*), max(ZTIMESTAMP) FROM ATRANSACTION WHERE Z_PK < \(end)")
        guard try query.step() else { return (0, 0, nil) }
        let changes = try database.integer("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < \(end)")
        return (query.integer(0) ?? 0, changes ?? 0, query.real(1))
    }

    /// Returns the largest number of changes of a transaction that is deleted.
    func largestTransaction(in database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Int64 {
        try database.integer(
            "SELECT max(n) FROM (SELECT count(*) AS n FROM ACHANGE WHERE ZTRANSACTIONID < \(end(in: database)) "
                + "GROUP BY ZTRANSACTIONID)") ?? 0
    }

    /// Whole transactions, which are deleted with their changes: at any moment, what is left is the end of the history.
    struct Step {
        fileprivate var first: Int64
        fileprivate var last: Int64

        /// Deletes the transactions; returns the number of deleted rows.
        func run(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Int {
            let before = database.changeCount
            try database.execute("BEGIN IMMEDIATE")
            do throws(DoctorDatabase.Failure) {
                try database.execute(
                    """
                    DELETE FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN \(first) AND \(last); \
                    DELETE FROM ATRANSACTION WHERE Z_PK BETWEEN \(first) AND \(last); COMMIT
                    """)
            } catch {
                try? database.execute("ROLLBACK")
                throw error
            }
            return database.changeCount - before
        }
    }

    /// Returns the steps in which transactions are deleted, the oldest first.
    ///
    /// - Parameter rows: The number of rows of a step, unless a transaction has more.
    func steps(in database: DoctorDatabase, rows: Int64) throws(DoctorDatabase.Failure) -> [Step] {
        let end = try end(in: database)
        var steps: [Step] = []
        var count = rows
        // Changes of transactions that an interrupted run has deleted go, too.
        let query = try database.query(
            """
            SELECT k, sum(n) FROM (SELECT Z_PK AS k, 1 AS n FROM ATRANSACTION WHERE Z_PK < \(end) UNION ALL \
            SELECT ZTRANSACTIONID, count(*) FROM ACHANGE WHERE ZTRANSACTIONID < \(end) GROUP BY ZTRANSACTIONID) \
            WHERE typeof(k) = 'integer' GROUP BY k ORDER BY k
            """)
        while try query.step() {
            guard let key = query.integer(0), let size = query.integer(1) else { continue }
            if count + size <= rows, let last = steps.indices.last {
                steps[last].last = key
                count += size
            } else {
                steps.append(Step(first: key, last: key))
                count = size
            }
        }
        return steps
    }
}

/// CloudKit's records of a store that it mirrors.
enum CloudKitMirror {
    /// Returns whether CloudKit mirrors a store, or has begun to.
    static func exists(in database: DoctorDatabase) throws(DoctorDatabase.Failure) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name LIKE 'ANSCK%' LIMIT 1") != nil
    }
}
