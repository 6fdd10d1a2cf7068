/// The entities of a model, or of the part of it that a store contains, with their numbers in a database.
///
/// Each hierarchy is in one piece, an entity before its subentities, and otherwise they are ordered by name.
package struct EntityTree {
    /// An entity.
    package struct Node {
        package var description: NSEntityDescription
        package var layout: EntityLayout
        /// The number of the entity in the database.
        package var number: Int
        var parent: Int?
        /// The index of the root in the list of entities.
        package var root: Int
    }

    package internal(set) var entities: [Node] = []
    private var indexOfEntity: [ObjectIdentifier: Int] = [:]

    /// Numbers entities from 1 in their order, except for those that have a number.
    ///
    /// - Parameters:
    ///   - requested: The store's entities; entities that they inherit from are added.
    ///   - numbers: The numbers that are in use, by the names of entities. Other entities get the numbers after them.
    package init(_ requested: [NSEntityDescription], keeping numbers: [String: Int] = [:]) {
        var included: [ObjectIdentifier: NSEntityDescription] = [:]
        for entity in requested {
            var next: NSEntityDescription? = entity
            while let current = next {
                included[ObjectIdentifier(current)] = current
                next = current.superentity
            }
        }
        for root in Self.sorted(included.values.filter { $0.superentity == nil }) {
            add(root, parent: nil, included)
        }
        var last = numbers.values.max() ?? 0
        for index in entities.indices {
            if let number = numbers[entities[index].layout.name] {
                entities[index].number = number
            } else {
                last += 1
                entities[index].number = last
            }
        }
    }

    private mutating func add(
        _ entity: NSEntityDescription, parent: Int?, _ included: [ObjectIdentifier: NSEntityDescription]
    ) {
        let index = entities.count
        entities.append(
            Node(
                description: entity, layout: entity.objectLayout(), number: 0, parent: parent,
                root: parent.map { entities[$0].root } ?? index))
        indexOfEntity[ObjectIdentifier(entity)] = index
        for child in Self.sorted(entity.subentities) where included[ObjectIdentifier(child)] != nil {
            add(child, parent: index, included)
        }
    }

    private static func sorted(_ list: [NSEntityDescription]) -> [NSEntityDescription] {
        list.sorted { precedes($0.name ?? "", $1.name ?? "") }
    }

    /// Returns whether a name precedes another in Apple's order, which ignores case.
    static func precedes(_ one: String, _ other: String) -> Bool {
        let (first, second) = (one.uppercased(), other.uppercased())
        return first == second ? one < other : first < second
    }

    /// Returns the properties that an entity declares itself, sorted.
    package func declared<Property>(_ index: Int, _: Property.Type) -> [Property] {
        entities[index].description.declaredProperties
            .filter { !$0.isTransient }
            .sorted { Self.precedes($0.name, $1.name) }
            .compactMap { $0 as? Property }
    }

    /// Returns the index of a relationship's destination, or `nil` if the store does not contain it.
    package func index(ofDestination relationship: NSRelationshipDescription) -> Int? {
        relationship.destinationEntity.flatMap { indexOfEntity[ObjectIdentifier($0)] }
    }

    /// Returns whether the model has subentities of an entity.
    package func hasSubentities(_ index: Int) -> Bool { !entities[index].description.subentities.isEmpty }

    /// Returns whether an entity is another one or inherits from it.
    func isBelow(_ index: Int, _ ancestor: Int) -> Bool {
        var next: Int? = index
        while let current = next {
            if current == ancestor { return true }
            next = entities[current].parent
        }
        return false
    }
}

/// Determines the tables of a model in a database: the walk over the model that all databases share, and what differs.
package protocol TableBuilder {
    var tree: EntityTree { get }
    /// The slotColumns of the properties that entities declare themselves.
    var slotColumns: [ObjectIdentifier: SlotColumn] { get set }

    /// Returns the name of the table that contains an entity's rows.
    func tableName(_ index: Int) -> String

    /// Adds the column of an attribute that is not composite.
    ///
    /// - Parameter path: The name of the attribute in messages, with those of the attributes that contain it.
    mutating func addColumn(of attribute: NSAttributeDescription, named path: String, to index: Int) throws -> String

    /// Maps a to-many relationship without an inverse.
    mutating func mapVirtual(_ relationship: NSRelationshipDescription, of index: Int, to destination: Int)

    /// Maps both sides of a many-to-many relationship.
    mutating func mapJoin(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, of index: Int,
        to destination: Int)
}

extension TableBuilder {
    package var entities: [EntityTree.Node] { tree.entities }

    /// Adds the column of an attribute, or those of the elements of a composite attribute.
    package mutating func mapColumn(of attribute: NSAttributeDescription, _ index: Int) throws -> SlotColumn {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            return .attribute(column: try addColumn(of: attribute, named: attribute.name, to: index))
        }
        return .composite(
            try CompositeValue.elements(of: composite).map { path, element in
                let name = "\(attribute.name).\(path.joined(separator: "."))"
                return ElementColumn(path: path, column: try addColumn(of: element, named: name, to: index))
            })
    }

    /// Maps the to-many relationships of all entities, after the to-one relationships.
    package mutating func mapToManys() {
        for index in entities.indices {
            for relationship in tree.declared(index, NSRelationshipDescription.self) where relationship.isToMany {
                guard slotColumns[ObjectIdentifier(relationship)] == nil,
                    let destination = tree.index(ofDestination: relationship)
                else { continue }
                guard let inverse = relationship.inverseRelationship else {
                    mapVirtual(relationship, of: index, to: destination)
                    continue
                }
                if inverse.isToMany {
                    mapJoin(relationship, inverse, of: index, to: destination)
                } else {
                    mapInverse(relationship, of: inverse, destination)
                }
            }
        }
    }

    private mutating func mapInverse(
        _ relationship: NSRelationshipDescription, of inverse: NSRelationshipDescription, _ destination: Int
    ) {
        guard case .toOne(let columns)? = slotColumns[ObjectIdentifier(inverse)] else { return }
        slotColumns[ObjectIdentifier(relationship)] = .inverse(
            InverseColumns(
                table: tableName(destination), key: columns.key, entity: columns.entity, order: columns.order,
                destination: entities[destination].number, isVirtual: false))
    }

    /// Returns the mapping of an entity, after all slots are mapped.
    package func mapping(_ index: Int) -> EntityMapping {
        let entity = entities[index]
        let below = entities.indices.filter { tree.isBelow($0, index) }
        return EntityMapping(
            name: entity.layout.name, number: entity.number,
            superNumber: entity.parent.map { entities[$0].number } ?? 0, rootNumber: entities[entity.root].number,
            table: tableName(index), numbers: below.map { entities[$0].number }.sorted(),
            sharesTable: below.count < entities.filter { $0.root == entity.root }.count,
            slotColumns: entity.layout.slots.map { slotColumns[ObjectIdentifier($0.property)] ?? .nowhere })
    }
}
