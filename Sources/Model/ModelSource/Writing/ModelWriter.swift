package import ModelSchema

/// Writes a model as the `contents` file that Xcode would save: elements and attributes in the order of
/// Documentation/Formats/ModelSource.md, 3, verified with every model in the corpus that Xcode saved last.
///
/// Everything that the schema holds is written. Unrecognized items, comments and text are not. Entities and properties
/// are written in the model's order.
package struct ModelWriter {
    private var writer = XMLWriter()

    /// Returns the file, in UTF-8.
    package static func contents(of model: Model) -> [UInt8] {
        var writer = ModelWriter()
        writer.write(model)
        return Array(writer.writer.text.utf8)
    }

    private mutating func write(_ model: Model) {
        let settings = model.settings
        let identifier = settings.userDefinedModelVersionIdentifier
        let isOld = CanonicalOrder.wasSavedByXcode7OrEarlier(toolsVersion: settings.lastSavedToolsVersion)
        writer.element(
            "model",
            attributes: [
                (.name, settings.legacyName), (.userDefinedModelVersionIdentifier, isOld ? identifier : nil),
                (.type, settings.type), (.documentVersion, settings.documentVersion),
                (.lastSavedToolsVersion, settings.lastSavedToolsVersion), (.systemVersion, settings.systemVersion),
                (.minimumToolsVersion, settings.minimumToolsVersion), (.sourceLanguage, settings.sourceLanguage),
                (.usedWithCloudKit, Self.flag(settings.usedWithCloudKit)),
                (.usedWithSwiftData, Self.flag(settings.usedWithSwiftData)),
                (.userDefinedModelVersionIdentifier, isOld ? nil : identifier),
                (.macOSVersion, settings.macOSVersion), (.iOSVersion, settings.iOSVersion),
            ]
        ) { writer in
            for entity in model.entities { Self.write(entity, &writer) }
            for request in model.fetchRequests { Self.write(request, &writer) }
            for configuration in model.configurations {
                writer.element(
                    "configuration",
                    attributes: [
                        (.name, configuration.name), (.usedWithCloudKit, Self.flag(configuration.usedWithCloudKit)),
                    ]
                ) { writer in
                    for member in configuration.members {
                        writer.element("memberEntity", attributes: [(.name, member.entityName)])
                    }
                }
            }
            for composite in model.composites {
                writer.element("composite", attributes: [(.name, composite.name)]) { writer in
                    for attribute in composite.attributes { Self.write(attribute, &writer) }
                }
            }
            guard !model.canvas.isEmpty else { return }
            writer.element("elements") { writer in
                for box in model.canvas {
                    writer.element(
                        "element",
                        attributes: [
                            (.name, box.name), (.positionX, box.positionX), (.positionY, box.positionY),
                            (.width, box.width), (.height, box.height),
                        ])
                }
            }
        }
    }

    private static func write(_ entity: Entity, _ writer: inout XMLWriter) {
        let mode: String? =
            switch entity.codeGeneration {
            case .manual: nil
            case .classDefinition: "class"
            case .category: "category"
            case .unknown(let value): value
            }
        writer.element(
            "entity",
            attributes: [
                (.name, entity.name),
                (.representedClassName, entity.className.text.isEmpty ? nil : entity.className.text),
                (.isAbstract, yes(entity.isAbstract)), (.parentEntity, entity.parentName),
                (.elementID, entity.renamingIdentifier), (.versionHashModifier, entity.versionHashModifier),
                (.syncable, flag(entity.isSyncable)), (.codeGenerationType, mode),
                (.coreSpotlightDisplayNameExpression, entity.spotlightDisplayNameExpression),
            ]
        ) { writer in
            for attribute in entity.attributes { write(attribute, &writer) }
            for relationship in entity.relationships { write(relationship, &writer) }
            for property in entity.fetchedProperties { write(property, &writer) }
            writeGroups(
                "compoundIndex", member: "index", groups: entity.compoundIndexes.map(\.properties),
                list: "compoundIndexes", writer: &writer)
            for index in entity.fetchIndexes { write(index, &writer) }
            writeGroups(
                "uniquenessConstraint", member: "constraint", groups: entity.uniquenessConstraints.map(\.properties),
                list: "uniquenessConstraints", writer: &writer)
            write(entity.userInfo, &writer)
        }
    }

    private static func write(_ attribute: Attribute, _ writer: inout XMLWriter) {
        let type = attribute.unknownType ?? (attribute.type == .undefined ? nil : attribute.type.xmlValue)
        writer.element(
            "attribute",
            attributes: [
                (.name, attribute.name), (.optional, yes(attribute.isOptional)),
                (.transient, yes(attribute.isTransient)), (.attributeType, type),
                (.valueTransformerName, attribute.valueTransformerName),
                (.allowsExternalBinaryDataStorage, yes(attribute.allowsExternalBinaryStorage)),
                (.allowsCloudEncryption, yes(attribute.allowsCloudEncryption)),
                (.minDateTimeInterval, attribute.minimumDateInterval), (.minValueString, attribute.minimum),
                (.maxDateTimeInterval, attribute.maximumDateInterval), (.maxValueString, attribute.maximum),
                (.defaultDateTimeInterval, attribute.defaultDateInterval),
                (.defaultValueString, attribute.defaultValue), (.derived, yes(attribute.isDerived)),
                (.derivationExpression, attribute.derivationExpression),
                (.usesScalarValueType, flag(attribute.usesScalarType)),
                (.customClassName, attribute.customClassName),
                (.preserveAfterDeletion, yes(attribute.isPreservedAfterDeletion)),
                (.composite, attribute.compositeName), (.regularExpressionString, attribute.regularExpression),
                (.indexed, yes(attribute.isIndexed)), (.spotlightIndexingEnabled, yes(attribute.isIndexedBySpotlight)),
                (.storedInTruthFile, yes(attribute.isStoredInTruthFile)),
                (.versionHashModifier, attribute.versionHashModifier), (.elementID, attribute.renamingIdentifier),
                (.syncable, flag(attribute.isSyncable)),
            ]
        ) { write(attribute.userInfo, &$0) }
    }

    private static func write(_ relationship: Relationship, _ writer: inout XMLWriter) {
        writer.element(
            "relationship",
            attributes: [
                (.name, relationship.name), (.optional, yes(relationship.isOptional)),
                (.transient, yes(relationship.isTransient)), (.toMany, yes(relationship.isToMany)),
                (.minCount, relationship.minimumCount.map { String($0) }),
                (.maxCount, relationship.maximumCount.map { String($0) }),
                (.deletionRule, relationship.deleteRule?.xmlValue ?? relationship.unknownDeleteRule),
                (.ordered, yes(relationship.isOrdered)), (.destinationEntity, relationship.destinationName),
                (.inverseName, relationship.inverseName), (.inverseEntity, relationship.inverseEntityName),
                (.indexed, yes(relationship.isIndexed)),
                (.spotlightIndexingEnabled, yes(relationship.isIndexedBySpotlight)),
                (.storedInTruthFile, yes(relationship.isStoredInTruthFile)),
                (.versionHashModifier, relationship.versionHashModifier),
                (.elementID, relationship.renamingIdentifier), (.syncable, flag(relationship.isSyncable)),
            ]
        ) { write(relationship.userInfo, &$0) }
    }

    private static func write(_ property: FetchedProperty, _ writer: inout XMLWriter) {
        writer.element(
            "fetchedProperty",
            attributes: [
                (.name, property.name), (.optional, yes(property.isOptional)),
                (.versionHashModifier, property.versionHashModifier), (.elementID, property.renamingIdentifier),
                (.syncable, flag(property.isSyncable)),
            ]
        ) { writer in
            if let request = property.fetchRequest { write(request, &writer) }
            write(property.userInfo, &writer)
        }
    }

    private static func write(_ request: FetchRequestTemplate, _ writer: inout XMLWriter) {
        writer.element(
            "fetchRequest",
            attributes: [
                (.name, request.name), (.entity, request.entityName), (.predicateString, request.predicate),
                (.fetchLimit, request.fetchLimit.map { String($0) }),
                (.fetchBatchSize, request.fetchBatchSize.map { String($0) }),
                (.includeSubentities, flag(request.includesSubentities)),
                (.includePropertyValues, flag(request.includesPropertyValues)),
                (.includesPendingChanges, flag(request.includesPendingChanges)),
                (.returnObjectsAsFaults, flag(request.returnsObjectsAsFaults)),
                (.returnDistinctResults, flag(request.returnsDistinctResults)),
                (.resultType, request.resultType.map { String($0) }),
            ])
    }

    private static func write(_ index: FetchIndex, _ writer: inout XMLWriter) {
        writer.element(
            "fetchIndex", attributes: [(.name, index.name), (.partialIndexPredicate, index.partialIndexPredicate)]
        ) { writer in
            for element in index.elements {
                writer.element(
                    "fetchIndexElement",
                    attributes: [
                        (.property, element.propertyName), (.expression, element.expression), (.type, element.type),
                        (.order, element.isAscending ? "ascending" : "descending"),
                    ])
            }
        }
    }

    private static func writeGroups(
        _ group: String, member: String, groups: [[PropertyMention]], list: String, writer: inout XMLWriter
    ) {
        guard !groups.isEmpty else { return }
        writer.element(list) { writer in
            for names in groups {
                writer.element(group) { writer in
                    for name in names { writer.element(member, attributes: [(.value, name.name)]) }
                }
            }
        }
    }

    private static func write(_ userInfo: [UserInfoEntry], _ writer: inout XMLWriter) {
        guard !userInfo.isEmpty else { return }
        writer.element("userInfo") { writer in
            for entry in userInfo { writer.element("entry", attributes: [(.key, entry.key), (.value, entry.value)]) }
        }
    }

    private static func yes(_ flag: Bool) -> String? { flag ? "YES" : nil }

    private static func flag(_ flag: Bool?) -> String? { flag.map { $0 ? "YES" : "NO" } }
}
