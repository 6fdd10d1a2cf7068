internal import CompiledMapping
internal import CompiledModel
internal import Diagnostics
package import ModelSchema

extension EditorModel {
    /// Returns a model as the copy that Xcode keeps in mapping models (Documentation/Formats/MappingModel.md, 1.3).
    ///
    /// - Returns: The copy, and a warning for each part that affects version hashes and that the copy cannot express,
    ///   so that Xcode would compute different hashes from it.
    package static func encoded(_ model: Model) -> (bytes: [UInt8], findings: [ModelFinding]) {
        var encoder = EditorModelEncoder(model)
        let bytes = encoder.encode()
        return (bytes, encoder.findings)
    }
}

/// Writes the archive of Xcode's old model editor.
private struct EditorModelEncoder {
    typealias Reference = KeyedArchiveBuilder.Reference
    typealias Values = [(ArchiveKey, KeyedArchiveBuilder.Value)]

    private let model: Model
    private var builder = KeyedArchiveBuilder()
    private(set) var findings: [ModelFinding] = []
    private let package: Reference
    /// The first entity with each name.
    private var entities: [String: (reference: Reference, index: Int)] = [:]
    /// The relationships, by entity and name.
    private var relationships: [String: [String: Reference]] = [:]
    /// The links from entities to their parents, by entity.
    private var generalizations: [String: Reference] = [:]
    private var children: [String: [String]] = [:]
    private let recordClass: Reference

    init(_ model: Model) {
        self.model = model
        package = builder.announce()
        recordClass = builder.add(
            .editorClass,
            [
                (.editorName, .reference(builder.add("XDGenericRecordClass"))), (.editorElementID, .reference(.null)),
                (.editorIsAbstract, .boolean(false)), (.editorOwner, .reference(.null)),
                (.editorVisibility, .integer(0)),
            ])
        for (index, entity) in model.entities.enumerated() where entities[entity.name] == nil {
            entities[entity.name] = (builder.announce(), index)
            for relationship in entity.relationships {
                relationships[entity.name, default: [:]][relationship.name] = builder.announce()
            }
        }
        for entity in model.entities where entity.parentName.map({ entities[$0] != nil }) == true {
            guard generalizations[entity.name] == nil, let parent = entity.parentName else { continue }
            generalizations[entity.name] = builder.announce()
            children[parent, default: []].append(entity.name)
        }
    }

    mutating func encode() -> [UInt8] {
        let root = builder.announce()
        var entries: [(key: String, value: Reference)] = []
        for (index, entity) in model.entities.enumerated() {
            guard let record = entities[entity.name], record.index == index else { continue }
            encode(entity, as: record.reference)
            entries.append((entity.name, record.reference))
        }
        let yes = builder.add("YES")
        let empty = builder.add(.mutableDictionary, entries: [])
        builder.define(
            package, archivedClass: .editorPackage,
            values: [
                (.editorClassesEncoded, .reference(yes)),
                (.editorClasses, .reference(builder.add(.mutableDictionary, entries: entries))),
                (.editorPackagesEncoded, .reference(yes)), (.editorPackages, .reference(empty)),
                (.editorInterfacesEncoded, .reference(yes)), (.editorInterfaces, .reference(empty)),
                (.editorDataTypesEncoded, .reference(yes)), (.editorDataTypes, .reference(empty)),
                (.editorModel, .reference(root)), (.editorOwner, .reference(.null)), (.editorVisibility, .integer(0)),
                (.editorName, .reference(builder.add(""))), (.editorElementID, .reference(.null)),
            ])
        builder.define(
            root, archivedClass: .editorModel,
            values: [
                (.editorPackage, .reference(package)),
                (.editorComments, .reference(builder.add(.mutableArray, elements: []))),
                (.editorModelManager, .reference(.null)),
                (.editorConfigurations, .reference(builder.add(.mutableDictionary, entries: []))),
                (.editorModelName, .reference(.null)),
                (
                    .editorVersionIdentifier,
                    .reference(builder.add(model.settings.userDefinedModelVersionIdentifier ?? ""))
                ),
            ])
        return builder.finish(root: root)
    }

