import CoreData
import Diagnostics

extension FaultSeeder {
    /// What may follow when an object is no longer what others refer to.
    private static let lostObject: Set<RuleID> = [
        .danglingReference, .entityColumn, .joinDangling, .joinWrongEntity, .tooFew, .oneToOneHalf, .oneToOneConflict,
        .derivedDrift, .ownerDangling,
    ]

    func addRowFaults(_ entity: StoreLayout.Entity) throws {
        let table = entity.table
        guard let key = try key(table, "t.Z_ENT = \(entity.number)") else { return }
        let row = "WHERE Z_PK = \(key)"
        add(.unknownEntity, "UPDATE \"\(table)\" SET Z_ENT = 9999 \(row)", Self.lostObject)
        add(.unknownEntity, "UPDATE \"\(table)\" SET Z_ENT = NULL \(row)", Self.lostObject)
        if let abstract = layout.entities.first(where: { $0.rootNumber == entity.rootNumber && $0.isAbstract }) {
            // The values that other subentities require are missing too.
            add(
                .abstractEntity, "UPDATE \"\(table)\" SET Z_ENT = \(abstract.number) \(row)",
                Self.lostObject.union([.wrongDestination, .requiredValueMissing, .requiredReferenceMissing]))
        }
        for value in ["NULL", "0", "-3", "'x'"] {
            add(.versionInvalid, "UPDATE \"\(table)\" SET Z_OPT = \(value) \(row)")
        }
        add(.keyNotPositive, "UPDATE \"\(table)\" SET Z_PK = -7 \(row)", Self.lostObject)
    }

    // MARK: To-one relationships

    func addReferenceFaults(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, _ toOne: StoreLayout.ToOne
    ) throws {
        let table = "\"\(entity.table)\""
        let scope = "t.Z_ENT IN \(Self.list(entity.numbers))"
        let key = "\"\(toOne.key)\""
        let consequences: Set<RuleID> = [
            .tooFew, .tooMany, .oneToOneHalf, .oneToOneConflict, .twoOwners, .derivedDrift, .orderDuplicate,
        ]
        if let row = try self.key(entity.table, "\(scope) AND t.\(key) IS NOT NULL") {
            add(.danglingReference, "UPDATE \(table) SET \(key) = 999999 WHERE Z_PK = \(row)", consequences)
            add(.danglingReference, "UPDATE \(table) SET \(key) = 'x' WHERE Z_PK = \(row)", consequences)
            if let order = toOne.order {
                add(.orderMissing, "UPDATE \(table) SET \"\(order)\" = NULL WHERE Z_PK = \(row)")
            }
            if let column = toOne.entity {
                add(.entityColumn, "UPDATE \(table) SET \"\(column)\" = 9998 WHERE Z_PK = \(row)")
                add(.entityColumn, "UPDATE \(table) SET \"\(column)\" = NULL WHERE Z_PK = \(row)")
            }
            let nulls = ([toOne.key] + [toOne.entity, toOne.order].compactMap { $0 }).map { "\"\($0)\" = NULL" }
            let setNull = "UPDATE \(table) SET \(nulls.joined(separator: ", ")) WHERE Z_PK = \(row)"
            if !property.isOptional { add(.requiredReferenceMissing, setNull, consequences) }
            if toOne.isOneToOne, try isPair(entity, toOne, row) {
                // The other side still refers to the row.
                add(.oneToOneHalf, setNull, consequences.union([.requiredReferenceMissing]))
            }
            if toOne.isOneToOne,
                let other = try self.key(
                    entity.table, "\(scope) AND t.Z_PK <> \(row) AND t.\(key) IS NOT NULL")
            {
                let copied = ([toOne.key] + [toOne.entity].compactMap { $0 }).map {
                    "\"\($0)\" = (SELECT o.\"\($0)\" FROM \(table) AS o WHERE o.Z_PK = \(row))"
                }
                let statement = "UPDATE \(table) SET \(copied.joined(separator: ", ")) WHERE Z_PK = \(other)"
                add(.twoOwners, statement, consequences)
                if try isPair(entity, toOne, row) { add(.oneToOneConflict, statement, consequences) }
            }
        }
        if let order = toOne.order {
            if let row = try self.key(entity.table, "\(scope) AND t.\(key) IS NULL") {
                add(.orderWithoutOwner, "UPDATE \(table) SET \"\(order)\" = 2048 WHERE Z_PK = \(row)")
            }
            let twin =
                "EXISTS (SELECT 1 FROM \(table) AS o WHERE o.\(key) = t.\(key) AND o.Z_PK <> t.Z_PK "
                + "AND o.Z_ENT IN \(Self.list(entity.numbers)))"
            if let row = try self.key(entity.table, "\(scope) AND \(twin)") {
                add(
                    .orderDuplicate,
                    "UPDATE \(table) SET \"\(order)\" = 4096 WHERE Z_ENT IN \(Self.list(entity.numbers)) AND "
                        + "\(key) = (SELECT o.\(key) FROM \(table) AS o WHERE o.Z_PK = \(row))")
            }
        }
        if let destination = layout.entity(number: toOne.destination), destination.sharesTable,
            let family = layout.entity(number: destination.rootNumber),
            let row = try self.key(entity.table, scope),
            let target = try self.key(
                destination.table,
                "t.Z_ENT IN \(Self.list(family.numbers)) AND t.Z_ENT NOT IN \(Self.list(destination.numbers))")
        {
            let number = "(SELECT Z_ENT FROM \"\(destination.table)\" WHERE Z_PK = \(target))"
            let columns =
                ["\(key) = \(target)"] + (toOne.entity.map { ["\"\($0)\" = \(number)"] } ?? [])
                + (toOne.order.map { ["\"\($0)\" = 999424"] } ?? [])
            add(
                .wrongDestination, "UPDATE \(table) SET \(columns.joined(separator: ", ")) WHERE Z_PK = \(row)",
                consequences)
        }
    }

