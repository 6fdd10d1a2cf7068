public import CoreData
internal import Foundation

extension NSManagedObjectModel {
    /// Returns the Core Data model of model classes and the destinations of their relationships.
    ///
    /// ```swift
    /// let model = NSManagedObjectModel.makeManagedObjectModel(for: [Book.self, Author.self])
    /// ```
    ///
    /// - Returns: The model, whose objects are used by key; `nil` if a container could not be made for the classes.
    public static func makeManagedObjectModel(for types: [any PersistentModel.Type]) -> NSManagedObjectModel? {
        let schema = Schema(types)
        return schema.problems.contains { !$0.isProvisional } ? nil : schema.makeModel()
    }
}

extension Schema {
    /// Returns the Core Data model of the schema (Documentation/Formats/SwiftDataModel.md).
    func makeModel() -> NSManagedObjectModel {
        var descriptions: [String: NSEntityDescription] = [:]
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.managedObjectClassName = "SwiftData.ModelObject"
            description.renamingIdentifier = entity.name
            descriptions[entity.name] = description
        }
        for entity in entities {
            guard let description = descriptions[entity.name] else { continue }
            description.properties = entity.storedProperties.compactMap { property in
                if let attribute = property as? Attribute { return self.description(of: attribute, in: entity) }
                return (property as? Relationship).map { self.description(of: $0, descriptions[$0.destination]) }
            }
        }
        for entity in entities {
            guard let description = descriptions[entity.name] else { continue }
            description.subentities = entity.subentities.map(\.name).sorted().compactMap { descriptions[$0] }
            for relationship in entity.relationships {
                guard let inverse = relationship.inverseName else { continue }
                description.relationshipsByName[relationship.name]?.inverseRelationship =
                    descriptions[relationship.destination]?.relationshipsByName[inverse]
            }
            description.uniquenessConstraints = entity.uniquenessConstraints.map { $0.map { $0 as NSString } }
            description.indexes = entity.indices.enumerated().map { number, names in
                let type: NSFetchIndexElementType = entity.spatialIndices.contains(number) ? .rTree : .binary
                return NSFetchIndexDescription(
                    name: "SwiftDataIndexOnBinary" + names.joined(),
                    elements: names.compactMap { name in
                        description.propertiesByName[name].map {
                            NSFetchIndexElementDescription(property: $0, collationType: type)
                        }
                    })
            }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { descriptions[$0.name] }
        model.versionIdentifiers = [version.description]
        return model
    }

    private func description(of attribute: Attribute, in entity: Entity) -> NSAttributeDescription {
        let number = entity.info?.numbersByName[attribute.name]
        let access = number.flatMap { entity.info?.properties[$0].access }
        let description: NSAttributeDescription
        if let transformer = attribute.transformerName {
            description = NSAttributeDescription()
            description.name = attribute.name
            description.attributeType = .transformableAttributeType
            description.valueTransformerName = transformer
            description.isOptional = attribute.isOptional
            let value = initialValue(of: attribute)
            description.defaultValue = (value as? any SimpleValue)?.storedObject ?? value as? NSObject
        } else {
            let kind = access?.kind ?? .json
            description = kind.attribute(named: attribute.name, isOptional: attribute.isOptional)
            description.defaultValue = defaultValue(of: attribute, kind)
        }
        description.renamingIdentifier = attribute.originalName
        description.versionHashModifier = attribute.hashModifier
        description.isTransient = attribute.has(.ephemeral)
        description.allowsExternalBinaryDataStorage = attribute.has(.externalStorage)
        description.preservesValueInHistoryOnDeletion = attribute.has(.preserveValueOnDeletion)
        description.allowsCloudEncryption = attribute.has(.allowsCloudEncryption)
        return description
    }

    /// Returns the initial value without its optional; `nil` if there is none.
    private func initialValue(of attribute: Attribute) -> Any? {
        (attribute.defaultValue as? any OptionalProperty).map(\.wrapped) ?? attribute.defaultValue
    }

    /// The value that a lightweight migration gives to existing rows.
    private func defaultValue(of attribute: Attribute, _ kind: PropertyKind) -> Any? {
        guard let value = initialValue(of: attribute) else { return nil }
        let encoder = JSONEncoder()
        // The model that is stored in files does not change with each launch.
        encoder.outputFormatting = .sortedKeys
        return try? kind.storedObject(of: value, property: attribute.name, encoder: encoder)
    }

    private func description(
        of relationship: Relationship, _ destination: NSEntityDescription?
    ) -> NSRelationshipDescription {
        let description = NSRelationshipDescription()
        description.name = relationship.name
        description.destinationEntity = destination
        description.isOptional = relationship.isOptional
        description.minCount = relationship.minimumModelCount ?? 0
        description.maxCount = relationship.isToOneRelationship ? 1 : relationship.maximumModelCount ?? 0
        description.renamingIdentifier = relationship.originalName
        description.versionHashModifier = relationship.hashModifier
        description.deleteRule =
            switch relationship.deleteRule {
            case .noAction: .noActionDeleteRule
            case .nullify: .nullifyDeleteRule
            case .cascade: .cascadeDeleteRule
            case .deny: .denyDeleteRule
            }
        return description
    }
}