    // MARK: Elements

    private mutating func encode(_ entity: Entity, as reference: Reference) {
        let settings: [(String, Reference)] = [
            ("XD_PSK_isAbstract", builder.add(entity.isAbstract)),
            ("XD_PSK_entityClassName", builder.add(entity.className.text.isEmpty ? nil : entity.className.text)),
            ("XD_PSK_elementID", builder.add(entity.renamingIdentifier)),
            ("XD_PSK_versionHashModifier", builder.add(entity.versionHashModifier)),
            ("XD_PSK_userInfo", builder.add(userInfo: entity.userInfo)),
            ("XD_PSK_fetchRequestsArray", builder.add(.mutableArray, elements: [])),
            ("XD_PSK_classMapping", recordClass),
            (
                "XDPMUniquenessConstraints",
                nameLists(entity.uniquenessConstraints.map { $0.properties.map(\.name) })
            ),
            ("XDPMCompoundIndexes", nameLists(entity.compoundIndexes.map { $0.propertyNames.map(\.name) })),
        ]
        var properties: [(key: String, value: Reference)] = []
        for attribute in entity.attributes {
            properties.append((attribute.name, encode(attribute, of: entity, reference)))
        }
        for relationship in entity.relationships {
            guard let own = relationships[entity.name]?[relationship.name] else { continue }
            encode(relationship, as: own, of: entity, reference)
            properties.append((relationship.name, own))
        }
        var values: Values = bucket(
            storage: .editorAttributes, encoded: .editorAttributesEncoded, ordered: .editorAttributesOrdered,
            builder.add(.mutableDictionary, entries: properties))
        values += stereotypes([("XD_PStereotype", settings)], of: reference)
        var parents: [Reference] = []
        if let link = generalizations[entity.name], let parent = entity.parentName.flatMap({ entities[$0] }) {
            builder.define(
                link, archivedClass: .editorGeneralization,
                values: [
                    (.editorName, .reference(.null)), (.editorSpecific, .reference(reference)),
                    (.editorOwner, .reference(reference)), (.editorElementID, elementID("\(entity.name):parent")),
                    (.editorGeneral, .reference(parent.reference)), (.editorVisibility, .integer(0)),
                ])
            parents = [link]
        }
        values += bucket(
            storage: .editorGeneralizations, encoded: .editorGeneralizationsEncoded,
            ordered: .editorGeneralizationsOrdered,
            builder.add(.mutableArray, elements: parents))
        values.append((.editorGeneralizationsDuplicates, .reference(builder.add("duplicates"))))
        let links = (children[entity.name] ?? []).compactMap { generalizations[$0] }
        if !links.isEmpty {
            values += bucket(
                storage: .editorSpecializations, encoded: .editorSpecializationsEncoded,
                ordered: .editorSpecializationsOrdered,
                builder.add(.mutableArray, elements: links))
            values.append((.editorSpecializationsDuplicates, .reference(builder.add("duplicates"))))
        }
        values += [
            (.editorName, .reference(builder.add(entity.name))), (.editorOwner, .reference(package)),
            (.editorElementID, elementID(entity.name)), (.editorIsAbstract, .boolean(false)),
            (.editorVisibility, .integer(0)),
        ]
        builder.define(reference, archivedClass: .editorEntity, values: values)
    }

