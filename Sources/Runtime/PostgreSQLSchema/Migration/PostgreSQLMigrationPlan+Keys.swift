internal import CompiledModel
internal import CoreData
internal import Foundation
internal import ModelMigration

/// Indexes and constraints.
extension PostgreSQLMigrationPlan {
    /// The indexes and constraints that both versions have: the new names, by table and old name.
    struct Keys {
        /// By the old name.
        var indexes: [String: String] = [:]
        var uniques: [String: String] = [:]
        /// By the old table and name.
        var foreign: [[String]: String] = [:]
        /// The new table and name of the foreign keys that both versions have.
        var retainedForeign: Set<[String]> = []
    }

    func newColumn(_ column: String, of table: String) -> String? {
        match.columns[table]?.first { $0.old == column }?.new
    }

    private func newColumns(_ columns: [String], of table: String) -> [String]? {
        let found = columns.compactMap { newColumn($0, of: table) }
        return found.count == columns.count ? found : nil
    }

    private func hasConversion(_ columns: [String], of table: String) -> Bool {
        match.columns[table]?.contains { columns.contains($0.old) && $0.conversion != nil } ?? false
    }

    func matchedKeys() -> Keys {
        var keys = Keys()
        var taken: Set<String> = []
        for index in source.indexes {
            guard let table = match.tables[index.table], let moved = moved(index, to: table) else { continue }
            let heir = destination.indexes.first { other in
                !taken.contains(other.name) && other.table == table && other.method == moved.method
                    && other.condition == moved.condition
            }
            guard let heir else { continue }
            taken.insert(heir.name)
            keys.indexes[index.name] = heir.name
        }
        for old in source.tables + source.joinTables {
            guard let name = match.tables[old.name],
                let new = (destination.tables + destination.joinTables).first(where: { $0.name == name })
            else { continue }
            for unique in old.uniques {
                guard let columns = newColumns(unique.columns, of: old.name),
                    let heir = new.uniques.first(where: { $0.columns == columns })
                else { continue }
                keys.uniques[unique.name] = heir.name
            }
            for key in old.foreignKeys {
                guard !circumstances.missingKeys.contains(.init(table: old.name, column: key.column)),
                    let column = newColumn(key.column, of: old.name), let target = match.tables[key.table],
                    let heir = new.foreignKeys.first(where: {
                        $0.column == column && $0.table == target && $0.onDelete == key.onDelete
                    })
                else { continue }
                keys.foreign[[old.name, key.name]] = heir.name
                keys.retainedForeign.insert([new.name, heir.name])
            }
        }
        return keys
    }

    /// Returns an index of the old version as it is after the renames, or `nil` if it has columns that do not stay.
    private func moved(_ index: PostgreSQLIndex, to table: String) -> PostgreSQLIndex? {
        var result = index
        result.table = table
        func column(_ name: String) -> String? { newColumn(name, of: index.table) }
        let columns: [String]
        switch index.method {
        case .ordered(let parts):
            columns = parts.map(\.name)
            guard let names = newColumns(columns, of: index.table) else { return nil }
            result.method = .ordered(
                zip(parts, names).map { PostgreSQLIndex.Column(name: $1, isAscending: $0.isAscending) })
        case .prefix(let name):
            guard let new = column(name) else { return nil }
            (columns, result.method) = ([name], .prefix(new))
        case .equality(let name):
            guard let new = column(name) else { return nil }
            (columns, result.method) = ([name], .equality(new))
        case .point(let names):
            guard let new = newColumns(names, of: index.table) else { return nil }
            (columns, result.method) = (names, .point(new))
        }
        // The condition may name columns that change.
        if index.condition != nil,
            hasConversion(columns, of: index.table)
                || match.columns[index.table]?.contains(where: { $0.old != $0.new || $0.conversion != nil }) == true
        {
            return nil
        }
        return result
    }

    /// Drops what the new version does not have, beginning with foreign keys, which would check every change.
    mutating func dropObsolete(_ keys: Keys) {
        let tables = source.tables + source.joinTables
        for table in tables {
            for key in table.foreignKeys where keys.foreign[[table.name, key.name]] == nil {
                add(
                    "drop the foreign key of “\(table.name).\(key.column)”",
                    "ALTER TABLE \(qualified(table.name)) DROP CONSTRAINT IF EXISTS \(quoted(key.name))")
            }
        }
        for table in tables {
            for unique in table.uniques where keys.uniques[unique.name] == nil {
                add(
                    "drop the unique constraint of “\(table.name)” on \(unique.columns.joined(separator: ", "))",
                    "ALTER TABLE \(qualified(table.name)) DROP CONSTRAINT IF EXISTS \(quoted(unique.name))")
            }
        }
        let needed = destination.relationNames
        for index in source.indexes where keys.indexes[index.name] == nil {
            // Those of tables whose rows move help to find them, and are dropped with the tables.
            guard match.tables[index.table] != nil || needed.contains(index.name) else { continue }
            add("drop index “\(index.name)”", "DROP INDEX IF EXISTS \(qualified(index.name))")
        }
    }

    // MARK: Constraints

    /// Returns the steps that clear references without a foreign key to objects that are no longer there, where the new
    /// version has the key.
    func clearedReferences(_ keys: Keys) -> [Step] {
        var result: [Step] = []
        let free = Set(source.freeReferences).union(circumstances.missingKeys)
        for table in destination.tables {
            guard let old = match.tables.first(where: { $0.value == table.name })?.key else { continue }
            for key in table.foreignKeys where !keys.retainedForeign.contains([table.name, key.name]) {
                guard let column = match.columns[old]?.first(where: { $0.new == key.column }),
                    free.contains(.init(table: old, column: column.old))
                else { continue }
                result.append(
                    Step(
                        comment: "clear references of “\(table.name).\(key.column)” to objects that were deleted",
                        statement: "UPDATE \(destination.qualified(table.name)) AS t SET \(quoted(key.column)) = NULL "
                            + "WHERE t.\(quoted(key.column)) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
                            + "\(destination.qualified(key.table)) AS d WHERE d._pk = t.\(quoted(key.column)))"))
            }
        }
        return result
    }

    mutating func addConstraints(_ keys: Keys) {
        let retained = Set(keys.uniques.values)
        for table in destination.tables {
            for unique in table.uniques where !retained.contains(unique.name) {
                add(
                    "require unique values of \(unique.columns.joined(separator: ", ")) in “\(table.name)”",
                    destination.statement(adding: unique, to: table.name))
            }
        }
        for table in destination.tables + destination.joinTables {
            for key in table.foreignKeys where !keys.retainedForeign.contains([table.name, key.name]) {
                add(
                    "add the foreign key of “\(table.name).\(key.column)”",
                    destination.statement(adding: key, to: table.name))
            }
        }
    }
}
