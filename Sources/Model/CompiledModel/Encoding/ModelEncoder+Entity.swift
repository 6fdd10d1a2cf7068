internal import Diagnostics
internal import ModelSchema

extension ModelEncoder {
    /// Writes an entity (Documentation/Formats/CompiledModel.md, 2.2).
    mutating func encode(_ entity: Entity, _ record: EntityRecord) {
        var properties: [(key: String, value: Reference)] = []
        let indexed = entity.impliedIndexedNames
        for attribute in entity.attributes {
            let reference = encode(
                attribute, of: entity.name, record.reference, isIndexed: indexed.contains(attribute.name))
            properties.append((attribute.name, reference))
        }
        var written: Set<String> = []
        for relationship in entity.relationships where written.insert(relationship.name).inserted {
            guard let reference = record.relationships[relationship.name] else { continue }
            encode(relationship, as: reference, of: record.reference)
            properties.append((relationship.name, reference))
        }
        for property in entity.fetchedProperties {
            properties.append((property.name, encode(property, of: record.reference)))
        }
        let children = record.children.map { child in
            let name = model.entities[child].name
            return (key: name, value: entityReference(name))
        }
        let userInfo = entity.userInfo.isEmpty ? emptyUserInfo : encode(entity.userInfo)
        var values: [(ArchiveKey, KeyedArchiveBuilder.Value)] = [
            (.entityName, .reference(builder.add(entity.name))),
            (.entityClassName, .reference(builder.add(className(of: entity)))),
            (.model, .reference(root)),
            (.superentity, .reference(entityReference(entity.parentName))),
            (.subentities, .reference(builder.add(.mutableDictionary, entries: children))),
            (.properties, .reference(builder.add(.mutableDictionary, entries: properties))),
            (.userInfo, .reference(userInfo)),
            (.versionHashModifier, .reference(builder.add(entity.versionHashModifier.nonEmpty))),
            (.renamingIdentifier, .reference(builder.add(entity.renamingIdentifier.nonEmpty ?? entity.name))),
        ]
        if entity.isAbstract { values.append((.isAbstract, .boolean(true))) }
        if entity.spotlightDisplayNameExpression.nonEmpty != nil {
            report(
                warning: .lostWhenCompiled, "the Spotlight display name of “\(entity.name)” is not compiled",
                at: entity.origin, attribute: "coreSpotlightDisplayNameExpression",
                why: "Apple's encoding of it is unknown.")
        }
        let constraints = entity.uniquenessConstraints.filter { !$0.properties.isEmpty }
        if options.isSwiftData || !constraints.isEmpty {
            let tuples = constraints.map { builder.add(.mutableArray, texts: $0.properties.map(\.name)) }
            values.append((.uniqueTuples, .reference(builder.add(.mutableArray, elements: tuples))))
        }
        values += encodeIndexes(of: entity, record.reference)
        builder.define(record.reference, archivedClass: .entity, values: values)
    }

    /// Returns the class as in the file: `nil` if there is none, and with the module in place of the leading dot.
    private func className(of entity: Entity) -> String? {
        guard !entity.className.text.isEmpty else { return nil }
        if case .currentProduct = entity.className.module, let moduleName = options.moduleName.nonEmpty {
            return moduleName + entity.className.text
        }
        return entity.className.text
    }

    private mutating func encodeIndexes(
        of entity: Entity, _ reference: Reference
    ) -> [(ArchiveKey, KeyedArchiveBuilder.Value)] {
        guard !entity.fetchIndexes.isEmpty else {
            let indexes = entity.compoundIndexes.map { $0.propertyNames.map(\.name) }.filter { !$0.isEmpty }
            guard !indexes.isEmpty else { return encodeIndexFlags(of: entity) }
            let lists = indexes.map { builder.add(.mutableArray, texts: $0) }
            return [(.compoundIndexes, .reference(builder.add(.array, elements: lists)))]
        }
        var indexes: [Reference] = []
        var compound: [Reference] = []
        for index in entity.fetchIndexes {
            guard let encoded = encode(index, of: entity, reference) else { continue }
            indexes.append(encoded)
            let names = index.elements.compactMap(\.propertyName)
            if names.count > 1 { compound.append(builder.add(.mutableArray, texts: names)) }
        }
        return [
            (.fetchIndexes, .reference(builder.add(.mutableArray, elements: indexes))),
            (.compoundIndexes, .reference(builder.add(.mutableArray, elements: compound))),
        ]
    }

