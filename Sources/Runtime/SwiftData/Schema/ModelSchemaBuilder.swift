internal import Foundation
internal import SwiftDataRules

/// Creates the entities of model classes and the destinations of their relationships.
struct ModelSchemaBuilder {
    private(set) var entities: [Schema.Entity] = []
    private(set) var classes: [String: ModelInfo] = [:]
    private(set) var problems: [SchemaProblem] = []
    private var declared: [Schema.Entity] = []
    private var ends: [RelationshipEnd] = []
    private var relationships: [Schema.Relationship] = []

    init(_ types: [any PersistentModel.Type]) {
        for type in types { add(ModelInfo.of(type), isListed: true) }
        // Listed classes come first, so that a version's class is not replaced by one of another version.
        var waiting = declared
        while let entity = waiting.popLast() {
            guard let info = entity.info else { continue }
            let destinations = info.properties.compactMap { $0.access.destination.map(ModelInfo.of) }
            for info in destinations + [info.superclass].compactMap({ $0 }) {
                if let new = add(info, isListed: false) { waiting.append(new) }
            }
        }
        for entity in declared { fill(entity) }
        linkSubclasses()
        inferInverses()
        entities = declared.sorted { $0.name < $1.name }
    }

    @discardableResult
    private mutating func add(_ info: ModelInfo, isListed: Bool) -> Schema.Entity? {
        if let existing = classes[info.entityName] {
            if existing !== info, isListed {
                problems.append(
                    SchemaProblem(
                        message: "the classes \(existing.type) and \(info.type) have the same name, "
                            + "“\(info.entityName)”"))
            }
            return nil
        }
        let entity = Schema.Entity(info)
        classes[info.entityName] = info
        declared.append(entity)
        return entity
    }

    private mutating func fill(_ entity: Schema.Entity) {
        guard let info = entity.info else { return }
        problems += info.problems
        checkOriginalNames(info.properties, of: entity)
        for property in info.properties {
            let described: any SchemaProperty
            if property.access.destination != nil {
                let relationship = makeRelationship(property, of: entity)
                if property.number >= info.inheritedCount { entity.relationships.insert(relationship) }
                described = relationship
            } else {
                let attribute = makeAttribute(property, of: entity)
                if property.number >= info.inheritedCount { entity.attributes.insert(attribute) }
                described = attribute
            }
            if property.number >= info.inheritedCount {
                entity.storedProperties.append(described)
                if described.isUnique { entity.uniquenessConstraints.append([property.name]) }
            } else {
                entity.inheritedProperties.append(described)
            }
        }
        for group in info.groups {
            let names = group.groups.map { paths in paths.compactMap { name(of: $0, info, entity) } }
            if group.isUniqueness {
                entity.uniquenessConstraints += names
            } else {
                for (number, names) in names.enumerated() {
                    if group.isRTree(number) { entity.spatialIndices.insert(entity.indices.count) }
                    entity.indices.append(names)
                }
            }
        }
    }

    /// Checks that no two properties would get the values of the same earlier one.
    private mutating func checkOriginalNames(_ properties: [ModelProperty], of entity: Schema.Entity) {
        var owners: [String: String] = [:]
        for property in properties {
            let name = property.metadata?.originalName ?? ""
            guard !name.isEmpty, let owner = owners.updateValue(property.name, forKey: name) else { continue }
            problems.append(
                SchemaProblem(
                    message:
                        "“\(owner)” and “\(property.name)” of “\(entity.name)” have the same original name, “\(name)”"))
        }
    }

    private mutating func name(of keyPath: AnyKeyPath, _ info: ModelInfo, _ entity: Schema.Entity) -> String? {
        if let number = info.number(of: keyPath) { return info.properties[number].name }
        problems.append(
            SchemaProblem(
                message: "\(keyPath) in a constraint or index is not a persistent property of “\(entity.name)”"
                    + info.obstacle(to: keyPath)))
        return nil
    }

