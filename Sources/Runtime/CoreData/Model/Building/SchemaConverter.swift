internal import Foundation
package import ModelSchema
internal import PredicateSyntax
internal import RuntimeSupport

/// Converts descriptions to the schema's plain values, for hashing and comparison.
package enum SchemaConverter {
    // MARK: Hashes

    /// Returns the version hashes of a model's entities. Traps if a derivation has no textual form; everything else in
    /// a model built from descriptions has a hash.
    static func hashes(of model: NSManagedObjectModel) -> EntityVersionHashes {
        hashes(of: schema(of: model))
    }

    /// Returns the version hash of an entity, whether it is in a model or not.
    static func hash(of entity: NSEntityDescription) -> [UInt8] {
        var model = Model(name: "")
        var ancestor: NSEntityDescription? = entity
        while let current = ancestor {
            model.entities.append(schema(of: current))
            model.composites += composites(in: current.declaredProperties)
            ancestor = current.superentity
        }
        return hashes(of: model)[entity.name ?? ""]?.bytes ?? []
    }

    /// Returns the version hash of a property.
    static func hash(of property: NSPropertyDescription) -> [UInt8] {
        switch property {
        case let attribute as NSAttributeDescription:
            do throws(InvalidDerivation) {
                return try schema(of: attribute).versionHash(composites: composites(in: [attribute])).bytes
            } catch {
                unhashable("“\(attribute.name)”: \(error.message)")
            }
        case let relationship as NSRelationshipDescription:
            return schema(of: relationship).versionHash(declaredIn: relationship.owner?.name).bytes
        default:
            var fetched = FetchedProperty(name: property.name)
            fetched.isOptional = property.isOptional
            fetched.versionHashModifier = property.versionHashModifier
            return fetched.versionHash().bytes
        }
    }

    private static func hashes(of model: Model) -> EntityVersionHashes {
        let hashes = model.versionHashes()
        if let finding = hashes.findings.first { unhashable(finding.message) }
        return hashes.entities
    }

    private static func unhashable(_ message: String) -> Never {
        misuse("NSInvalidArgumentException", "the model has no version hash: \(message)")
    }

    // MARK: Comparing

    /// Returns whether two entities have the same content.
    static func areEqual(_ first: NSEntityDescription, _ second: NSEntityDescription) -> Bool {
        schema(of: first) == schema(of: second) && rules(of: first) == rules(of: second)
    }

    /// Returns whether two attributes have the same content.
    static func areEqual(_ first: NSAttributeDescription, _ second: NSAttributeDescription) -> Bool {
        schema(of: first) == schema(of: second)
            && first.validationPredicates.map(\.tree.format) == second.validationPredicates.map(\.tree.format)
    }

    /// Returns whether two models have the same content.
    static func areEqual(_ first: NSManagedObjectModel, _ second: NSManagedObjectModel) -> Bool {
        schema(of: first) == schema(of: second) && rules(of: first) == rules(of: second)
            && Set(first.fetchRequestTemplatesByName.keys) == Set(second.fetchRequestTemplatesByName.keys)
    }

    /// Returns the validation predicates of a model's entities, by name.
    private static func rules(of model: NSManagedObjectModel) -> [String: [String: [String]]] {
        model.entitiesByName.mapValues(rules)
    }

    /// Returns the validation predicates of an entity's own properties, by name.
    private static func rules(of entity: NSEntityDescription) -> [String: [String]] {
        Dictionary(entity.declaredProperties.map { ($0.name, $0.validationPredicates.map(\.tree.format)) }) {
            first, _ in
            first
        }
    }

    // MARK: Converting

    /// Converts a model to plain values, with everything sorted by name.
    package static func schema(of model: NSManagedObjectModel) -> Model {
        var result = Model(name: "")
        result.entities = model.entities.map { schema(of: $0) }.sorted { $0.name < $1.name }
        result.composites = composites(in: model.entities.flatMap(\.declaredProperties))
        result.configurations = model.configurations.map { name in
            var configuration = Configuration(name: name)
            configuration.members = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name).sorted()
                .map { Configuration.Member(entityName: $0) }
            return configuration
        }
        return result
    }

    /// Converts an entity to plain values, with everything but constraints and indexes sorted by name.
    static func schema(of description: NSEntityDescription) -> Entity {
        let values = description.entityValues
        var entity = Entity(name: values.name ?? "")
        entity.className = ClassName(values.className)
        entity.isAbstract = values.isAbstract
        entity.parentName = description.superentity?.name
        entity.renamingIdentifier = values.renamingIdentifier == values.name ? nil : values.renamingIdentifier
        entity.versionHashModifier = values.versionHashModifier
        for property in description.declaredProperties.sorted(by: { $0.name < $1.name }) {
            switch property {
            case let attribute as NSAttributeDescription: entity.attributes.append(schema(of: attribute))
            case let relationship as NSRelationshipDescription: entity.relationships.append(schema(of: relationship))
            default:
                var fetched = FetchedProperty(name: property.name)
                fetched.isOptional = property.isOptional
                fetched.userInfo = userInfo(property.userInfo)
                entity.fetchedProperties.append(fetched)
            }
        }
        entity.uniquenessConstraints = values.uniquenessConstraints.map { constraint in
            UniquenessConstraint(properties: constraint.map { PropertyMention(name: propertyName($0)) })
        }
        entity.fetchIndexes = description.indexes.map { index in
            var result = FetchIndex(name: index.name)
            result.elements = index.elements.map { element in
                var column = FetchIndex.Element(propertyName: element.propertyName)
                column.type = element.collationType == .rTree ? "RTree" : "Binary"
                column.isAscending = element.isAscending
                return column
            }
            result.partialIndexPredicate = index.partialIndexPredicate?.tree.format
            return result
        }
        if entity.fetchIndexes.isEmpty {
            entity.compoundIndexes = description.compoundIndexNames.map { names in
                CompoundIndex(properties: names.map { PropertyMention(name: $0) })
            }
        }
        // What the compiler writes beside fetch indexes is not in the source.
        let implied = entity.impliedIndexedNames
        for position in entity.attributes.indices where implied.contains(entity.attributes[position].name) {
            entity.attributes[position].isIndexed = false
        }
        entity.userInfo = userInfo(values.userInfo)
        return entity
    }

    /// Returns the property name in a constraint or a compound index, given as a name or as a description.
    static func propertyName(_ mention: Any) -> String {
        (mention as? NSPropertyDescription)?.name ?? (mention as? String) ?? String(describing: mention)
    }

    private static func schema(of description: NSAttributeDescription) -> Attribute {
        let common = description.common
        let settings = description.attributeSettings
        var attribute = Attribute(
            name: common.name, type: AttributeType(rawValue: Int(settings.type.rawValue)) ?? .undefined)
        attribute.isOptional = common.isOptional
        attribute.isTransient = common.isTransient
        attribute.isIndexed = common.isIndexed
        attribute.versionHashModifier = common.versionHashModifier
        attribute.renamingIdentifier = common.renamingIdentifier == common.name ? nil : common.renamingIdentifier
        attribute.allowsExternalBinaryStorage = settings.allowsExternalBinaryDataStorage
        attribute.isPreservedAfterDeletion = settings.preservesValueInHistoryOnDeletion
        attribute.allowsCloudEncryption = settings.allowsCloudEncryption
        attribute.valueTransformerName = settings.valueTransformerName
        attribute.customClassName = settings.valueClassName
        if let date = settings.defaultValue as? Date {
            attribute.defaultDateInterval = NumberText.text(of: date.timeIntervalSinceReferenceDate)
        } else {
            attribute.defaultValue = settings.defaultValue.map(text)
        }
        // The schema cannot represent rules of other forms, which can only be set in code; see `rules(of:)`.
        for predicate in common.validationPredicates { _ = attribute.takeLimit(predicate.tree.syntax) }
        attribute.userInfo = userInfo(common.userInfo)
        switch description {
        case let derived as NSDerivedAttributeDescription:
            attribute.isDerived = true
            attribute.derivationExpression = derived.derivationExpression.map { expression in
                PredicatePrinter(numberStyle: .typed).string(for: expression.tree.syntax)
            }
        case let composite as NSCompositeAttributeDescription:
            attribute.compositeName = typeName(of: composite)
        default: break
        }
        return attribute
    }

    /// Returns a name for the type of a composite attribute, as descriptions have none: attributes with equal elements
    /// share it.
    private static func typeName(of composite: NSCompositeAttributeDescription) -> String {
        composite.elements.map { element in
            if let inner = element as? NSCompositeAttributeDescription {
                return "\(element.name){\(typeName(of: inner))}"
            }
            let plain = schema(of: element)
            // Migrations also need what the hash does not cover.
            let rest = [plain.renamingIdentifier, plain.defaultDateInterval ?? plain.defaultValue].map {
                $0.map { "“\($0)”" } ?? "-"
            }
            return "\(element.name):\((try? plain.versionHash())?.hexString ?? "")\(rest.joined())"
        }.joined(separator: ",")
    }

    /// Returns the types of the composite attributes among properties.
    private static func composites(in properties: [NSPropertyDescription]) -> [CompositeType] {
        var found: [String: CompositeType] = [:]
        var waiting = properties.compactMap { $0 as? NSCompositeAttributeDescription }
        while let composite = waiting.popLast() {
            let name = typeName(of: composite)
            guard found[name] == nil else { continue }
            var type = CompositeType(name: name)
            type.attributes = composite.elements.map(schema(of:))
            found[name] = type
            waiting += composite.elements.compactMap { $0 as? NSCompositeAttributeDescription }
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private static func schema(of description: NSRelationshipDescription) -> Relationship {
        let common = description.common
        let settings = description.relationshipSettings
        var relationship = Relationship(name: common.name, destinationName: description.destinationEntity?.name)
        relationship.isOptional = common.isOptional
        relationship.isTransient = common.isTransient
        relationship.isIndexed = common.isIndexed
        relationship.versionHashModifier = common.versionHashModifier
        relationship.renamingIdentifier = common.renamingIdentifier == common.name ? nil : common.renamingIdentifier
        relationship.inverseName = description.inverseRelationship?.name
        relationship.minimumCount = settings.minCount
        relationship.maximumCount = settings.maxCount
        relationship.isToMany = settings.maxCount != 1
        relationship.isOrdered = settings.isOrdered
        relationship.deleteRule = DeleteRule(rawValue: Int(settings.deleteRule.rawValue))
        relationship.userInfo = userInfo(common.userInfo)
        return relationship
    }

    private static func userInfo(_ info: [AnyHashable: Any]?) -> [UserInfoEntry] {
        (info ?? [:]).map { UserInfoEntry(key: text($0.key.base), value: text($0.value)) }.sorted { $0.key < $1.key }
    }

    /// Returns the text by which values are compared. `true` equals an `NSNumber` with that value.
    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case let list as [Any]: "\(list.map(text))"
        case let dictionary as [AnyHashable: Any]:
            "\(dictionary.map { "\(text($0.key.base)): \(text($0.value))" }.sorted())"
        default: String(describing: value)
        }
    }
}
