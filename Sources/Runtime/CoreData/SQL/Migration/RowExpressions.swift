internal import Foundation
internal import ModelMigration

/// The columns of a row of the new version, as SQL expressions over a row `s` of the old version.
struct RowExpressions<Schema: RowSchema> {
    /// A column and its value in the rows of an entity.
    typealias Value = (column: String, value: SQLFragment)

    let versions: VersionPairs<Schema>
    let tables: RowTables
    let dialect: any MigrationDialect
    /// The columns in which rows of an entity of the old version may have values, by the number of the entity.
    private let sourceColumns: [Int: Set<String>]

    init(versions: VersionPairs<Schema>, tables: RowTables, dialect: any MigrationDialect) {
        self.versions = versions
        self.tables = tables
        self.dialect = dialect
        sourceColumns = Self.columns(versions.source)
    }

    /// Returns a column of the old row.
    func column(_ name: String) -> SQLFragment { column(name, of: "s") }

    /// Returns a column of the row with an alias.
    func column(_ name: String, of alias: String) -> SQLFragment {
        "\(word: alias).\(word: dialect.sql.name(name))"
    }

    /// Returns a table in the order of the statement.
    func table(_ name: String) -> SQLFragment { "\(word: dialect.sql.table(named: name))" }

    private var key: String { dialect.sql.keyColumn }

    private var entity: String { dialect.sql.entityColumn }

    // MARK: One entity

    /// Returns the columns of an entity's rows other than key, entity and version. Columns that are missing are null.
    ///
    /// - Throws: An error of Cocoa's domain if the default value of a transformable attribute cannot be stored.
    func values(_ pair: EntityPair) throws -> [Value] {
        var result: [Value] = []
        for (slot, position) in pair.destination.slotColumns.enumerated() {
            switch position {
            case .attribute(let column): result.append((column, try attribute(pair, slot)))
            case .composite(let columns): result += try elements(pair, slot: slot, columns: columns)
            case .toOne(let columns): result += toOne(pair, slot: slot, columns: columns)
            case .nowhere, .inverse, .join: continue
            }
        }
        return result + membership(pair)
    }

    private func attribute(_ pair: EntityPair, _ slot: Int) throws -> SQLFragment {
        var column: SQLFragment?
        var old: NSAttributeDescription?
        var isConverted = false
        if case .attribute(let name)? = pair.sourcePosition(slot), let position = pair.slots[slot] {
            column = self.column(name)
            isConverted = dialect.isConverted(name, in: pair.source.table)
            old = pair.sourceLayout.slots[position].property as? NSAttributeDescription
        }
        return try MigratedValue(dialect).expression(
            column, old: old, slot: slot, layout: pair.destinationLayout, isConverted: isConverted)
    }

    /// Returns the elements of a composite attribute.
    private func elements(_ pair: EntityPair, slot: Int, columns: [ElementColumn]) throws -> [Value] {
        guard let new = pair.destinationLayout.slots[slot].property as? NSCompositeAttributeDescription else {
            return []
        }
        let match = pair.elements(slot)
        var sources: [[String]: CompositeMatch<NSAttributeDescription>.Leaf] = [:]
        for (old, new) in match?.pairs ?? [] { sources[new.path] = old }
        var existing: [[String]: String] = [:]
        if case .composite(let old)? = pair.sourcePosition(slot) {
            for column in old { existing[column.path] = column.column }
        }
        return try zip(columns, CompositeValue.elements(of: new)).map { column, element in
            let old = sources[column.path]
            let name = old.flatMap { existing[$0.path] }
            let group = presence(of: element.path, in: new, sources, existing)
            let value = try MigratedValue(dialect).element(
                name.map { self.column($0) }, old: old?.element, new: element.element, in: group,
                isConverted: name.map { dialect.isConverted($0, in: pair.source.table) } ?? false)
            return (column.column, value)
        }
    }

    /// Returns the condition for rows in which the innermost optional group around an element has a value in the old
    /// version; `nil` if all groups around it are required.
    private func presence(
        of path: [String], in composite: NSCompositeAttributeDescription,
        _ sources: [[String]: CompositeMatch<NSAttributeDescription>.Leaf], _ existing: [[String]: String]
    ) -> SQLFragment? {
        var depth: Int?
        var group: NSCompositeAttributeDescription? = composite
        for index in path.indices {
            guard let current = group else { break }
            if current.isOptional { depth = index }
            group = current.elements.first { $0.name == path[index] } as? NSCompositeAttributeDescription
        }
        guard let depth else { return nil }
        let prefix = Array(path.prefix(depth))
        // The paths that the group has in the old version.
        let groups =
            depth == 0
            ? [[]] : Set(sources.filter { $0.key.starts(with: prefix) }.map { Array($0.value.path.prefix(depth)) })
        let columns = existing.filter { path, _ in groups.contains(Array(path.prefix(depth))) }.map(\.value).sorted()
        guard !columns.isEmpty else { return MigratedValue.never }
        return "(\(columns.map { column -> SQLFragment in "\(self.column(column)) IS NOT NULL" }, " OR "))"
    }

