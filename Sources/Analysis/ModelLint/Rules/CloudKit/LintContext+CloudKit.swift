internal import CloudKitSchema
internal import ModelSchema

extension LintContext {
    /// The entities that are synchronized with CloudKit, and their ancestors: with the profile `cloudkit`, or if the
    /// model marks configurations as used with CloudKit (`MirroredEntities`).
    var cloudKitEntities: [Entity] {
        guard let mirrored else { return [] }
        return mirrored.configurations.isEmpty ? entities : cloudKitTrees.flatMap(\.members)
    }

    /// The inheritance trees of these entities, each of which is one record type.
    var cloudKitTrees: [InheritanceTrees.Tree] {
        guard let mirrored else { return [] }
        return InheritanceTrees(mirrored.entities, in: model).trees
    }
}

extension Entity {
    /// The properties that CloudKit has a field for, with the type of the field if it is known.
    var cloudKitProperties: [(name: String, type: FieldType?, origin: ElementOrigin?)] {
        attributes.filter { !$0.isTransient }.map { ($0.name, $0.cloudKitType, $0.origin) }
            + relationships.filter { !$0.isTransient && !$0.isToMany }.map { ($0.name, .string, $0.origin) }
    }
}
