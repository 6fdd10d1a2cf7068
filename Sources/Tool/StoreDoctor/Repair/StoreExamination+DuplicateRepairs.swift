internal import CoreData
internal import Diagnostics

/// Repairs of equal objects, by a uniqueness constraint or by request: one stays, and what refers to the others refers
/// to it.
extension StoreExamination {
    func duplicateRepair(_ finding: StoreFinding, _ layout: StoreLayout) -> StoreRepair? {
        guard let entity = finding.entity.flatMap({ layout.entity(named: $0) }) else { return nil }
        if finding.rule == .duplicateRows {
            guard let request = request(of: finding, entity) else { return nil }
            return duplicateRepair(
                finding.rule, of: entity, columns: ["Z_ENT"] + columns(entity, request.properties),
                conditions: [SQLName.isIn("Z_ENT", entity.numbers)], layout)
        }
        guard
            let constraint = entity.constraints.first(where: {
                $0.columns.joined(separator: ", ") == finding.rows.column
            })
        else { return nil }
        // Values that are nil are not equal to a uniqueness constraint.
        return duplicateRepair(
            finding.rule, of: entity, columns: constraint.columns,
            conditions: (entity.sharesTable ? [SQLName.isIn("Z_ENT", entity.numbers)] : [])
                + constraint.columns.map { "\(SQLName.inQuotes($0)) IS NOT NULL" }, layout)
    }

    /// Returns the options for the repair of equal objects that were requested.
    func duplicateOptions(_ finding: StoreFinding) -> [String] {
        guard finding.rule == .duplicateRows, let entity = finding.entity.flatMap({ layout?.entity(named: $0) }),
            let request = request(of: finding, entity)
        else { return [] }
        return ["--duplicates \(request.text)"]
    }

    /// Returns the request that has led to a finding.
    private func request(of finding: StoreFinding, _ entity: StoreLayout.Entity) -> StoreDoctor.Duplicates? {
        options.duplicates.first { request in
            request.entity == entity.name
                && duplicateQuery(entity, columns(entity, request.properties)) == finding.rows.sql
        }
    }

    private func duplicateRepair(
        _ rule: RuleID, of entity: StoreLayout.Entity, columns: [String], conditions: [String], _ layout: StoreLayout
    ) -> StoreRepair {
        let order = options.keptDuplicate == .newest ? " DESC" : ""
        var statements = [
            "CREATE TEMP TABLE modelc_kept (r INTEGER PRIMARY KEY, k INTEGER)",
            """
            INSERT INTO temp.modelc_kept SELECT r, k FROM (SELECT Z_PK AS r, first_value(Z_PK) OVER (PARTITION BY \
            \(columns.map(SQLName.inQuotes).joined(separator: ", ")) ORDER BY Z_PK\(order)) AS k \
            FROM \(SQLName.inQuotes(entity.table)) WHERE \(conditions.joined(separator: " AND "))) WHERE r <> k
            """,
        ]
        for other in layout.entities {
            for property in other.properties where property.isDeclared {
                statements += moves(other, property, to: entity, layout)
            }
        }
        statements += [
            "DELETE FROM \(SQLName.inQuotes(entity.table)) WHERE Z_PK IN (SELECT r FROM temp.modelc_kept)",
            "DROP TABLE temp.modelc_kept",
        ]
        var repair = StoreRepair(
            rule: rule, safety: .unsafe, phase: .values, statements: statements, isMirrored: true)
        repair.deletes = Set(columns.map { TableOrColumn(entity.table, $0) } + [TableOrColumn(entity.table)])
        return repair
    }

    /// The condition for the keys of removed objects, and the object that stays instead.
    private static func replaced(_ key: String) -> (condition: String, retained: String) {
        ("\(key) IN (SELECT r FROM temp.modelc_kept)", "(SELECT k FROM temp.modelc_kept WHERE r = \(key))")
    }

    /// Returns the statements that move what a relationship refers to, or belongs to, to the objects that stay.
    private func moves(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, to target: StoreLayout.Entity,
        _ layout: StoreLayout
    ) -> [String] {
        func isTarget(_ number: Int) -> Bool { layout.entity(number: number)?.rootNumber == target.rootNumber }
        let isOwner = entity.rootNumber == target.rootNumber
        switch property.position {
        case .attribute: return []
        case .toOne(let toOne):
            guard isTarget(toOne.destination), has(entity.table, toOne.key) else { return [] }
            return toOne.isOneToOne
                ? pairMove(entity, toOne: toOne, layout) : referenceMoves(entity, property, toOne: toOne, layout)
        case .members(let members):
            guard isOwner, members.lacksInverse, has(members.table, members.key) else { return [] }
            let (condition, retained) = Self.replaced(SQLName.inQuotes(members.key))
            return [
                "UPDATE \(SQLName.inQuotes(members.table)) SET \(SQLName.inQuotes(members.key)) = \(retained)"
                    + noPosition(members.table, members.order) + " WHERE \(condition)"
            ]
                + memberRows(entity, property: property, table: members.table, layout).flatMap(Self.appending)
        case .join(let join):
            guard has(join.table, join.own, join.other) else { return [] }
            var statements: [String] = []
            // In a relationship that is its own inverse, both columns are of the entity. A pair that exists already is
            // not moved.
            for column in [isOwner ? join.own : nil, isOwner && isTarget(join.destination) ? join.other : nil] {
                guard let column else { continue }
                let (condition, retained) = Self.replaced(SQLName.inQuotes(column))
                statements.append(
                    "UPDATE OR IGNORE \(SQLName.inQuotes(join.table)) SET \(SQLName.inQuotes(column)) = \(retained)"
                        + noPosition(join.table, column == join.own ? join.order : nil) + " WHERE \(condition)")
            }
            guard !statements.isEmpty, join.order != nil else { return statements }
            return statements
                + memberRows(entity, property: property, table: join.table, layout).flatMap(Self.appending)
        }
    }