    private mutating func makeAttribute(_ property: ModelProperty, of entity: Schema.Entity) -> Schema.Attribute {
        if var problem = property.problem {
            problem = SchemaProblem(
                message: problem.message.replacingOccurrences(
                    of: "“\(property.name)”", with: "“\(entity.name).\(property.name)”"),
                isProvisional: problem.isProvisional)
            problems.append(problem)
        }
        if property.metadata is Schema.Relationship {
            problems.append(
                SchemaProblem(
                    message: "“\(entity.name).\(property.name)” has “@Relationship”, and its type is not a model"))
        }
        let described = property.metadata as? Schema.Attribute
        let originalName = described.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
        let options = described?.options ?? []
        guard property.access.kind?.isComposite ?? false else {
            return Schema.Attribute(
                name: property.name, originalName: originalName, options: options, valueType: property.valueType,
                defaultValue: property.defaultValue, hashModifier: described?.hashModifier)
        }
        let composite = Schema.CompositeAttribute(
            name: property.name, originalName: originalName, options: options, valueType: property.valueType,
            defaultValue: property.defaultValue, hashModifier: described?.hashModifier)
        if case .structure(let elements)? = property.access.kind {
            composite.properties = elements.map { Schema.Attribute(name: $0.name, valueType: $0.type) }
        }
        return composite
    }

    private mutating func makeRelationship(
        _ property: ModelProperty, of entity: Schema.Entity
    ) -> Schema.Relationship {
        let described = property.metadata as? Schema.Relationship
        let relationship = Schema.Relationship(
            deleteRule: described?.deleteRule ?? .nullify, minimumModelCount: described?.minimumModelCount,
            maximumModelCount: described?.maximumModelCount,
            originalName: described.flatMap { $0.originalName.isEmpty ? nil : $0.originalName } ?? property.name,
            inverse: described?.inverseKeyPath, hashModifier: described?.hashModifier)
        relationship.options = described?.options ?? []
        if let attribute = property.metadata as? Schema.Attribute, attribute.isUnique {
            relationship.options = [.unique]
        }
        relationship.hasMacro = described != nil
        relationship.name = property.name
        relationship.valueType = property.valueType
        relationship.keypath = property.keyPath
        let destination = property.access.destination.map(ModelInfo.of)
        relationship.destination = destination?.entityName ?? ""
        guard property.number >= (entity.info?.inheritedCount ?? 0) else { return relationship }
        var explicit: (entity: String, property: String)?
        if let inverse = relationship.inverseKeyPath {
            if let destination, let number = destination.number(of: inverse) {
                explicit = (destination.entityName, destination.properties[number].name)
            } else {
                problems.append(
                    SchemaProblem(
                        message:
                            "the inverse \(inverse) of “\(entity.name).\(property.name)” is not a property of "
                            + "“\(relationship.destination)”"))
            }
        }
        ends.append(
            RelationshipEnd(
                entity: entity.name, name: property.name, destination: relationship.destination,
                isToMany: !relationship.isToOneRelationship, isOptional: relationship.isOptional,
                hasMacro: relationship.hasMacro, explicitInverse: explicit, isOneWay: described?.isOneWay ?? false))
        relationships.append(relationship)
        return relationship
    }

    private mutating func linkSubclasses() {
        let byName = Dictionary(declared.map { ($0.name, $0) }) { first, _ in first }
        for entity in declared {
            guard let parent = (entity.info?.superclass).flatMap({ byName[$0.entityName] }) else { continue }
            entity.superentity = parent
            parent.subentities.insert(entity)
        }
    }

    /// Applies the rules. A relationship whose inverse is ambiguous gets none: Apple's framework does not report it
    /// either.
    private mutating func inferInverses() {
        let rules = InverseRules(ends)
        for (index, inverse) in rules.inverses { relationships[index].inverseName = relationships[inverse].name }
        for problem in rules.problems {
            switch problem {
            case .toItself, .facing: continue
            case .missing(let index):
                problems.append(SchemaProblem(message: "the inverse of “\(title(index))” is not in the schema"))
            case .mismatch(let index, named: let other):
                problems.append(
                    SchemaProblem(
                        message:
                            "“\(title(other))” cannot be the inverse of “\(title(index))”: their types do not match")
                )
            case .contested(let index, by: let one, and: let other):
                problems.append(
                    SchemaProblem(
                        message: "“\(title(index))” is the inverse of both “\(title(one))” and “\(title(other))”"))
            }
        }
    }

    private func title(_ index: Int) -> String { "\(ends[index].entity).\(ends[index].name)" }
}
