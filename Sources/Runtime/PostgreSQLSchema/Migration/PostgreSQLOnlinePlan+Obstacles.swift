internal import CoreData

/// The migrations that have no such steps.
extension PostgreSQLOnlinePlan {
    /// The changes for which there are no such steps, each as a clause; empty if there are none.
    package var obstacles: [String] {
        var result: [String] = []
        let versions = plan.versions
        for entity in source.entities {
            guard let pair = versions.pairs.first(where: { $0.source.number == entity.number }) else {
                if plan.match.tables[entity.table] != nil {
                    result.append("the entity “\(entity.name)” is removed from the table of other entities")
                }
                continue
            }
            let name = pair.destination.name
            if entity.name != name {
                result.append("the entity “\(entity.name)” is renamed to “\(name)”")
            } else if plan.match.tables[entity.table] != entity.table || pair.destination.table != entity.table {
                result.append("the rows of the entity “\(name)” move to another table")
            }
            result += obstacles(pair)
        }
        let paired = Set(versions.pairs.map(\.destination.number))
        let shared = Set(plan.match.tables.values)
        for entity in destination.entities where !paired.contains(entity.number) && shared.contains(entity.table) {
            result.append("the entity “\(entity.name)” is added to the table of other entities")
        }
        for table in retained {
            let former = Set(table.old.columnNames)
            for column in addedColumns(table) where former.contains(column.name) {
                result.append("“\(table.new.name).\(column.name)” replaces another property of its name")
            }
        }
        for change in changed where isAdded(change.column, to: change.table) && change.value.text != "?" {
            result.append(
                "“\(change.table).\(change.column)” has a default value, and belongs to some of the entities in its table"
            )
        }
        for former in formerDefaults where former.value == nil {
            result.append("“\(former.property)” is removed, which the old version requires, without a default value")
        }
        let tables = Set(changed.map(\.table))
        if result.isEmpty, plan.rows?.statements.count != tables.count {
            result.append("rows or links between them move")
        }
        return result
    }

    private func obstacles(_ pair: EntityPair) -> [String] {
        let layout = pair.destinationLayout
        var result: [String] = []
        for (slot, position) in pair.destination.slotColumns.enumerated() where position != .nowhere {
            let property = layout.slots[slot].property
            guard property.owner === layout.entity, let old = pair.slots[slot] else { continue }
            let before = pair.source.slotColumns[old]
            let name = "\(pair.destination.name).\(property.name)"
            if before != .nowhere, before != position {
                result.append("“\(name)” is stored in another way, or under another name")
            } else if plan.match.columns[pair.source.table]?.contains(where: {
                $0.property == name && $0.conversion != nil
            }) == true {
                result.append("“\(name)” gets another type")
            }
        }
        let kept = Set(pair.slots.compactMap(\.self))
        for (slot, position) in pair.source.slotColumns.enumerated() where position != .nowhere && !kept.contains(slot)
        {
            guard let relationship = pair.sourceLayout.slots[slot].property as? NSRelationshipDescription,
                relationship.owner === pair.sourceLayout.entity, !relationship.isOptional
            else { continue }
            result.append("“\(pair.source.name).\(relationship.name)” is removed, which the old version requires")
        }
        for derived in pair.destination.derived where pair.needsDerivation(derived.slot) {
            let property = layout.slots[derived.slot].property
            guard property.owner === layout.entity else { continue }
            result.append(
                "“\(pair.destination.name).\(property.name)” is derived, which programs of the old version would not do"
            )
        }
        return result
    }
}
