internal import CoreData
internal import Diagnostics

/// Repairs of rows and of to-one relationships.
extension StoreExamination {
    func referenceRepair(
        _ finding: StoreFinding, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let name = finding.entity, let entity = layout.entity(named: name) else { return nil }
        let table = SQLName.inQuotes(entity.table)
        let affected = isAffected(finding)
        switch finding.rule {
        case .unknownEntity, .abstractEntity:
            guard let affected else { return nil }
            let concrete = layout.entities.filter { $0.rootNumber == entity.rootNumber && !$0.isAbstract }
            guard concrete.count == 1 else {
                return deletion(of: entity, for: finding, where: affected, layout: layout, phase: .rows)
            }
            let statement = "UPDATE \(table) SET Z_ENT = \(concrete[0].number) WHERE \(affected)"
            return repair(of: finding, by: statement, .safe, phase: .rows)
        case .versionInvalid:
            return affected.map {
                repair(of: finding, by: "UPDATE \(table) SET Z_OPT = 1 WHERE \($0)", .safe, phase: .rows)
            }
        case .requiredReferenceMissing:
            return affected.map { deletion(of: entity, for: finding, where: $0, layout: layout) }
        default:
            guard let property = entity.properties.first(where: { $0.name == finding.property }),
                case .toOne(let toOne) = property.position
            else { return nil }
            return try toOneRepair(finding, entity: entity, property: property, toOne: toOne, layout: layout)
        }
    }

    private func toOneRepair(
        _ finding: StoreFinding, entity: StoreLayout.Entity, property: StoreLayout.Property,
        toOne: StoreLayout.ToOne, layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        let table = SQLName.inQuotes(entity.table)
        let affected = isAffected(finding)
        let columns = [toOne.key, toOne.entity, toOne.order].compactMap { $0 }.filter { has(entity.table, $0) }
        let nulls =
            "UPDATE \(table) SET \(columns.map { "\(SQLName.inQuotes($0)) = NULL" }.joined(separator: ", ")) WHERE "
        switch finding.rule {
        case .danglingReference, .wrongDestination:
            guard let affected else { return nil }
            let isDangling = finding.rule == .danglingReference
            guard property.isOptional else {
                return isDangling ? deletion(of: entity, for: finding, where: affected, layout: layout) : nil
            }
            return repair(of: finding, by: nulls + affected, isDangling ? .safe : .unsafe)
        case .oneToOneConflict:
            return property.isOptional ? affected.map { repair(of: finding, by: nulls + $0, .unsafe) } : nil
        case .entityColumn:
            guard let affected, let column = toOne.entity,
                let destination = layout.entity(number: toOne.destination)
            else { return nil }
            let statement =
                "UPDATE \(table) SET \(SQLName.inQuotes(column)) = (SELECT d.Z_ENT FROM \(SQLName.inQuotes(destination.table)) AS d "
                + "WHERE d.Z_PK = \(table).\(SQLName.inQuotes(toOne.key))) WHERE \(affected)"
            return repair(of: finding, by: statement, .safe)
        case .oneToOneHalf where finding.severity > .note:
            return try halfRepair(finding, entity: entity, toOne: toOne, layout).map {
                repair(of: finding, by: $0, .safe)
            }
        case .twoOwners where property.isOptional:
            return ownersCondition(entity, toOne: toOne, layout).map { repair(of: finding, by: nulls + $0, .unsafe) }
        default: return nil
        }
    }

    private func repair(
        of finding: StoreFinding, by statement: String, _ safety: FixIt.Safety,
        phase: StoreRepair.Phase = .references
    ) -> StoreRepair {
        StoreRepair(
            rule: finding.rule, safety: safety, phase: phase, statements: [statement],
            isMirrored: finding.rule != .versionInvalid && finding.rule != .entityColumn)
    }

    /// Returns the deletion of the objects that the finding's column chooses, by themselves or by what they refer to.
    private func deletion(
        of entity: StoreLayout.Entity, for finding: StoreFinding, where affected: String, layout: StoreLayout,
        phase: StoreRepair.Phase = .references
    ) -> StoreRepair {
        let statement = "DELETE FROM \(SQLName.inQuotes(entity.table)) WHERE \(affected)"
        var repair = repair(of: finding, by: statement, .unsafe, phase: phase)
        repair.deletes = [TableOrColumn(entity.table)]
        if let column = finding.rows.column { repair.deletes?.insert(TableOrColumn(entity.table, column)) }
        if case .toOne(let toOne)? = entity.properties.first(where: { $0.name == finding.property })?.position {
            repair.deletes?.insert(TableOrColumn(entity.table, toOne.key))
            if let destination = layout.entity(number: toOne.destination) {
                repair.deletes?.insert(TableOrColumn(destination.table))
            }
        }
        return repair
    }

