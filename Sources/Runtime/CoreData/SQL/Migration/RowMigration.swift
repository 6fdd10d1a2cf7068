internal import Foundation
internal import ModelMigration

/// A check that certain rows do not exist.
package struct RowCheck {
    /// The query that counts the rows.
    package var query: SQLFragment
    package var entity: String
    /// The property that the rows' values belong to; `nil` if the rows themselves are the problem.
    package var property: String?
    /// The problem with the rows, which follows their number in the message.
    package var reason: String
    package var help: String
}

/// Rows, values or links that are dropped.
package struct RowLoss {
    /// The query that counts them.
    var query: SQLFragment
    /// The entity in the old version.
    package var entity: String
    /// The property or the path of an element of a composite attribute; `nil` for rows.
    package var property: String?
}

/// What a lightweight migration does to the rows of a store, as SQL that is still a value.
///
/// The statements assume that the tables and columns of the new version exist besides those of the old one.
package struct RowMigration<Schema: RowSchema> {
    /// The checks before anything is changed.
    package private(set) var checks: [RowCheck] = []
    /// The statements that move and change rows.
    package private(set) var statements: [SQLFragment] = []
    /// Queries for the values of external attributes that are removed.
    private(set) var lostExternalValues: [SQLFragment] = []
    /// The tables whose remaining rows get new values.
    private(set) var updatedTables: Set<String> = []
    /// The columns of remaining rows that get new values, and the values, as expressions over a row that is called `s`.
    package private(set) var changedColumns: [(table: String, column: String, value: SQLFragment)] = []
    /// The rows, values and links of the old version that are dropped.
    package private(set) var losses: [RowLoss] = []
    /// Whether a table or a column of the old version is dropped with its contents.
    var losesData: Bool { !losses.isEmpty }
    /// Whether only columns of new attributes are added, so that values derived from other rows do not change.
    private(set) var isAdditive = true

    private let versions: VersionPairs<Schema>
    private let tables: RowTables
    private let rows: RowExpressions<Schema>
    private let dialect: any MigrationDialect
    /// The tables whose entity numbers are checked.
    private var checkedTables: Set<String> = []

    /// - Throws: An error of Cocoa's domain if the default value of a transformable attribute cannot be stored.
    package init(_ versions: VersionPairs<Schema>, tables: RowTables, dialect: any MigrationDialect) throws {
        self.versions = versions
        self.tables = tables
        self.dialect = dialect
        rows = RowExpressions(versions: versions, tables: tables, dialect: dialect)
        let recorded = RowLosses(rows)
        (losses, lostExternalValues) = (recorded.losses, recorded.lostExternalValues)
        for pair in versions.pairs { check(pair) }
        try moveRows()
        let links = LinkTables(rows: rows)
        statements += links.insertions()
        try changeRows()
        let rest = links.cleanups() + links.orders()
        isAdditive = isAdditive && rest.isEmpty
        statements += rest
    }

    // MARK: Names

    private func name(_ column: String) -> SQLFragment { "\(word: dialect.sql.name(column))" }

    private func table(_ name: String) -> SQLFragment { rows.table(name) }

    private var entityColumn: SQLFragment { "\(word: dialect.sql.entityColumn)" }

    // MARK: Checks

    private mutating func check(_ pair: EntityPair) {
        for (slot, position) in pair.destination.slotColumns.enumerated() {
            guard let oldSlot = pair.slots[slot],
                let old = pair.sourceLayout.slots[oldSlot].property as? NSAttributeDescription,
                let new = pair.destinationLayout.slots[slot].property as? NSAttributeDescription
            else { continue }
            switch (position, pair.sourcePosition(slot)) {
            case (.attribute, .attribute(let column)?) where !(new is NSDerivedAttributeDescription):
                check(column, old: old, new: new, named: new.name, pair: pair)
            case (.composite, .composite(let columns)?):
                let names = Dictionary(columns.map { ($0.path, $0.column) }) { first, _ in first }
                for (old, element) in pair.elements(slot)?.pairs ?? [] {
                    guard let column = names[old.path] else { continue }
                    check(
                        column, old: old.element, new: element.element, named: "\(new.name).\(element.name)", pair: pair
                    )
                }
            default: continue
            }
        }
    }

    /// Checks that the values of a column fit the new type.
    private mutating func check(
        _ column: String, old: NSAttributeDescription, new: NSAttributeDescription, named name: String,
        pair: EntityPair
    ) {
        guard
            let condition = dialect.misfits(
                rows.column(column), old: old.attributeType, new: new.attributeType)
        else { return }
        checks.append(
            RowCheck(
                query: """
                    SELECT count(*) FROM \(table(pair.source.table)) AS s \
                    WHERE \(rows.column(dialect.sql.entityColumn)) = \(number: pair.source.number) AND \(condition)
                    """,
                entity: pair.destination.name, property: name, reason: "do not fit its new type",
                help: "Keep the larger type, or change the values before the migration."))
    }

    // MARK: Rows

    /// Returns the columns of a table and the expressions for their values.
    private func values(_ table: Schema.Table, _ pairs: [EntityPair]) throws -> [RowExpressions<Schema>.Value] {
        let values = try pairs.map { pair in
            Dictionary(try rows.values(pair).map { (dialect.identity($0.column), $0.value) }) { first, _ in first }
        }
        return table.columnNames.dropFirst(dialect.reservedColumnCount).map { column in
            let key = dialect.identity(column)
            return (column, rows.combined(zip(pairs, values).map { ($0, $1[key]) }))
        }
    }

    private func number(_ pairs: [EntityPair]) -> SQLFragment {
        if let only = pairs.first, pairs.count == 1 { return "\(number: only.destination.number)" }
        return rows.combined(
            pairs.map { pair in
                (
                    pair,
                    pair.source.number == pair.destination.number
                        ? rows.column(dialect.sql.entityColumn) : "\(number: pair.destination.number)"
                )
            })
    }

    private func isOf(_ entities: [EntityMapping]) -> SQLFragment {
        "\(entityColumn) IN (\(word: entities.map { String($0.number) }.joined(separator: ", ")))"
    }

    /// Returns the entities of the old version whose rows are in a table.
    private func sourceEntities(in table: String) -> [EntityMapping] {
        versions.source.entities.filter { dialect.identity($0.table) == dialect.identity(table) }
    }

    /// Checks that every row of a table with several entities belongs to one of them: what becomes of other rows is not
    /// known, and none may be lost.
    private mutating func checkEntityNumbers(in table: String) {
        let entities = sourceEntities(in: table)
        guard let root = entities.first(where: { $0.rootNumber == $0.number }), entities.count > 1,
            checkedTables.insert(dialect.identity(table)).inserted
        else { return }
        checks.append(
            RowCheck(
                query: """
                    SELECT count(*) FROM \(self.table(table)) WHERE \(entityColumn) IS NULL OR NOT \(isOf(entities))
                    """,
                entity: root.name, property: nil,
                reason: "have an entity number that no entity of the table “\(table)” has, so they would be lost",
                help: "Correct or delete the rows in the column \(dialect.sql.entityColumn) before the migration."))
    }

    /// Moves the rows of new and rebuilt tables.
    private mutating func moveRows() throws {
        for table in versions.destination.tables where !tables.isRetained(table.name) {
            let all = versions.pairs(in: table.name)
            var seen: Set<String> = []
            for source in all.map(\.source.table) where seen.insert(source).inserted {
                let pairs = all.filter { $0.source.table == source }
                checkEntityNumbers(in: source)
                // A row of a table with one entity belongs to it, whatever its number says.
                let isSingleEntity = sourceEntities(in: source).count == 1
                let condition: SQLFragment = isSingleEntity ? "" : " WHERE s.\(isOf(pairs.map(\.source)))"
                let values = try values(table, pairs).filter { $0.value != "NULL" }
                let names = values.map { name($0.column) }
                let key = dialect.sql.keyColumn
                let columns = [name(key), entityColumn, name(dialect.versionColumn)] + names
                let expressions =
                    [rows.column(key), number(pairs), rows.column(dialect.versionColumn)] + values.map(\.value)
                statements.append(
                    """
                    INSERT INTO \(self.table(table.name)) (\(columns, ", ")) SELECT \(expressions, ", ") \
                    FROM \(self.table(tables.name(source))) AS s\(condition)
                    """)
                isAdditive = false
            }
        }
    }

    /// A table of both versions whose rows stay.
    private struct RemainingTable {
        var name: String
        /// The entities of the old version whose rows are in the table.
        var sources: [EntityMapping]
        var pairs: [EntityPair]
        /// The columns whose values change.
        var changed: [RowExpressions<Schema>.Value]
        /// Whether one of them is a column of the old version.
        var changesOldColumns: Bool

        /// The entities whose rows do not stay.
        var removed: [EntityMapping] {
            let kept = Set(pairs.map(\.source.number))
            return sources.filter { !kept.contains($0.number) }
        }
    }

    private func remainingTables() throws -> [RemainingTable] {
        let sourceTables = Dictionary(versions.source.tables.map { (dialect.identity($0.name), $0) }) { first, _ in
            first
        }
        return try versions.destination.tables.filter { tables.isRetained($0.name) }.map { table in
            let pairs = versions.pairs(in: table.name)
            let known = Set(sourceTables[dialect.identity(table.name)]?.columnNames.map(dialect.identity) ?? [])
            let changed = try values(table, pairs).filter { column, value in
                value != (known.contains(dialect.identity(column)) ? rows.column(column) : "NULL")
            }
            return RemainingTable(
                name: table.name, sources: sourceEntities(in: table.name), pairs: pairs, changed: changed,
                changesOldColumns: changed.contains { known.contains(dialect.identity($0.column)) })
        }
    }

    /// Changes the rows of remaining tables, and deletes those that were moved to other tables or belong to removed
    /// entities.
    private mutating func changeRows() throws {
        let remaining = try remainingTables()
        let hasLookups = remaining.contains { !RowLookups.lookups(in: $0.changed).isEmpty }
        // What is looked up must not be overwritten or deleted before it is read.
        var lookups = RowLookups(dialect: dialect)
        if remaining.contains(where: { $0.changesOldColumns || !$0.removed.isEmpty }) {
            for table in remaining { lookups.add(table.changed, of: self.table(table.name), named: table.name) }
        }
        statements += lookups.creations
        var numbers: [SQLFragment] = []
        for table in remaining {
            let (removed, target) = (table.removed, self.table(table.name))
            changedColumns += table.changed.map { (table.name, $0.column, $0.value) }
            let count = statements.count
            if !removed.isEmpty {
                let condition: SQLFragment = table.sources.count == 1 ? "" : " WHERE \(isOf(removed))"
                statements.append("DELETE FROM \(target)\(condition)")
                isAdditive = false
            } else if let only = table.sources.first, table.sources.count == 1, table.pairs.count == 1,
                versions.destination.entities.filter({ dialect.identity($0.table) == dialect.identity(table.name) })
                    .count > 1
            {
                // A wrong number may be that of an entity that the table has from now on.
                let number: SQLFragment = "\(number: only.number)"
                statements.append(
                    """
                    UPDATE \(target) SET \(entityColumn) = \(number) \
                    WHERE \(entityColumn) IS NULL OR \(entityColumn) <> \(number)
                    """)
            }
            if table.changesOldColumns { isAdditive = false }
            var sets = lookups.replaced(table.changed, of: table.name).map { value -> SQLFragment in
                "\(name(value.column)) = \(value.value)"
            }
            // References are read by the old entity numbers, which are changed after all rows are updated.
            if table.pairs.contains(where: { $0.source.number != $0.destination.number }) {
                let set: SQLFragment = "\(entityColumn) = \(number(table.pairs))"
                if hasLookups {
                    numbers.append("UPDATE \(target) AS s SET \(set)")
                } else {
                    sets.append(set)
                }
            }
            if !sets.isEmpty {
                statements.append("UPDATE \(target) AS s SET \(sets, ", ")\(lookups.join(of: table.name))")
                updatedTables.insert(table.name)
            }
            if statements.count > count || hasLookups { checkEntityNumbers(in: table.name) }
        }
        statements += numbers + lookups.removals
    }
}
