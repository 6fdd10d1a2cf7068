internal import Foundation

/// The links between objects after the rows were moved: join tables, the order of members, and dangling references.
struct LinkTables<Schema: RowSchema> {
    let rows: RowExpressions<Schema>

    private var versions: VersionPairs<Schema> { rows.versions }
    private var tables: RowTables { rows.tables }
    private var dialect: any MigrationDialect { rows.dialect }
    private var key: SQLFragment { "\(word: dialect.sql.keyColumn)" }

    private func name(_ column: String) -> SQLFragment { "\(word: dialect.sql.name(column))" }

    // MARK: Join tables

    /// Returns the statements that fill the join tables.
    func insertions() -> [SQLFragment] {
        sides().flatMap { side, relationship -> [SQLFragment] in
            if tables.isRetained(side.table) { return [] }
            return rows.sources(of: relationship).compactMap { insertion($0, side, isSwapped: false) }
                + separateSources(of: relationship).compactMap { insertion($0, side, isSwapped: true) }
        }
    }

    /// Returns the sources of a relationship's inverse whose links are not those of the relationship: it had none, or
    /// the two have become each other's inverses.
    private func separateSources(of relationship: NSRelationshipDescription) -> [RowExpressions<Schema>.Source] {
        let sources = rows.sources(of: relationship)
        return (relationship.inverseRelationship.map(rows.sources) ?? []).filter { other in
            !sources.contains { other.sharesLinks(with: $0.relationship) }
        }
    }

    /// Returns one side of each join table of the new version.
    private func sides() -> [(side: JoinSide, relationship: NSRelationshipDescription)] {
        var seen: Set<String> = []
        var result: [(side: JoinSide, relationship: NSRelationshipDescription)] = []
        for entity in versions.destination.entities {
            guard let layout = versions.destinationLayouts[entity.number] else { continue }
            for (slot, position) in entity.slotColumns.enumerated() {
                guard case .join(let side) = position,
                    let relationship = layout.slots[slot].property as? NSRelationshipDescription,
                    relationship.owner === layout.entity, seen.insert(side.table).inserted
                else { continue }
                result.append((side, relationship))
            }
        }
        return result
    }

    /// The pairs of objects in a relationship of the old version.
    private struct Pairs {
        var owner: SQLFragment
        var member: SQLFragment
        /// The position of the member among the owner's members.
        var order: SQLFragment?
        /// The position of the owner among the member's objects.
        var otherOrder: SQLFragment?
        var rows: SQLFragment
    }

    private func pairs(_ source: RowExpressions<Schema>.Source) -> Pairs? {
        switch source.position {
        case .join(let side):
            return Pairs(
                owner: rows.column(side.own), member: rows.column(side.other),
                order: side.order.map { rows.column($0) }, otherOrder: side.otherOrder.map { rows.column($0) },
                rows: "FROM \(rows.table(tables.name(side.table))) AS s")
        case .toOne(let columns):
            let key = rows.column(columns.key)
            return Pairs(
                owner: rows.column(dialect.sql.keyColumn), member: key, order: nil,
                otherOrder: columns.order.map { rows.column($0) },
                rows: "FROM \(rows.table(tables.name(source.pair.source.table))) AS s WHERE \(key) IS NOT NULL")
        case .inverse(let columns):
            let key = rows.column(columns.key)
            return Pairs(
                owner: key, member: rows.column(dialect.sql.keyColumn), order: columns.order.map { rows.column($0) },
                otherOrder: nil,
                rows: "FROM \(rows.table(tables.name(columns.table))) AS s WHERE \(key) IS NOT NULL")
        case .nowhere, .attribute, .composite: return nil
        }
    }

