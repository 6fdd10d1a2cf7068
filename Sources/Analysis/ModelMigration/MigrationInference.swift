internal import ModelSchema

/// Infers the steps of a lightweight migration.
struct MigrationInference {
    let source: IndexedModel
    let destination: IndexedModel
    let match: ElementMatch<Entity>
    /// The name in the source of each entity that both versions have, by its name in the destination.
    let sourceNames: [String: String]
    /// The name in the destination of each entity that both versions have, by its name in the source.
    let destinationNames: [String: String]
    /// Whether the rest is left out after the first entity with an obstacle.
    var stopsAtObstacles = false
    var steps: [MigrationStep] = []
    var obstacles: [MigrationObstacle] = []
    var risks: [MigrationRisk] = []
    /// The matched properties of entities, by their names in the destination.
    private var propertyMatches: [String: PropertyMatch] = [:]

    init(source: IndexedModel, destination: IndexedModel) {
        self.source = source
        self.destination = destination
        match = ElementMatch(source, destination)
        sourceNames = Dictionary(uniqueKeysWithValues: match.pairs.map { ($0.destination.name, $0.source.name) })
        destinationNames = Dictionary(uniqueKeysWithValues: match.pairs.map { ($0.source.name, $0.destination.name) })
    }

    mutating func run() {
        checkIdentifiers(destination.sortedEntities.map(\.entity)) { entity in (entity.name, nil, entity.origin) }
        for pair in match.pairs {
            if stopsAtObstacles, !obstacles.isEmpty { return }
            migrate(pair.source, pair.destination)
        }
        for entity in match.removed { steps.append(.removeEntity(entity.name)) }
        for entity in match.added { steps.append(.addEntity(entity.name)) }
        for (entity, kind) in brokenChains(match.added, match.removed) {
            risks.append(
                MigrationRisk(kind: kind, entity: entity.name, sourceEntity: nil, property: nil, origin: entity.origin))
        }
        checkHierarchies()
    }

    // MARK: Entities

    private mutating func migrate(_ old: Entity, _ new: Entity) {
        guard let oldEntity = source.entities[old.name], let newEntity = destination.entities[new.name] else { return }
        if oldEntity.hash == nil || newEntity.hash == nil {
            block(.noVersionHash, certainty: .known, entity: new.name, property: nil, origin: new.origin)
            return
        }
        if old.name != new.name { steps.append(.renameEntity(old: old.name, new: new.name)) }
        if oldEntity.isUnchanged(in: newEntity), oldEntity.properties.keys == newEntity.properties.keys { return }
        let oldParent = old.parentName.map { destinationNames[$0] ?? $0 }
        if oldParent != new.parentName {
            steps.append(.changeParent(entity: new.name, old: old.parentName, new: new.parentName))
        }
        if !old.isAbstract, new.isAbstract {
            block(.becameAbstract, certainty: .unknown, entity: new.name, property: nil, origin: new.origin)
        }
        var settings: [Field] = []
        if old.isAbstract != new.isAbstract { settings.append(.isAbstract) }
        if old.versionHashModifier ?? "" != new.versionHashModifier ?? "" { settings.append(.versionHashModifier) }
        checkConstraints(old, new: new, settings: &settings)
        if !settings.isEmpty { steps.append(.changeSettings(entity: new.name, name: nil, settings)) }
        migrateProperties(oldEntity, newEntity)
    }

    private mutating func checkConstraints(_ old: Entity, new: Entity, settings: inout [Field]) {
        func texts(_ entity: Entity) -> [String] {
            entity.uniquenessConstraints.filter { !$0.properties.isEmpty }
                .map { "(" + $0.properties.map(\.name).joined(separator: ", ") + ")" }
        }
        let (before, after) = (Set(texts(old)), texts(new))
        guard before != Set(after) else { return }
        settings.append(.uniquenessConstraints)
        for constraint in after where !before.contains(constraint) {
            risks.append(
                MigrationRisk(
                    kind: .newConstraint(constraint), entity: new.name, sourceEntity: old.name, property: nil,
                    origin: new.origin))
        }
    }

    /// Checks that hierarchies are not merged. Apple: “you cannot merge entity hierarchies; if two existing entities do
    /// not share a common parent in the source, they cannot share a common parent in the destination.”
    private mutating func checkHierarchies() {
        var roots: [String: Set<String>] = [:]
        for pair in match.pairs {
            guard let old = source.entities[pair.source.name], let new = destination.entities[pair.destination.name]
            else { continue }
            roots[new.rootName, default: []].insert(old.rootName)
        }
        for (root, sources) in roots.sorted(by: { $0.key < $1.key }) where sources.count > 1 {
            block(
                .mergedHierarchies(roots: sources.sorted()), certainty: .known, entity: root, property: nil,
                origin: destination.entities[root]?.entity.origin)
        }
    }

