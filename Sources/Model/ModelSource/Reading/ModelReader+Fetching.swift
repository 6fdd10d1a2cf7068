internal import ModelSchema

extension ModelReader {
    mutating func readFetchedProperty(_ index: Int) -> FetchedProperty {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var property = FetchedProperty(name: reader.requiredString(.name))
        property.isOptional = reader.flag(.optional, &findings) ?? false
        property.isSyncable = reader.flag(.syncable, &findings)
        property.versionHashModifier = reader.string(.versionHashModifier)
        property.renamingIdentifier = reader.string(.elementID)
        property.origin = reader.origin
        property.unrecognized = reader.leftovers(&findings)
        for child in element.children {
            switch tree.elements[child].name {
            case "fetchRequest" where property.fetchRequest == nil: property.fetchRequest = readFetchRequest(child)
            case "userInfo": property.userInfo += readUserInfo(child, &property.unrecognized)
            default: unknown(child, in: element.name, &property.unrecognized)
            }
        }
        return property
    }

    mutating func readFetchRequest(_ index: Int) -> FetchRequestTemplate {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var request = FetchRequestTemplate(name: reader.requiredString(.name), entityName: reader.string(.entity))
        request.predicate = reader.string(.predicateString)
        request.fetchLimit = reader.integer(.fetchLimit, &findings)
        request.fetchBatchSize = reader.integer(.fetchBatchSize, &findings)
        request.includesSubentities = reader.flag(.includeSubentities, &findings)
        request.includesPropertyValues = reader.flag(.includePropertyValues, &findings)
        request.includesPendingChanges = reader.flag(.includesPendingChanges, &findings)
        request.returnsObjectsAsFaults = reader.flag(.returnObjectsAsFaults, &findings)
        request.returnsDistinctResults = reader.flag(.returnDistinctResults, &findings)
        request.resultType = reader.integer(.resultType, &findings)
        request.origin = reader.origin
        request.unrecognized = reader.leftovers(&findings)
        noChildren(element, &request.unrecognized)
        return request
    }

    mutating func readFetchIndex(_ index: Int) -> FetchIndex {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var fetchIndex = FetchIndex(name: reader.requiredString(.name))
        fetchIndex.partialIndexPredicate = reader.string(.partialIndexPredicate)
        fetchIndex.origin = reader.origin
        fetchIndex.unrecognized = reader.leftovers(&findings)
        for child in element.children {
            guard tree.elements[child].name == "fetchIndexElement" else {
                unknown(child, in: element.name, &fetchIndex.unrecognized)
                continue
            }
            var reader = ElementReader(tree.elements[child], index: child)
            var column = FetchIndex.Element(propertyName: reader.string(.property))
            column.expression = reader.string(.expression)
            column.type = reader.string(.type)
            column.isAscending = reader.string(.order) != "descending"
            column.origin = reader.origin
            column.unrecognized = reader.leftovers(&findings)
            noChildren(tree.elements[child], &column.unrecognized)
            fetchIndex.elements.append(column)
        }
        return fetchIndex
    }

    mutating func readCompoundIndexes(_ index: Int, _ unrecognized: inout [UnrecognizedItem]) -> [CompoundIndex] {
        readGroups(index, group: "compoundIndex", member: "index", &unrecognized)
            .map { CompoundIndex(properties: $0.members, origin: $0.origin) }
    }

    mutating func readUniquenessConstraints(
        _ index: Int, _ unrecognized: inout [UnrecognizedItem]
    ) -> [UniquenessConstraint] {
        readGroups(index, group: "uniquenessConstraint", member: "constraint", &unrecognized)
            .map { UniquenessConstraint(properties: $0.members, origin: $0.origin) }
    }

    /// Reads a list of groups of names: `<…s><group><member value="name"/>…</group>…</…s>`.
    private mutating func readGroups(
        _ index: Int, group: String, member: String, _ unrecognized: inout [UnrecognizedItem]
    ) -> [(members: [PropertyMention], origin: ElementOrigin)] {
        let list = tree.elements[index]
        unrecognized += ElementReader(list, index: index).leftovers(&findings)
        var groups: [(members: [PropertyMention], origin: ElementOrigin)] = []
        for child in list.children {
            let element = tree.elements[child]
            guard element.name == group else {
                unknown(child, in: list.name, &unrecognized)
                continue
            }
            unrecognized += ElementReader(element, index: child).leftovers(&findings)
            var members: [PropertyMention] = []
            for grandchild in element.children {
                if tree.elements[grandchild].name == member {
                    members.append(mention(grandchild, attribute: .value, &unrecognized))
                } else {
                    unknown(grandchild, in: element.name, &unrecognized)
                }
            }
            groups.append((members, ElementOrigin(index: child)))
        }
        return groups
    }
}