    private func insertion(_ source: RowExpressions<Schema>.Source, _ side: JoinSide, isSwapped: Bool) -> SQLFragment? {
        guard var pairs = pairs(source) else { return nil }
        if isSwapped {
            swap(&pairs.owner, &pairs.member)
            swap(&pairs.order, &pairs.otherOrder)
        }
        var columns = [side.own, side.other]
        var values = [pairs.owner, pairs.member]
        if let order = side.order {
            columns.append(order)
            values.append(pairs.order ?? Self.position(of: pairs.member, within: pairs.owner))
        }
        if let order = side.otherOrder {
            columns.append(order)
            values.append(pairs.otherOrder ?? Self.position(of: pairs.owner, within: pairs.member))
        }
        let names = columns.map(dialect.sql.name).joined(separator: ", ")
        func inserting(_ rows: SQLFragment) -> SQLFragment {
            let target = "\(dialect.sql.table(named: side.table)) (\(names))"
            return SQLFragment(dialect.sql.insertingNew(into: target, rows.text), rows.arguments)
        }
        let select: SQLFragment = "SELECT \(values, ", ") \(pairs.rows)"
        if case .join(let old) = source.position, old.isReflexive { return inserting(select) }
        guard side.isReflexive else { return inserting(select) }
        // The table of a relationship that is its own inverse contains each pair in both directions.
        var mirrored = values
        mirrored.swapAt(0, 1)
        return inserting("\(select) UNION SELECT \(mirrored, ", ") \(pairs.rows)")
    }

    /// Returns the order key of a member in an order that the old version did not have.
    private static func position(of member: SQLFragment, within owner: SQLFragment) -> SQLFragment {
        let (step, base) = (Int(OrderKeys.step), Int(OrderKeys.first - OrderKeys.step))
        return "row_number() OVER (PARTITION BY \(owner) ORDER BY \(member)) * \(number: step) + \(number: base)"
    }

    // MARK: Orders

    /// Returns the statements that number the members of relationships that have become ordered.
    func orders() -> [SQLFragment] {
        var result: [SQLFragment] = []
        for (entity, position, property) in declaredPositions() {
            switch position {
            case .toOne(let columns):
                guard let order = columns.order, isNewOrder(entity, property) else { continue }
                result.append(ordering(entity.table, key: columns.key, order: order))
            case .inverse(let columns) where columns.isVirtual:
                guard let order = columns.order, isNewOrder(entity, property) else { continue }
                result.append(ordering(columns.table, key: columns.key, order: order))
            default: continue
            }
        }
        return result
    }

    private func isNewOrder(_ entity: EntityMapping, _ property: NSRelationshipDescription) -> Bool {
        versions.pairs(below: entity.number).contains { pair in
            guard let slot = pair.destinationLayout.index(of: property.name) else { return false }
            switch pair.sourcePosition(slot) {
            case .toOne(let old): return old.order == nil
            case .inverse(let old): return old.order == nil
            default: return true
            }
        }
    }

    private func ordering(_ table: String, key: String, order: String) -> SQLFragment {
        let number = Self.position(of: self.key, within: name(key))
        return """
            UPDATE \(rows.table(table)) AS t SET \(name(order)) = n.ordinal FROM (SELECT \(self.key) AS item, \(number) AS ordinal \
            FROM \(rows.table(table)) WHERE \(name(key)) IS NOT NULL) AS n WHERE t.\(self.key) = n.item \
            AND t.\(name(order)) IS NULL
            """
    }

    /// Returns the stored relationships with the entities that declare them.
    private func declaredPositions() -> [(EntityMapping, SlotColumn, NSRelationshipDescription)] {
        versions.destination.entities.flatMap { entity -> [(EntityMapping, SlotColumn, NSRelationshipDescription)] in
            guard let layout = versions.destinationLayouts[entity.number] else { return [] }
            return entity.slotColumns.enumerated().compactMap { slot, position in
                guard let relationship = layout.slots[slot].property as? NSRelationshipDescription,
                    relationship.owner === layout.entity
                else { return nil }
                return (entity, position, relationship)
            }
        }
    }

    // MARK: Dangling references

