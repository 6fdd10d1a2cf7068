internal import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// Persistent history, and the tables of CloudKit mirroring.
extension StoreExamination {
    /// The names of the history tables, as keys.
    static let historyTables: Set<String> = ["achange", "atransaction", "atransactionstring"]

    func checkHistory() throws(DoctorDatabase.Failure) {
        let found = Self.historyTables.filter { tables[$0] != nil }
        // Framework 851 keeps the strings in the transactions.
        if !found.isEmpty, found.count < 3,
            !(found == ["achange", "atransaction"] && !has("ATRANSACTION", "ZAUTHORTS"))
        {
            let missing = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].filter { table($0) == nil }
            record(
                StoreFinding(
                    .historyPartial,
                    "the store has history, but lacks \(missing.joined(separator: " and "))",
                    rows: AffectedRows(table: missing[0])))
        }
        if has("ACHANGE", "ZTRANSACTIONID", "ZENTITY") { try checkChanges() }
        if has("ATRANSACTION", "ZTIMESTAMP") { try checkTransactions() }
    }

    private func checkChanges() throws(DoctorDatabase.Failure) {
        var scan = TableScan(table: "ACHANGE", example: .columns(["Z_PK"]))
        func add(_ rule: RuleID, column: String, sql: String, message: @escaping (Int64) -> String) {
            scan.add(
                RowCondition(
                    rule: rule, entity: "CHANGE", property: nil, column: column, sql: sql, message: message))
        }
        if has("ATRANSACTION", "Z_PK") {
            add(
                .historyOrphan, column: "ZTRANSACTIONID",
                sql: "NOT EXISTS (SELECT 1 FROM ATRANSACTION AS d WHERE d.Z_PK = t.ZTRANSACTIONID)"
            ) { "\(counted($0, "change")) in the history \($0 == 1 ? "has" : "have") no transaction" }
        }
        if hasEntityRows {
            add(
                .historyEntity, column: "ZENTITY",
                sql: "NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY AS d WHERE d.Z_ENT = t.ZENTITY)"
            ) { "\(counted($0, "change")) in the history \($0 == 1 ? "is" : "are") of an unknown entity" }
        }
        // SQLite limits the depth of an expression.
        let tombstones = (table("ACHANGE")?.columns ?? []).map(\.name).filter { $0.hasPrefix("ZTOMBSTONE") }.prefix(100)
        if !tombstones.isEmpty, has("ACHANGE", "ZCHANGETYPE") {
            let isSet = tombstones.map { "t.\(SQLName.inQuotes($0)) IS NOT NULL" }.joined(separator: " OR ")
            add(.historyTombstone, column: tombstones[0], sql: "t.ZCHANGETYPE <> 2 AND (\(isSet))") {
                "\(counted($0, "change")) other than \($0 == 1 ? "a deletion has" : "deletions have") values of preserved attributes"
            }
        }
        _ = try scan.run(self)
    }

    private func checkTransactions() throws(DoctorDatabase.Failure) {
        if has("ATRANSACTIONSTRING", "Z_PK") {
            let columns = (table("ATRANSACTION")?.columns ?? []).map(\.name).filter { $0.hasSuffix("TS") }
            var scan = TableScan(table: "ATRANSACTION", example: .columns(["Z_PK"]))
            for column in columns {
                let value = "t.\(SQLName.inQuotes(column))"
                scan.add(
                    RowCondition(
                        rule: .historyString, entity: "TRANSACTION", property: nil, column: column,
                        sql: "\(value) IS NOT NULL AND NOT EXISTS "
                            + "(SELECT 1 FROM ATRANSACTIONSTRING AS d WHERE d.Z_PK = \(value))"
                    ) {
                        "\(counted($0, "transaction")) \($0 == 1 ? "refers" : "refer") to a string that does not exist"
                    })
            }
            _ = try scan.run(self)
        }
        guard options.includes(.historyBloat),
            let count = try database.integer("SELECT count(*) FROM ATRANSACTION"), count > 10_000
        else { return }
        let query = try database.query("SELECT min(ZTIMESTAMP) FROM ATRANSACTION")
        guard try query.step(), let oldest = query.real(0) else { return }
        let days = (options.now - oldest) / 86_400
        guard days > Double(options.historyDays), days < 1e6 else { return }
        recordHistoryBloat("history has \(count) transactions, the oldest of which is \(Int(days)) days old")
    }

    /// Adds the finding of large history, once.
    func recordHistoryBloat(_ message: String) {
        guard !findings.contains(where: { $0.rule == .historyBloat }) else { return }
        record(StoreFinding(.historyBloat, message, rows: AffectedRows(table: "ACHANGE")))
    }

    // MARK: Objects

    /// Checks the objects that history and mirroring mention.
    func checkObjectsOfHistory(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        if options.includes(.historyUndead), has("ACHANGE", "ZENTITY", "ZENTITYPK"), has("ACHANGE", "ZCHANGETYPE") {
            try checkDeletions(layout)
        }
        if options.includes(.cloudkitRecord), has("ANSCKRECORDMETADATA", "ZENTITYID", "ZENTITYPK") {
            try checkRecords(layout)
        }
    }

    private func checkDeletions(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        let lookup = ObjectLookup(self, layout)
        var examples: [String] = []
        var count: Int64 = 0
        let query = try database.query(
            """
            SELECT ZENTITY, ZENTITYPK FROM ACHANGE GROUP BY ZENTITY, ZENTITYPK \
            HAVING max(Z_PK) = max(CASE WHEN ZCHANGETYPE = 2 THEN Z_PK END)
            """)
        while try query.step() {
            // Not after a later insertion or update: the key was given again knowingly, as by a restored object.
            guard let number = query.integer(0), let key = query.integer(1), try lookup.exists(number, key) == true
            else {
                continue
            }
            count += 1
            if examples.count < options.maxExamples {
                examples.append(uri(key, entity: entityName(number) ?? "\(number)"))
            }
        }
        guard count > 0 else { return }
        record(
            StoreFinding(
                .historyUndead,
                "\(counted(count, "object")) \(count == 1 ? "exists" : "exist") although the last change in the history "
                    + "is \(count == 1 ? "its" : "their") deletion",
                rows: AffectedRows(
                    table: "ACHANGE", column: "ZENTITYPK", count: Int(clamping: count), examples: examples)
            ))
    }

    private func checkRecords(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        let lookup = ObjectLookup(self, layout)
        var count: Int64 = 0
        var examples: [String] = []
        let query = try database.query("SELECT ZENTITYID, ZENTITYPK FROM ANSCKRECORDMETADATA")
        while try query.step() {
            guard let number = query.integer(0), let key = query.integer(1), try lookup.exists(number, key) == false
            else { continue }
            count += 1
            if examples.count < options.maxExamples {
                examples.append(uri(key, entity: entityName(number) ?? "\(number)"))
            }
        }
        guard count > 0 else { return }
        record(
            StoreFinding(
                .cloudkitRecord,
                "\(counted(count, "CloudKit record")) \(count == 1 ? "belongs" : "belong") to no object",
                rows: AffectedRows(
                    table: "ANSCKRECORDMETADATA", column: "ZENTITYPK", count: Int(clamping: count), examples: examples))
        )
    }
}

/// Looks up objects by entity number and key.
private final class ObjectLookup {
    private let examination: StoreExamination
    private let layout: StoreLayout
    /// By entity number; `nil` for an unknown entity or table.
    private var queries: [Int64: SQLiteQuery?] = [:]

    init(_ examination: StoreExamination, _ layout: StoreLayout) {
        self.examination = examination
        self.layout = layout
    }

    /// Returns whether an object exists; `nil` if its entity or table is unknown.
    func exists(_ number: Int64, _ key: Int64) throws(DoctorDatabase.Failure) -> Bool? {
        guard let query = try query(number) else { return nil }
        query.restart(key)
        return try query.step()
    }

    private func query(_ number: Int64) throws(DoctorDatabase.Failure) -> SQLiteQuery? {
        if let cached = queries[number] { return cached }
        var query: SQLiteQuery?
        if let entity = Int(exactly: number).flatMap({ layout.entity(number: $0) }),
            examination.has(entity.table, "Z_PK")
        {
            query = try examination.database.query("SELECT 1 FROM \(SQLName.inQuotes(entity.table)) WHERE Z_PK = ?")
        }
        queries[number] = .some(query)
        return query
    }
}
