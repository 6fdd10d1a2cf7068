internal import ModelSchema

extension ModelDecoder {
    /// Reads an entity (Documentation/Formats/CompiledModel.md, 2.2).
    mutating func decodeEntity(_ object: ObjectID, name: String) -> Entity {
        reader.reportUnknownKeys(of: object)
        var entity = Entity(name: name)
        entity.className = ClassName(reader.string(.entityClassName, of: object) ?? "")
        entity.isAbstract = reader.flag(.isAbstract, of: object)
        let parent = reader.object(.superentity, of: object)
        entity.parentName = parent.flatMap { entityNames[$0] ?? reader.string(.entityName, of: $0) }
        if parent != nil, entity.parentName == nil {
            reader.reporter.malformed("\(reader.describe(object)): NSSuperentity is not an entity of the model")
        }
        entity.renamingIdentifier = renamingIdentifier(of: object, name: name)
        entity.versionHashModifier = reader.string(.versionHashModifier, of: object)
        entity.userInfo = decodeUserInfo(of: object)
        decodeProperties(of: object, parent: parent, into: &entity)
        for tuple in reader.list(.uniqueTuples, of: object) ?? [] {
            let names = mentions(tuple, in: .uniqueTuples, of: object)
            entity.uniquenessConstraints.append(UniquenessConstraint(properties: names))
        }
        decodeIndexes(of: object, into: &entity)
        return entity
    }

    private mutating func decodeProperties(of object: ObjectID, parent: ObjectID?, into entity: inout Entity) {
        let inherited = parent.map { inheritedNames(of: $0) } ?? []
        for (key, property) in reader.dictionary(.properties, of: object) ?? [] {
            // The model in a store repeats inherited properties in every subentity.
            if inherited.contains(key) { continue }
            decodeProperty(property, key: key, into: &entity)
        }
        entity.attributes.sortByName(\.name)
        entity.relationships.sortByName(\.name)
        entity.fetchedProperties.sortByName(\.name)
    }

    private mutating func decodeProperty(_ property: ObjectID, key: String, into entity: inout Entity) {
        guard let target = resolveProxy(property) else {
            reader.reporter.malformed(
                "the property “\(entity.name).\(key)” is \(reader.describe(property)), which is not a property")
            return
        }
        reader.reportUnknownKeys(of: target)
        let name = reader.string(.propertyName, of: target) ?? key
        switch reader.archive.recognizedClass(of: target) {
        case .attribute, .derivedAttribute, .compositeAttribute:
            entity.attributes.append(decodeAttribute(target, name: name, entity: entity.name, depth: 0))
        case .relationship: entity.relationships.append(decodeRelationship(target, name: name))
        default: entity.fetchedProperties.append(decodeFetchedProperty(target, name: name))
        }
    }

    /// Returns the property itself, or the one that a proxy stands for. Models in stores can have proxies of inherited
    /// properties; no sample with a proxy of another property is known, so all objects that it refers to are tried.
    private func resolveProxy(_ object: ObjectID) -> ObjectID? {
        if isProperty(object) { return object }
        guard reader.archive.classInfo(of: object)?.name.contains("Proxy") == true else { return nil }
        return reader.archive.unknownReferences(of: object).first { isProperty($0) }
    }

    private func isProperty(_ object: ObjectID) -> Bool {
        switch reader.archive.recognizedClass(of: object) {
        case .attribute, .derivedAttribute, .compositeAttribute, .relationship, .fetchedProperty: true
        default: false
        }
    }

    /// Returns the names of the properties that an entity has in the archive, read once for all of its subentities.
    private mutating func inheritedNames(of entity: ObjectID) -> Set<String> {
        if let names = propertyNames[entity] { return names }
        let names = Set((reader.dictionary(.properties, of: entity) ?? []).map(\.key))
        propertyNames[entity] = names
        return names
    }

