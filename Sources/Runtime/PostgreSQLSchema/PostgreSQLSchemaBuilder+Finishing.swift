internal import CoreData
internal import Foundation

/// Tables, indexes and mappings, after all slots are mapped.
extension PostgreSQLSchemaBuilder {
    mutating func finished() -> PostgreSQLSchema {
        var mappings = entities.indices.map(mapping)
        for (index, entity) in entities.enumerated() {
            mappings[index].derived = entity.layout.derivedSlots.map { DerivedSlot(slot: $0, hasTriggers: false) }
        }
        let derivations = derivations(mappings)
        for index in mappings.indices {
            for position in mappings[index].derived.indices {
                let name = entities[index].layout.slots[mappings[index].derived[position].slot].name
                mappings[index].derived[position].hasTriggers = derivations.contains {
                    $0.name == name && $0.numbers.contains(mappings[index].number)
                }
            }
        }
        addUniqueConstraints(mappings)
        addPartitions()
        let indexes = discriminatorIndexes() + keyIndexes + fetchIndexes(mappings).map(accepting)
        var hashes: [String: String] = [:]
        for entity in entities {
            hashes[entity.layout.name] = entity.description.versionHash.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        return PostgreSQLSchema(
            name: namespace, entities: mappings,
            tables: tables.sorted { $0.key < $1.key }.map(\.value),
            joinTables: joinTables, indexes: indexes, hashes: hashes, derivations: derivations,
            freeReferences: freeReferences)
    }

    /// Returns the derived attributes that the server computes.
    private func derivations(_ mappings: [EntityMapping]) -> [PostgreSQLDerivation] {
        zip(entities, mappings).flatMap { entity, mapping in
            entity.layout.derivedSlots.compactMap { slot -> PostgreSQLDerivation? in
                guard let attribute = entity.layout.slots[slot].property as? NSDerivedAttributeDescription,
                    attribute.owner === entity.description
                else { return nil }
                return PostgreSQLDerivation(
                    attribute: attribute, layout: entity.layout, mapping: mapping, namespace: namespace
                ) { number in
                    entities.firstIndex { $0.number == number }.map { (entities[$0].layout, mappings[$0]) }
                }
            }
        }
    }

    /// Adds the partitions of tables without unique constraints.
    private mutating func addPartitions() {
        guard partitions > 0 else { return }
        for root in tables.keys.sorted() {
            guard let table = tables[root], table.uniques.isEmpty else { continue }
            tables[root]?.partitionNames = (0..<partitions).map { names.add("\(table.name)_p\($0)") }
        }
    }

    // MARK: Constraints and indexes

    private mutating func addUniqueConstraints(_ mappings: [EntityMapping]) {
        for (index, mapping) in zip(entities.indices, mappings) {
            for constraint in entities[index].description.uniquenessConstraints {
                let properties = UniqueProperties.names(in: constraint)
                let columns = properties.compactMap { column(of: $0, index, mapping) }
                let root = entities[index].root
                guard !columns.isEmpty, columns.count == properties.count,
                    tables[root]?.uniques.contains(where: { $0.columns == columns }) == false
                else { continue }
                // A constraint's index has the same name.
                let name = names.add("\(mapping.name)_\(properties.joined(separator: "_"))_key")
                tables[root]?.uniques.append(.init(name: name, columns: columns))
            }
        }
    }

    private mutating func discriminatorIndexes() -> [PostgreSQLIndex] {
        var result: [PostgreSQLIndex] = []
        for index in entities.indices
        where entities[index].root == index && tree.hasSubentities(index) {
            let table = tableName(index)
            result.append(
                PostgreSQLIndex(
                    name: names.add("\(table)_entity_idx"), table: table, method: .ordered([.init(name: "_entity")])))
        }
        return result
    }

    private mutating func fetchIndexes(_ mappings: [EntityMapping]) -> [PostgreSQLIndex] {
        var result: [PostgreSQLIndex] = []
        for (index, mapping) in zip(entities.indices, mappings) {
            result += legacyIndexes(index, mapping)
            for fetchIndex in entities[index].description.indexes {
                guard let method = method(of: fetchIndex, index, mapping) else { continue }
                result.append(
                    PostgreSQLIndex(
                        name: names.add("\(mapping.name)_\(fetchIndex.name)"), table: mapping.table, method: method,
                        condition: condition(of: fetchIndex, index, mappings)))
            }
        }
        return result
    }

    /// Returns the indexes of models up to Xcode 8: the index flag, which subentities inherit, and compound indexes.
    /// The compiler writes both for fetch indexes too, which need no second index.
    private mutating func legacyIndexes(_ index: Int, _ mapping: EntityMapping) -> [PostgreSQLIndex] {
        let (entity, layout) = (entities[index].description, entities[index].layout)
        let indexed = entity.indexes.compactMap { index in
            index.partialIndexPredicate == nil && index.elements.count == 1
                && index.elements[0].collationType == .binary ? index.elements[0].propertyName : nil
        }
        let declared = Set(entity.declaredProperties.map(\.name)).subtracting(indexed)
        let flagged = layout.slots.filter { $0.property.common.isIndexed && declared.contains($0.name) }
            .map { [$0.name] }
        let covered = Set(
            flagged + indexed.map { [$0] } + entity.indexes.map { $0.elements.compactMap(\.propertyName) })
        let compound = entity.compoundIndexNames.filter { !covered.contains($0) }
        var result: [PostgreSQLIndex] = []
        for (properties, suffix) in flagged.map({ ($0, "_idx") }) + compound.map({ ($0, "") }) {
            let columns = properties.compactMap { column(of: $0, index, mapping) }
            guard !columns.isEmpty, columns.count == properties.count else { continue }
            result.append(
                PostgreSQLIndex(
                    name: names.add("\(mapping.name)_\(properties.joined(separator: "_"))\(suffix)"),
                    table: mapping.table, method: .ordered(columns.map { PostgreSQLIndex.Column(name: $0) })))
        }
        return result
    }

    /// Returns an index that accepts values of any size.
    ///
    /// An ordered index rejects rows whose values have more than about 2.7 KB, but an index may not keep an object from
    /// being saved.
    private func accepting(_ index: PostgreSQLIndex) -> PostgreSQLIndex {
        guard case .ordered(let columns) = index.method,
            let table = tables.values.first(where: { $0.name == index.table })
        else { return index }
        func type(_ column: PostgreSQLIndex.Column) -> PostgreSQLColumnType? {
            table.columns.first { $0.name == column.name }?.type
        }
        var result = index
        switch type(columns[0]) {
        case .text: result.method = .prefix(columns[0].name)
        case .bytea: result.method = .equality(columns[0].name)
        default:
            let limited = columns.prefix { ![.text, .bytea].contains(type($0)) }
            result.method = .ordered(Array(limited))
        }
        return result
    }

    private func method(
        of fetchIndex: NSFetchIndexDescription, _ index: Int, _ mapping: EntityMapping
    ) -> PostgreSQLIndex.Method? {
        let columns = fetchIndex.elements.compactMap { element in
            element.propertyName.flatMap { column(of: $0, index, mapping) }.map {
                PostgreSQLIndex.Column(name: $0, isAscending: element.isAscending)
            }
        }
        guard !columns.isEmpty, columns.count == fetchIndex.elements.count else { return nil }
        if columns.count == 2, fetchIndex.elements.allSatisfy({ $0.collationType == .rTree }) {
            return .point(columns.map(\.name))
        }
        return .ordered(columns)
    }

    /// Returns the condition of a partial index, or `nil` if it has none or SQL cannot express it, in which case the
    /// index contains all rows.
    private func condition(
        of fetchIndex: NSFetchIndexDescription, _ index: Int, _ mappings: [EntityMapping]
    ) -> String? {
        guard let predicate = fetchIndex.partialIndexPredicate else { return nil }
        let dialect = PostgreSQLDialect(namespace: namespace)
        let model = FetchModel(mappings: mappings, layouts: entities.map(\.layout), dialect: dialect) { _ in nil }
        let table = tableName(index)
        guard let entity = model.entity(named: entities[index].layout.name),
            let scope = try? QueryScope(table, QueryScope.AliasCounter(dialect))
        else { return nil }
        let root = ObjectReference(row: PostgreSQLName.quoted(table), entity, in: scope)
        let translator = PredicateTranslator(model, root: root)
        guard let condition = try? translator.condition(predicate), condition.isExact, !scope.hasJoins else {
            return nil
        }
        let text = PostgreSQLLiterals.text(of: condition.sql(dialect))
        // An index must not read other rows.
        return text.contains("SELECT") ? nil : text
    }

    private func column(of property: String, _ index: Int, _ mapping: EntityMapping) -> String? {
        entities[index].layout.index(of: property).flatMap(mapping.column)
    }
}
