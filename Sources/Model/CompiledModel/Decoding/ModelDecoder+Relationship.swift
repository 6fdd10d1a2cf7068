internal import ModelSchema

extension ModelDecoder {
    /// Reads a relationship (Documentation/Formats/CompiledModel.md, 2.5).
    mutating func decodeRelationship(_ object: ObjectID, name: String) -> Relationship {
        let destination = reader.object(.destinationEntity, of: object)
        let named = reader.string(.destinationEntityName, of: object)
        var relationship = Relationship(name: name, destinationName: destination.flatMap { entityNames[$0] } ?? named)
        let flags = propertyFlags(of: object)
        relationship.isOptional = flags.contains(.isOptional)
        relationship.isTransient = flags.contains(.isTransient)
        relationship.isOrdered = flags.contains(.isOrdered)
        relationship.isIndexed = reader.flag(.isIndexed, of: object)
        let maximum = reader.integer(.maximumCount, of: object) ?? 1
        relationship.isToMany = maximum != 1
        relationship.maximumCount = maximum == 0 ? nil : maximum
        relationship.minimumCount = reader.integer(.minimumCount, of: object).flatMap { $0 == 0 ? nil : $0 }
        decodeDeleteRule(of: object, into: &relationship)
        decodeInverse(of: object, into: &relationship)
        relationship.renamingIdentifier = renamingIdentifier(of: object, name: name)
        relationship.versionHashModifier = reader.string(.versionHashModifier, of: object)
        relationship.userInfo = decodeUserInfo(of: object)
        if reader.object(.validationPredicates, of: object) != nil {
            reader.reporter.unsupported(
                "\(reader.describe(object)): the validation of “\(name)” cannot be represented in a model's source")
        }
        return relationship
    }

    private mutating func decodeDeleteRule(of object: ObjectID, into relationship: inout Relationship) {
        guard let number = reader.integer(.deleteRule, of: object) else { return }
        relationship.deleteRule = DeleteRule(rawValue: number)
        if relationship.deleteRule == nil {
            relationship.unknownDeleteRule = String(number)
            reader.reporter.malformed(
                "\(reader.describe(object)): “\(relationship.name)” has the unknown delete rule \(number)")
        }
    }

    private mutating func decodeInverse(of object: ObjectID, into relationship: inout Relationship) {
        relationship.inverseName = reader.string(.inverseRelationshipName, of: object)
        guard let inverse = reader.object(.inverseRelationship, of: object) else { return }
        if relationship.inverseName == nil { relationship.inverseName = reader.string(.propertyName, of: inverse) }
        // The inverse may belong to an ancestor of the destination, but a source names the destination.
        relationship.inverseEntityName = relationship.destinationName
    }
}