    private mutating func encode(_ attribute: Attribute, of entity: Entity, _ owner: Reference) -> Reference {
        let reference = builder.announce()
        let name = "\(entity.name).\(attribute.name)"
        if attribute.isDerived || attribute.type == .composite || attribute.isPreservedAfterDeletion {
            let what =
                attribute.isDerived
                ? "derived" : attribute.type == .composite ? "composite" : "preserved after deletion"
            findings.append(
                ModelFinding(
                    .warning, rule: .incompleteMappingSource,
                    "the copy of the model cannot express that the attribute “\(name)” is \(what)",
                    at: attribute.origin,
                    why: "Xcode computes another version hash from the copy.",
                    help: "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models."))
        }
        let own: [(String, Reference)] = [
            ("XD_PAttK_attributeType", builder.add(Int64(attribute.type.rawValue))),
            ("XD_PAttK_defaultValueAsString", builder.add(attribute.defaultValue)),
            ("XD_PAttK_allowsExternalBinaryDataStorage", builder.add(attribute.allowsExternalBinaryStorage)),
            ("XD_PAttK_minValueString", builder.add(attribute.minimum)),
            ("XD_PAttK_maxValueString", builder.add(attribute.maximum)),
            ("XD_PAttK_regularExpressionString", builder.add(attribute.regularExpression)),
            ("XD_PAttK_valueTransformerName", builder.add(attribute.valueTransformerName)),
        ]
        let common = commonSettings(
            isOptional: attribute.isOptional, isTransient: attribute.isTransient, isIndexed: attribute.isIndexed,
            isIndexedBySpotlight: attribute.isIndexedBySpotlight, isStoredInTruthFile: attribute.isStoredInTruthFile,
            renamingIdentifier: attribute.renamingIdentifier, modifier: attribute.versionHashModifier,
            userInfo: attribute.userInfo)
        let values = stereotypes([("XD_PPropStereotype", common), ("XD_PAtt_Stereotype", own)], of: reference)
        builder.define(
            reference, archivedClass: .editorAttribute,
            values: values + property(attribute.name, owner: owner, id: elementID(name)))
        return reference
    }

    private mutating func encode(
        _ relationship: Relationship, as reference: Reference, of entity: Entity, _ owner: Reference
    ) {
        var own: [(String, Reference)] = [
            ("XD_PRK_minCount", builder.add(Int64(relationship.compiledMinimumCount))),
            ("XD_PRK_maxCount", builder.add(Int64(relationship.compiledMaximumCount))),
            ("XD_PRK_deleteRule", builder.add(Int64(relationship.deleteRule?.rawValue ?? 1))),
            ("XD_PRK_isToMany", builder.add(relationship.isToMany)),
            ("XD_PRK_ordered", builder.add(relationship.isOrdered)),
            ("XD_PRK_destination", relationship.destinationName.flatMap { entities[$0]?.reference } ?? .null),
        ]
        if let inverse = inverse(of: relationship) { own.append(("XD_PRK_inverseRelationship", inverse)) }
        let common = commonSettings(
            isOptional: relationship.isOptional, isTransient: relationship.isTransient,
            isIndexed: relationship.isIndexed, isIndexedBySpotlight: relationship.isIndexedBySpotlight,
            isStoredInTruthFile: relationship.isStoredInTruthFile,
            renamingIdentifier: relationship.renamingIdentifier, modifier: relationship.versionHashModifier,
            userInfo: relationship.userInfo)
        let values = stereotypes([("XD_PPropStereotype", common), ("XD_PR_Stereotype", own)], of: reference)
        let id = elementID("\(entity.name).\(relationship.name)")
        builder.define(
            reference, archivedClass: .editorRelationship,
            values: values + property(relationship.name, owner: owner, id: id))
    }

    /// Returns the inverse, from the destination entity or its ancestors.
    private func inverse(of relationship: Relationship) -> Reference? {
        guard let name = relationship.inverseName else { return nil }
        var current = relationship.destinationName
        var seen: Set<String> = []
        while let entity = current, seen.insert(entity).inserted, let record = entities[entity] {
            if let reference = relationships[entity]?[name] { return reference }
            current = model.entities[record.index].parentName
        }
        return nil
    }

    // MARK: Parts of elements

    private mutating func property(
        _ name: String, owner: Reference, id: KeyedArchiveBuilder.Value
    ) -> Values {
        [
            (.editorName, .reference(builder.add(name))), (.editorOwner, .reference(owner)), (.editorElementID, id),
            (.editorDefault, .reference(.null)),
        ] + Self.propertyFlags
    }

