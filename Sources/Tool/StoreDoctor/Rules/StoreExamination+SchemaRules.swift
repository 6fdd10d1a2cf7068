internal import CoreData
internal import Diagnostics
internal import StoreFile

/// Tables, columns, indexes and triggers.
extension StoreExamination {
    private struct Index {
        var columns: [String]
        var isUnique: Bool
    }

    /// The tables that are not of the model.
    static let knownTables: Set<String> = [
        "z_primarykey", "z_metadata", "z_modelcache", "achange", "atransaction", "atransactionstring",
        SQLName.key(StoreLayout.droppedFilesTable),
    ]

    func checkSchema(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        checkTables(layout)
        try checkIndexes(layout)
        try checkTriggers(layout)
    }

    private func checkTables(_ layout: StoreLayout) {
        var expected: Set<String> = Self.knownTables
        for table in layout.tables {
            expected.insert(SQLName.key(table.name))
            let entity = layout.entities.first { $0.isRoot && $0.table == table.name }?.name
            guard let found = self.table(table.name) else {
                record(
                    StoreFinding(
                        .tableMissing, entity: entity, "the store lacks the table \(table.name)",
                        rows: AffectedRows(table: table.name)))
                continue
            }
            for column in table.columns {
                guard let stored = found.columns.first(where: { SQLName.key($0.name) == SQLName.key(column.name) })
                else {
                    record(
                        StoreFinding(
                            .columnMissing, entity: entity, property: property(in: column.name, of: table.name, layout),
                            "the store lacks the column \(table.name).\(column.name)",
                            rows: AffectedRows(table: table.name, column: column.name)))
                    continue
                }
                if stored.type.uppercased() != column.type {
                    record(
                        StoreFinding(
                            .columnType, entity: entity, property: property(in: column.name, of: table.name, layout),
                            "\(table.name).\(stored.name) is declared as \(stored.type), not \(column.type)",
                            rows: AffectedRows(table: table.name, column: stored.name)))
                }
            }
            let names = Set(table.columns.map { SQLName.key($0.name) })
            for column in found.columns where !names.contains(SQLName.key(column.name)) {
                record(
                    StoreFinding(
                        .unknownColumn, entity: entity, "the model does not explain \(table.name).\(column.name)",
                        rows: AffectedRows(table: table.name, column: column.name)))
            }
        }
        for table in tables.values.sorted(by: { $0.name < $1.name }) {
            let key = SQLName.key(table.name)
            guard !expected.contains(key), !["sqlite_", "ansck", "z_rt_"].contains(where: { key.hasPrefix($0) }) else {
                continue
            }
            record(
                StoreFinding(
                    .unknownTable, "the model does not explain the table \(table.name)",
                    rows: AffectedRows(table: table.name)))
        }
    }

    /// Returns the name of the property that a column belongs to.
    private func property(in column: String, of table: String, _ layout: StoreLayout) -> String? {
        for entity in layout.entities where entity.table == table {
            for property in entity.properties {
                switch property.position {
                case .attribute(let attribute) where attribute.column == column: return property.name
                case .toOne(let toOne) where [toOne.key, toOne.entity, toOne.order].contains(column):
                    return property.name
                default: continue
                }
            }
        }
        return nil
    }

    // MARK: Indexes

