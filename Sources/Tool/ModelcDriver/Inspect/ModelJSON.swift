internal import Diagnostics
internal import ModelSchema

/// A model as JSON, with everything that the schema holds. Unset values are omitted, so that the common case is short.
struct ModelJSON {
    private let hashes: EntityVersionHashes

    /// Creates a printer that adds these hashes to the entities.
    init(hashes: EntityVersionHashes) {
        self.hashes = hashes
    }

    /// Returns the members of the model itself.
    func members(_ model: Model) -> [(key: String, value: JSONValue)] {
        compact([
            ("versionIdentifier", text(model.settings.userDefinedModelVersionIdentifier)),
            ("toolsVersion", text(model.settings.lastSavedToolsVersion)),
            ("minimumToolsVersion", text(model.settings.minimumToolsVersion)),
            ("sourceLanguage", text(model.settings.sourceLanguage)),
            ("usedWithCloudKit", flag(model.settings.usedWithCloudKit)),
            ("usedWithSwiftData", flag(model.settings.usedWithSwiftData)),
            ("entities", .array(model.entities.map(entity))),
            ("fetchRequests", list(model.fetchRequests.map(fetchRequest))),
            (
                "configurations",
                list(
                    model.configurations.map { configuration in
                        .object(
                            compact([
                                ("name", .string(configuration.name)),
                                ("usedWithCloudKit", flag(configuration.usedWithCloudKit)),
                                ("entities", .array(configuration.members.map { .string($0.entityName) })),
                            ]))
                    })
            ),
            (
                "composites",
                list(
                    model.composites.map {
                        .object([
                            ("name", .string($0.name)), ("attributes", .array($0.attributes.map(attribute))),
                        ])
                    })
            ),
        ])
    }

    private func entity(_ entity: Entity) -> JSONValue {
        .object(
            compact([
                ("name", .string(entity.name)),
                ("versionHash", text(hashes[entity.name]?.hexString)),
                ("className", text(entity.className.text.isEmpty ? nil : entity.className.text)),
                ("codeGeneration", text(codeGeneration(entity.codeGeneration))),
                ("parent", text(entity.parentName)),
                ("isAbstract", flag(entity.isAbstract)),
                ("renamingIdentifier", text(entity.renamingIdentifier)),
                ("versionHashModifier", text(entity.versionHashModifier)),
                ("spotlightDisplayNameExpression", text(entity.spotlightDisplayNameExpression)),
                ("attributes", list(entity.attributes.map(attribute))),
                ("relationships", list(entity.relationships.map(relationship))),
                (
                    "fetchedProperties",
                    list(
                        entity.fetchedProperties.map {
                            .object(
                                compact([
                                    ("name", .string($0.name)), ("isOptional", flag($0.isOptional)),
                                    ("fetchRequest", $0.fetchRequest.map(fetchRequest)),
                                    ("renamingIdentifier", text($0.renamingIdentifier)),
                                    ("versionHashModifier", text($0.versionHashModifier)),
                                    ("userInfo", userInfo($0.userInfo)),
                                ]))
                        })
                ),
                ("fetchIndexes", list(entity.fetchIndexes.map(fetchIndex))),
                ("compoundIndexes", list(entity.compoundIndexes.map { names($0.properties) })),
                ("uniquenessConstraints", list(entity.uniquenessConstraints.map { names($0.properties) })),
                ("userInfo", userInfo(entity.userInfo)),
            ]))
    }

    private func attribute(_ attribute: Attribute) -> JSONValue {
        .object(
            compact([
                ("name", .string(attribute.name)),
                ("type", .string(attribute.unknownType ?? attribute.type.xmlValue)),
                ("composite", text(attribute.compositeName)),
                ("isOptional", flag(attribute.isOptional)),
                ("isTransient", flag(attribute.isTransient)),
                ("isIndexed", flag(attribute.isIndexed)),
                ("usesScalarType", flag(attribute.usesScalarType)),
                ("defaultValue", text(attribute.defaultValue)),
                ("defaultDateInterval", text(attribute.defaultDateInterval)),
                ("minimum", text(attribute.minimum)),
                ("maximum", text(attribute.maximum)),
                ("minimumDateInterval", text(attribute.minimumDateInterval)),
                ("maximumDateInterval", text(attribute.maximumDateInterval)),
                ("regularExpression", text(attribute.regularExpression)),
                ("valueTransformerName", text(attribute.valueTransformerName)),
                ("customClassName", text(attribute.customClassName)),
                ("allowsExternalBinaryStorage", flag(attribute.allowsExternalBinaryStorage)),
                ("allowsCloudEncryption", flag(attribute.allowsCloudEncryption)),
                ("isPreservedAfterDeletion", flag(attribute.isPreservedAfterDeletion)),
                ("isIndexedBySpotlight", flag(attribute.isIndexedBySpotlight)),
                ("isStoredInTruthFile", flag(attribute.isStoredInTruthFile)),
                ("derivationExpression", text(attribute.derivationExpression)),
                ("renamingIdentifier", text(attribute.renamingIdentifier)),
                ("versionHashModifier", text(attribute.versionHashModifier)),
                ("userInfo", userInfo(attribute.userInfo)),
            ]))
    }

