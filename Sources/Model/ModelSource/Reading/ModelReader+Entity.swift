internal import Diagnostics
internal import ModelSchema

extension ModelReader {
    mutating func readEntity(_ index: Int) -> Entity {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var entity = Entity(name: reader.requiredString(.name))
        entity.className = ClassName(reader.requiredString(.representedClassName))
        entity.isAbstract = reader.flag(.isAbstract, &findings) ?? false
        entity.parentName = reader.string(.parentEntity).flatMap { $0.isEmpty ? nil : $0 }
        entity.codeGeneration = CodeGenerationMode(xmlValue: reader.string(.codeGenerationType))
        entity.renamingIdentifier = reader.string(.elementID)
        entity.versionHashModifier = reader.string(.versionHashModifier)
        entity.spotlightDisplayNameExpression = reader.string(.coreSpotlightDisplayNameExpression)
        entity.isSyncable = reader.flag(.syncable, &findings)
        entity.origin = reader.origin
        entity.unrecognized = reader.leftovers(&findings)
        if case .unknown(let value) = entity.codeGeneration {
            findings.record(
                ModelFinding(
                    .warning, rule: .malformedValue,
                    "“\(value)” is not a codegen mode; the entity is treated as Manual/None", at: entity.origin,
                    attribute: "codeGenerationType",
                    help: EditDistance.question(for: value, among: ["class", "category"])
                        + "Write “class” or “category”, or remove the attribute for Manual/None."))
        }
        for child in element.children {
            switch tree.elements[child].name {
            case "attribute": entity.attributes.append(readAttribute(child))
            case "relationship": entity.relationships.append(readRelationship(child))
            case "fetchedProperty": entity.fetchedProperties.append(readFetchedProperty(child))
            case "compoundIndexes": entity.compoundIndexes += readCompoundIndexes(child, &entity.unrecognized)
            case "fetchIndex": entity.fetchIndexes.append(readFetchIndex(child))
            case "uniquenessConstraints":
                entity.uniquenessConstraints += readUniquenessConstraints(child, &entity.unrecognized)
            case "userInfo": entity.userInfo += readUserInfo(child, &entity.unrecognized)
            default: unknown(child, in: element.name, &entity.unrecognized)
            }
        }
        return entity
    }

    mutating func readAttribute(_ index: Int) -> Attribute {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var attribute = Attribute(name: reader.requiredString(.name), type: .undefined)
        if let type = reader.string(.attributeType) {
            attribute.type = AttributeType(xmlValue: type) ?? .undefined
            if AttributeType(xmlValue: type) == nil { attribute.unknownType = type }
        }
        attribute.isOptional = reader.flag(.optional, &findings) ?? false
        attribute.isTransient = reader.flag(.transient, &findings) ?? false
        attribute.isIndexed = reader.flag(.indexed, &findings) ?? false
        attribute.isSyncable = reader.flag(.syncable, &findings)
        attribute.usesScalarType = reader.flag(.usesScalarValueType, &findings)
        attribute.defaultValue = reader.string(.defaultValueString)
        attribute.defaultDateInterval = reader.string(.defaultDateTimeInterval)
        attribute.minimum = reader.string(.minValueString)
        attribute.maximum = reader.string(.maxValueString)
        attribute.minimumDateInterval = reader.string(.minDateTimeInterval)
        attribute.maximumDateInterval = reader.string(.maxDateTimeInterval)
        attribute.regularExpression = reader.string(.regularExpressionString)
        attribute.valueTransformerName = reader.string(.valueTransformerName)
        attribute.customClassName = reader.string(.customClassName)
        attribute.allowsExternalBinaryStorage = reader.flag(.allowsExternalBinaryDataStorage, &findings) ?? false
        attribute.allowsCloudEncryption = reader.flag(.allowsCloudEncryption, &findings) ?? false
        attribute.isPreservedAfterDeletion = reader.flag(.preserveAfterDeletion, &findings) ?? false
        attribute.isIndexedBySpotlight = reader.flag(.spotlightIndexingEnabled, &findings) ?? false
        attribute.isStoredInTruthFile = reader.flag(.storedInTruthFile, &findings) ?? false
        attribute.isDerived = reader.flag(.derived, &findings) ?? false
        attribute.derivationExpression = reader.string(.derivationExpression)
        attribute.compositeName = reader.string(.composite)
        attribute.renamingIdentifier = reader.string(.elementID)
        attribute.versionHashModifier = reader.string(.versionHashModifier)
        attribute.origin = reader.origin
        attribute.unrecognized = reader.leftovers(&findings)
        attribute.userInfo = readUserInfo(in: element, &attribute.unrecognized)
        return attribute
    }

    private mutating func readRelationship(_ index: Int) -> Relationship {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var relationship = Relationship(
            name: reader.requiredString(.name), destinationName: reader.string(.destinationEntity))
        relationship.isOptional = reader.flag(.optional, &findings) ?? false
        relationship.isTransient = reader.flag(.transient, &findings) ?? false
        relationship.isToMany = reader.flag(.toMany, &findings) ?? false
        relationship.isOrdered = reader.flag(.ordered, &findings) ?? false
        relationship.minimumCount = reader.integer(.minCount, &findings)
        relationship.maximumCount = reader.integer(.maxCount, &findings)
        if let rule = reader.string(.deletionRule) {
            relationship.deleteRule = DeleteRule(xmlValue: rule)
            if relationship.deleteRule == nil {
                relationship.unknownDeleteRule = rule
                findings.record(
                    ModelFinding(
                        .warning, rule: .malformedValue, "“\(rule)” is not a delete rule", at: reader.origin,
                        attribute: "deletionRule", help: "Write “Nullify”, “Cascade”, “Deny” or “No Action”."))
            }
        }
        relationship.inverseName = reader.string(.inverseName)
        relationship.inverseEntityName = reader.string(.inverseEntity)
        relationship.isIndexed = reader.flag(.indexed, &findings) ?? false
        relationship.isIndexedBySpotlight = reader.flag(.spotlightIndexingEnabled, &findings) ?? false
        relationship.isStoredInTruthFile = reader.flag(.storedInTruthFile, &findings) ?? false
        relationship.isSyncable = reader.flag(.syncable, &findings)
        relationship.renamingIdentifier = reader.string(.elementID)
        relationship.versionHashModifier = reader.string(.versionHashModifier)
        relationship.origin = reader.origin
        relationship.unrecognized = reader.leftovers(&findings)
        relationship.userInfo = readUserInfo(in: element, &relationship.unrecognized)
        return relationship
    }

    /// Reads the elements inside an attribute or a relationship, which has no others.
    private mutating func readUserInfo(
        in parent: XMLElement, _ unrecognized: inout [UnrecognizedItem]
    ) -> [UserInfoEntry] {
        var entries: [UserInfoEntry] = []
        for child in parent.children {
            if tree.elements[child].name == "userInfo" {
                entries += readUserInfo(child, &unrecognized)
            } else {
                unknown(child, in: parent.name, &unrecognized)
            }
        }
        return entries
    }
}