    /// Returns whether the destination of a row refers to it.
    private func isPair(_ entity: StoreLayout.Entity, _ toOne: StoreLayout.ToOne, _ row: Int64) throws -> Bool {
        guard let destination = layout.entity(number: toOne.destination),
            case .toOne(let inverse)? = destination.properties.first(where: { $0.name == toOne.inverse })?.position
        else { return false }
        // The same column on both sides is a relationship that is its own inverse.
        return try database.integer(
            "SELECT 1 FROM \"\(destination.table)\" AS d JOIN \"\(entity.table)\" AS t ON t.\"\(toOne.key)\" = d.Z_PK "
                + "WHERE t.Z_PK = \(row) AND d.\"\(inverse.key)\" = t.Z_PK AND d.Z_ENT IN \(Self.list(destination.numbers)) "
                + "AND NOT (d.Z_PK = t.Z_PK AND '\(inverse.key)' = '\(toOne.key)')") != nil
    }

    // MARK: To-many relationships

    func addMemberFaults(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, _ members: StoreLayout.Members
    ) throws {
        guard members.lacksInverse, let destination = layout.entity(number: members.destination) else { return }
        let table = "\"\(members.table)\""
        guard let row = try key(members.table, "t.Z_ENT IN \(Self.list(destination.numbers))") else { return }
        let order = members.order.map { ", \"\($0)\" = 2048" } ?? ""
        if !order.isEmpty {
            add(
                .orderWithoutOwner, "UPDATE \(table) SET \"\(members.key)\" = NULL\(order) WHERE Z_PK = \(row)",
                [.tooFew])
        }
        add(.ownerDangling, "UPDATE \(table) SET \"\(members.key)\" = 999999\(order) WHERE Z_PK = \(row)", [.tooFew])
    }

    func addJoinFaults(
        _ entity: StoreLayout.Entity, _ property: StoreLayout.Property, _ join: StoreLayout.Join
    ) throws {
        let columns = layout.tables.first { $0.name == join.table }?.columns.map(\.name) ?? []
        let table = "\"\(join.table)\""
        let consequences: Set<RuleID> = [.tooMany, .tooFew, .derivedDrift, .orderDuplicate, .joinDangling]
        func values(_ own: String, _ other: String) -> String {
            columns.map { $0 == join.own ? own : $0 == join.other ? other : "999424" }.joined(separator: ", ")
        }
        guard let destination = layout.entity(number: join.destination),
            let own = try key(entity.table, "t.Z_ENT IN \(Self.list(entity.numbers))")
        else { return }
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        add(.joinDangling, "INSERT INTO \(table) (\(names)) VALUES (\(values("\(own)", "999999")))", consequences)
        add(.joinDangling, "INSERT INTO \(table) (\(names)) VALUES (\(values("NULL", "\(own)")))", consequences)
        if destination.sharesTable, let family = layout.entity(number: destination.rootNumber),
            let other = try key(
                destination.table,
                "t.Z_ENT IN \(Self.list(family.numbers)) AND t.Z_ENT NOT IN \(Self.list(destination.numbers))")
        {
            add(
                .joinWrongEntity, "INSERT INTO \(table) (\(names)) VALUES (\(values("\(own)", "\(other)")))",
                consequences)
        }
        guard try database.integer("SELECT 1 FROM \(table) LIMIT 1") != nil else { return }
        if let order = join.order {
            add(
                .orderMissing, "UPDATE \(table) SET \"\(order)\" = NULL WHERE rowid = (SELECT min(rowid) FROM \(table))"
            )
            if try database.integer("SELECT 1 FROM \(table) GROUP BY \"\(join.own)\" HAVING count(*) > 1") != nil {
                add(.orderDuplicate, "UPDATE \(table) SET \"\(order)\" = 4096")
            }
        }
        let list = columns.map { "\"\($0)\" INTEGER" }.joined(separator: ", ")
        add(
            .joinDuplicate,
            [
                "CREATE TEMP TABLE pairs AS SELECT * FROM \(table)", "DROP TABLE \(table)",
                "CREATE TABLE \(table) (\(list))", "INSERT INTO \(table) SELECT * FROM pairs",
                "INSERT INTO \(table) SELECT * FROM pairs LIMIT 1",
                "CREATE INDEX seeded ON \(table) (\"\(columns[1])\", \"\(columns[0])\")",
            ], consequences.union([.derivedTriggerMissing]))
        if join.counts.minimum > 1,
            let owner = try database.integer(
                "SELECT \"\(join.own)\" FROM \(table) GROUP BY 1 HAVING count(*) = \(join.counts.minimum)")
        {
            add(
                .tooFew,
                "DELETE FROM \(table) WHERE rowid = (SELECT min(rowid) FROM \(table) WHERE \"\(join.own)\" = \(owner))",
                consequences)
        }
        let candidates = "FROM \"\(destination.table)\" AS t WHERE t.Z_ENT IN \(Self.list(destination.numbers))"
        if join.counts.maximum > 0,
            try database.integer("SELECT count(*) \(candidates)") ?? 0 > join.counts.maximum
        {
            let values = columns.map { $0 == join.own ? "\(own)" : $0 == join.other ? "t.Z_PK" : "999424 + t.Z_PK" }
            add(
                .tooMany,
                "INSERT OR IGNORE INTO \(table) (\(names)) SELECT \(values.joined(separator: ", ")) \(candidates)",
                consequences)
        }
    }
}