    private func relationship(_ relationship: Relationship) -> JSONValue {
        .object(
            compact([
                ("name", .string(relationship.name)),
                ("destination", text(relationship.destinationName)),
                ("inverse", text(relationship.inverseName)),
                ("isToMany", flag(relationship.isToMany)),
                ("isOrdered", flag(relationship.isOrdered)),
                ("isOptional", flag(relationship.isOptional)),
                ("isTransient", flag(relationship.isTransient)),
                ("isIndexed", flag(relationship.isIndexed)),
                ("isIndexedBySpotlight", flag(relationship.isIndexedBySpotlight)),
                ("isStoredInTruthFile", flag(relationship.isStoredInTruthFile)),
                ("minimumCount", relationship.minimumCount.map { .integer($0) }),
                ("maximumCount", relationship.maximumCount.map { .integer($0) }),
                ("deleteRule", text(relationship.deleteRule?.xmlValue ?? relationship.unknownDeleteRule)),
                ("renamingIdentifier", text(relationship.renamingIdentifier)),
                ("versionHashModifier", text(relationship.versionHashModifier)),
                ("userInfo", userInfo(relationship.userInfo)),
            ]))
    }

    private func fetchRequest(_ request: FetchRequestTemplate) -> JSONValue {
        .object(
            compact([
                ("name", .string(request.name)),
                ("entity", text(request.entityName)),
                ("predicate", text(request.predicate)),
                ("fetchLimit", request.fetchLimit.map { .integer($0) }),
                ("fetchBatchSize", request.fetchBatchSize.map { .integer($0) }),
                ("resultType", request.resultType.map { .integer($0) }),
                ("includesSubentities", request.includesSubentities.map { .bool($0) }),
                ("includesPropertyValues", request.includesPropertyValues.map { .bool($0) }),
                ("includesPendingChanges", request.includesPendingChanges.map { .bool($0) }),
                ("returnsObjectsAsFaults", request.returnsObjectsAsFaults.map { .bool($0) }),
                ("returnsDistinctResults", request.returnsDistinctResults.map { .bool($0) }),
            ]))
    }

    private func fetchIndex(_ index: FetchIndex) -> JSONValue {
        let elements = index.elements.map { element in
            JSONValue.object(
                compact([
                    ("property", text(element.propertyName)), ("expression", text(element.expression)),
                    ("type", text(element.type)), ("isAscending", .bool(element.isAscending)),
                ]))
        }
        return .object(
            compact([
                ("name", .string(index.name)), ("elements", .array(elements)),
                ("partialIndexPredicate", text(index.partialIndexPredicate)),
            ]))
    }

    private func codeGeneration(_ mode: CodeGenerationMode) -> String? {
        switch mode {
        case .manual: nil
        case .classDefinition: "class"
        case .category: "category"
        case .unknown(let value): value
        }
    }

    private func names(_ mentions: [PropertyMention]) -> JSONValue { .array(mentions.map { .string($0.name) }) }

    private func userInfo(_ entries: [UserInfoEntry]) -> JSONValue? {
        entries.isEmpty ? nil : .object(entries.map { ($0.key, .string($0.value)) })
    }

    private func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    private func flag(_ flag: Bool?) -> JSONValue? { flag == true ? .bool(true) : nil }

    private func list(_ values: [JSONValue]) -> JSONValue? { values.isEmpty ? nil : .array(values) }

    private func compact(_ members: [(String, JSONValue?)]) -> [(key: String, value: JSONValue)] {
        members.compactMap { key, value in value.map { (key: key, value: $0) } }
    }
}
