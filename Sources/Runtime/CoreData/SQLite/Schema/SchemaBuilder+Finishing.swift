internal import Foundation

/// Tables, indexes and mappings, after all slots are mapped.
extension SchemaBuilder {
    func finished() -> StoreSchema {
        let mappings = entities.indices.map(mapping)
        let triggers = DerivedTriggers(builder: self, mappings: mappings)
        return StoreSchema(
            entities: mappings.map { mapping in
                var mapping = mapping
                mapping.derived = triggers.derived[mapping.number] ?? []
                return mapping
            }.sorted { $0.number < $1.number },
            tables: entities.indices.filter { entities[$0].root == $0 }.map(table),
            joinTables: joinTables, indexes: indexes(mappings), triggers: triggers.definitions,
            derivedColumns: triggers.values)
    }

    private func table(_ root: Int) -> TableDefinition {
        let own = StoreSchema.reservedColumns.map { TableDefinition.Column(name: $0, type: .integer) }
        let placed = (columns[root] ?? []).enumerated().sorted { one, other in
            let keys = (
                (one.element.rank, one.element.entity, one.element.group, one.offset),
                (other.element.rank, other.element.entity, other.element.group, other.offset)
            )
            return keys.0 < keys.1
        }
        return TableDefinition(
            name: tableNames[root] ?? "",
            columns: own + placed.map { .init(name: $0.element.name, type: $0.element.type) })
    }

    // MARK: Indexes

    private func indexes(_ mappings: [EntityMapping]) -> [IndexDefinition] {
        var pool = NamePool(reserved: tableNames.values + joinTables.map(\.name))
        var result: [IndexDefinition] = []
        func add(_ index: IndexDefinition?) {
            guard let index, pool.take(index.name) else { return }
            result.append(index)
        }
        for root in entities.indices where entities[root].root == root {
            let table = tableNames[root] ?? ""
            for column in foreignKeys(root) { add(Self.plain(table, [column])) }
            if tree.hasSubentities(root) { add(Self.plain(table, ["Z_ENT"])) }
        }
        for table in joinTables {
            guard table.key.count == 2 else { continue }
            add(
                IndexDefinition(
                    name: "\(table.name)_\(table.key[1])_INDEX", table: table.name,
                    columns: [.init(name: table.key[1]), .init(name: table.key[0])]))
        }
        for (index, mapping) in zip(entities.indices, mappings) {
            for fetchIndex in fetchIndexes(index, mapping) { add(fetchIndex) }
            for constraint in constraints(index, mapping) { add(constraint) }
        }
        return result
    }

    private static func plain(_ table: String, _ columns: [String]) -> IndexDefinition {
        IndexDefinition(
            name: "\(table)_\(columns.joined(separator: "_"))_INDEX", table: table,
            columns: columns.map { .init(name: $0) })
    }

    private func foreignKeys(_ root: Int) -> [String] {
        (columns[root] ?? []).filter { $0.group == 1 }.map(\.name)
    }

    private func fetchIndexes(_ index: Int, _ mapping: EntityMapping) -> [IndexDefinition] {
        let entity = entities[index]
        // The index flag, which subentities inherit. The compiler also sets it for the attribute of an index with one
        // element, so that such an attribute has two indexes (Documentation/Formats/SQLiteStore.md).
        var result = entity.layout.slots.filter { $0.property.common.isIndexed }.compactMap { slot in
            definition(mapping, name: slot.name, properties: [(slot.name, true)])
        }
        result += entity.description.indexes.compactMap { fetchIndex in
            definition(
                mapping, name: fetchIndex.name,
                properties: fetchIndex.elements.map { ($0.propertyName ?? "", $0.isAscending) })
        }
        result += entity.description.compoundIndexNames.compactMap { names in
            definition(mapping, name: names.joined(separator: "_"), properties: names.map { ($0, true) })
        }
        return result
    }

    /// Returns a unique index for each constraint.
    private func constraints(_ index: Int, _ mapping: EntityMapping) -> [IndexDefinition] {
        entities[index].description.uniquenessConstraints.compactMap { constraint in
            let names = UniqueProperties.names(in: constraint)
            guard !names.isEmpty else { return nil }
            var result = definition(
                mapping, name: "UNIQUE_" + names.joined(separator: "_"), properties: names.map { ($0, true) })
            result?.isUnique = true
            return result
        }
    }

    /// Returns an index of an entity's columns, or `nil` if one of the properties has no column.
    private func definition(
        _ mapping: EntityMapping, name: String, properties: [(name: String, isAscending: Bool)]
    ) -> IndexDefinition? {
        let layout = entities.first { $0.number == mapping.number }?.layout
        var columns: [IndexDefinition.Column] = []
        for property in properties {
            guard let slot = layout?.index(of: property.name), let column = mapping.column(at: slot) else { return nil }
            columns.append(.init(name: column, isAscending: property.isAscending))
        }
        guard !columns.isEmpty else { return nil }
        return IndexDefinition(name: "Z_\(mapping.name)_\(name)", table: mapping.table, columns: columns)
    }
}