    /// The columns of the other side of a one-to-one relationship.
    func inverse(
        _ toOne: StoreLayout.ToOne, _ layout: StoreLayout
    ) -> (table: String, columns: StoreLayout.ToOne)? {
        guard let destination = layout.entity(number: toOne.destination),
            case .toOne(let inverse)? = destination.properties.first(where: { $0.name == toOne.inverse })?.position,
            has(destination.table, "Z_PK", inverse.key)
        else { return nil }
        return (destination.table, inverse)
    }

    /// Returns the name of the pair of relationships that a finding about a one-to-one relationship belongs to; `nil`
    /// for other findings.
    ///
    /// A reference that becomes nil turns a conflict of one side into a missing side of the other: the same fault.
    func pairName(of finding: StoreFinding) -> String? {
        guard [.oneToOneHalf, .oneToOneConflict, .twoOwners].contains(finding.rule), let layout,
            let name = finding.property, let entity = finding.entity.flatMap({ layout.entity(named: $0) }),
            case .toOne(let toOne)? = entity.properties.first(where: { $0.name == name })?.position
        else { return nil }
        var owner = layout.entity(number: toOne.destination)
        // Findings name the entity that declares a relationship.
        while let entity = owner, entity.properties.contains(where: { $0.name == toOne.inverse && !$0.isDeclared }) {
            owner = layout.entity(number: entity.parentNumber)
        }
        let sides = ["\(entity.name).\(name)", "\(owner?.name ?? "").\(toOne.inverse ?? "")"]
        return sides.sorted().joined(separator: " ")
    }

    /// Returns the statement that sets the missing side of one-to-one relationships, where one object claims it.
    private func halfRepair(
        _ finding: StoreFinding, entity: StoreLayout.Entity, toOne: StoreLayout.ToOne, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> String? {
        guard let rows = finding.rows.sql, let (name, back) = inverse(toOne, layout) else { return nil }
        let (table, other) = (SQLName.inQuotes(entity.table), SQLName.inQuotes(name))
        let key = SQLName.inQuotes(toOne.key)
        let scope = entity.sharesTable ? " AND \(SQLName.isIn("s.Z_ENT", entity.numbers))" : ""
        func claimants(_ value: String) -> String {
            "(SELECT \(value) FROM \(table) AS s WHERE s.\(key) = d.Z_PK\(scope))"
        }
        let inverse = SQLName.inQuotes(back.key)
        let condition =
            "d.\(inverse) IS NULL AND d.Z_PK IN (SELECT o.\(key) FROM \(table) AS o WHERE o.Z_PK IN (\(rows))) "
            + "AND \(claimants("count(*)")) = 1 "
            + "AND NOT EXISTS (SELECT 1 FROM \(other) AS o WHERE o.\(inverse) = \(claimants("s.Z_PK")))"
        guard try database.integer("SELECT 1 FROM \(other) AS d WHERE \(condition) LIMIT 1") != nil else { return nil }
        var values = ["\(inverse) = \(claimants("s.Z_PK"))"]
        if let column = back.entity, has(name, column) {
            values.append("\(SQLName.inQuotes(column)) = \(claimants("s.Z_ENT"))")
        }
        return "UPDATE \(other) AS d SET \(values.joined(separator: ", ")) WHERE \(condition)"
    }

    /// Returns the condition of the rows that share the destination of a one-to-one relationship, except the one that
    /// the destination refers to or, if it refers to none of them, the first.
    private func ownersCondition(
        _ entity: StoreLayout.Entity, toOne: StoreLayout.ToOne, _ layout: StoreLayout
    ) -> String? {
        guard let (name, back) = inverse(toOne, layout) else { return nil }
        let (table, key) = (SQLName.inQuotes(entity.table), SQLName.inQuotes(toOne.key))
        let scope = entity.sharesTable ? " AND \(SQLName.isIn("o.Z_ENT", entity.numbers))" : ""
        return """
            Z_PK IN (SELECT Z_PK FROM (SELECT o.Z_PK, row_number() OVER (PARTITION BY o.\(key) ORDER BY \
            (SELECT d.\(SQLName.inQuotes(back.key)) IS o.Z_PK FROM \(SQLName.inQuotes(name)) AS d WHERE d.Z_PK = o.\(key)) DESC, o.Z_PK) AS n \
            FROM \(table) AS o WHERE o.\(key) IS NOT NULL\(scope)) WHERE n > 1)
            """
    }
}