    // MARK: Properties

    /// Returns the matched properties of an entity, which are matched once.
    mutating func propertyMatch(
        _ old: IndexedModel.IndexedEntity, _ new: IndexedModel.IndexedEntity
    ) -> PropertyMatch {
        if let match = propertyMatches[new.name] { return match }
        let match = PropertyMatch(old, new)
        propertyMatches[new.name] = match
        return match
    }

    private mutating func migrateProperties(
        _ old: IndexedModel.IndexedEntity, _ new: IndexedModel.IndexedEntity
    ) {
        checkIdentifiers(new.entity.properties.filter(\.isStored), isSameKind: { $0.kind == $1.kind }) { property in
            (new.name, property.name, property.origin)
        }
        let properties = propertyMatch(old, new)
        // A property that both versions inherit is migrated with the entity that declares it.
        for pair in properties.pairs {
            guard isHandledByEntity(of: new, old: old, source: pair.source, destination: pair.destination) else {
                continue
            }
            migrate(pair.source.property, pair.destination.property, in: new.name)
        }
        for property in properties.removed where !isInherited(removed: property, old, new) {
            remove(property.property, from: new.name)
        }
        for property in properties.added where !isInherited(added: property, old, new) {
            add(property.property, to: new.name)
        }
        let added = properties.added.filter { !isInherited(added: $0, old, new) }
        for (property, kind) in brokenChains(added, properties.removed) {
            risk(kind, entity: new.name, property: property.name, origin: property.property.origin)
        }
        for change in properties.kindChanges where !isInherited(added: change.destination, old, new) {
            let property = change.destination.property
            risk(
                .otherKind(old: change.source.property.kind, new: property.kind), entity: new.name,
                property: property.name,
                origin: property.origin)
        }
    }

    /// Returns whether the removal of a property is handled with the ancestor that both versions inherit from.
    private func isInherited(
        removed property: IndexedModel.OwnedProperty, _ old: IndexedModel.IndexedEntity,
        _ new: IndexedModel.IndexedEntity
    ) -> Bool {
        guard property.owner != old.name, destinationNames[property.owner] != nil else { return false }
        return new.ancestors.contains { sourceNames[$0] == property.owner }
    }

    private func isInherited(
        added property: IndexedModel.OwnedProperty, _ old: IndexedModel.IndexedEntity,
        _ new: IndexedModel.IndexedEntity
    ) -> Bool {
        guard property.owner != new.name, sourceNames[property.owner] != nil else { return false }
        return old.ancestors.contains { destinationNames[$0] == property.owner }
    }

    /// Returns whether a property is handled with the entity itself, instead of with the ancestor that both versions
    /// inherit it from.
    private func isHandledByEntity(
        of new: IndexedModel.IndexedEntity, old: IndexedModel.IndexedEntity, source: IndexedModel.OwnedProperty,
        destination: IndexedModel.OwnedProperty
    ) -> Bool {
        if destination.owner == new.name || source.owner == old.name { return true }
        return sourceNames[destination.owner] != source.owner
    }

    private mutating func remove(_ property: Property, from entity: String) {
        switch property {
        case .attribute: steps.append(.removeAttribute(entity: entity, name: property.name))
        case .relationship: steps.append(.removeRelationship(entity: entity, name: property.name))
        case .fetched: break
        }
    }

    private mutating func add(_ property: Property, to entity: String) {
        switch property {
        case .attribute(let attribute): addAttribute(attribute, named: attribute.name, attribute.origin, to: entity)
        case .relationship(let relationship):
            if let kind = Self.requirement(of: relationship) {
                risk(kind, entity: entity, property: relationship.name, origin: relationship.origin)
            }
            steps.append(.addRelationship(entity: entity, name: relationship.name))
        case .fetched: break
        }
    }

    /// Adds an attribute or an element of a composite attribute, whose name is then a path.
    mutating func addAttribute(
        _ attribute: Attribute, named name: String, _ origin: ElementOrigin?, to entity: String
    ) {
        let value = attribute.usableDefault
        if !attribute.isOptional, !attribute.isDerived, value == nil, !attribute.hasComputedDefault {
            block(.requiredWithoutDefault, certainty: .likely, entity: entity, property: name, origin: origin)
        }
        steps.append(.addAttribute(entity: entity, name: name, defaultValue: value))
    }