    /// Returns the statements that remove references to rows that no longer exist or now belong to another entity, or
    /// whose partner in a one-to-one relationship is another row.
    func cleanups() -> [SQLFragment] {
        var result = separations()
        for (entity, position, relationship) in declaredPositions()
        where mayDangle(entity, position: position, relationship: relationship) {
            switch position {
            case .toOne(let columns):
                result.append(
                    nullify(
                        entity.table, columns: [columns.key, columns.entity, columns.order],
                        unless: columns.destination))
            case .inverse(let columns) where columns.isVirtual:
                result.append(
                    nullify(
                        columns.table, columns: [columns.key, columns.order], unless: entity.number)
                )
            case .join(let side):
                let owner = exists(rows.column(side.own, of: "j"), entity: entity.number)
                let member = exists(rows.column(side.other, of: "j"), entity: side.destination)
                result.append("DELETE FROM \(rows.table(side.table)) AS j WHERE NOT \(owner) OR NOT \(member)")
            default: continue
            }
        }
        return result
    }

    /// Returns the statements that clear one end of one-to-one relationships that had only this end in the old version,
    /// or whose ends were separate relationships: several rows may refer to one. The other end names the row that keeps
    /// the link.
    private func separations() -> [SQLFragment] {
        declaredPositions().compactMap { entity, position, relationship in
            guard case .toOne(let own) = position, let inverse = relationship.inverseRelationship, !inverse.isToMany,
                let destination = versions.destination.entity(number: own.destination),
                let layout = versions.destinationLayouts[destination.number],
                let slot = layout.index(of: inverse.name), case .toOne(let other) = destination.slotColumns[slot],
                !rows.sources(of: relationship).isEmpty,
                rows.sources(of: inverse).isEmpty || !separateSources(of: relationship).isEmpty
            else { return nil }
            let sets = own.names.map { name -> SQLFragment in "\(self.name(name)) = NULL" }
            return """
                UPDATE \(rows.table(entity.table)) AS t SET \(sets, ", ") WHERE t.\(name(own.key)) IS NOT NULL AND NOT EXISTS \
                (SELECT 1 FROM \(rows.table(destination.table)) AS d WHERE d.\(key) = t.\(name(own.key)) AND d.\(name(other.key)) = t.\(key))
                """
        }
    }

    /// Returns whether some of a relationship's source or destination objects may no longer exist.
    private func mayDangle(
        _ entity: EntityMapping, position: SlotColumn, relationship: NSRelationshipDescription
    ) -> Bool {
        let sources = rows.sources(of: relationship)
        let others = relationship.inverseRelationship.map { rows.sources(of: $0) } ?? []
        guard !sources.isEmpty || !others.isEmpty else { return false }
        // The link was stored at the other end.
        guard others.isEmpty || !sources.isEmpty else { return true }
        return sources.contains { source in
            guard let slot = source.pair.destinationLayout.index(of: relationship.name),
                let oldSlot = source.pair.slots[slot],
                let old = source.pair.sourceLayout.slots[oldSlot].property as? NSRelationshipDescription,
                let declaring = versions.declaring(old, versions.source),
                let target = old.destinationEntity?.name.flatMap({ versions.source.entity(named: $0) })
            else { return true }
            let destination = relationship.destinationEntity?.name.flatMap { versions.destination.entity(named: $0) }
            return !versions.keeps(declaring.numbers, in: entity.number)
                || !versions.keeps(target.numbers, in: destination?.number ?? 0)
        }
    }

    private func exists(_ key: SQLFragment, entity: Int) -> SQLFragment {
        guard let mapping = versions.destination.entity(number: entity) else { return MigratedValue.never }
        let numbers = mapping.numbers.map(String.init).joined(separator: ", ")
        let isOf: SQLFragment =
            mapping.sharesTable ? " AND d.\(word: dialect.sql.entityColumn) IN (\(word: numbers))" : ""
        return "EXISTS (SELECT 1 FROM \(rows.table(mapping.table)) AS d WHERE d.\(self.key) = \(key)\(isOf))"
    }

    private func nullify(
        _ table: String, columns: [String?], unless entity: Int
    ) -> SQLFragment {
        let names = columns.compactMap { $0 }
        let sets = names.map { name -> SQLFragment in "\(self.name(name)) = NULL" }
        let key = rows.column(names.first ?? dialect.sql.keyColumn, of: "t")
        return
            "UPDATE \(rows.table(table)) AS t SET \(sets, ", ") WHERE \(key) IS NOT NULL AND NOT \(exists(key, entity: entity))"
    }
}