    private func checkIndexes(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.indexMissing) || options.includes(.uniqueIndexMissing) else { return }
        var indexes: [String: [Index]] = [:]
        for table in layout.tables where self.table(table.name) != nil {
            indexes[table.name] = try self.indexes(of: table.name)
        }
        func has(_ table: String, _ columns: [String], isUnique: Bool) -> Bool {
            let requested = columns.map(SQLName.key)
            return indexes[table]?.contains { index in
                // The columns of a unique index may be in any order.
                isUnique ? index.isUnique && Set(index.columns) == Set(requested) : index.columns == requested
            } ?? true
        }
        func exists(_ table: String, _ columns: [String]) -> Bool { columns.allSatisfy { self.has(table, $0) } }
        for entity in layout.entities {
            // Apple's files have it in each table with several concrete entities, and in some with one.
            if entity.isRoot, exists(entity.table, ["Z_ENT"]), !has(entity.table, ["Z_ENT"], isUnique: false),
                entity.numbers.count(where: { layout.entity(number: $0)?.isAbstract == false }) > 1
            {
                recordMissingIndex(entity, property: nil, columns: ["Z_ENT"])
            }
            for property in entity.properties where property.isDeclared {
                guard case .toOne(let toOne) = property.position, exists(entity.table, [toOne.key]),
                    !has(entity.table, [toOne.key], isUnique: false)
                else { continue }
                recordMissingIndex(entity, property: property.name, columns: [toOne.key])
            }
            for columns in entity.indexes
            where exists(entity.table, columns) && !has(entity.table, columns, isUnique: false) {
                recordMissingIndex(entity, property: nil, columns: columns)
            }
            for constraint in entity.constraints
            where exists(entity.table, constraint.columns) && !has(entity.table, constraint.columns, isUnique: true) {
                record(
                    StoreFinding(
                        .uniqueIndexMissing, entity: entity.name,
                        property: constraint.names.count == 1 ? constraint.names[0] : nil,
                        "no unique index enforces the constraint \(constraint.names.joined(separator: ", ")) of "
                            + "“\(entity.name)”",
                        rows: AffectedRows(table: entity.table, column: constraint.columns.joined(separator: ", "))))
            }
        }
        // Older frameworks have no index on join tables.
        guard metadata.frameworkVersion ?? 0 >= 637 else { return }
        for table in layout.tables where table.isJoin {
            let columns = table.columns.prefix(2).map(\.name)
            let requested = Array(columns.reversed())
            guard columns.count == 2, exists(table.name, columns),
                // Either order of the columns can be the key's.
                indexes[table.name]?.contains(where: { $0.columns == requested.map(SQLName.key) }) == false
            else { continue }
            record(
                StoreFinding(
                    .indexMissing, "the join table \(table.name) has no index on \(requested.joined(separator: ", "))",
                    rows: AffectedRows(table: table.name, column: requested.joined(separator: ", "))))
        }
    }

    private func recordMissingIndex(_ entity: StoreLayout.Entity, property: String?, columns: [String]) {
        let list = columns.joined(separator: ", ")
        record(
            StoreFinding(
                .indexMissing, entity: entity.name, property: property,
                "\(entity.table) has no index on \(list)", rows: AffectedRows(table: entity.table, column: list)))
    }

    private func indexes(of table: String) throws(DoctorDatabase.Failure) -> [Index] {
        var result: [String: Index] = [:]
        try database.forEach(
            """
            SELECT l.name, l."unique", i.name FROM pragma_index_list(\(SQLName.literal(table))) AS l \
            JOIN pragma_index_info(l.name) AS i WHERE l.partial = 0 ORDER BY l.name, i.seqno
            """
        ) { row in
            result[row.text(0), default: Index(columns: [], isUnique: row.integer(1) == 1)].columns.append(
                SQLName.key(row.text(2)))
        }
        return Array(result.values)
    }

    /// Returns whether an index guarantees that no two rows have the same values in columns.
    func hasUniqueIndex(_ table: String, _ columns: [String]) throws(DoctorDatabase.Failure) -> Bool {
        let requested = Set(columns.map(SQLName.key))
        let key = Set(self.table(table)?.columns.filter { $0.key > 0 }.map { SQLName.key($0.name) } ?? [])
        if key == requested { return true }
        return try indexes(of: table).contains { $0.isUnique && Set($0.columns) == requested }
    }

    // MARK: Triggers

    private func checkTriggers(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.derivedTriggerMissing), !layout.derived.isEmpty else { return }
        var triggers: [String: String] = [:]
        try database.forEach("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'") { row in
            triggers[row.text(0)] = row.text(1)
        }
        for derived in layout.derived where has(derived.table, derived.column) {
            var problem: String?
            for (name, statement) in derived.triggers {
                // Apple's framework has no trigger for the deletion of a destination whose value is repeated.
                if derived.isKeyPath, name.hasSuffix("_PARAMETER_DELETE") { continue }
                guard let found = triggers[name] else {
                    problem = "the trigger \(name) is missing"
                    break
                }
                if derived.isCount, Self.normalized(found) != Self.normalized(statement) {
                    problem = "the trigger \(name) is not Core Data's"
                    break
                }
            }
            // The names of the others are not known in Apple's files: there, only a store without any of them is
            // faulty.
            let prefix = "_\(derived.entity)_\(derived.attribute)_"
            if !derived.isCount, !derived.isKeyPath,
                triggers.keys.contains(where: { name in
                    name.hasPrefix("Z_DA_") && name.contains(prefix) && !derived.triggers.contains { $0.name == name }
                })
            {
                continue
            }
            guard let problem else { continue }
            record(
                StoreFinding(
                    .derivedTriggerMissing, entity: derived.entity, property: derived.attribute,
                    "\(problem), which maintains “\(derived.entity).\(derived.attribute)”",
                    rows: AffectedRows(table: derived.table, column: derived.column)))
        }
    }

    /// Returns a statement without differences that mean nothing.
    private static func normalized(_ sql: String) -> String {
        sql.filter { !$0.isWhitespace && $0 != "\"" && $0 != ";" }.lowercased()
    }
}

extension StoreLayout.Derived {
    /// Whether the value is that of a to-one relationship's destination.
    var isKeyPath: Bool { triggers.contains { $0.name.hasSuffix("_SOURCE_UPDATE") } }
}