    /// Returns the assignment that removes a position, so that the member comes after those of the object that stays.
    private func noPosition(_ table: String, _ order: String?) -> String {
        guard let order, has(table, order) else { return "" }
        return ", \(SQLName.inQuotes(order)) = NULL"
    }

    private func referenceMoves(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, toOne: StoreLayout.ToOne, _ layout: StoreLayout
    ) -> [String] {
        guard let destination = layout.entity(number: toOne.destination) else { return [] }
        let table = SQLName.inQuotes(entity.table)
        let key = "\(table).\(SQLName.inQuotes(toOne.key))"
        let (condition, retained) = Self.replaced(key)
        var sets = "\(SQLName.inQuotes(toOne.key)) = \(retained)"
        if let column = toOne.entity, has(entity.table, column) {
            sets +=
                ", \(SQLName.inQuotes(column)) = (SELECT d.Z_ENT FROM \(SQLName.inQuotes(destination.table)) AS d WHERE d.Z_PK = \(retained))"
        }
        var conditions = [condition]
        if entity.sharesTable { conditions.append(SQLName.isIn("Z_ENT", entity.numbers)) }
        if entity.rootNumber == destination.rootNumber {
            // The objects that go keep their references, and the one that stays does not refer to itself.
            conditions.append("NOT (\(Self.replaced("\(table).Z_PK").condition))")
            if property.isOptional { conditions.append("\(retained) <> \(table).Z_PK") }
        }
        let move =
            "UPDATE \(table) SET \(sets)\(noPosition(entity.table, toOne.order)) "
            + "WHERE \(conditions.joined(separator: " AND "))"
        return [move]
            + memberRows(entity, property: property, table: entity.table, layout)
            .filter { has($0.table, $0.order) }.flatMap(Self.appending)
    }

    /// Returns the statements that give the object that stays the destination of a one-to-one relationship, if it has
    /// none.
    private func pairMove(
        _ entity: StoreLayout.Entity, toOne: StoreLayout.ToOne, _ layout: StoreLayout
    ) -> [String] {
        guard let (name, back) = inverse(toOne, layout), SQLName.key(name) != SQLName.key(entity.table) else {
            return []
        }
        let (table, target) = (SQLName.inQuotes(entity.table), SQLName.inQuotes(name))
        let (key, backKey) = (SQLName.inQuotes(toOne.key), SQLName.inQuotes(back.key))
        let (condition, retained) = Self.replaced("\(table).\(key)")
        let scope = entity.sharesTable ? " AND \(SQLName.isIn("Z_ENT", entity.numbers))" : ""
        var sets = "\(key) = \(retained)"
        if let column = toOne.entity, has(entity.table, column) {
            sets += ", \(SQLName.inQuotes(column)) = (SELECT d.Z_ENT FROM \(target) AS d WHERE d.Z_PK = \(retained))"
        }
        var backSets = "\(backKey) = (SELECT min(o.Z_PK) FROM \(table) AS o WHERE o.\(key) = \(target).Z_PK)"
        if let column = back.entity, has(name, column) {
            backSets +=
                ", \(SQLName.inQuotes(column)) = (SELECT o.Z_ENT FROM \(table) AS o WHERE o.\(key) = \(target).Z_PK ORDER BY o.Z_PK LIMIT 1)"
        }
        let isFirst =
            "Z_PK = (SELECT min(o.Z_PK) FROM \(table) AS o WHERE o.\(key) IN (SELECT r FROM temp.modelc_kept "
            + "WHERE k = \(retained)))"
        return [
            "UPDATE \(table) SET \(sets) WHERE \(condition) AND \(isFirst)\(scope) AND NOT EXISTS (SELECT 1 FROM \(table) AS o "
                + "WHERE o.\(key) = \(retained)) AND (SELECT d.\(backKey) FROM \(target) AS d WHERE d.Z_PK = \(retained)) IS NULL",
            "UPDATE \(target) SET \(backSets) WHERE \(backKey) IS NULL AND Z_PK IN (SELECT k FROM temp.modelc_kept) "
                + "AND EXISTS (SELECT 1 FROM \(table) AS o WHERE o.\(key) = \(target).Z_PK)",
        ]
    }
}
