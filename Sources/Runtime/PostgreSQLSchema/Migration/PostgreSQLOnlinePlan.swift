internal import CoreData
internal import ModelMigration

/// The statements that migrate a PostgreSQL store while programs of both versions use it, as a value.
///
/// The first step adds what the new version needs, and announces the version, so that its programs open the store. The
/// second one does what takes long on large tables, without keeping programs from writing. The last one removes what
/// only the old version has, and records the new version: programs of the old one get an error from their next save.
/// Until then, another step returns to the old version.
/// Not every migration has such steps: between them, the same tables must make sense to both versions.
package struct PostgreSQLOnlinePlan {
    /// A step, which is run as a whole, with the programs running.
    package enum Step: String, CaseIterable, Sendable {
        /// One short transaction: columns and tables of the new version.
        case expand
        /// Indexes, foreign keys and values, each in its transaction. May be run again after a failure.
        case fill
        /// One short transaction, when no program of the old version is left.
        case contract
        /// One transaction in place of `contract`, when no program of the new version is left: back to the old one.
        case cancel
    }

    typealias Statements = [(comment: String, statement: String)]

    /// The time in seconds that a transaction waits for other transactions. While it waits, they wait for it too.
    static let timeout = 5.0
    /// The number of rows that are filled in one transaction.
    static let batch = 1000

    let plan: PostgreSQLMigrationPlan
    let keys: PostgreSQLMigrationPlan.Keys
    /// The columns with values that existing rows get, in tables of both versions.
    let changed: [(table: String, column: String, value: SQLFragment)]
    /// The tables of both versions, which have the same name in both.
    let retained: [(old: PostgreSQLTable, new: PostgreSQLTable)]
    /// The tables that only the new version has.
    let created: [PostgreSQLTable]
    /// The indexes that tables of both versions get.
    let addedIndexes: [PostgreSQLIndex]

    init(_ plan: PostgreSQLMigrationPlan) {
        self.plan = plan
        let keys = plan.matchedKeys()
        self.keys = keys
        changed = plan.rows?.changedColumns ?? []
        let tables = plan.destination.tables + plan.destination.joinTables
        let new = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
        retained = (plan.source.tables + plan.source.joinTables).compactMap { old in
            plan.match.tables[old.name].flatMap { new[$0] }.map { (old, $0) }
        }
        let names = Set(plan.match.tables.values)
        created = tables.filter { !names.contains($0.name) }
        let kept = Set(keys.indexes.values)
        addedIndexes = plan.destination.indexes.filter { !kept.contains($0.name) && names.contains($0.table) }
    }

    var source: PostgreSQLSchema { plan.source }
    var destination: PostgreSQLSchema { plan.destination }

    func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    // MARK: Tables

    func addedColumns(_ table: (old: PostgreSQLTable, new: PostgreSQLTable)) -> [PostgreSQLTable.Column] {
        let present = Set((plan.match.columns[table.old.name] ?? []).map(\.new))
        return table.new.columns.filter { !present.contains($0.name) }
    }

    func isAdded(_ column: String, to table: String) -> Bool {
        retained.contains { $0.new.name == table && addedColumns($0).contains { $0.name == column } }
    }

    /// Returns the value that an added column has in all rows, in those too that programs of the old version insert.
    func defaultValue(_ column: String, of table: String) -> String? {
        changed.first { $0.table == table && $0.column == column }.map { PostgreSQLLiterals.text(of: $0.value) }
    }

    /// The foreign keys that tables of both versions get.
    var addedForeignKeys: [(table: PostgreSQLTable, key: PostgreSQLTable.ForeignKey)] {
        retained.flatMap { table in
            table.new.foreignKeys.filter { !keys.retainedForeign.contains([table.new.name, $0.name]) }
                .map { (table.new, $0) }
        }
    }

    /// The unique constraints that tables of both versions get. A partitioned table with one does not stay
    /// (`PostgreSQLTableMatch`).
    var addedUniques: [(table: PostgreSQLTable, unique: PostgreSQLTable.Unique)] {
        let kept = Set(keys.uniques.values)
        return retained.flatMap { table in
            table.new.uniques.filter { !kept.contains($0.name) }.map { (table.new, $0) }
        }
    }

    /// Returns the name of an index of the old version until it is dropped: the new version may have another one of its
    /// name.
    func interimName(_ index: String) -> String {
        guard addedIndexes.contains(where: { $0.name == index }) else { return index }
        let taken = source.relationNames.union(destination.relationNames)
        return PostgreSQLRenames.formerName(index, taken.contains)
    }

    func isPartitioned(_ table: String) -> Bool {
        destination.tables.first { $0.name == table }.map { $0.partitions > 0 } ?? false
    }

    // MARK: Steps

    /// Returns the statements of a step, without the semicolons at their ends.
    ///
    /// - Parameter checks: The statements that fail if the database has another version than the plan's source.
    func statements(_ step: Step, versionChecks checks: Statements) -> Statements {
        switch step {
        case .expand: beginning + checks + expansion
        case .fill:
            [("each statement is a transaction; after a failure, run it again", Self.marker(namespace: source.name))]
                + [("", upcomingCheck)] + checks + filling
        case .contract: beginning + [("", upcomingCheck)] + checks + contraction
        case .cancel: beginning + [("", upcomingCheck)] + checks + cancellation
        }
    }

    private var beginning: Statements {
        PostgreSQLMigrationLock.beginning(namespace: source.name, timeout: Self.timeout).enumerated().map {
            (
                $0 == 0 ? "waits \(Int(Self.timeout)) seconds for other transactions; if that fails, run it again" : "",
                $1
            )
        }
    }

    private var expansion: Statements {
        let upcoming = PostgreSQLVersionRecord.upcomingStamp(source.name)
        var result: Statements = [
            (
                "no other online migration is under way",
                PostgreSQLPlanScript.check(
                    "\(upcoming) IS NOT NULL", message: "an online migration of the store has begun already",
                    help: "Go on with the step “fill”.")
            )
        ]
        for (old, _) in retained {
            for unique in old.uniques where keys.uniques[unique.name] == nil {
                result.append(
                    (
                        "values of \(unique.columns.joined(separator: ", ")) in “\(old.name)” need no longer be unique",
                        "ALTER TABLE \(source.qualified(old.name)) DROP CONSTRAINT IF EXISTS \(quoted(unique.name))"
                    ))
            }
        }
        for index in source.indexes where keys.indexes[index.name] == nil && interimName(index.name) != index.name {
            result.append(
                (
                    "the new version has another index “\(index.name)”",
                    "ALTER INDEX \(source.qualified(index.name)) RENAME TO \(quoted(interimName(index.name)))"
                ))
        }
        for table in retained {
            let name = table.new.name
            for column in addedColumns(table) {
                let value = defaultValue(column.name, of: name).map { " DEFAULT \($0)" } ?? ""
                result.append(
                    (
                        "add the column “\(name).\(column.name)”",
                        "ALTER TABLE \(destination.qualified(name)) ADD COLUMN \(quoted(column.name)) "
                            + column.type.declaration + value
                    ))
                if let comment = destination.comment(on: column, of: name) { result.append(("", comment)) }
            }
        }
        for table in created {
            result += destination.statements(creating: table).map { ("create the table “\(table.name)”", $0) }
        }
        for table in created {
            let statements =
                table.uniques.map { destination.statement(adding: $0, to: table.name) }
                + table.foreignKeys.map { destination.statement(adding: $0, to: table.name) }
                + destination.indexes.filter { $0.table == table.name }.map { $0.statement(destination) }
            result += statements.map { ("constraints and indexes of the table “\(table.name)”", $0) }
        }
        for (table, key) in addedForeignKeys where isAdded(key.column, to: table.name) {
            let statement = destination.statement(adding: key, to: table.name)
            result.append(
                (
                    "add the foreign key of “\(table.name).\(key.column)” without reading the table",
                    isPartitioned(table.name) ? statement : statement + " NOT VALID"
                ))
        }
        for (property, table, column, value) in formerDefaults {
            result.append(
                (
                    "rows of the new version have the default value of “\(property)”, which the old version requires",
                    "ALTER TABLE \(source.qualified(table)) ALTER COLUMN \(quoted(column)) SET DEFAULT \(value ?? "NULL")"
                ))
        }
        for (number, reference) in exclusiveReferences.enumerated() {
            let (function, table) = (qualifiedClearing(number), source.qualified(reference.table))
            let column = quoted(reference.column)
            let comment =
                "“\(reference.table).\(reference.column)” becomes null when the other version deletes its object"
            result += [
                "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS "
                    + PostgreSQLName.dollarQuoted(
                        "BEGIN UPDATE \(table) SET \(column) = NULL WHERE \(column) = OLD._pk; RETURN NULL; END"),
                "CREATE TRIGGER \(quoted(Self.clearing(number))) AFTER DELETE ON \(source.qualified(reference.destination)) "
                    + "FOR EACH ROW EXECUTE FUNCTION \(function)()",
            ].map { (comment, $0) }
        }
        if plan.historyStep != nil {
            result.append(
                (
                    "until the end, the history does not tell which properties have changed: the versions number them differently",
                    plan.ifHistoryExists(
                        "CREATE FUNCTION \(destination.qualified(Self.historyTrigger))() RETURNS trigger LANGUAGE plpgsql AS "
                            + "'BEGIN NEW.\"columns\" := NULL; RETURN NEW; END';\n  "
                            + "CREATE TRIGGER \(quoted(Self.historyTrigger)) BEFORE INSERT ON \(destination.qualified("_changes")) "
                            + "FOR EACH ROW EXECUTE FUNCTION \(destination.qualified(Self.historyTrigger))();")
                ))
        }
        result.append(
            (
                "programs of the new version open the store from now on",
                PostgreSQLVersionRecord.announcement(
                    namespace: source.name, stamp: plan.version.stamp, properties: plan.version.properties,
                    model: plan.version.model)
            ))
        return result + [("", "COMMIT")]
    }

    /// The beginning of the names of the functions that triggers call from the first step to the last one.
    package static let functionPrefix = "_online_"
    static let historyTrigger = functionPrefix + "history"

    private static func clearing(_ number: Int) -> String { "\(functionPrefix)\(number)" }

    func qualifiedClearing(_ number: Int) -> String { source.qualified(Self.clearing(number)) }

    /// The references to tables of both versions that only one version knows. The other one would not clear them when
    /// it deletes the object, and the server would reject the deletion.
    var exclusiveReferences: [(table: String, column: String, destination: String)] {
        let shared = Set(retained.map(\.new.name))
        func references(
            _ tables: [PostgreSQLTable], where isExclusive: (PostgreSQLTable, PostgreSQLTable.ForeignKey) -> Bool
        ) -> [(table: String, column: String, destination: String)] {
            tables.flatMap { table in
                table.foreignKeys.filter { $0.onDelete == nil && shared.contains($0.table) && isExclusive(table, $0) }
                    .map { (table.name, $0.column, $0.table) }
            }
        }
        let dropped = references(source.tables) { table, key in
            plan.match.columns[table.name]?.contains { $0.old == key.column } != true
        }
        let added = references(destination.tables) { table, key in
            !shared.contains(table.name) || isAdded(key.column, to: table.name)
        }
        return dropped + added
    }

    /// The required attributes that only the old version has, with their default values; `nil` for those without one.
    var formerDefaults: [(property: String, table: String, column: String, value: String?)] {
        let dialect = PostgreSQLMigrationDialect(namespace: source.name)
        return plan.versions.pairs.flatMap {
            pair -> [(property: String, table: String, column: String, value: String?)] in
            let kept = Set(pair.slots.compactMap(\.self))
            return pair.source.slotColumns.enumerated().compactMap { slot, position in
                guard case .attribute(let column) = position, !kept.contains(slot),
                    let attribute = pair.sourceLayout.slots[slot].property as? NSAttributeDescription,
                    attribute.owner === pair.sourceLayout.entity, !attribute.isOptional
                else { return nil }
                let value = dialect.argument(pair.sourceLayout.defaults[slot], of: attribute)
                return (
                    "\(pair.source.name).\(attribute.name)", pair.source.table, column,
                    value.map { PostgreSQLLiterals.text(of: "\(argument: $0)") }
                )
            }
        }
    }

    /// Returns the statement with which a step begins that is not one transaction.
    package static func marker(namespace: String) -> String {
        "SELECT set_config('modelc.online', \(PostgreSQLName.literal(namespace)), false)"
    }

    var upcomingCheck: String {
        PostgreSQLPlanScript.check(
            "\(PostgreSQLVersionRecord.upcomingStamp(source.name)) IS DISTINCT FROM "
                + PostgreSQLName.literal(plan.version.stamp),
            message: "the database is not being migrated to this version", help: "Run the step “expand” first.")
    }

    private var filling: Statements {
        var result: Statements = []
        for (table, key) in addedForeignKeys where isAdded(key.column, to: table.name) && !isPartitioned(table.name) {
            result.append(
                ("check the foreign key of “\(table.name).\(key.column)”", validation(of: key, in: table.name)))
        }
        for index in addedIndexes {
            result += concurrently(
                index.name, on: index.table, index.statement(destination), comment: "create index “\(index.name)”")
        }
        for (table, unique) in addedUniques {
            let columns = unique.columns.map(quoted).joined(separator: ", ")
            result += concurrently(
                unique.name, on: table.name,
                "CREATE UNIQUE INDEX \(quoted(unique.name)) ON \(destination.qualified(table.name)) (\(columns))",
                comment: "from now on, programs of both versions cannot save equal values of "
                    + "\(unique.columns.joined(separator: ", ")) in “\(table.name)”")
        }
        for fill in fills {
            let body =
                "DECLARE \"_last\" bigint := 0; \"_next\" bigint; BEGIN LOOP SELECT max(b._pk) INTO \"_next\" FROM "
                + "(SELECT s._pk FROM \(fill.table) AS s WHERE s._pk > \"_last\" ORDER BY s._pk LIMIT \(Self.batch)) AS b; "
                + "EXIT WHEN \"_next\" IS NULL; \(fill.statement) AND s._pk > \"_last\" AND s._pk <= \"_next\"; COMMIT; "
                + "\"_last\" := \"_next\"; END LOOP; END"
            result.append((fill.comment, "DO \(PostgreSQLName.dollarQuoted(body))"))
        }
        return result
    }

    func validation(of key: PostgreSQLTable.ForeignKey, in table: String) -> String {
        "ALTER TABLE \(destination.qualified(table)) VALIDATE CONSTRAINT \(quoted(key.name))"
    }

    /// Returns the statements that create an index while programs write. What a failed attempt has left is dropped.
    private func concurrently(_ name: String, on table: String, _ statement: String, comment: String) -> Statements {
        // The server does not do it for partitioned tables.
        let isPartitioned = isPartitioned(table)
        let option = isPartitioned ? "" : "CONCURRENTLY "
        return [
            (comment, "DROP INDEX \(option)IF EXISTS \(destination.qualified(name))"),
            (
                isPartitioned ? "blocks writes to the table until the index is built" : "",
                statement.replacing("INDEX ", with: "INDEX \(option)", maxReplacements: 1)
            ),
        ]
    }

    /// The columns of both versions in which null is replaced, because the attribute has become required.
    var fills: [(table: String, statement: String, comment: String)] {
        changed.filter { !isAdded($0.column, to: $0.table) }.map { change in
            let table = destination.qualified(change.table)
            let (column, value) = (quoted(change.column), PostgreSQLLiterals.text(of: change.value))
            return (
                table,
                "UPDATE \(table) AS s SET \(column) = \(value) WHERE s.\(column) IS NULL AND \(value) IS NOT NULL",
                "replace null in “\(change.table).\(change.column)”, which has become required"
            )
        }
    }
}
