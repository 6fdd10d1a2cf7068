internal import CoreData
internal import Diagnostics
internal import StoreFile

/// To-many relationships: join tables, positions, counts.
extension StoreExamination {
    // MARK: Join tables

    func checkJoins(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        var done: Set<String> = []
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                guard case .join(let join) = property.position, has(join.table, join.own, join.other),
                    done.insert(join.table).inserted, let destination = layout.entity(number: join.destination)
                else { continue }
                try checkJoin(entity, property: property, join: join, destination: destination)
            }
        }
    }

    private func checkJoin(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, join: StoreLayout.Join,
        destination: StoreLayout.Entity
    ) throws(DoctorDatabase.Failure) {
        guard has(entity.table, "Z_PK", "Z_ENT"), has(destination.table, "Z_PK", "Z_ENT") else { return }
        let path = "“\(entity.name).\(property.name)”"
        var scan = TableScan(table: join.table, example: .columns([join.own, join.other]))
        let (own, other) = ("t.\(SQLName.inQuotes(join.own))", "t.\(SQLName.inQuotes(join.other))")
        let dangles = [(own, entity.table), (other, destination.table)]
            .map { "\($0) IS NULL OR \(SQL.isNotAKey($0, of: $1))" }.joined(separator: " OR ")
        scan.add(
            RowCondition(
                rule: .joinDangling, entity: entity.name, property: property.name, column: join.own, sql: dangles
            ) { "\(counted($0, "pair")) of \(path) \($0 == 1 ? "refers" : "refer") to an object that does not exist" })
        var wrong: [String] = []
        for (key, side) in [(own, entity), (other, destination)] where side.sharesTable {
            wrong.append(
                "NOT EXISTS (SELECT 1 FROM \(SQLName.inQuotes(side.table)) AS d WHERE d.Z_PK = \(key) "
                    + "AND \(SQLName.isIn("d.Z_ENT", side.numbers)))")
        }
        if !wrong.isEmpty {
            scan.add(
                RowCondition(
                    rule: .joinWrongEntity, entity: entity.name, property: property.name, column: join.own,
                    sql: "NOT (\(dangles)) AND (\(wrong.joined(separator: " OR ")))"
                ) { "\(counted($0, "pair")) of \(path) \($0 == 1 ? "has" : "have") an object of another entity" })
        }
        // Beside the keys, a join table has only positions.
        let orders = (layout?.tables.first { $0.name == join.table }?.columns ?? []).dropFirst(2).map(\.name)
            .filter { has(join.table, $0) }
        if !orders.isEmpty {
            scan.add(
                RowCondition(
                    rule: .orderMissing, entity: entity.name, property: property.name, column: orders[0],
                    sql: orders.map { "t.\(SQLName.inQuotes($0)) IS NULL" }.joined(separator: " OR ")
                ) { "\(counted($0, "pair")) of \(path) \($0 == 1 ? "has" : "have") no position" })
        }
        _ = try scan.run(self)
        guard try !hasUniqueIndex(join.table, [join.own, join.other]) else { return }
        let columns = "\(SQLName.inQuotes(join.own)), \(SQLName.inQuotes(join.other))"
        try FaultQuery(
            rule: .joinDuplicate, entity: entity.name, property: property.name, table: join.table, column: join.own,
            sql:
                "SELECT \(columns), count(*) FROM \(SQLName.inQuotes(join.table)) GROUP BY \(columns) HAVING count(*) > 1",
            message: { "\(counted($0, "pair")) of \(path) \($0 == 1 ? "is" : "are") stored more than once" },
            example: { "\(join.own) = \($0.text(0)), \(join.other) = \($0.text(1))" }
        ).run(self)
    }

    // MARK: Positions and counts

    /// Checks the positions and the number of members of an entity's to-many relationships.
    func checkMembers(of entity: StoreLayout.Entity, _ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard has(entity.table, "Z_PK", "Z_ENT") else { return }
        for property in entity.properties where property.isDeclared {
            switch property.position {
            case .attribute: continue
            case .toOne(let toOne):
                try checkSharedDestination(entity, property: property, toOne: toOne)
            case .members(let members):
                guard let destination = layout.entity(number: members.destination),
                    has(members.table, "Z_ENT", members.key)
                else { continue }
                let scope = destination.sharesTable ? "\(SQLName.isIn("Z_ENT", destination.numbers)) AND " : ""
                try checkPositions(
                    entity, property: property, table: members.table, key: members.key, order: members.order,
                    scope: scope)
                try checkCounts(
                    entity, property: property, table: members.table, key: members.key, counts: members.counts,
                    scope: scope)
            case .join(let join):
                guard has(join.table, join.own, join.other) else { continue }
                try checkPositions(
                    entity, property: property, table: join.table, key: join.own, order: join.order, scope: "")
                try checkCounts(
                    entity, property: property, table: join.table, key: join.own, counts: join.counts, scope: "")
            }
        }
    }

    private func checkPositions(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, table: String, key: String, order: String?,
        scope: String
    ) throws(DoctorDatabase.Failure) {
        guard let order, has(table, order) else { return }
        let (owner, position) = (SQLName.inQuotes(key), SQLName.inQuotes(order))
        try FaultQuery(
            rule: .orderDuplicate, entity: entity.name, property: property.name, table: table, column: order,
            sql: "SELECT \(owner), \(entity.number), \(position), count(*) FROM \(SQLName.inQuotes(table)) "
                + "WHERE \(scope)\(owner) IS NOT NULL AND \(position) IS NOT NULL "
                + "GROUP BY \(owner), \(position) HAVING count(*) > 1",
            message: {
                "members of “\(entity.name).\(property.name)” share \(counted($0, "position"))"
            }
        ).run(self)
    }

    private func checkCounts(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, table: String, key: String,
        counts: (minimum: Int, maximum: Int), scope: String
    ) throws(DoctorDatabase.Failure) {
        // In the inner query, a name without its table would be a column of the owner.
        let owner = "m.\(SQLName.inQuotes(key))"
        let members = "FROM \(SQLName.inQuotes(table)) AS m WHERE \(scope)\(owner) IS NOT NULL"
        let groups =
            "SELECT \(owner), \(entity.number), count(*) \(members) "
            + "AND EXISTS (SELECT 1 FROM \(SQLName.inQuotes(entity.table)) AS o WHERE o.Z_PK = \(owner)) GROUP BY \(owner) HAVING "
        let path = "“\(entity.name).\(property.name)”"
        if counts.maximum > 0 {
            try FaultQuery(
                rule: .tooMany, entity: entity.name, property: property.name, table: table, column: key,
                sql: groups + "count(*) > \(counts.maximum)",
                message: {
                    "\(counted($0, "object")) \($0 == 1 ? "has" : "have") more than \(counts.maximum) \(path)"
                }
            ).run(self)
        }
        guard counts.minimum > 0 else { return }
        var sql = groups + "count(*) < \(counts.minimum)"
        if !property.isOptional {
            sql +=
                " UNION ALL SELECT o.Z_PK, o.Z_ENT, 0 FROM \(SQLName.inQuotes(entity.table)) AS o "
                + "WHERE \(SQLName.isIn("o.Z_ENT", entity.numbers)) AND o.Z_PK NOT IN (SELECT \(owner) \(members))"
        }
        try FaultQuery(
            rule: .tooFew, entity: entity.name, property: property.name, table: table, column: key, sql: sql,
            message: { "\(counted($0, "object")) \($0 == 1 ? "has" : "have") fewer than \(counts.minimum) \(path)" }
        ).run(self)
    }

    /// Checks that no two objects have the same destination in a one-to-one relationship.
    private func checkSharedDestination(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, toOne: StoreLayout.ToOne
    ) throws(DoctorDatabase.Failure) {
        guard toOne.isOneToOne, has(entity.table, toOne.key) else { return }
        let key = SQLName.inQuotes(toOne.key)
        let scope = entity.sharesTable ? "\(SQLName.isIn("Z_ENT", entity.numbers)) AND " : ""
        try FaultQuery(
            rule: .twoOwners, entity: entity.name, property: property.name, table: entity.table, column: toOne.key,
            sql: "SELECT \(key), \(toOne.destination), count(*) FROM \(SQLName.inQuotes(entity.table)) "
                + "WHERE \(scope)\(key) IS NOT NULL GROUP BY \(key) HAVING count(*) > 1",
            message: {
                "\(counted($0, "object")) \($0 == 1 ? "is" : "are") the “\(entity.name).\(property.name)” of several objects"
            }
        ).run(self)
    }

    // MARK: Constraints

    /// Looks for duplicates in uniqueness constraints that no index enforces.
    func checkConstraints(of entity: StoreLayout.Entity) throws(DoctorDatabase.Failure) {
        guard options.includes(.uniqueViolated), has(entity.table, "Z_PK", "Z_ENT") else { return }
        for constraint in entity.constraints
        where constraint.columns.count <= 100 && constraint.columns.allSatisfy({ has(entity.table, $0) }) {
            guard try !hasUniqueIndex(entity.table, constraint.columns) else { continue }
            let columns = constraint.columns.map(SQLName.inQuotes)
            let scope = entity.sharesTable ? "\(SQLName.isIn("Z_ENT", entity.numbers)) AND " : ""
            let names = constraint.names.joined(separator: ", ")
            try FaultQuery(
                rule: .uniqueViolated, entity: entity.name,
                property: constraint.names.count == 1 ? constraint.names[0] : nil, table: entity.table,
                column: constraint.columns.joined(separator: ", "),
                sql: "SELECT min(Z_PK), Z_ENT, count(*) FROM \(SQLName.inQuotes(entity.table)) "
                    + "WHERE \(scope)\(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
                    + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1",
                message: {
                    "\(counted($0, "value")) of the constraint \(names) of “\(entity.name)” \($0 == 1 ? "is" : "are") not unique"
                }
            ).run(self)
        }
    }
}
