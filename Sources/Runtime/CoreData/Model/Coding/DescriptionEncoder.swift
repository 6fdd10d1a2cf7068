internal import CompiledModel
internal import Foundation

/// Converts descriptions to the property lists in archives.
enum DescriptionEncoder {
    /// Encodes a model.
    ///
    /// - Throws: `ArchivedValue.Failure` for parts that cannot be archived, such as a predicate with a block.
    static func model(_ model: NSManagedObjectModel) throws -> PropertyListValue {
        var fields = try self.model(of: model.entities)
        var configurations = ArchivedFields()
        for name in model.configurations {
            let members = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name)
            configurations.add(name, list: .array(members.map { .string($0) }))
        }
        fields.add("configurations", list: configurations.list)
        var templates = ArchivedFields()
        for (name, template) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            templates.add(name, list: try request(template.settings))
        }
        fields.add("templates", list: templates.list)
        try fields.add("identifiers", model.versionIdentifiers.map(\.base))
        try fields.add("localization", model.localizationDictionary)
        return fields.list
    }

    private static func model(of entities: [NSEntityDescription]) throws -> ArchivedFields {
        var fields = ArchivedFields()
        fields.add("entities", list: .array(try entities.map { try entity($0) }))
        return fields
    }

    /// Encodes the model of an entity or, without one, the entity and all entities that are reachable from it.
    static func surroundings(of entity: NSEntityDescription) throws -> PropertyListValue {
        if let model = entity.model { return try self.model(model) }
        var entities: [NSEntityDescription] = []
        var names: Set<String> = []
        var waiting = [entity]
        while let next = waiting.popLast() {
            guard names.insert(next.name ?? "").inserted else { continue }
            entities.append(next)
            waiting += [next.superentity].compactMap { $0 } + next.subentities
            waiting += next.declaredProperties.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity }
        }
        return try model(of: entities).list
    }

    private static func entity(_ entity: NSEntityDescription) throws -> PropertyListValue {
        let values = entity.entityValues
        var fields = ArchivedFields()
        fields.add("name", list: .string(values.name ?? ""))
        try fields.add("class", values.className)
        try fields.add("abstract", values.isAbstract)
        try fields.add("userInfo", values.userInfo)
        try fields.add("hashModifier", values.versionHashModifier)
        try fields.add("renaming", values.renamingIdentifier)
        try fields.add("constraints", values.uniquenessConstraints)
        try fields.add("compoundIndexes", values.compoundIndexes)
        try fields.add("spotlight", values.spotlightName)
        try fields.add("parent", entity.superentity?.name)
        fields.add("properties", list: .array(try entity.declaredProperties.map { try property($0) }))
        fields.add("indexes", list: .array(try entity.indexes.map { try index($0) }))
        return fields.list
    }

    /// Encodes a property, without its entity.
    static func property(_ property: NSPropertyDescription) throws -> PropertyListValue {
        let common = property.common
        var fields = ArchivedFields()
        fields.add("name", list: .string(common.name))
        try fields.add("optional", common.isOptional)
        try fields.add("transient", common.isTransient)
        try fields.add("indexed", common.isIndexed)
        try fields.add("spotlight", common.isIndexedBySpotlight)
        try fields.add("external", common.isStoredInExternalRecord)
        try fields.add("userInfo", common.userInfo)
        try fields.add("predicates", common.validationPredicates)
        try fields.add("warnings", common.validationWarnings)
        try fields.add("hashModifier", common.versionHashModifier)
        try fields.add("renaming", common.renamingIdentifier)
        switch property {
        case let attribute as NSAttributeDescription: try add(attribute, to: &fields)
        case let relationship as NSRelationshipDescription:
            let settings = relationship.relationshipSettings
            try fields.add("kind", "relationship")
            try fields.add("minimum", settings.minCount)
            try fields.add("maximum", settings.maxCount)
            try fields.add("rule", Int(settings.deleteRule.rawValue))
            try fields.add("ordered", settings.isOrdered)
            try fields.add("destination", relationship.destinationEntity?.name)
            try fields.add("inverse", relationship.inverseRelationship?.name)
        case let fetched as NSFetchedPropertyDescription:
            try fields.add("kind", "fetched")
            fields.add("request", list: try fetched.fetchRequest.map { try request($0.settings) })
        case let column as NSExpressionDescription:
            try fields.add("kind", "expression")
            try fields.add("expression", column.expression)
            try fields.add("type", Int(column.expressionResultType.rawValue))
        default: break
        }
        return fields.list
    }

    private static func add(_ attribute: NSAttributeDescription, to fields: inout ArchivedFields) throws {
        let settings = attribute.attributeSettings
        try fields.add("type", Int(settings.type.rawValue))
        try fields.add("valueClass", settings.valueClassName)
        try fields.add("default", settings.defaultValue)
        try fields.add("transformer", settings.valueTransformerName)
        try fields.add("externalStorage", settings.allowsExternalBinaryDataStorage)
        try fields.add("preserved", settings.preservesValueInHistoryOnDeletion)
        try fields.add("encrypted", settings.allowsCloudEncryption)
        switch attribute {
        case let derived as NSDerivedAttributeDescription:
            try fields.add("kind", "derived")
            try fields.add("expression", derived.derivationExpression)
        case let composite as NSCompositeAttributeDescription:
            try fields.add("kind", "composite")
            fields.add("elements", list: .array(try composite.elements.map { try property($0) }))
        default: try fields.add("kind", "attribute")
        }
    }

    /// Encodes a fetch index, with the names of its columns' properties.
    static func index(_ index: NSFetchIndexDescription) throws -> PropertyListValue {
        var fields = ArchivedFields()
        fields.add("name", list: .string(index.name))
        try fields.add("predicate", index.partialIndexPredicate)
        let elements = try index.elements.map { element in
            var column = ArchivedFields()
            column.add("name", list: .string(element.propertyName ?? ""))
            try column.add("rTree", element.collationType == .rTree)
            try column.add("ascending", element.isAscending)
            if let property = element.property, index.owner?.propertiesByName[property.name] !== property {
                column.add("property", list: try self.property(property))
            }
            return column.list
        }
        fields.add("elements", list: .array(elements))
        return fields.list
    }

    /// Encodes a fetch request, with the name of its entity.
    static func request(_ settings: FetchSettings) throws -> PropertyListValue {
        var fields = ArchivedFields()
        try fields.add("entity", settings.entity?.name ?? settings.entityName)
        try fields.add("predicate", settings.predicate)
        if let descriptors = settings.sortDescriptors {
            fields.add("order", list: .array(try descriptors.map { try order($0) }))
        }
        try fields.add("limit", settings.fetchLimit)
        try fields.add("offset", settings.fetchOffset)
        try fields.add("batchSize", settings.fetchBatchSize)
        try fields.add("resultType", Int(settings.resultType.rawValue))
        try fields.add("subentities", settings.includesSubentities)
        try fields.add("values", settings.includesPropertyValues)
        try fields.add("faults", settings.returnsObjectsAsFaults)
        try fields.add("pending", settings.includesPendingChanges)
        try fields.add("distinct", settings.returnsDistinctResults)
        try fields.add("refreshes", settings.shouldRefreshRefetchedObjects)
        try fields.add("prefetched", settings.prefetchedKeyPaths)
        try fields.add("columns", settings.propertiesToFetch)
        try fields.add("groups", settings.propertiesToGroupBy)
        try fields.add("having", settings.havingPredicate)
        return fields.list
    }

    private static func order(_ descriptor: NSSortDescriptor) throws -> PropertyListValue {
        guard let key = descriptor.key, let selector = descriptor.selector else {
            throw ArchivedValue.Failure(description: "a sort descriptor with a comparator cannot be archived")
        }
        var fields = ArchivedFields()
        try fields.add("key", key)
        try fields.add("selector", selector.description)
        try fields.add("ascending", descriptor.ascending)
        return fields.list
    }
}
