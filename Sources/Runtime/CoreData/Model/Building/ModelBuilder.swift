internal import Foundation
internal import ModelSchema
internal import PredicateSyntax

/// Builds the descriptions of a model that was read.
struct ModelBuilder {
    private let schema: Model
    private var entities: [String: NSEntityDescription] = [:]
    /// The parts of the model that could not be built, as sentences.
    private(set) var problems: [String] = []

    init(_ schema: Model) {
        self.schema = schema
    }

    /// Fills an empty model.
    mutating func build(into model: NSManagedObjectModel, versionIdentifiers: [String]) {
        entities.reserveCapacity(schema.entities.count)
        var list: [NSEntityDescription] = []
        list.reserveCapacity(schema.entities.count)
        for entity in schema.entities {
            let description = NSEntityDescription()
            description.entityValues = Self.values(of: entity)
            if entities.updateValue(description, forKey: entity.name) != nil {
                problems.append("two entities have the name “\(entity.name)”")
            }
            list.append(description)
        }
        linkHierarchy(list)
        for (entity, description) in zip(schema.entities, list) { addProperties(of: entity, to: description) }
        linkRelationships(list)
        for (entity, description) in zip(schema.entities, list) where !entity.fetchIndexes.isEmpty {
            let indexes = entity.fetchIndexes.map { build($0, of: entity.name, in: description) }
            description.load(properties: description.declaredProperties, indexes: indexes)
        }
        model.load(
            entities: list, configurations: configurations(), templates: templates(),
            versionIdentifiers: Set(versionIdentifiers.map { AnyHashable($0) }))
    }

    private static func values(of entity: Entity) -> NSEntityDescription.Values {
        var values = NSEntityDescription.Values()
        values.name = entity.name
        if !entity.className.text.isEmpty { values.className = entity.className.text }
        values.isAbstract = entity.isAbstract
        values.userInfo = userInfo(entity.userInfo)
        values.versionHashModifier = entity.versionHashModifier
        values.renamingIdentifier = entity.renamingIdentifier
        values.uniquenessConstraints = entity.uniquenessConstraints.map { $0.properties.map(\.name) }
        values.compoundIndexes = entity.compoundIndexes.map { $0.properties.map(\.name) }
        return values
    }

