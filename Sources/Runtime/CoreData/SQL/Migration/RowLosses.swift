internal import Foundation
internal import ModelMigration

/// What a lightweight migration drops of the rows of a store.
struct RowLosses<Schema: RowSchema> {
    /// The rows, values and links of the old version that are dropped.
    private(set) var losses: [RowLoss] = []
    /// Queries for the values of external attributes that are removed.
    private(set) var lostExternalValues: [SQLFragment] = []

    private let rows: RowExpressions<Schema>
    private var versions: VersionPairs<Schema> { rows.versions }
    private var dialect: any MigrationDialect { rows.dialect }

    init(_ rows: RowExpressions<Schema>) {
        self.rows = rows
        for entity in versions.source.entities {
            if let layout = versions.sourceLayouts[entity.number] { record(entity, layout) }
        }
    }

    private func name(_ column: String) -> SQLFragment { "\(word: dialect.sql.name(column))" }

    private func table(_ name: String) -> SQLFragment { rows.table(name) }

    private var entityColumn: SQLFragment { "\(word: dialect.sql.entityColumn)" }

    private mutating func record(_ entity: EntityMapping, _ layout: EntityLayout) {
        let pair = versions.pair(source: entity.number)
        if pair == nil, !layout.isAbstract {
            let rows: SQLFragment =
                "SELECT count(*) FROM \(table(entity.table)) WHERE \(entityColumn) = \(number: entity.number)"
            losses.append(RowLoss(query: rows, entity: entity.name, property: nil))
        }
        var kept: [Int: Int] = [:]
        for (slot, old) in (pair?.slots ?? []).enumerated() { if let old { kept[old] = slot } }
        for (slot, position) in entity.slotColumns.enumerated() {
            let property = layout.slots[slot].property
            for column in externalColumns(of: position, property: property)
            where kept[slot].map({ isRemoved(column.path, of: pair, slot: $0) }) ?? true {
                lostExternalValues.append(
                    "SELECT \(name(column.column)) FROM \(table(entity.table)) WHERE \(entityColumn) = \(number: entity.number)"
                )
            }
            guard let pair else { continue }
            if let destination = kept[slot] {
                recordChange(of: position, property: property, entity: entity, pair: pair, slot: destination)
            } else {
                recordLoss(of: position, property: property, entity: entity, layout: layout)
            }
        }
    }

    /// Returns the columns of a property whose values may be in external files. The path of an attribute that is not
    /// composite is empty.
    private func externalColumns(
        of position: SlotColumn, property: NSPropertyDescription
    ) -> [(path: [String], column: String)] {
        switch position {
        case .attribute(let column):
            let attribute = property as? NSAttributeDescription
            return attribute?.allowsExternalBinaryDataStorage == true ? [([], column)] : []
        case .composite(let columns):
            guard let composite = property as? NSCompositeAttributeDescription else { return [] }
            let elements = CompositeValue.elements(of: composite).filter(\.element.allowsExternalBinaryDataStorage)
            let paths = Set(elements.map(\.path))
            return columns.filter { paths.contains($0.path) }.map { ($0.path, $0.column) }
        case .nowhere, .toOne, .inverse, .join: return []
        }
    }

    /// Returns whether a composite attribute of both versions has lost the element with a path.
    private func isRemoved(_ path: [String], of pair: EntityPair?, slot: Int) -> Bool {
        pair?.elements(slot)?.removed.contains { $0.path == path } ?? false
    }

    // MARK: Removed properties

    /// Records the values of a property that the new version does not have.
    private mutating func recordLoss(
        of position: SlotColumn, property: NSPropertyDescription, entity: EntityMapping, layout: EntityLayout
    ) {
        switch position {
        // Derived values follow from others.
        case .attribute where property is NSDerivedAttributeDescription: return
        case .attribute(let column): lose(column, property: property.name, entity: entity)
        case .composite(let columns):
            for column in columns {
                lose(column.column, property: ([property.name] + column.path).joined(separator: "."), entity: entity)
            }
        case .toOne, .join, .inverse:
            guard let relationship = property as? NSRelationshipDescription, !isKept(relationship.inverseRelationship)
            else { return }
            if case .toOne(let columns) = position { return lose(columns.key, property: property.name, entity: entity) }
            // Subentities have their links in the same columns.
            guard relationship.owner === layout.entity else { return }
            if case .join(let side) = position {
                losses.append(
                    RowLoss(
                        query: "SELECT count(*) FROM \(table(side.table))", entity: entity.name, property: property.name
                    )
                )
            } else if case .inverse(let columns) = position, columns.isVirtual {
                losses.append(
                    RowLoss(
                        query: "SELECT count(\(name(columns.key))) FROM \(table(columns.table))", entity: entity.name,
                        property: property.name))
            }
        case .nowhere: return
        }
    }

    private mutating func lose(_ column: String, property: String, entity: EntityMapping) {
        let query: SQLFragment = """
            SELECT count(\(name(column))) FROM \(table(entity.table)) WHERE \(entityColumn) = \(number: entity.number)
            """
        losses.append(RowLoss(query: query, entity: entity.name, property: property))
    }

