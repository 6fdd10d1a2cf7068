internal import CoreData
internal import Diagnostics

/// Repairs of to-many relationships: pairs and positions.
extension StoreExamination {
    /// The rows that contain the members of an ordered relationship: the table, the owner's key, the position, and the
    /// condition that a row is a member.
    struct MemberRows {
        var table: String
        var key: String
        var order: String
        var scope = ""
    }

    func memberRepair(_ finding: StoreFinding, _ layout: StoreLayout) -> StoreRepair? {
        guard let name = finding.rows.table, let entity = finding.entity.flatMap({ layout.entity(named: $0) }),
            let property = entity.properties.first(where: { $0.name == finding.property })
        else { return nil }
        let table = SQLName.inQuotes(name)
        func repair(
            _ statements: [String], _ safety: FixIt.Safety = .safe, phase: StoreRepair.Phase
        ) -> StoreRepair {
            StoreRepair(
                rule: finding.rule, safety: safety, phase: phase, statements: statements,
                isMirrored: phase == .joins)
        }
        switch (finding.rule, property.position) {
        case (.joinDangling, _), (.joinWrongEntity, _):
            guard let rows = finding.rows.sql.flatMap(Self.rowIDs) else { return nil }
            return repair(
                ["DELETE FROM \(table) WHERE rowid IN (\(rows))"], finding.rule == .joinDangling ? .safe : .unsafe,
                phase: .joins)
        case (.joinDuplicate, .join(let join)):
            let order = [join.order].compactMap { $0 }.filter { has(join.table, $0) }.map {
                SQLName.inQuotes($0) + ", "
            }
            .joined()
            return repair(
                [
                    """
                    DELETE FROM \(table) WHERE rowid IN (SELECT r FROM (SELECT rowid AS r, row_number() OVER (PARTITION BY \
                    \(SQLName.inQuotes(join.own)), \(SQLName.inQuotes(join.other)) ORDER BY \(order)rowid) AS n FROM \(table)) WHERE n > 1)
                    """
                ], phase: .joins)
        case (.ownerDangling, .members(let members)):
            guard let condition = isAffected(finding) else { return nil }
            let columns = [members.key, members.order].compactMap { $0 }.filter { has(name, $0) }
            return repair(
                [
                    "UPDATE \(table) SET \(columns.map { "\(SQLName.inQuotes($0)) = NULL" }.joined(separator: ", ")) "
                        + "WHERE \(condition)"
                ], phase: .joins)
        case (.orderWithoutOwner, _):
            guard let condition = isAffected(finding), let column = finding.rows.column else { return nil }
            return repair(
                ["UPDATE \(table) SET \(SQLName.inQuotes(column)) = NULL WHERE \(condition)"], phase: .positions)
        case (.orderMissing, _):
            let statements = memberRows(entity, property: property, table: name, layout).flatMap(Self.appending)
            return statements.isEmpty ? nil : repair(statements, phase: .positions)
        case (.orderDuplicate, _):
            let rows = memberRows(entity, property: property, table: name, layout)
                .filter { $0.order == finding.rows.column }
            return rows.isEmpty ? nil : repair(rows.flatMap(Self.renumbering), phase: .positions)
        default: return nil
        }
    }

    /// Returns a query for the row identifiers of the rows that a query for columns finds.
    private static func rowIDs(_ sql: String) -> String? {
        guard let start = sql.range(of: " FROM ") else { return nil }
        return "SELECT t.rowid" + sql[start.lowerBound...]
    }

    func memberRows(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, table: String, _ layout: StoreLayout
    ) -> [MemberRows] {
        switch property.position {
        case .attribute: return []
        case .toOne(let toOne):
            guard let order = toOne.order else { return [] }
            return [
                MemberRows(
                    table: table, key: toOne.key, order: order,
                    scope: entity.sharesTable ? " AND \(SQLName.isIn("Z_ENT", entity.numbers))" : "")
            ]
        case .members(let members):
            guard let order = members.order, let destination = layout.entity(number: members.destination) else {
                return []
            }
            return [
                MemberRows(
                    table: table, key: members.key, order: order,
                    scope: destination.sharesTable ? " AND \(SQLName.isIn("Z_ENT", destination.numbers))" : "")
            ]
        case .join(let join):
            // Both sides of a join table can be ordered.
            let sides = layout.entities.flatMap(\.properties).compactMap { other -> MemberRows? in
                guard other.isDeclared, case .join(let side) = other.position, side.table == join.table,
                    let order = side.order, has(side.table, order)
                else { return nil }
                return MemberRows(table: table, key: side.own, order: order)
            }
            return sides
        }
    }

    /// Returns the statements that put members without a position after the others.
    static func appending(_ rows: MemberRows) -> [String] {
        positions(
            rows,
            appendedPositions(
                table: SQLName.inQuotes(rows.table), key: SQLName.inQuotes(rows.key),
                order: SQLName.inQuotes(rows.order), scope: rows.scope))
    }

    /// Returns the query for the row identifiers and new positions of members without a position. The last position of
    /// an owner is looked up once.
    static func appendedPositions(table: String, key: String, order: String, scope: String) -> String {
        """
        WITH last(k, v) AS MATERIALIZED (SELECT \(key), max(\(order)) FROM \(table) WHERE \(key) IS NOT NULL\(scope) \
        GROUP BY \(key)) SELECT o.rowid AS r, ifnull(last.v, 1024) \
        + 1024 * row_number() OVER (PARTITION BY o.\(key) ORDER BY o.rowid) AS v \
        FROM \(table) AS o LEFT JOIN last ON last.k = o.\(key) \
        WHERE o.\(key) IS NOT NULL AND o.\(order) IS NULL\(scope)
        """
    }

    /// Returns the statements that renumber the members of owners with equal positions.
    private static func renumbering(_ rows: MemberRows) -> [String] {
        let (table, key, order) = (
            SQLName.inQuotes(rows.table), SQLName.inQuotes(rows.key), SQLName.inQuotes(rows.order)
        )
        return positions(
            rows,
            """
            SELECT o.rowid AS r, 1024 + 1024 * row_number() OVER (PARTITION BY o.\(key) ORDER BY o.\(order), o.rowid) AS v \
            FROM \(table) AS o WHERE o.\(key) IN (SELECT \(key) FROM \(table) WHERE \(key) IS NOT NULL \
            AND \(order) IS NOT NULL\(rows.scope) GROUP BY \(key), \(order) HAVING count(*) > 1)\(rows.scope)
            """)
    }

    private static func positions(_ rows: MemberRows, _ query: String) -> [String] {
        let (table, order) = (SQLName.inQuotes(rows.table), SQLName.inQuotes(rows.order))
        return [
            "CREATE TEMP TABLE modelc_positions AS \(query)",
            "UPDATE \(table) SET \(order) = p.v FROM temp.modelc_positions AS p WHERE \(table).rowid = p.r",
            "DROP TABLE temp.modelc_positions",
        ]
    }
}