    private static let propertyFlags: Values = [
        (.editorType, .reference(.null)), (.editorAssociation, .reference(.null)), (.editorVisibility, .integer(0)),
        (.editorIsReadOnly, .boolean(false)), (.editorIsStatic, .boolean(false)), (.editorIsUnique, .boolean(false)),
        (.editorIsDerived, .boolean(false)), (.editorIsOrdered, .boolean(false)),
        (.editorIsComposite, .boolean(false)), (.editorIsLeaf, .boolean(false)),
    ]

    private mutating func commonSettings(
        isOptional: Bool, isTransient: Bool, isIndexed: Bool, isIndexedBySpotlight: Bool, isStoredInTruthFile: Bool,
        renamingIdentifier: String?, modifier: String?, userInfo: [UserInfoEntry]
    ) -> [(String, Reference)] {
        [
            ("XD_PPSK_isOptional", builder.add(isOptional)), ("XD_PPSK_isTransient", builder.add(isTransient)),
            ("XD_PPSK_isIndexed", builder.add(isIndexed)),
            ("XD_PPSK_isSpotlightIndexed", builder.add(isIndexedBySpotlight)),
            ("XD_PPSK_isStoredInTruthFile", builder.add(isStoredInTruthFile)),
            ("XD_PPSK_elementID", builder.add(renamingIdentifier)),
            ("XD_PPSK_versionHashModifier", builder.add(modifier)),
            ("XD_PPSK_userInfo", builder.add(userInfo: userInfo)),
        ]
    }

    private mutating func stereotypes(
        _ stereotypes: [(name: String, settings: [(String, Reference)])], of owner: Reference
    ) -> Values {
        var entries: [(key: String, value: Reference)] = []
        for (name, settings) in stereotypes {
            let stereotype = builder.announce()
            var members: [(key: String, value: Reference)] = []
            for (key, value) in settings {
                let common: Values = [
                    (.editorName, .reference(builder.add(key))), (.editorOwner, .reference(stereotype)),
                    (.editorElementID, .reference(.null)), (.editorDefault, .reference(value)),
                ]
                members.append((key, builder.add(.editorSetting, common + Self.propertyFlags)))
            }
            var values = bucket(
                storage: .editorAttributes, encoded: .editorAttributesEncoded, ordered: .editorAttributesOrdered,
                builder.add(.mutableDictionary, entries: members))
            values += [
                (.editorName, .reference(builder.add(name))), (.editorOwner, .reference(owner)),
                (.editorElementID, .reference(.null)), (.editorIsAbstract, .boolean(false)),
                (.editorVisibility, .integer(0)),
            ]
            builder.define(stereotype, archivedClass: .editorStereotype, values: values)
            entries.append((name, stereotype))
        }
        return bucket(
            storage: .editorStereotypes, encoded: .editorStereotypesEncoded, ordered: .editorStereotypesOrdered,
            builder.add(.mutableDictionary, entries: entries))
    }

    private mutating func bucket(
        storage: ArchiveKey, encoded: ArchiveKey, ordered: ArchiveKey, _ contents: Reference
    ) -> Values {
        [
            (storage, .reference(contents)), (encoded, .reference(builder.add("YES"))),
            (ordered, .reference(builder.add("ordered"))),
        ]
    }

    private mutating func nameLists(_ lists: [[String]]) -> Reference {
        var references: [Reference] = []
        for names in lists where !names.isEmpty { references.append(builder.add(.mutableArray, texts: names)) }
        return builder.add(.mutableArray, elements: references)
    }

    /// Returns a number for an element that is the same in each run.
    private mutating func elementID(_ name: String) -> KeyedArchiveBuilder.Value {
        .reference(builder.add(Int64(StableHash.of(name.utf8) & 0xFFFF_FFFF)))
    }
}
