internal import CompiledModel
internal import Foundation

/// Creates descriptions from the property lists in archives. Throws an error, and never traps, on damaged ones.
struct DescriptionDecoder {
    private var entities: [String: NSEntityDescription] = [:]

    static func model(_ list: PropertyListValue) throws -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        try fill(model, list)
        return model
    }

    /// Fills a new model.
    static func fill(_ model: NSManagedObjectModel, _ list: PropertyListValue) throws {
        var decoder = DescriptionDecoder()
        try decoder.fill(model, try ArchivedReader(list))
    }

    private mutating func fill(_ model: NSManagedObjectModel, _ reader: ArchivedReader) throws {
        let readers = try reader.lists("entities").map { try ArchivedReader($0) }
        var list: [NSEntityDescription] = []
        for reader in readers {
            let entity = NSEntityDescription()
            entity.entityValues = try Self.values(reader)
            guard entities.updateValue(entity, forKey: try reader.name()) == nil else {
                throw failure("two entities of a name")
            }
            list.append(entity)
        }
        try linkHierarchy(readers, list)
        for (reader, entity) in zip(readers, list) {
            var names: Set<String> = []
            let properties = try reader.lists("properties").map { try Self.property($0) }
            guard properties.allSatisfy({ names.insert($0.name).inserted }) else {
                throw failure("two properties of a name")
            }
            entity.load(properties: properties, indexes: [])
        }
        for (reader, entity) in zip(readers, list) {
            try link(entity, try reader.lists("properties").map { try ArchivedReader($0) })
            let propertiesByName = entity.propertiesByName
            entity.load(
                properties: entity.declaredProperties,
                indexes: try reader.lists("indexes").map { try Self.index($0, propertiesByName) })
        }
        var configurations: [String: [NSEntityDescription]] = [:]
        for entry in reader.list["configurations"]?.dictionary ?? [] {
            guard case .array(let names) = entry.value else { throw failure("unknown configuration") }
            configurations[entry.key] = names.compactMap { $0.string.flatMap { entities[$0] } }
        }
        var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
        for entry in reader.list["templates"]?.dictionary ?? [] { templates[entry.key] = try template(entry.value) }
        let identifiers = try reader.value("identifiers") as? [Any] ?? []
        model.load(
            entities: list, configurations: configurations, templates: templates,
            versionIdentifiers: Set(identifiers.compactMap { $0 as? AnyHashable }))
        if let names = try reader.value("localization") as? [String: String] { model.localizationDictionary = names }
    }

    private func failure(_ text: String) -> ArchivedValue.Failure { ArchivedValue.Failure(description: text) }

    private static let maximumDepth = 1000

    private func linkHierarchy(_ readers: [ArchivedReader], _ list: [NSEntityDescription]) throws {
        var parents: [String: String] = [:]
        for reader in readers { parents[try reader.name()] = try reader.string("parent") }
        for (reader, entity) in zip(readers, list) {
            var ancestor = try reader.string("parent")
            var depth = 0
            while let name = ancestor, depth < Self.maximumDepth {
                ancestor = parents[name]
                depth += 1
            }
            guard ancestor == nil else { throw failure("an entity inherits from itself") }
            guard let name = try reader.string("parent") else { continue }
            guard let parent = entities[name] else { throw failure("the entity “\(name)” is missing") }
            parent.load(child: entity)
        }
    }

    private func link(_ entity: NSEntityDescription, _ readers: [ArchivedReader]) throws {
        for (reader, property) in zip(readers, entity.declaredProperties) {
            switch property {
            case let relationship as NSRelationshipDescription:
                try Self.link(relationship, reader: reader, entities: entities)
            case let fetched as NSFetchedPropertyDescription:
                fetched.load(request: try reader.list["request"].map { try template($0) })
            default: break
            }
        }
    }

    /// Links a relationship by the names in an archive.
    static func link(
        _ relationship: NSRelationshipDescription, reader: ArchivedReader, entities: [String: NSEntityDescription]
    ) throws {
        let destination = try reader.string("destination").flatMap { entities[$0] }
        let inverse = try reader.string("inverse").flatMap { destination?.propertiesByName[$0] }
        relationship.load(destination: destination, inverse: inverse as? NSRelationshipDescription)
    }

    private func template(_ list: PropertyListValue) throws -> NSFetchRequest<any NSFetchRequestResult> {
        var settings = try Self.request(list)
        settings.modelEntity = settings.entityName.flatMap { entities[$0] }
        return NSFetchRequest(settings: settings)
    }

    // MARK: Parts

    private static func values(_ reader: ArchivedReader) throws -> NSEntityDescription.Values {
        var values = NSEntityDescription.Values()
        values.name = try reader.name()
        values.className = try reader.string("class") ?? values.className
        values.isAbstract = try reader.flag("abstract")
        values.userInfo = try reader.value("userInfo") as? [AnyHashable: Any]
        values.versionHashModifier = try reader.string("hashModifier")
        values.renamingIdentifier = try reader.string("renaming")
        values.uniquenessConstraints = try reader.value("constraints") as? [[Any]] ?? []
        values.compoundIndexes = try reader.value("compoundIndexes") as? [[Any]] ?? []
        values.spotlightName = try reader.value("spotlight") as? NSExpression
        return values
    }

    /// Decodes a property, without its links to other parts of the model.
    static func property(_ list: PropertyListValue) throws -> NSPropertyDescription { try property(list, depth: 0) }

    private static func property(_ list: PropertyListValue, depth: Int) throws -> NSPropertyDescription {
        guard depth < 16 else { throw ArchivedValue.Failure(description: "a composite is nested too deeply") }
        let reader = try ArchivedReader(list)
        let property: NSPropertyDescription
        switch try reader.string("kind") {
        case "attribute": property = NSAttributeDescription()
        case "derived":
            let derived = NSDerivedAttributeDescription()
            derived.load(derivation: try reader.value("expression") as? NSExpression)
            property = derived
        case "composite":
            let composite = NSCompositeAttributeDescription()
            composite.load(
                elements: try reader.lists("elements").compactMap {
                    try Self.property($0, depth: depth + 1) as? NSAttributeDescription
                })
            property = composite
        case "relationship":
            let relationship = NSRelationshipDescription()
            var settings = NSRelationshipDescription.Settings()
            settings.minCount = max(0, try reader.integer("minimum"))
            settings.maxCount = max(0, try reader.integer("maximum"))
            settings.deleteRule =
                NSDeleteRule(rawValue: UInt(clamping: try reader.integer("rule"))) ?? .nullifyDeleteRule
            settings.isOrdered = try reader.flag("ordered")
            relationship.relationshipSettings = settings
            property = relationship
        case "fetched":
            let fetched = NSFetchedPropertyDescription()
            fetched.load(request: try reader.list["request"].map { NSFetchRequest(settings: try request($0)) })
            property = fetched
        case "expression":
            let column = NSExpressionDescription()
            column.expression = try reader.value("expression") as? NSExpression
            column.expressionResultType =
                NSAttributeType(rawValue: UInt(clamping: try reader.integer("type"))) ?? .undefinedAttributeType
            property = column
        default: property = NSPropertyDescription()
        }
        if let attribute = property as? NSAttributeDescription { attribute.attributeSettings = try settings(reader) }
        property.common = try common(reader)
        return property
    }

    private static func settings(_ reader: ArchivedReader) throws -> NSAttributeDescription.Settings {
        var settings = NSAttributeDescription.Settings()
        settings.type = NSAttributeType(rawValue: UInt(clamping: try reader.integer("type"))) ?? .undefinedAttributeType
        settings.valueClassName = try reader.string("valueClass")
        settings.defaultValue = try reader.value("default")
        settings.valueTransformerName = try reader.string("transformer")
        settings.allowsExternalBinaryDataStorage = try reader.flag("externalStorage")
        settings.preservesValueInHistoryOnDeletion = try reader.flag("preserved")
        settings.allowsCloudEncryption = try reader.flag("encrypted")
        return settings
    }

    private static func common(_ reader: ArchivedReader) throws -> NSPropertyDescription.Values {
        var values = NSPropertyDescription.Values()
        values.name = try reader.name()
        values.isOptional = try reader.flag("optional")
        values.isTransient = try reader.flag("transient")
        values.isIndexed = try reader.flag("indexed")
        values.isIndexedBySpotlight = try reader.flag("spotlight")
        values.isStoredInExternalRecord = try reader.flag("external")
        values.userInfo = try reader.value("userInfo") as? [AnyHashable: Any]
        values.validationPredicates = try reader.value("predicates") as? [NSPredicate] ?? []
        values.validationWarnings = try reader.value("warnings") as? [Any] ?? []
        guard values.validationPredicates.count == values.validationWarnings.count else {
            throw ArchivedValue.Failure(description: "validation predicates without warnings")
        }
        values.versionHashModifier = try reader.string("hashModifier")
        values.renamingIdentifier = try reader.string("renaming")
        return values
    }

    /// Decodes a fetch index, whose columns are among the given properties.
    static func index(
        _ list: PropertyListValue, _ properties: [String: NSPropertyDescription]
    ) throws -> NSFetchIndexDescription {
        let reader = try ArchivedReader(list)
        let elements = try reader.lists("elements").map { list in
            let column = try ArchivedReader(list)
            let own = try column.list["property"].map { try property($0) }
            guard let property = try own ?? properties[column.name()] else {
                throw ArchivedValue.Failure(description: "a column of an index is missing")
            }
            let element = NSFetchIndexElementDescription(
                property: property, collationType: try column.flag("rTree") ? .rTree : .binary)
            element.isAscending = try column.flag("ascending")
            return element
        }
        let index = NSFetchIndexDescription.read(name: try reader.name(), elements: elements)
        index.partialIndexPredicate = try reader.value("predicate") as? NSPredicate
        return index
    }

    /// Decodes a fetch request, with the name of its entity.
    static func request(_ list: PropertyListValue) throws -> FetchSettings {
        let reader = try ArchivedReader(list)
        var settings = FetchSettings()
        settings.entityName = try reader.string("entity")
        settings.predicate = try reader.value("predicate") as? NSPredicate
        if reader.list["order"] != nil { settings.sortDescriptors = try reader.lists("order").map { try order($0) } }
        settings.fetchLimit = max(0, try reader.integer("limit"))
        settings.fetchOffset = max(0, try reader.integer("offset"))
        settings.fetchBatchSize = max(0, try reader.integer("batchSize"))
        settings.resultType = NSFetchRequestResultType(rawValue: UInt(clamping: try reader.integer("resultType")))
        settings.includesSubentities = try reader.flag("subentities")
        settings.includesPropertyValues = try reader.flag("values")
        settings.returnsObjectsAsFaults = try reader.flag("faults")
        settings.includesPendingChanges = try reader.flag("pending")
        settings.returnsDistinctResults = try reader.flag("distinct")
        settings.shouldRefreshRefetchedObjects = try reader.flag("refreshes")
        settings.prefetchedKeyPaths = try reader.value("prefetched") as? [String]
        settings.propertiesToFetch = try reader.value("columns") as? [Any]
        settings.propertiesToGroupBy = try reader.value("groups") as? [Any]
        settings.havingPredicate = try reader.value("having") as? NSPredicate
        return settings
    }

    private static func order(_ list: PropertyListValue) throws -> NSSortDescriptor {
        let reader = try ArchivedReader(list)
        guard let key = try reader.string("key"), let selector = try reader.string("selector") else {
            throw ArchivedValue.Failure(description: "a sort descriptor without a key")
        }
        return KeySortDescriptor(
            key: key, isAscending: try reader.flag("ascending"), selector: Selector(selector))
    }
}