    /// Writes the index flags of a model that Xcode 9 or later saved, as fetch indexes
    /// (Documentation/Formats/CompiledModel.md, 2.9).
    private mutating func encodeIndexFlags(of entity: Entity) -> [(ArchiveKey, KeyedArchiveBuilder.Value)] {
        guard let major = model.settings.toolsMajorVersion, major >= 13_000 else { return [] }
        let indexes = entity.attributes.filter(\.isIndexed).compactMap { attribute in
            var index = FetchIndex(name: attribute.name)
            index.elements = [FetchIndex.Element(propertyName: attribute.name)]
            return encode(index, of: entity, .null)
        }
        guard !indexes.isEmpty else { return [] }
        return [
            (.fetchIndexes, .reference(builder.add(.mutableArray, elements: indexes))),
            (.compoundIndexes, .reference(builder.add(.mutableArray, elements: []))),
        ]
    }

    /// Writes a fetch index (Documentation/Formats/CompiledModel.md, 2.9). Returns `nil` for one with an expression,
    /// whose form is unknown.
    private mutating func encode(_ index: FetchIndex, of entity: Entity, _ owner: Reference) -> Reference? {
        if let element = index.elements.first(where: { $0.propertyName.nonEmpty == nil }) {
            report(
                warning: .unsupportedFetchIndex,
                "the fetch index “\(entity.name).\(index.name)” has an element without a property and is left out",
                at: element.origin, why: "Apple's encoding of expressions in indexes is unknown.")
            return nil
        }
        let reference = builder.announce()
        var elements: [Reference] = []
        for element in index.elements {
            let isRTree = element.type == "RTree"
            if isRTree { report(unproven: "the R-tree index “\(entity.name).\(index.name)”", at: element.origin) }
            elements.append(
                builder.add(
                    .fetchIndexElement,
                    [
                        (.propertyName, .reference(builder.add(element.propertyName))),
                        (.indexElementType, .integer(isRTree ? 1 : 0)),
                        (.fetchIndex, .reference(reference)),
                        (.isAscending, .boolean(element.isAscending)),
                    ]))
        }
        var predicate = Reference.null
        if let text = index.partialIndexPredicate.nonEmpty {
            predicate = encode(
                predicate: text, for: "the fetch index “\(entity.name).\(index.name)”", at: index.origin,
                attribute: "partialIndexPredicate")
            report(unproven: "the partial index “\(entity.name).\(index.name)”", at: index.origin)
        }
        builder.define(
            reference, archivedClass: .fetchIndex,
            values: [
                (.indexName, .reference(builder.add(index.name))),
                (.indexElements, .reference(builder.add(.array, elements: elements))),
                (.entity, .reference(owner)),
                (.partialIndexPredicate, .reference(predicate)),
            ])
        return reference
    }

    mutating func encode(_ userInfo: [UserInfoEntry]) -> Reference {
        var entries: [(key: String, value: Reference)] = []
        for entry in userInfo { entries.append((entry.key, builder.add(entry.value))) }
        return builder.add(.dictionary, entries: entries)
    }
}

extension Optional where Wrapped == String {
    /// The text, or `nil` if it is empty. Apple's compiler archives an empty default and an empty transformer name
    /// unchanged; no file shows what it does with other empty XML attributes, which are treated as absent here.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