    /// Returns whether the new version has a relationship, and with it the links of its inverse.
    private func isKept(_ relationship: NSRelationshipDescription?) -> Bool {
        guard let relationship, let owner = versions.declaring(relationship, versions.source),
            let pair = versions.pair(source: owner.number),
            let old = pair.sourceLayout.index(of: relationship.name)
        else { return false }
        return pair.slots.contains(old)
    }

    // MARK: Changed properties

    /// Records the values of a property of both versions that the new version cannot hold.
    private mutating func recordChange(
        of position: SlotColumn, property: NSPropertyDescription, entity: EntityMapping, pair: EntityPair,
        slot: Int
    ) {
        let new = pair.destinationLayout.slots[slot].property
        switch position {
        case .attribute(let column)
        where new is NSDerivedAttributeDescription && !(property is NSDerivedAttributeDescription):
            lose(column, property: property.name, entity: entity)
        case .composite(let columns):
            let removed = Set(pair.elements(slot)?.removed.map(\.path) ?? [])
            for column in columns where removed.contains(column.path) {
                lose(column.column, property: ([property.name] + column.path).joined(separator: "."), entity: entity)
            }
        case .toOne, .inverse, .join:
            guard let old = property as? NSRelationshipDescription, let new = new as? NSRelationshipDescription,
                old.owner === pair.sourceLayout.entity, new.hasExclusiveMembers,
                let links = links(at: position, of: entity), let query = exclusionQuery(links, old: old, new: new)
            else { return }
            losses.append(RowLoss(query: query, entity: entity.name, property: property.name))
        case .attribute, .nowhere: return
        }
    }

    /// The links of a relationship, as expressions over rows `s`.
    private struct Links {
        var owner: SQLFragment
        var member: SQLFragment
        var table: SQLFragment
        var condition: SQLFragment
    }

    private func links(at position: SlotColumn, of entity: EntityMapping) -> Links? {
        let key = rows.column(dialect.sql.keyColumn)
        switch position {
        case .toOne(let columns):
            let numbers = entity.numbers.map(String.init).joined(separator: ", ")
            return Links(
                owner: key, member: rows.column(columns.key), table: table(entity.table),
                condition: "\(rows.column(dialect.sql.entityColumn)) IN (\(word: numbers))")
        case .inverse(let columns):
            let owner = rows.column(columns.key)
            return Links(owner: owner, member: key, table: table(columns.table), condition: "\(owner) IS NOT NULL")
        case .join(let side):
            let (owner, member) = (rows.column(side.own), rows.column(side.other))
            return Links(owner: owner, member: member, table: table(side.table), condition: "\(member) IS NOT NULL")
        case .nowhere, .attribute, .composite: return nil
        }
    }

    /// Returns the query for the number of links that are lost because members can have only one owner in the new
    /// version; `nil` if none can be lost.
    private func exclusionQuery(
        _ links: Links, old: NSRelationshipDescription, new: NSRelationshipDescription
    ) -> SQLFragment? {
        let member = links.member
        guard let separate = separateOwner(of: new, old) else {
            guard !old.hasExclusiveMembers else { return nil }
            return """
                SELECT count(\(member)) - count(DISTINCT \(member)) FROM \(links.table) AS s WHERE \(links.condition)
                """
        }
        // The owner that a member names counts. A member without one keeps the first of those that name it.
        return """
            SELECT count(\(member)) - count(CASE WHEN \(separate.owner) = \(links.owner) THEN 1 END) \
            - count(DISTINCT CASE WHEN \(separate.owner) IS NULL THEN \(member) END) FROM \(links.table) AS s \
            LEFT JOIN \(separate.table) AS d ON \(rows.column(dialect.sql.keyColumn, of: "d")) = \(member) \
            WHERE \(links.condition)
            """
    }

    /// Returns the owner that rows `d` of members name in a relationship of the old version that becomes the inverse of
    /// another one; `nil` if the inverse is new, or the two were inverses before.
    private func separateOwner(
        of new: NSRelationshipDescription, _ old: NSRelationshipDescription
    ) -> (owner: SQLFragment, table: SQLFragment)? {
        let sources = (new.inverseRelationship.map(rows.sources) ?? []).filter { !$0.sharesLinks(with: old) }
        guard let table = sources.first?.pair.source.table else { return nil }
        let keys = sources.compactMap { source -> SQLFragment? in
            guard case .toOne(let columns) = source.position, source.pair.source.table == table else { return nil }
            return rows.column(columns.key, of: "d")
        }
        return RowExpressions<Schema>.first(keys).map { ($0, self.table(table)) }
    }
}

extension NSRelationshipDescription {
    /// Whether an object can be the destination of only one object's relationship (`IndexedModel.hasExclusiveMembers`).
    fileprivate var hasExclusiveMembers: Bool { inverseRelationship.map { !$0.isToMany } ?? isToMany }
}
