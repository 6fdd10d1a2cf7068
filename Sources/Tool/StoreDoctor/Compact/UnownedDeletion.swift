internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import StoreFile

/// The deletion of objects without an owner, in small transactions. Nothing refers to them, so nothing else changes.
struct UnownedDeletion: Sendable {
    /// The objects, by entity.
    let rows: [UnownedRows]
    private let keepsHistory: Bool
    /// The number of indexes of the tables, at most.
    private let indexCount: Int64
    /// The number of rows that a step deletes.
    private let rowStep: Int64

    /// The size of the values that a step deletes, unless one object is larger.
    private static let byteStep: Int64 = 1 << 20

    /// Finds the objects.
    ///
    /// - Returns: `nil` if no entities are named.
    /// - Throws: `StoreDoctor.Failure` if it is not certain that the objects are left over, or if CloudKit mirrors the
    ///   store.
    init?(_ names: [String], in database: DoctorDatabase, path: String, external: ExternalFileList) throws {
        guard !names.isEmpty else { return nil }
        guard try !CloudKitMirror.exists(in: database) else {
            throw StoreDoctor.Failure(
                kind: .unchangeable,
                message: "CloudKit mirrors the store, so objects would be deleted on all devices; "
                    + "`modelc store repair --mirrored --delete-unowned` does that")
        }
        let examination = try StoreExamination(
            database: database, file: StoreFileStatus(path: path), external: external, options: StoreDoctor.Options(),
            model: nil)
        let isModelOfStore = !examination.findings.contains { $0.rule == .modelMismatch }
        guard examination.layout != nil, isModelOfStore else {
            throw StoreDoctor.Failure(
                kind: .unchangeable,
                message: (examination.missingModel ?? "the model in the store is not the one that it was written with")
                    + ", so objects without an owner cannot be found; "
                    + "`modelc store repair --model … --delete-unowned` does that with another model")
        }
        rows = try examination.unownedRows(of: names)
        keepsHistory = RepairHistory.exists(examination)
        var indexCount: Int64 = 0
        for table in rows.map(\.entity.table) {
            let count = try database.integer("SELECT count(*) FROM pragma_index_list(\(SQLName.literal(table)))")
            indexCount = max(indexCount, count ?? 0)
        }
        self.indexCount = indexCount
        rowStep = min(max((try database.integer("PRAGMA page_count") ?? 0) / 400, 50), 1000)
    }

    /// The conditions of the objects `t`, by the keys of the tables' names.
    var conditions: [String: String] {
        Dictionary(rows.map { (SQLName.key($0.entity.table), $0.condition("t")) }) { first, _ in first }
    }

    /// Returns the maximum of additional disk space that a step needs.
    func bound(pages: Int64, pageSize: Int64, isSecure: Bool) -> Int64 {
        guard rows.contains(where: { $0.count > 0 }) else { return 0 }
        let values = Self.byteStep + (rows.map(\.largest).max() ?? 0)
        let hasTombstones = keepsHistory && rows.contains { $0.entity.tombstones.contains { $0 != nil } }
        // A row is on one page of the table and of each index; a freed page changes the list of free pages and a
        // pointer.
        let changed = (2 + 2 * indexCount) * rowStep + values / pageSize / 100
        let written = (isSecure ? values / pageSize : 0) + (hasTombstones ? values / pageSize : 0)
        return (min(changed, pages) + written + 64) * (pageSize + 24)
    }

    // MARK: Steps

    /// Objects that are deleted together.
    struct Step {
        fileprivate var rows: UnownedRows
        fileprivate var first: Int64
        /// The largest key.
        fileprivate(set) var last: Int64
    }

    /// Returns the next objects of an entity, by ascending key; `nil` if there are no more.
    func nextStep(
        _ rows: UnownedRows, after last: Int64?, in database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) -> Step? {
        let query = try database.query(
            "SELECT t.Z_PK, \(rows.size("t")) FROM \(SQLName.inQuotes(rows.entity.table)) AS t WHERE \(rows.condition("t"))"
                + "\(last.map { " AND t.Z_PK > \($0)" } ?? "") ORDER BY t.Z_PK LIMIT \(rowStep)")
        var step: Step?
        var bytes: Int64 = 0
        while try query.step() {
            let key = query.integer(0) ?? 0
            bytes += query.integer(1) ?? 0
            if step != nil, bytes > Self.byteStep { break }
            step = Step(rows: rows, first: step?.first ?? key, last: key)
        }
        return step
    }

    /// Returns the writer of the history for all steps; `nil` if the store keeps none, or if it cannot be continued.
    func historyWriter(_ database: DoctorDatabase) throws(DoctorDatabase.Failure) -> StoreHistoryWriter? {
        guard keepsHistory else { return nil }
        return try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in
            try StoreHistoryWriter(database.handle, author: RepairHistory.author)
        }
    }

    /// Deletes objects, in a transaction, and records this in the history; returns their number.
    func run(
        _ step: Step, recording writer: StoreHistoryWriter?, _ database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) -> Int {
        let condition = "\(step.rows.condition("t")) AND t.Z_PK BETWEEN \(step.first) AND \(step.last)"
        let table = SQLName.inQuotes(step.rows.entity.table)
        try database.execute("BEGIN IMMEDIATE")
        do throws(DoctorDatabase.Failure) {
            if let writer {
                try record(step.rows.entity, "FROM \(table) AS t WHERE \(condition)", writer, database)
            }
            try database.execute("DELETE FROM \(table) AS t WHERE \(condition)")
            let count = Int(sqlite3_changes(database.handle))
            try database.execute("COMMIT")
            return count
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    private func record(
        _ entity: StoreLayout.Entity, _ source: String, _ writer: StoreHistoryWriter, _ database: DoctorDatabase
    ) throws(DoctorDatabase.Failure) {
        let kept = entity.tombstones.compactMap { $0 }
        let values = kept.map { attribute in
            ", "
                + RepairHistory.KeptColumn(name: attribute.column, isExternal: attribute.isExternal)
                .value("t.\(SQLName.inQuotes(attribute.column))")
        }
        let query = try database.query("SELECT t.Z_PK\(values.joined()) \(source)")
        while try query.step() {
            try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in
                try writer.delete(query.integer(0) ?? 0, entity) { attribute in
                    kept.firstIndex { $0.column == attribute.column }
                        .flatMap { sqlite3_column_value(query.statement, Int32($0 + 1)) }
                }
            }
        }
        try DoctorDatabase.writing { () throws(StoreHistoryWriter.Failure) in try writer.finish() }
    }
}