    private static func userInfo(_ entries: [UserInfoEntry]) -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for entry in entries { result[AnyHashable(entry.key)] = entry.value }
        return result
    }

    // MARK: Links

    /// Links subentities to their parents. A cycle of parents, or a chain longer than a version hash allows, is
    /// reported as a problem: walks up the hierarchy would not terminate.
    private mutating func linkHierarchy(_ list: [NSEntityDescription]) {
        var parents: [String: String] = [:]
        for entity in schema.entities { parents[entity.name] = entity.parentName }
        for (entity, description) in zip(schema.entities, list) {
            guard let parentName = entity.parentName else { continue }
            guard let parent = entities[parentName] else {
                problems.append("“\(entity.name)” inherits from “\(parentName)”, which is not in the model")
                continue
            }
            var ancestor: String? = parentName
            var depth = 0
            while let name = ancestor, name != entity.name, depth < Model.maximumInheritanceDepth {
                ancestor = parents[name]
                depth += 1
            }
            guard ancestor == nil else {
                problems.append("“\(entity.name)” inherits from itself, or has too many ancestors")
                continue
            }
            parent.load(child: description)
        }
    }

    private mutating func linkRelationships(_ list: [NSEntityDescription]) {
        for (entity, description) in zip(schema.entities, list) where !entity.relationships.isEmpty {
            let declared = description.declaredProperties.dropFirst(entity.attributes.count)
            for (relationship, property) in zip(entity.relationships, declared) {
                guard let property = property as? NSRelationshipDescription else { continue }
                let destination = relationship.destinationName.flatMap { entities[$0] }
                if let name = relationship.destinationName, destination == nil {
                    problems.append(
                        "“\(entity.name).\(relationship.name)” has the destination “\(name)”, which is not in the model"
                    )
                }
                // Compilers accept the name of an inverse that does not exist, and refer to none.
                let inverse = relationship.inverseName.flatMap { name in
                    destination.flatMap { Self.relationship(name, of: $0) }
                }
                property.load(destination: destination, inverse: inverse)
            }
        }
    }

    /// Returns a relationship of an entity or its ancestors.
    private static func relationship(_ name: String, of entity: NSEntityDescription) -> NSRelationshipDescription? {
        var current: NSEntityDescription? = entity
        while let candidate = current {
            if let found = candidate.declaredProperties.first(where: { $0.common.name == name }) {
                return found as? NSRelationshipDescription
            }
            current = candidate.superentity
        }
        return nil
    }

    // MARK: Properties

    private mutating func addProperties(of entity: Entity, to description: NSEntityDescription) {
        var properties: [NSPropertyDescription] = []
        properties.reserveCapacity(
            entity.attributes.count + entity.relationships.count + entity.fetchedProperties.count)
        let indexed = entity.impliedIndexedNames
        for attribute in entity.attributes {
            let attributeDescription = build(attribute, of: entity.name)
            if indexed.contains(attribute.name) { attributeDescription.common.isIndexed = true }
            properties.append(attributeDescription)
        }
        for relationship in entity.relationships { properties.append(Self.build(relationship)) }
        for fetched in entity.fetchedProperties { properties.append(build(fetched, of: entity.name)) }
        description.load(properties: properties, indexes: [])
    }

    private mutating func build(_ attribute: Attribute, of entity: String) -> NSAttributeDescription {
        let description: NSAttributeDescription
        if attribute.isDerived {
            let derived = NSDerivedAttributeDescription()
            if let text = attribute.derivationExpression, !text.isEmpty {
                do throws(PredicateSyntaxError) {
                    let syntax = try PredicateParser.parseExpression(text).asDerivation
                    derived.load(derivation: TreeExpression.make(ExpressionTree(syntax)))
                } catch {
                    problems.append(
                        "the derivation “\(text)” of “\(entity).\(attribute.name)” cannot be read: \(error)")
                }
            }
            description = derived
        } else if attribute.type == .composite {
            let composite = NSCompositeAttributeDescription()
            composite.load(elements: elements(of: attribute, entity: entity, depth: 0))
            description = composite
        } else {
            description = NSAttributeDescription()
        }
        fill(description, from: attribute)
        return description
    }

    private mutating func elements(of attribute: Attribute, entity: String, depth: Int) -> [NSAttributeDescription] {
        guard depth < 16, let type = schema.composites.first(where: { $0.name == attribute.compositeName }) else {
            problems.append("“\(entity).\(attribute.name)” is a composite of a type that is not in the model")
            return []
        }
        return type.attributes.map { part in
            guard part.type == .composite else { return build(part, of: entity) }
            let composite = NSCompositeAttributeDescription()
            composite.load(elements: elements(of: part, entity: entity, depth: depth + 1))
            fill(composite, from: part)
            return composite
        }
    }

    private func fill(_ description: NSAttributeDescription, from attribute: Attribute) {
        var settings = NSAttributeDescription.Settings()
        settings.type = NSAttributeType(rawValue: UInt(attribute.type.rawValue)) ?? .undefinedAttributeType
        settings.valueClassName = attribute.customClassName
        settings.valueTransformerName = attribute.valueTransformerName
        settings.defaultValue = DefaultValue.value(of: attribute)
        settings.allowsExternalBinaryDataStorage = attribute.allowsExternalBinaryStorage
        settings.preservesValueInHistoryOnDeletion = attribute.isPreservedAfterDeletion
        settings.allowsCloudEncryption = attribute.allowsCloudEncryption
        description.attributeSettings = settings
        var common = NSPropertyDescription.Values()
        common.name = attribute.name
        common.isOptional = attribute.isOptional
        common.isTransient = attribute.isTransient
        common.isIndexed = attribute.isIndexed
        common.isIndexedBySpotlight = attribute.isIndexedBySpotlight
        common.isStoredInExternalRecord = attribute.isStoredInTruthFile
        common.versionHashModifier = attribute.versionHashModifier
        common.renamingIdentifier = attribute.renamingIdentifier
        for validation in attribute.validations {
            common.validationPredicates.append(PredicateTree(validation.predicate).makePredicate())
            common.validationWarnings.append(NSNumber(value: validation.errorCode))
        }
        if !attribute.userInfo.isEmpty { common.userInfo = Self.userInfo(attribute.userInfo) }
        description.common = common
    }

    private static func build(_ relationship: Relationship) -> NSRelationshipDescription {
        let description = NSRelationshipDescription()
        var settings = NSRelationshipDescription.Settings()
        settings.minCount = relationship.compiledMinimumCount
        settings.maxCount = relationship.compiledMaximumCount
        settings.deleteRule =
            relationship.deleteRule.flatMap { NSDeleteRule(rawValue: UInt($0.rawValue)) }
            ?? .noActionDeleteRule
        settings.isOrdered = relationship.isOrdered
        description.relationshipSettings = settings
        var common = NSPropertyDescription.Values()
        common.name = relationship.name
        common.isOptional = relationship.isOptional
        common.isTransient = relationship.isTransient
        common.isIndexed = relationship.isIndexed
        common.isIndexedBySpotlight = relationship.isIndexedBySpotlight
        common.isStoredInExternalRecord = relationship.isStoredInTruthFile
        common.versionHashModifier = relationship.versionHashModifier
        common.renamingIdentifier = relationship.renamingIdentifier
        if !relationship.userInfo.isEmpty { common.userInfo = userInfo(relationship.userInfo) }
        description.common = common
        return description
    }

    private mutating func build(_ fetched: FetchedProperty, of entity: String) -> NSFetchedPropertyDescription {
        let description = NSFetchedPropertyDescription()
        if let template = fetched.fetchRequest {
            description.load(request: build(template, at: "“\(entity).\(fetched.name)”"))
        }
        var common = description.common
        common.name = fetched.name
        common.isOptional = fetched.isOptional
        common.versionHashModifier = fetched.versionHashModifier
        common.renamingIdentifier = fetched.renamingIdentifier
        if !fetched.userInfo.isEmpty { common.userInfo = Self.userInfo(fetched.userInfo) }
        description.common = common
        return description
    }

    private mutating func build(
        _ index: FetchIndex, of entity: String, in description: NSEntityDescription
    ) -> NSFetchIndexDescription {
        let elements = index.elements.compactMap { element -> NSFetchIndexElementDescription? in
            guard let name = element.propertyName else {
                problems.append("the index “\(index.name)” of “\(entity)” has an element without a name")
                return nil
            }
            // Apple's models index expressions too; the store has no index for them.
            let property = Self.property(atPath: name, of: description) ?? Self.expression(named: name)
            let column = NSFetchIndexElementDescription(
                property: property, collationType: element.type == "RTree" ? .rTree : .binary)
            column.isAscending = element.isAscending
            return column
        }
        let result = NSFetchIndexDescription.read(name: index.name, elements: elements)
        if let text = index.partialIndexPredicate, !text.isEmpty {
            result.partialIndexPredicate = predicate(text, at: "the index “\(index.name)” of “\(entity)”")
        }
        return result
    }

    private static func expression(named name: String) -> NSPropertyDescription {
        let expression = NSExpressionDescription()
        expression.name = name
        return expression
    }

    /// Returns a property of an entity, or an element of a composite attribute under the name of its path:
    /// `address.city`.
    private static func property(atPath path: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
        if let property = entity.propertiesByName[path] { return property }
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, var property = entity.propertiesByName[first] else { return nil }
        for name in names.dropFirst() {
            guard let composite = property as? NSCompositeAttributeDescription,
                let element = composite.elements.first(where: { $0.name == name })
            else { return property is NSCompositeAttributeDescription ? nil : property }
            property = element
        }
        guard let element = property.copy() as? NSPropertyDescription else { return nil }
        element.common.name = path
        return element
    }

    // MARK: Requests and configurations

    private mutating func predicate(_ text: String, at position: String) -> NSPredicate? {
        do throws(PredicateSyntaxError) {
            return PredicateTree(try PredicateParser.parsePredicate(text)).makePredicate()
        } catch {
            problems.append("the predicate “\(text)” of \(position) cannot be read: \(error)")
            return nil
        }
    }

    private mutating func build(
        _ template: FetchRequestTemplate, at position: String
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        var settings = FetchSettings()
        settings.entityName = template.entityName
        settings.modelEntity = template.entityName.flatMap { entities[$0] }
        if let text = template.predicate, !text.isEmpty { settings.predicate = predicate(text, at: position) }
        settings.fetchLimit = template.fetchLimit ?? 0
        settings.fetchBatchSize = template.fetchBatchSize ?? 0
        settings.includesSubentities = template.includesSubentities ?? true
        settings.includesPropertyValues = template.includesPropertyValues ?? true
        settings.includesPendingChanges = template.includesPendingChanges ?? true
        settings.returnsObjectsAsFaults = template.returnsObjectsAsFaults ?? true
        settings.returnsDistinctResults = template.returnsDistinctResults ?? false
        settings.resultType = NSFetchRequestResultType(rawValue: UInt(clamping: template.resultType ?? 0))
        return NSFetchRequest(settings: settings)
    }

    private mutating func templates() -> [String: NSFetchRequest<any NSFetchRequestResult>] {
        var result: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
        for template in schema.fetchRequests {
            result[template.name] = build(template, at: "the fetch request “\(template.name)”")
        }
        return result
    }

    private mutating func configurations() -> [String: [NSEntityDescription]] {
        var result: [String: [NSEntityDescription]] = [:]
        for configuration in schema.configurations {
            result[configuration.name] = configuration.members.compactMap { member in
                if entities[member.entityName] == nil {
                    problems.append(
                        "the configuration “\(configuration.name)” names “\(member.entityName)”, which is not in the model"
                    )
                }
                return entities[member.entityName]
            }
        }
        return result
    }
}