    private func toOne(_ pair: EntityPair, slot: Int, columns: ToOneColumns) -> [Value] {
        let relationship = pair.destinationLayout.slots[slot].property as? NSRelationshipDescription
        let inverse = relationship?.inverseRelationship
        if case .toOne(let old)? = pair.sourcePosition(slot) {
            // Two relationships that have become each other's inverses had separate links.
            let own = pair.sourceRelationship(slot)
            let links = (inverse.map(sources) ?? []).filter { own.map($0.sharesLinks) == false }
                .compactMap { link($0, to: pair) }
            func value(_ existing: SQLFragment, _ others: [SQLFragment]) -> SQLFragment {
                Self.first([existing] + others) ?? existing
            }
            var result: [Value] = [(columns.key, value(column(old.key), links.map(\.owner)))]
            if let entity = columns.entity { result.append((entity, value(target(old), links.map(\.entity)))) }
            if let order = columns.order {
                let orders = (old.order.map { [column($0)] } ?? []) + links.compactMap(\.order)
                if let value = Self.first(orders) { result.append((order, value)) }
            }
            return result
        }
        // The old version may have had only the inverse.
        guard let inverse else { return [] }
        let links = sources(of: inverse).compactMap { self.link($0, to: pair) }
        guard let key = Self.first(links.map(\.owner)) else { return [] }
        var result: [Value] = [(columns.key, key)]
        if let entity = columns.entity, let value = Self.first(links.map(\.entity)) { result.append((entity, value)) }
        if let order = columns.order, let value = Self.first(links.compactMap(\.order)) {
            result.append((order, value))
        }
        return result
    }

    /// Returns the entity number at the other end of a to-one relationship, renumbered for the new version.
    private func target(_ old: ToOneColumns) -> SQLFragment {
        let numbers = versions.source.entity(number: old.destination)?.numbers ?? []
        if let entity = old.entity { return renumbered(column(entity), numbers) }
        guard let number = versions.destinationNumbers[old.destination] else { return "NULL" }
        return "CASE WHEN \(column(old.key)) IS NOT NULL THEN \(number: number) END"
    }

    /// Returns the columns in the rows of members that relationships without an inverse use.
    private func membership(_ pair: EntityPair) -> [Value] {
        var result: [Value] = []
        for owner in versions.destination.entities {
            guard let layout = versions.destinationLayouts[owner.number] else { continue }
            for (slot, position) in owner.slotColumns.enumerated() {
                guard case .inverse(let columns) = position, columns.isVirtual,
                    versions.destination.entity(number: columns.destination)?.numbers
                        .contains(pair.destination.number) == true,
                    let relationship = layout.slots[slot].property as? NSRelationshipDescription,
                    relationship.owner === layout.entity
                else { continue }
                let links = sources(of: relationship).compactMap { link($0, to: pair) }
                if let key = Self.first(links.map(\.owner)) { result.append((columns.key, key)) }
                if let order = columns.order, let value = Self.first(links.compactMap(\.order)) {
                    result.append((order, value))
                }
            }
        }
        return result
    }

    /// Returns an expression for the first non-null value, or `nil` if there are no values.
    static func first(_ values: [SQLFragment]) -> SQLFragment? {
        values.count > 1 ? "coalesce(\(values, ", "))" : values.first
    }

    // MARK: Links

    /// The columns in which the old version stores a relationship of the new one.
    struct Source {
        /// The entity whose objects have the relationship.
        var pair: EntityPair
        var position: SlotColumn
        var relationship: NSRelationshipDescription

        /// Returns whether the columns contain the links of a relationship of the old version, from either end.
        func sharesLinks(with other: NSRelationshipDescription) -> Bool {
            relationship === other || relationship.inverseRelationship === other
        }
    }

    /// Returns the columns of a relationship in the old version: several if entities that now share a parent had it.
    func sources(of relationship: NSRelationshipDescription) -> [Source] {
        guard let owner = versions.declaring(relationship, versions.destination) else { return [] }
        var result: [Source] = []
        for pair in versions.pairs(below: owner.number) {
            guard let slot = pair.destinationLayout.index(of: relationship.name),
                let position = pair.sourcePosition(slot), let old = pair.sourceRelationship(slot),
                !result.contains(where: { $0.position == position && $0.pair.source.table == pair.source.table })
            else { continue }
            result.append(Source(pair: pair, position: position, relationship: old))
        }
        return result
    }

    /// A link from the perspective of the member's row.
    private struct Link {
        var owner: SQLFragment
        var entity: SQLFragment
        var order: SQLFragment?
    }

