internal import CoreData
internal import Diagnostics

/// To-one relationships.
extension StoreExamination {
    func addReferenceConditions(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, toOne: StoreLayout.ToOne, scope: String,
        layout: StoreLayout, scan: inout TableScan
    ) {
        let key = "t.\(SQLName.inQuotes(toOne.key))"
        let path = "“\(entity.name).\(property.name)”"
        func add(
            _ rule: RuleID, column: String, sql: String, confirmation: String? = nil,
            message: @escaping (Int64) -> String
        ) {
            scan.add(
                RowCondition(
                    rule: rule, entity: entity.name, property: property.name, column: column, sql: "\(scope)(\(sql))",
                    message: message, confirmation: confirmation))
        }
        if !property.isOptional {
            add(.requiredReferenceMissing, column: toOne.key, sql: "\(key) IS NULL") {
                "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") no \(path), which is required"
            }
        }
        if let order = toOne.order, has(entity.table, order) {
            addOrderConditions(entity, property: property, key: key, order: order, add: add)
        }
        guard let destination = layout.entity(number: toOne.destination), has(destination.table, "Z_PK", "Z_ENT")
        else { return }
        let rows = "SELECT 1 FROM \(SQLName.inQuotes(destination.table)) AS d WHERE d.Z_PK = \(key)"
        add(
            .danglingReference, column: toOne.key,
            sql: "\(key) IS NOT NULL AND (typeof(\(key)) <> 'integer' OR \(SQL.isNotAKey(key, of: destination.table)))"
        ) {
            "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "refers" : "refer") to a \(path) that does not exist"
        }
        if destination.sharesTable {
            // A row of an unknown entity is a finding of its own.
            add(
                .wrongDestination, column: toOne.key,
                sql:
                    "\(key) IS NOT NULL AND EXISTS (\(rows) AND \(SQLName.isIn("d.Z_ENT", layout.family(of: destination))) "
                    + "AND NOT (\(SQLName.isIn("d.Z_ENT", destination.numbers))))"
            ) {
                "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") a \(path) that is not a "
                    + "“\(destination.name)”"
            }
        }
        if let column = toOne.entity, has(entity.table, column) {
            let number = "t.\(SQLName.inQuotes(column))"
            // The entity of a destination with an invalid number is not known.
            let concrete = layout.family(of: destination).filter { layout.entity(number: $0)?.isAbstract == false }
            add(
                .entityColumn, column: column,
                sql: "CASE WHEN \(key) IS NULL THEN \(number) IS NOT NULL "
                    + "ELSE EXISTS (\(rows) AND d.Z_ENT IS NOT \(number) AND \(SQLName.isIn("d.Z_ENT", concrete))) END"
            ) {
                "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "names" : "name") the wrong entity for \(path)"
            }
        }
        addOneToOneConditions(
            entity, property: property, toOne: toOne, destination: destination, scope: scope, add: add)
    }

    private func addOrderConditions(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, key: String, order: String,
        add: (RuleID, String, String, String?, @escaping (Int64) -> String) -> Void
    ) {
        let position = "t.\(SQLName.inQuotes(order))"
        let path = "“\(entity.name).\(property.name)”"
        add(.orderMissing, order, "\(key) IS NOT NULL AND \(position) IS NULL", nil) {
            "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") no position in the inverse of \(path)"
        }
        add(.orderWithoutOwner, order, "\(key) IS NULL AND \(position) IS NOT NULL", nil) {
            "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has a position" : "have positions") in the "
                + "inverse of \(path), which is nil"
        }
    }

    private func addOneToOneConditions(
        _ entity: StoreLayout.Entity, property: StoreLayout.Property, toOne: StoreLayout.ToOne,
        destination: StoreLayout.Entity, scope: String,
        add: (RuleID, String, String, String?, @escaping (Int64) -> String) -> Void
    ) {
        guard toOne.isOneToOne,
            let back = destination.properties.first(where: { $0.name == toOne.inverse }),
            case .toOne(let inverse) = back.position, has(destination.table, inverse.key)
        else { return }
        let key = "t.\(SQLName.inQuotes(toOne.key))"
        let (table, column) = (SQLName.inQuotes(destination.table), SQLName.inQuotes(inverse.key))
        let path = "“\(entity.name).\(property.name)”"
        let rows =
            "SELECT 1 FROM \(table) AS d WHERE d.Z_PK = \(key) AND \(SQLName.isIn("d.Z_ENT", destination.numbers))"
        add(
            .oneToOneHalf, toOne.key, "\(key) IS NOT NULL AND EXISTS (\(rows) AND d.\(column) IS NULL)",
            "SELECT 1 FROM \(table) WHERE \(column) IS NOT NULL LIMIT 1"
        ) {
            "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") a \(path) whose inverse "
                + "“\(back.name)” is nil"
        }
        add(
            .oneToOneConflict, toOne.key,
            "\(key) IS NOT NULL AND EXISTS (\(rows) AND d.\(column) IS NOT NULL AND d.\(column) <> t.Z_PK)", nil
        ) {
            "\(counted($0, "object")) of “\(entity.name)” \($0 == 1 ? "has" : "have") a \(path) whose inverse "
                + "“\(back.name)” is another object"
        }
    }

    /// Adds the conditions of to-many relationships without an inverse, whose members are the rows of a table.
    func addOwnerConditions(_ root: StoreLayout.Entity, layout: StoreLayout, scan: inout TableScan) {
        for owner in layout.entities {
            for property in owner.properties where property.isDeclared {
                guard case .members(let members) = property.position, members.lacksInverse, members.table == root.table,
                    has(root.table, members.key), has(owner.table, "Z_PK")
                else { continue }
                let key = "t.\(SQLName.inQuotes(members.key))"
                let path = "“\(owner.name).\(property.name)”"
                func add(
                    _ rule: RuleID, column: String, sql: String, message: @escaping (Int64) -> String
                ) {
                    scan.add(
                        RowCondition(
                            rule: rule, entity: owner.name, property: property.name, column: column, sql: sql,
                            message: message))
                }
                add(
                    .ownerDangling, column: members.key,
                    sql: "\(key) IS NOT NULL AND \(SQL.isNotAKey(key, of: owner.table))"
                ) { "\(counted($0, "member")) of \(path) \($0 == 1 ? "has" : "have") an owner that does not exist" }
                guard let order = members.order, has(root.table, order) else { continue }
                let position = "t.\(SQLName.inQuotes(order))"
                add(.orderMissing, column: order, sql: "\(key) IS NOT NULL AND \(position) IS NULL") {
                    "\(counted($0, "member")) of \(path) \($0 == 1 ? "has" : "have") no position"
                }
                add(.orderWithoutOwner, column: order, sql: "\(key) IS NULL AND \(position) IS NOT NULL") {
                    "\(counted($0, "object")) \($0 == 1 ? "has a position" : "have positions") in \(path) without an owner"
                }
            }
        }
    }
}

extension StoreLayout {
    /// Returns the numbers of all entities of a hierarchy.
    func family(of entity: Entity) -> [Int] { self.entity(number: entity.rootNumber)?.numbers ?? entity.numbers }
}
