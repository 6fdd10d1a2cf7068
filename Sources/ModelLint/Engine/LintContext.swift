internal import CloudKitSchema
package import ModelSchema

/// A version of a model as rules see it, with lookups that many of them need.
package struct LintContext: Sendable {
    /// The version's source.
    package let source: any LintedSource
    /// The model.
    package let model: Model
    /// The name of the model: that of the bundle.
    package let modelName: String
    /// The names of all versions in the bundle, in order.
    package let versionNames: [String]
    /// Whether it is the version that the app is built with.
    package let isCurrent: Bool
    /// Whether the rules of the CloudKit profile run.
    package let isForCloudKit: Bool
    /// The entities that are synchronized with CloudKit; `nil` if the rules of CloudKit do not apply.
    let mirrored: MirroredEntities?
    /// The classes declared in the Swift sources of the target; `nil` if no sources were given.
    package let sourceClasses: SourceClasses?
    /// The first entity with each name.
    package let entitiesByName: [String: Entity]
    /// The names of the direct subentities of each entity, in the order of the file.
    package let childNames: [String: [String]]
    private let hierarchy: EntityHierarchy

    /// Creates the context of a version.
    ///
    /// - Parameter cloudKitConfiguration: The configuration that is synchronized with CloudKit; `nil` for those that the model
    ///   marks.
    package init(
        source: any LintedSource, modelName: String, versionNames: [String], isCurrent: Bool,
        isForCloudKit: Bool = false, cloudKitConfiguration: String? = nil, sourceClasses: SourceClasses? = nil
    ) {
        self.source = source
        model = source.model
        self.modelName = modelName
        self.versionNames = versionNames
        self.isCurrent = isCurrent
        self.isForCloudKit = isForCloudKit
        self.sourceClasses = sourceClasses
        let isMarked = model.configurations.contains { $0.usedWithCloudKit == true }
        mirrored =
            isForCloudKit || isMarked
            ? MirroredEntities(source.model, configuration: cloudKitConfiguration) : nil
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        var children: [String: [String]] = [:]
        for entity in model.entities {
            if let parent = entity.parentName { children[parent, default: []].append(entity.name) }
        }
        childNames = children
        hierarchy = EntityHierarchy(model)
    }

    /// The entities of the model.
    package var entities: [Entity] { model.entities }

    /// Returns an entity and its ancestors, nearest first. An inheritance cycle is followed once.
    package func lineage(of entity: Entity) -> [Entity] {
        guard entity.parentName != nil else { return [entity] }
        var result = [entity]
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let name = next, seen.insert(name).inserted, let ancestor = entitiesByName[name] {
            result.append(ancestor)
            next = ancestor.parentName
        }
        return result
    }

    /// Returns all direct and indirect subentities of an entity, without the entity itself.
    package func descendants(of entity: Entity) -> [Entity] {
        var result: [Entity] = []
        var seen: Set<String> = [entity.name]
        var waiting = childNames[entity.name] ?? []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let child = entitiesByName[name] else { continue }
            result.append(child)
            waiting += childNames[name] ?? []
        }
        return result
    }

    /// Returns whether an entity is another one or one of its ancestors.
    package func isSameOrAncestor(_ ancestor: String, of entity: String) -> Bool {
        hierarchy.isSameOrAncestor(ancestor, of: entity)
    }

    /// Returns a declared or inherited property of an entity.
    package func property(_ name: String, of entity: Entity) -> Property? {
        // The hierarchy contains only the first entity with a name; a second one is a separate error.
        if entity.origin != entitiesByName[entity.name]?.origin {
            if let found = entity.attributes.first(where: { $0.name == name }) { return .attribute(found) }
            if let found = entity.relationships.first(where: { $0.name == name }) { return .relationship(found) }
        }
        return hierarchy.declaration(of: name, in: entity.name).flatMap(property)
    }

    /// Returns the property that a path such as `address.city` begins with, or `nil` if the entity does not have it, or a composite
    /// attribute on the path lacks the element that follows.
    package func property(atPath path: String, of entity: Entity) -> Property? {
        let names = path.split(separator: ".").map(String.init)
        guard let property = property(names.first ?? path, of: entity) else { return nil }
        guard case .attribute(var attribute) = property else { return property }
        for name in names.dropFirst() {
            guard attribute.type == .composite else { break }
            let type = model.composites.first { $0.name == attribute.compositeName }
            guard let element = type?.attributes.first(where: { $0.name == name }) else { return nil }
            attribute = element
        }
        return property
    }

    /// Returns a property that only a descendant of an entity has.
    package func descendantProperty(_ name: String, of entity: Entity) -> Property? {
        hierarchy.declaration(of: name, below: entity.name).flatMap(property)
    }

    private func property(_ declaration: EntityHierarchy.Declaration) -> Property? {
        let entity = model.entities[declaration.entity]
        if let index = declaration.attribute { return .attribute(entity.attributes[index]) }
        if let index = declaration.relationship { return .relationship(entity.relationships[index]) }
        if let index = declaration.fetchedProperty { return .fetched(entity.fetchedProperties[index]) }
        return nil
    }

    /// Returns the relationship that another one names as its inverse, and the entity that declares it.
    package func inverse(of relationship: Relationship) -> (relationship: Relationship, entity: Entity)? {
        guard let name = relationship.inverseName, let destination = relationship.destinationName,
            let declaration = hierarchy.declaration(of: name, in: destination, where: { $0.relationship != nil }),
            let index = declaration.relationship
        else { return nil }
        let owner = model.entities[declaration.entity]
        return (owner.relationships[index], owner)
    }
}

/// The classes that the Swift sources of a target declare.
package struct SourceClasses: Sendable {
    /// A class declaration.
    package struct Declaration: Hashable, Sendable {
        /// The path of the file.
        package var file: String
        /// The line, from 1.
        package var line: Int

        /// Creates a declaration.
        package init(file: String, line: Int) {
            self.file = file
            self.line = line
        }
    }

    /// The declarations of classes by name.
    package var declarations: [String: Declaration]

    /// Creates a value from declarations.
    package init(declarations: [String: Declaration]) {
        self.declarations = declarations
    }
}
