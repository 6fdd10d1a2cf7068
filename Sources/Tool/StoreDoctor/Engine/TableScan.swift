internal import CoreData
internal import Diagnostics
internal import StoreFile

/// A condition that faulty rows of a table meet.
struct RowCondition {
    var rule: RuleID
    var entity: String
    /// The property; `nil` if the condition is about the row.
    var property: String?
    var column: String?
    /// The condition in SQL, of the row `t`.
    var sql: String
    /// Whether the condition only calls SQLite's own functions.
    var isPlain = true
    /// Returns the message for a number of rows.
    var message: (Int64) -> String
    /// A condition that counts the rows of which the faulty ones are a part, with the least share and number that are
    /// reported; `nil` to report any.
    var total: (sql: String, share: Double, least: Int64)?
    /// A query that has a row if the finding has the severity of its rule; without one it is a note.
    var confirmation: String?
}

/// Checks the rows of a table: one query for all conditions, and one more for the examples of each that is met.
struct TableScan {
    /// The way to show a row.
    enum Example {
        case objects
        case columns([String])
    }

    let table: String
    let example: Example
    private(set) var conditions: [RowCondition] = []
    /// Conditions that are only counted.
    private(set) var counts: [String] = []

    /// The maximum number of conditions in one query, and their maximum length: SQLite limits both.
    private static let limit = (count: 400, length: 500_000)

    init(table: String, example: Example = .objects) {
        self.table = table
        self.example = example
    }

    mutating func add(_ condition: RowCondition) { conditions.append(condition) }

    /// Adds conditions whose rows are counted.
    mutating func count(_ sql: String) { counts.append(sql) }

    /// Runs the queries.
    ///
    /// - Returns: The number of rows, and the numbers that were asked for with `count(_:)`.
    func run(_ examination: StoreExamination) throws(DoctorDatabase.Failure) -> (rows: Int64, counts: [Int64]) {
        let included = conditions.filter { examination.options.includes($0.rule) }
        let from = "FROM \(SQLName.inQuotes(table)) AS t"
        let expressions =
            counts.map(Self.counted)
            + included.flatMap { condition in
                [Self.counted(condition.sql)] + (condition.total.map { [Self.counted($0.sql)] } ?? [])
            }
        var values: [Int64] = []
        var rows: Int64 = 0
        var start = 0
        repeat {
            var (end, length) = (start, 0)
            while end < expressions.count, end - start < Self.limit.count, end == start || length < Self.limit.length {
                length += expressions[end].utf8.count
                end += 1
            }
            let part = expressions[start..<end]
            let query = try examination.database.query(
                "SELECT \((["count(*)"] + part).joined(separator: ", ")) \(from)")
            guard try query.step() else { break }
            rows = query.integer(0) ?? 0
            values += part.indices.map { query.integer($0 - start + 1) ?? 0 }
            start = end
        } while start < expressions.count
        examination.checkedRows += rows
        var next = counts.count
        for condition in included {
            guard next < values.count else { break }
            let count = values[next]
            next += 1
            if let total = condition.total {
                let whole = next < values.count ? values[next] : 0
                next += 1
                guard whole >= total.least, Double(count) > Double(whole) * total.share else { continue }
            }
            guard count > 0 else { continue }
            try report(condition, count: count, from: from, examination: examination)
        }
        return (rows, Array(values.prefix(counts.count)))
    }

    // A filter skips rows without a call of the aggregate function, unlike a condition in its argument.
    private static func counted(_ condition: String) -> String { "count(*) FILTER (WHERE \(condition))" }

    private func report(
        _ condition: RowCondition, count: Int64, from: String, examination: StoreExamination
    ) throws(DoctorDatabase.Failure) {
        var severity: Severity?
        if let confirmation = condition.confirmation, try !examination.database.query(confirmation).step() {
            severity = .note
        }
        var examples: [String] = []
        let limit = examination.options.maxExamples
        let columns: String
        switch example {
        case .objects:
            columns = "t.Z_PK"
            try examination.database.forEach(
                "SELECT t.Z_PK, t.Z_ENT \(from) WHERE \(condition.sql) LIMIT \(limit)"
            ) { row in
                examples.append(
                    examination.uri(
                        row.integer(0) ?? 0,
                        entity: examination.entityName(row.integer(1), in: table) ?? condition.entity))
            }
        case .columns(let names):
            columns = names.map { "t.\(SQLName.inQuotes($0))" }.joined(separator: ", ")
            try examination.database.forEach("SELECT \(columns) \(from) WHERE \(condition.sql) LIMIT \(limit)") { row in
                let values = names.indices.map { "\(names[$0]) = \(row.isNull($0) ? "NULL" : row.text($0))" }
                examples.append("\(table) (\(values.joined(separator: ", ")))")
            }
        }
        examination.findings.append(
            StoreFinding(
                condition.rule, entity: condition.entity, property: condition.property, condition.message(count),
                rows: AffectedRows(
                    table: table, column: condition.column, count: Int(clamping: count), examples: examples,
                    sql: condition.isPlain ? "SELECT \(columns) \(from) WHERE \(condition.sql)" : nil),
                severity: severity))
    }
}

/// A query whose rows are faults, such as groups of equal rows.
struct FaultQuery {
    var rule: RuleID
    var entity: String?
    var property: String?
    var table: String
    var column: String?
    /// The query. Its first column is the key of an object, of the entity whose number is in the second.
    var sql: String
    /// Returns the message for a number of rows.
    var message: (Int64) -> String
    /// Returns an example for a row of the query; `nil` for the URI of an object.
    var example: ((SQLiteQuery) -> String)?

    func run(_ examination: StoreExamination) throws(DoctorDatabase.Failure) {
        guard examination.options.includes(rule) else { return }
        var count: Int64 = 0
        var examples: [String] = []
        try examination.database.forEach(sql) { row in
            count += 1
            guard examples.count < examination.options.maxExamples else { return }
            examples.append(
                example?(row)
                    ?? examination.uri(
                        row.integer(0) ?? 0,
                        entity: (row.columnCount > 1 ? examination.entityName(row.integer(1)) : nil) ?? entity ?? "?"))
        }
        guard count > 0 else { return }
        examination.findings.append(
            StoreFinding(
                rule, entity: entity, property: property, message(count),
                rows: AffectedRows(
                    table: table, column: column, count: Int(clamping: count), examples: examples, sql: sql)))
    }
}