    private mutating func migrate(_ old: Property, _ new: Property, in entity: String) {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): migrate(old, new, in: entity)
        case (.relationship(let old), .relationship(let new)): migrate(old, new, in: entity)
        default: break
        }
    }

    private mutating func migrate(_ old: Attribute, _ new: Attribute, in entity: String) {
        if old.name != new.name { steps.append(.renameAttribute(entity: entity, old: old.name, new: new.name)) }
        if new.isDerived {
            let isNew = !old.isDerived || old.derivationExpression != new.derivationExpression || old.type != new.type
            if isNew { steps.append(.deriveAttribute(entity: entity, name: new.name)) }
            if !old.isDerived { risk(.becameDerived, entity: entity, property: new.name, origin: new.origin) }
            return
        }
        if old.type != new.type {
            convert(old, new: new, named: new.name, origin: new.origin, in: entity)
        } else {
            checkElements(old, new, in: entity)
        }
        changeRequirement(old, new: new, named: new.name, origin: new.origin, in: entity)
        if old.allowsExternalBinaryStorage != new.allowsExternalBinaryStorage {
            steps.append(
                .changeExternalStorage(entity: entity, name: new.name, isExternal: new.allowsExternalBinaryStorage))
        }
        var settings: [Field] = []
        if old.versionHashModifier ?? "" != new.versionHashModifier ?? "" { settings.append(.versionHashModifier) }
        if old.isPreservedAfterDeletion != new.isPreservedAfterDeletion { settings.append(.isPreservedAfterDeletion) }
        if old.isDerived { settings.append(.derivation) }
        if !settings.isEmpty { steps.append(.changeSettings(entity: entity, name: new.name, settings)) }
    }

    /// Converts an attribute or an element of a composite attribute.
    mutating func convert(
        _ old: Attribute, new: Attribute, named name: String, origin: ElementOrigin?, in entity: String
    ) {
        let kind = MigrationObstacle.Kind.incompatibleTypes(old: old.type, new: new.type)
        switch NumericConversion(from: old.type, to: new.type) {
        case .exact: break
        case .narrowing:
            risk(.narrowerType(old: old.type, new: new.type), entity: entity, property: name, origin: origin)
        case .unproven: block(kind, certainty: .unknown, entity: entity, property: name, origin: origin)
        case nil:
            block(kind, certainty: name == new.name ? .known : .unknown, entity: entity, property: name, origin: origin)
        }
        steps.append(.convertAttribute(entity: entity, name: name, old: old.type, new: new.type))
    }

    /// Changes whether an attribute or an element of a composite attribute is required.
    mutating func changeRequirement(
        _ old: Attribute, new: Attribute, named name: String, origin: ElementOrigin?, in entity: String
    ) {
        if old.isOptional, !new.isOptional {
            let value = new.usableDefault
            if value == nil, !new.hasComputedDefault {
                block(.becameRequired, certainty: .likely, entity: entity, property: name, origin: origin)
            }
            steps.append(.requireAttribute(entity: entity, name: name, defaultValue: value))
        } else if !old.isOptional, new.isOptional {
            steps.append(.relaxAttribute(entity: entity, name: name))
        }
    }

    private mutating func migrate(_ old: Relationship, _ new: Relationship, in entity: String) {
        if let (before, after) = lostDestination(old, new) {
            // Objects of the old destination are not objects of the new one.
            remove(.relationship(old), from: entity)
            add(.relationship(new), to: entity)
            risk(.otherDestination(old: before, new: after), entity: entity, property: new.name, origin: new.origin)
            return
        }
        if old.name != new.name { steps.append(.renameRelationship(entity: entity, old: old.name, new: new.name)) }
        if old.isToMany, !new.isToMany {
            block(.becameToOne, certainty: .likely, entity: entity, property: new.name, origin: new.origin)
        } else if !old.isToMany, new.isToMany {
            steps.append(.makeToMany(entity: entity, name: new.name))
        }
        if !source.hasExclusiveMembers(old), destination.hasExclusiveMembers(new), !inverseBecomesToOne(old, new) {
            risk(.exclusiveMembers, entity: entity, property: new.name, origin: new.origin)
        } else if let inverse = separateInverse(old, new) {
            risk(.separateInverse(name: inverse), entity: entity, property: new.name, origin: new.origin)
        }
        if old.isOrdered != new.isOrdered, new.isToMany, old.isToMany {
            steps.append(.changeOrdering(entity: entity, name: new.name, isOrdered: new.isOrdered))
        }
        if old.isOptional, let kind = Self.requirement(of: new) {
            risk(kind, entity: entity, property: new.name, origin: new.origin)
        } else if new.isToMany, isStricter(new, than: old) {
            risk(.stricterCount, entity: entity, property: new.name, origin: new.origin)
        }
        var settings: [Field] = []
        if old.isOptional != new.isOptional { settings.append(.isOptional) }
        if old.inverseName ?? "" != new.inverseName ?? "" { settings.append(.inverse) }
        if old.destinationName != new.destinationName { settings.append(.destination) }
        if old.compiledMinimumCount != new.compiledMinimumCount { settings.append(.minimumCount) }
        if old.compiledMaximumCount != new.compiledMaximumCount, old.isToMany == new.isToMany {
            settings.append(.maximumCount)
        }
        if old.versionHashModifier ?? "" != new.versionHashModifier ?? "" { settings.append(.versionHashModifier) }
        if !settings.isEmpty { steps.append(.changeSettings(entity: entity, name: new.name, settings)) }
    }

    /// Returns what a relationship requires of every row, or `nil` if it may be empty.
    ///
    /// The counts of a to-many relationship apply unless it is optional and empty.
    private static func requirement(of relationship: Relationship) -> MigrationRisk.Kind? {
        guard !relationship.isOptional else { return nil }
        guard relationship.isToMany else { return .requiredRelationship }
        let minimum = relationship.compiledMinimumCount
        return minimum > 0 ? .requiredDestinations(minimum: minimum) : nil
    }

    private func isStricter(_ new: Relationship, than old: Relationship) -> Bool {
        let unlimited = Int.max
        let maximum = new.compiledMaximumCount == 0 ? unlimited : new.compiledMaximumCount
        let earlier = old.compiledMaximumCount == 0 ? unlimited : old.compiledMaximumCount
        return new.compiledMinimumCount > old.compiledMinimumCount || (maximum < earlier && old.isToMany)
    }

    // MARK: Findings

    /// Returns the added elements whose renaming identifier is the name of a removed element instead of its identifier.
    ///
    /// Versions 2 and 3 of an element that was renamed after version 1 both carry the name of version 1 (Apple,
    /// “Lightweight Migration”).
    private func brokenChains<Element: Renameable>(
        _ added: [Element], _ removed: [Element]
    ) -> [(element: Element, kind: MigrationRisk.Kind)] {
        let names = Dictionary(removed.map { ($0.name, $0.canonicalName) }) { first, _ in first }
        return added.compactMap { element in
            guard element.canonicalName != element.name, let identifier = names[element.canonicalName],
                identifier != element.canonicalName
            else { return nil }
            return (element, .brokenChain(name: element.canonicalName, identifier: identifier))
        }
    }

    private mutating func checkIdentifiers<Element: Renameable>(
        _ elements: [Element], isSameKind: (Element, Element) -> Bool = { _, _ in true },
        location: (Element) -> (entity: String, property: String?, origin: ElementOrigin?)
    ) {
        var seen: [String: Element] = [:]
        for element in elements {
            guard let other = seen.updateValue(element, forKey: element.canonicalName) else { continue }
            let (entity, property, origin) = location(element)
            // The framework is known to reject two elements of the same kind; for different kinds this is unknown.
            block(
                .ambiguousIdentifier(identifier: element.canonicalName, other: other.name),
                certainty: isSameKind(element, other) ? .known : .unknown, entity: entity, property: property,
                origin: origin)
        }
    }

    mutating func block(
        _ kind: MigrationObstacle.Kind, certainty: MigrationObstacle.Certainty, entity: String,
        property: String?, origin: ElementOrigin?
    ) {
        obstacles.append(
            MigrationObstacle(
                kind: kind, certainty: certainty, entity: entity, sourceEntity: sourceNames[entity],
                property: property, origin: origin))
    }

    mutating func risk(
        _ kind: MigrationRisk.Kind, entity: String, property: String, origin: ElementOrigin?
    ) {
        risks.append(
            MigrationRisk(
                kind: kind, entity: entity, sourceEntity: sourceNames[entity], property: property, origin: origin))
    }
}

extension Attribute {
    /// The default value for existing rows, or `nil` if the attribute has none.
    var usableDefault: String? {
        guard let text = defaultText, !text.isEmpty || type == .string else { return nil }
        return text
    }
}
