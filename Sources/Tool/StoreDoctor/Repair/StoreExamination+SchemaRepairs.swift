internal import CSQLite3
internal import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// Repairs of tables, columns, indexes and triggers.
extension StoreExamination {
    func schemaRepair(
        _ finding: StoreFinding, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        func repair(
            _ statements: [String], phase: StoreRepair.Phase, created: TableOrColumn? = nil
        ) -> StoreRepair {
            StoreRepair(
                rule: finding.rule, safety: .safe, phase: phase, statements: statements, isSchema: true,
                created: created.map { [$0] } ?? [])
        }
        if finding.rule == .derivedTriggerMissing {
            guard isComplete(layout),
                let derived = layout.derived.first(where: {
                    $0.entity == finding.entity && $0.attribute == finding.property
                })
            else { return nil }
            return repair(
                derived.triggers.flatMap { ["DROP TRIGGER IF EXISTS \(SQLName.inQuotes($0.name))", $0.statement] },
                phase: .indexes)
        }
        guard let name = finding.rows.table, let table = layout.tables.first(where: { $0.name == name }) else {
            return nil
        }
        switch finding.rule {
        case .tableMissing: return repair([Self.creation(of: table)], phase: .tables, created: TableOrColumn(name))
        case .columnMissing:
            guard let column = table.columns.first(where: { $0.name == finding.rows.column }),
                !table.isJoin || !table.columns.prefix(2).contains(where: { $0.name == column.name }),
                !["Z_PK", "Z_ENT"].contains(column.name)
            else { return nil }
            var statements = [
                "ALTER TABLE \(SQLName.inQuotes(name)) ADD COLUMN \(SQLName.inQuotes(column.name)) \(column.type)"
            ]
            if column.name == "Z_OPT" { statements.append("UPDATE \(SQLName.inQuotes(name)) SET Z_OPT = 1") }
            statements += defaults(in: column.name, of: name, layout)
            return repair(statements, phase: .tables, created: TableOrColumn(name, column.name))
        case .indexMissing, .uniqueIndexMissing:
            guard let list = finding.rows.column else { return nil }
            let columns = list.split(separator: ", ").map(String.init)
            let isUnique = finding.rule == .uniqueIndexMissing
            if isUnique {
                let names = columns.map(SQLName.inQuotes)
                let duplicate = try database.integer(
                    "SELECT 1 FROM \(SQLName.inQuotes(name)) WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
                        + "GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1")
                guard duplicate == nil else { return nil }
            }
            return repair([try indexStatement(table: name, columns: columns, isUnique: isUnique)], phase: .indexes)
        default: return nil
        }
    }

    /// Returns the statement that creates a table as Core Data does.
    static func creation(of table: StoreLayout.ExpectedTable) -> String {
        var parts = table.columns.enumerated().map { index, column in
            "\(SQLName.inQuotes(column.name)) \(column.type)\(index == 0 && !table.isJoin ? " PRIMARY KEY" : "")"
        }
        if table.isJoin {
            parts.append(
                "PRIMARY KEY (\(table.columns.prefix(2).map { SQLName.inQuotes($0.name) }.joined(separator: ", ")))")
        }
        return "CREATE TABLE \(SQLName.inQuotes(table.name)) ( \(parts.joined(separator: ", ")) )"
    }

    /// Returns the statements that give existing rows the default value of a new column, for attributes that require
    /// one.
    private func defaults(in column: String, of table: String, _ layout: StoreLayout) -> [String] {
        layout.entities.compactMap { entity in
            guard entity.table == table else { return nil }
            for property in entity.properties where property.isDeclared && !property.isOptional {
                guard case .attribute(let attribute) = property.position, attribute.column == column,
                    !attribute.isDerived, let value = defaultValue(entity.name, property.name)
                else { continue }
                return "UPDATE \(SQLName.inQuotes(table)) SET \(SQLName.inQuotes(column)) = \(value) "
                    + "WHERE \(SQLName.isIn("Z_ENT", entity.numbers))"
            }
            return nil
        }
    }

