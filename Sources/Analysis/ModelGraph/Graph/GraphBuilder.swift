package import ModelSchema

extension ModelGraph {
    /// Creates the graph of a model, which may have errors: an entity that is mentioned but missing becomes a box of
    /// its own.
    ///
    /// - Parameter options: The options. Names of unknown entities are ignored.
    package init(_ model: Model, title: String, options: GraphOptions = GraphOptions()) {
        var builder = GraphBuilder(model, options)
        builder.addInheritances()
        builder.addRelationships()
        self.init(title: title)
        (entities, inheritances, relationships) = builder.result()
    }
}

/// Creates boxes and lines from a model's entities.
private struct GraphBuilder {
    private let model: Model
    private let options: GraphOptions
    private var boxes: [GraphEntity]
    /// The index of the first entity with each name.
    private var indexByName: [String: Int] = [:]
    private var missingByName: [String: Int] = [:]
    /// The position of the first relationship with each name, by entity.
    private let relationshipPositions: [[String: Int]]
    private var inheritances: [GraphInheritance] = []
    private var relationships: [GraphRelationship] = []

    init(_ model: Model, _ options: GraphOptions) {
        self.model = model
        self.options = options
        boxes = model.entities.map { Self.box($0, options) }
        relationshipPositions = model.entities.map { entity in
            Dictionary(entity.relationships.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        for (index, entity) in model.entities.enumerated() where indexByName[entity.name] == nil {
            indexByName[entity.name] = index
        }
    }

    private static func box(_ entity: Entity, _ options: GraphOptions) -> GraphEntity {
        var box = GraphEntity(name: entity.name)
        box.isAbstract = entity.isAbstract
        guard options.showsAttributes else { return box }
        box.rows = entity.attributes.map { attribute in
            GraphEntity.Row(
                name: attribute.name, type: type(of: attribute), isOptional: attribute.isOptional,
                isTransient: attribute.isTransient)
        }
        box.rows += entity.fetchedProperties.map { property in
            GraphEntity.Row(name: property.name, type: "fetches \(property.fetchRequest?.entityName ?? "nothing")")
        }
        return box
    }

    private static func type(of attribute: Attribute) -> String {
        if let type = attribute.unknownType { return type.isEmpty ? "no type" : type }
        switch attribute.type {
        case .composite: return attribute.compositeName ?? attribute.type.xmlValue
        case .transformable: return attribute.customTypeName ?? attribute.type.xmlValue
        default: return attribute.type.xmlValue
        }
    }

    /// Returns the index of an entity, or of the box that stands in for it if the model does not have it.
    private mutating func index(named name: String) -> Int {
        if let index = indexByName[name] ?? missingByName[name] { return index }
        boxes.append(GraphEntity(name: name, role: .missing))
        missingByName[name] = boxes.count - 1
        return boxes.count - 1
    }

    mutating func addInheritances() {
        for (child, entity) in model.entities.enumerated() {
            guard let parent = entity.parentName else { continue }
            inheritances.append(GraphInheritance(parent: index(named: parent), child: child))
        }
    }

    mutating func addRelationships() {
        /// The positions of relationships that are the inverse in a line, by entity.
        var paired: [Set<Int>] = Array(repeating: [], count: model.entities.count)
        for (source, entity) in model.entities.enumerated() {
            for (position, relationship) in entity.relationships.enumerated() {
                guard !paired[source].contains(position) else { continue }
                let target = index(named: relationship.destinationName ?? "")
                var inverse: GraphRelationship.End?
                if let inverseEnd = inversePosition(of: relationship, in: source, target) {
                    inverse = Self.end(model.entities[inverseEnd.entity].relationships[inverseEnd.position])
                    paired[inverseEnd.entity].insert(inverseEnd.position)
                }
                relationships.append(
                    GraphRelationship(
                        source: source, target: target, forward: Self.end(relationship), inverse: inverse))
            }
        }
    }

    /// Returns the position of a relationship's inverse, if the two name each other. A relationship can be its own
    /// inverse.
    private func inversePosition(
        of relationship: Relationship, in source: Int, _ target: Int
    ) -> (entity: Int, position: Int)? {
        guard let inverseName = relationship.inverseName, target < model.entities.count,
            let found = relationshipPositions[target][inverseName]
        else { return nil }
        let inverse = model.entities[target].relationships[found]
        guard inverse.inverseName == relationship.name, inverse.destinationName == model.entities[source].name else {
            return nil
        }
        return (target, found)
    }

    private static func end(_ relationship: Relationship) -> GraphRelationship.End {
        var end = GraphRelationship.End(name: relationship.name)
        end.isToMany = relationship.isToMany
        end.isOptional = relationship.isOptional
        end.isOrdered = relationship.isToMany && relationship.isOrdered
        end.minimum = max(0, relationship.minimumCount ?? 0)
        end.maximum = relationship.isToMany ? max(0, relationship.maximumCount ?? 0) : 0
        return end
    }

    /// Returns the requested boxes and lines, with the lines renumbered for the remaining boxes.
    func result() -> (
        entities: [GraphEntity], inheritances: [GraphInheritance], relationships: [GraphRelationship]
    ) {
        guard !options.entityNames.isEmpty else { return (boxes, inheritances, relationships) }
        let names = Set(options.entityNames)
        let isRequested = boxes.map { $0.role == .shown && names.contains($0.name) }
        let keptInheritances = inheritances.filter { isRequested[$0.parent] || isRequested[$0.child] }
        let keptRelationships = relationships.filter { isRequested[$0.source] || isRequested[$0.target] }
        var isKept = isRequested
        for line in keptInheritances { (isKept[line.parent], isKept[line.child]) = (true, true) }
        for line in keptRelationships { (isKept[line.source], isKept[line.target]) = (true, true) }
        var kept: [GraphEntity] = []
        var positions = Array(repeating: 0, count: boxes.count)
        for (index, box) in boxes.enumerated() where isKept[index] {
            positions[index] = kept.count
            var box = box
            if !isRequested[index], box.role == .shown {
                box.role = .neighbor
                box.rows = []
            }
            kept.append(box)
        }
        return (
            kept, keptInheritances.map { GraphInheritance(parent: positions[$0.parent], child: positions[$0.child]) },
            keptRelationships.map { line in
                GraphRelationship(
                    source: positions[line.source], target: positions[line.target], forward: line.forward,
                    inverse: line.inverse)
            }
        )
    }
}
