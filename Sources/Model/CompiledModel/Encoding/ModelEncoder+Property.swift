internal import ModelSchema

extension ModelEncoder {
    typealias Values = [(ArchiveKey, KeyedArchiveBuilder.Value)]

    /// The values that all kinds of properties have (Documentation/Formats/CompiledModel.md, 2.3).
    struct CommonValues {
        var name: String
        var owner: Reference
        var isOptional: Bool
        var isTransient = false
        var isReadOnly = false
        var isOrdered = false
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [UserInfoEntry]
        var predicates: [Reference] = []
        var warnings: [Int] = []
    }

    /// Returns the keys and values that all kinds of properties have.
    mutating func encode(_ common: CommonValues) -> Values {
        var flags: PropertyFlags = .always
        var values: Values = [
            (.propertyName, .reference(builder.add(common.name))),
            (.entity, .reference(common.owner)),
            (.renamingIdentifier, .reference(builder.add(common.renamingIdentifier.nonEmpty ?? common.name))),
        ]
        for (isSet, key, flag) in [
            (common.isOptional, ArchiveKey.isOptional, PropertyFlags.isOptional),
            (common.isTransient, .isTransient, .isTransient),
            (common.isReadOnly, .isReadOnly, .isReadOnly),
            (common.isOrdered, .isOrdered, .isOrdered),
        ] where isSet {
            values.append((key, .boolean(true)))
            flags.insert(flag)
        }
        if common.userInfo.isEmpty {
            flags.insert(.hasNoUserInfo)
        } else {
            values.append((.userInfo, .reference(encode(common.userInfo))))
        }
        if common.predicates.isEmpty {
            flags.insert([.hasNoValidationPredicates, .hasNoValidationWarnings])
        } else {
            values.append((.validationPredicates, .reference(builder.add(.array, elements: common.predicates))))
            let warnings = common.warnings.map { builder.add(Int64($0)) }
            values.append((.validationWarnings, .reference(builder.add(.array, elements: warnings))))
        }
        if let modifier = common.versionHashModifier.nonEmpty {
            values.append((.versionHashModifier, .reference(builder.add(modifier))))
        } else {
            flags.insert(.hasNoVersionHashModifier)
        }
        values.append((.propertyFlags, .integer(flags.rawValue)))
        return values
    }

    /// Writes a relationship (Documentation/Formats/CompiledModel.md, 2.5).
    mutating func encode(_ relationship: Relationship, as reference: Reference, of owner: Reference) {
        var common = CommonValues(
            name: relationship.name, owner: owner, isOptional: relationship.isOptional, userInfo: relationship.userInfo)
        common.isTransient = relationship.isTransient
        common.isOrdered = relationship.isOrdered
        common.renamingIdentifier = relationship.renamingIdentifier
        common.versionHashModifier = relationship.versionHashModifier
        var values = encode(common)
        let inverseName = relationship.inverseName.nonEmpty
        let inverse = inverseName.flatMap {
            // A source may name the entity that the inverse is declared in instead of the destination.
            relationshipReference($0, in: relationship.destinationName)
                ?? relationshipReference($0, in: relationship.inverseEntityName)
        }
        values += [
            (.destinationEntity, .reference(entityReference(relationship.destinationName))),
            (.destinationEntityName, .reference(builder.add(relationship.destinationName.nonEmpty))),
            (.inverseRelationship, .reference(inverse ?? .null)),
            (.inverseRelationshipName, .reference(builder.add(inverseName))),
            (.maximumCount, .integer(relationship.compiledMaximumCount)),
            (.minimumCount, .integer(relationship.compiledMinimumCount)),
            // Core Data's default is Nullify. Xcode always writes the delete rule.
            (.deleteRule, .integer((relationship.deleteRule ?? .nullify).rawValue)),
        ]
        if relationship.isIndexed { values.append((.isIndexed, .boolean(true))) }
        builder.define(reference, archivedClass: .relationship, values: values)
    }

    /// Writes a fetched property (Documentation/Formats/CompiledModel.md, 2.5).
    mutating func encode(_ property: FetchedProperty, of owner: Reference) -> Reference {
        var common = CommonValues(
            name: property.name, owner: owner, isOptional: property.isOptional, userInfo: property.userInfo)
        common.isTransient = true
        common.isReadOnly = true
        common.renamingIdentifier = property.renamingIdentifier
        common.versionHashModifier = property.versionHashModifier
        var values = encode(common)
        values.append((.fetchRequest, .reference(property.fetchRequest.map { encode($0) } ?? .null)))
        values.append((.fetchRequestEntityName, .reference(builder.add(property.fetchRequest?.entityName.nonEmpty))))
        return builder.add(.fetchedProperty, values)
    }

    /// Writes a fetch request (Documentation/Formats/CompiledModel.md, 2.7).
    mutating func encode(_ request: FetchRequestTemplate) -> Reference {
        let resultType = request.resultType ?? 0
        var flags = FetchRequestFlags.standard(resultType: resultType)
        for (value, flag) in [
            (request.returnsDistinctResults, FetchRequestFlags.returnsDistinctResults),
            (request.includesSubentities, .includesSubentities),
            (request.includesPropertyValues, .includesPropertyValues),
            (request.returnsObjectsAsFaults, .returnsObjectsAsFaults),
            (request.includesPendingChanges, .includesPendingChanges),
        ] {
            switch value {
            case true?: flags.insert(flag)
            case false?: flags.remove(flag)
            case nil: break
            }
        }
        var predicate = Reference.null
        if let text = request.predicate.nonEmpty {
            predicate = encode(
                predicate: text, for: "the fetch request “\(request.name)”", at: request.origin,
                attribute: "predicateString")
        }
        return builder.add(
            .fetchRequest,
            [
                (.entity, .reference(entityReference(request.entityName))),
                (.predicate, .reference(predicate)),
                (.sortDescriptors, .reference(.null)),
                (.valuesToFetch, .reference(.null)),
                (.havingPredicate, .reference(.null)),
                (.valuesToGroupBy, .reference(.null)),
                (.prefetchedKeyPaths, .reference(.null)),
                (.hasFetchRequestFlags, .boolean(true)),
                (.fetchRequestFlags, .integer(flags.rawValue)),
                (.resultType, .integer(resultType)),
                (.fetchLimit, .integer(request.fetchLimit ?? 0)),
                (.fetchOffset, .integer(0)),
                (.batchSize, .integer(request.fetchBatchSize ?? 0)),
                (.allocationType, .integer(0)),
            ])
    }
}