    /// Returns the object that has the row `s` as a member of a relationship, or `nil` if the entity's rows cannot be
    /// members.
    private func link(_ source: Source, to member: EntityPair) -> Link? {
        let numbers = source.pair.source.numbers
        func isMember(_ destination: Int) -> Bool {
            versions.source.entity(number: destination)?.numbers.contains(member.source.number) == true
        }
        let owners = table(tables.name(source.pair.source.table))
        let (ownerKey, ownerEntity) = (column(key, of: "o"), column(entity, of: "o"))
        let own = column(key)
        switch source.position {
        case .toOne(let columns) where isMember(columns.destination):
            let rows: SQLFragment =
                "FROM \(owners) AS o WHERE \(column(columns.key, of: "o")) = \(own) ORDER BY \(ownerKey) LIMIT 1"
            return Link(
                owner: "(SELECT \(ownerKey) \(rows))", entity: "(SELECT \(renumbered(ownerEntity, numbers)) \(rows))",
                order: nil)
        case .inverse(let columns) where isMember(columns.destination):
            let key = column(columns.key)
            return Link(
                owner: key,
                entity: "(SELECT \(renumbered(ownerEntity, numbers)) FROM \(owners) AS o WHERE \(ownerKey) = \(key))",
                order: columns.order.map { column($0) })
        case .join(let side) where isMember(side.destination):
            let rows: SQLFragment = """
                FROM \(table(tables.name(side.table))) AS j JOIN \(owners) AS o ON \(ownerKey) = \(column(side.own, of: "j")) \
                WHERE \(column(side.other, of: "j")) = \(own) ORDER BY \(ownerKey) LIMIT 1
                """
            return Link(
                owner: "(SELECT \(ownerKey) \(rows))", entity: "(SELECT \(renumbered(ownerEntity, numbers)) \(rows))",
                order: side.order.map { "(SELECT \(column($0, of: "j")) \(rows))" })
        default: return nil
        }
    }

    /// Returns an expression that renumbers an entity number for the new version; it is null for removed entities.
    func renumbered(_ column: SQLFragment, _ numbers: [Int]) -> SQLFragment {
        let retained = numbers.compactMap { old in versions.destinationNumbers[old].map { (old, $0) } }
        if retained.count == numbers.count, retained.allSatisfy({ $0 == $1 }) { return column }
        guard !retained.isEmpty else { return "NULL" }
        let cases = retained.map { old, new -> SQLFragment in "WHEN \(number: old) THEN \(number: new)" }
        return "CASE \(column) \(cases, " ") END"
    }

    // MARK: Several entities

    /// Returns the value of a column in the rows of all entities of a table.
    ///
    /// - Parameter values: The value for each entity; `nil` for null.
    func combined(_ values: [(pair: EntityPair, value: SQLFragment?)]) -> SQLFragment {
        // A CASE that is always null has no type in some databases.
        let values = values.map { (pair: $0.pair, value: $0.value == "NULL" ? nil : $0.value) }
        let given = values.compactMap(\.value)
        guard let first = given.first else { return "NULL" }
        if given.allSatisfy({ $0 == first }), given.count == values.count || isNullElsewhere(first, values) {
            return first
        }
        var groups: [(value: SQLFragment, numbers: [Int])] = []
        for (pair, value) in values {
            guard let value else { continue }
            if let index = groups.firstIndex(where: { $0.value == value }) {
                groups[index].numbers.append(pair.source.number)
            } else {
                groups.append((value, [pair.source.number]))
            }
        }
        let cases = groups.map { group -> SQLFragment in
            "WHEN \(column(entity)) IN (\(word: group.numbers.map(String.init).joined(separator: ", "))) THEN \(group.value)"
        }
        return "CASE \(cases, " ") END"
    }

    /// Returns whether a value is a column that is null in the rows of the entities without a value.
    private func isNullElsewhere(_ value: SQLFragment, _ values: [(pair: EntityPair, value: SQLFragment?)]) -> Bool {
        guard
            let column = versions.source.tables.lazy.flatMap(\.columnNames).first(where: {
                column($0) == value
            })
        else { return false }
        return values.allSatisfy { pair, other in
            other != nil || sourceColumns[pair.source.number]?.contains(column) != true
        }
    }

    /// Returns the columns in which rows may have values, by the number of their entity.
    private static func columns(_ source: Schema) -> [Int: Set<String>] {
        var result: [Int: Set<String>] = [:]
        for entity in source.entities {
            var own: Set<String> = []
            for position in entity.slotColumns {
                switch position {
                case .attribute(let column): own.insert(column)
                case .composite(let columns): own.formUnion(columns.map(\.column))
                case .toOne(let columns): own.formUnion(columns.names)
                case .inverse(let columns) where columns.isVirtual:
                    for number in source.entity(number: columns.destination)?.numbers ?? [] {
                        result[number, default: []].formUnion([columns.key, columns.order].compactMap { $0 })
                    }
                case .nowhere, .inverse, .join: continue
                }
            }
            result[entity.number, default: []].formUnion(own)
        }
        return result
    }
}