    private mutating func decodeIndexes(of object: ObjectID, into entity: inout Entity) {
        for index in reader.list(.fetchIndexes, of: object) ?? [] {
            guard reader.archive.recognizedClass(of: index) == .fetchIndex else {
                reader.reporter.malformed("\(reader.describe(index)) is not a fetch index")
                continue
            }
            let decoded = decodeFetchIndex(index)
            guard let attribute = entity.attributes.firstIndex(where: { $0.name == decoded.name }),
                reader.object(.entity, of: index) == nil, decoded.isIndexFlag
            else {
                entity.fetchIndexes.append(decoded)
                continue
            }
            entity.attributes[attribute].isIndexed = true
        }
        guard entity.fetchIndexes.isEmpty else {
            // The compiler also marks the attribute of a single-attribute index as indexed
            // (Documentation/Formats/CompiledModel.md, 2.4).
            let implied = entity.impliedIndexedNames
            for position in entity.attributes.indices where implied.contains(entity.attributes[position].name) {
                entity.attributes[position].isIndexed = false
            }
            return
        }
        for index in reader.list(.compoundIndexes, of: object) ?? [] {
            entity.compoundIndexes.append(
                CompoundIndex(properties: mentions(index, in: .compoundIndexes, of: object)))
        }
    }

    private mutating func decodeFetchIndex(_ object: ObjectID) -> FetchIndex {
        reader.reportUnknownKeys(of: object)
        var index = FetchIndex(name: reader.string(.indexName, of: object) ?? "")
        for element in reader.list(.indexElements, of: object) ?? [] {
            guard reader.archive.recognizedClass(of: element) == .fetchIndexElement else {
                reader.reporter.malformed("\(reader.describe(element)) is not an element of a fetch index")
                continue
            }
            reader.reportUnknownKeys(of: element)
            var column = FetchIndex.Element(propertyName: reader.string(.propertyName, of: element))
            switch reader.integer(.indexElementType, of: element) {
            case 1: column.type = "RTree"
            default: column.type = "Binary"
            }
            // Every known element has the key; without it, the default of the class applies.
            if case .absent = reader.archive.value(.isAscending, of: element) {
                column.isAscending = true
            } else {
                column.isAscending = reader.flag(.isAscending, of: element)
            }
            index.elements.append(column)
        }
        if let predicate = reader.object(.partialIndexPredicate, of: object) {
            index.partialIndexPredicate = decodePredicate(predicate)
        }
        return index
    }

    private mutating func mentions(_ list: ObjectID, in key: ArchiveKey, of object: ObjectID) -> [PropertyMention] {
        guard let elements = reader.elements(of: list) else {
            reader.wrong(key, of: object, expected: "a list of lists")
            return []
        }
        return elements.compactMap { element in
            // Programmatic models may refer to the property itself.
            let name = reader.string(element) ?? (isProperty(element) ? reader.string(.propertyName, of: element) : nil)
            if name == nil { reader.wrong(key, of: object, expected: "a list of lists of names") }
            return name.map { PropertyMention(name: $0) }
        }
    }

    /// Returns the renaming identifier, or `nil` if it is the name, which the compiler writes if a source has none.
    mutating func renamingIdentifier(of object: ObjectID, name: String) -> String? {
        let identifier = reader.string(.renamingIdentifier, of: object)
        return identifier == name ? nil : identifier
    }

    /// Returns the entries of `NSUserInfo`, sorted by key. A source can hold only strings.
    mutating func decodeUserInfo(of object: ObjectID) -> [UserInfoEntry] {
        var entries: [UserInfoEntry] = []
        for (key, value) in reader.dictionary(.userInfo, of: object) ?? [] {
            if let text = reader.string(value) {
                entries.append(UserInfoEntry(key: key, value: text))
            } else {
                reader.reporter.unsupported(
                    "\(reader.describe(object)): the value of “\(key)” in NSUserInfo is not a string")
            }
        }
        return entries.sortedByName(\.key)
    }
}