    /// Returns the default value of an attribute as a literal in SQL; `nil` if it has none that a row contains.
    func defaultValue(_ entity: String, _ attribute: String) -> String? {
        guard let description = model?.entitiesByName[entity]?.attributesByName[attribute],
            !description.allowsExternalBinaryDataStorage
        else { return nil }
        switch (description.attributeType, description.defaultValue) {
        case (
            .integer16AttributeType, let number as NSNumber
        ), (.integer32AttributeType, let number as NSNumber), (.integer64AttributeType, let number as NSNumber):
            return "\(number.int64Value)"
        case (.booleanAttributeType, let number as NSNumber): return number.boolValue ? "1" : "0"
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return number.doubleValue.isFinite ? "\(number.doubleValue)" : nil
        case (.stringAttributeType, let text as String): return SQLName.literal(text)
        case (.dateAttributeType, let date as Date): return "\(date.timeIntervalSinceReferenceDate)"
        case (.UUIDAttributeType, let uuid as UUID):
            return "x'\(uuid.uuidString.filter { $0 != "-" })'"
        default: return nil
        }
    }

    /// Returns the statement that creates an index, with the name that Core Data gives it, unless something else has
    /// that name.
    private func indexStatement(
        table: String, columns: [String], isUnique: Bool
    ) throws(DoctorDatabase.Failure) -> String {
        let known = model.flatMap { ReferenceSchema($0) }?.index(table, columns, isUnique: isUnique)
        let name =
            known?.name ?? "\(table.hasPrefix("Z_") ? "" : "Z_")\(table)_\(columns.joined(separator: "_"))_INDEX"
        let list = columns.map(SQLName.inQuotes).joined(separator: ", ")
        let standard =
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.inQuotes(name)) ON \(SQLName.inQuotes(table)) (\(list))"
        let statement = known?.sql ?? standard
        func isTaken(_ name: String) throws(DoctorDatabase.Failure) -> Bool {
            try database.integer(
                "SELECT 1 FROM sqlite_master WHERE name = \(SQLName.literal(name)) COLLATE NOCASE LIMIT 1") != nil
        }
        guard try isTaken(name), let range = statement.range(of: name) else { return statement }
        var number = 2
        while try isTaken("\(name)_\(number)") { number += 1 }
        return statement.replacingCharacters(in: range, with: "\(name)_\(number)")
    }
}

/// A new store of the model in memory, for the names of indexes.
private final class ReferenceSchema {
    private let database: DoctorDatabase

    init?(_ model: NSManagedObjectModel) {
        guard let statements = try? SchemaStatements.sqlite(model, configuration: nil),
            let database = try? DoctorDatabase(changing: ":memory:", creates: true)
        else { return nil }
        for statement in statements {
            guard (try? database.execute(statement)) != nil else { return nil }
        }
        self.database = database
    }

    /// Returns the name and the statement of an index on columns of a table.
    func index(_ table: String, _ columns: [String], isUnique: Bool) -> (name: String, sql: String)? {
        let list = SQLName.literal(columns.joined(separator: ","))
        let names = SQLName.literal(columns.sorted().joined(separator: ","))
        // The columns of a unique index may be in any order.
        let condition =
            isUnique
            ? "(SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY name)) = \(names)"
            : "(SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno)) = \(list)"
        let query = try? database.query(
            "SELECT m.name, m.sql FROM pragma_index_list(\(SQLName.literal(table))) AS l JOIN sqlite_master AS m "
                + "ON m.type = 'index' AND m.name = l.name WHERE l.partial = 0 AND l.\"unique\" = \(isUnique ? 1 : 0) "
                + "AND m.sql NOT NULL AND \(condition) LIMIT 1")
        guard let query, (try? query.step()) == true else { return nil }
        return (query.text(0), query.text(1))
    }
}
