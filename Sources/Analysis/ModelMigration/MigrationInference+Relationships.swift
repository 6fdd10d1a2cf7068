internal import ModelSchema

extension MigrationInference {
    /// Returns the destinations of a relationship in both versions if objects of the old one are not objects of the new
    /// one.
    func lostDestination(_ old: Relationship, _ new: Relationship) -> (old: String, new: String)? {
        guard let before = old.destinationName, let after = new.destinationName,
            !destination.isEntity(destinationNames[before] ?? before, kindOf: after)
        else { return nil }
        return (before, after)
    }

    /// Returns the name of a relationship's to-one inverse if both versions have it, but the two were not inverses in
    /// the source.
    mutating func separateInverse(_ old: Relationship, _ new: Relationship) -> String? {
        guard let after = destination.inverse(of: new), !after.isToMany, let entityName = new.destinationName,
            let newEntity = destination.entities[entityName],
            let oldEntity = sourceNames[entityName].flatMap({ source.entities[$0] })
        else { return nil }
        let pair = propertyMatch(oldEntity, newEntity).pairs.first {
            $0.destination.property.kind == .relationship && $0.destination.name == after.name
        }
        guard case .relationship(let before)? = pair?.source.property, lostDestination(before, after) == nil,
            !before.isToMany,
            source.inverse(of: old)?.name != before.name || source.inverse(of: before)?.name != old.name
        else { return nil }
        return after.name
    }

    /// Returns whether the inverse cannot be migrated, which is reported there.
    func inverseBecomesToOne(_ old: Relationship, _ new: Relationship) -> Bool {
        guard let before = source.inverse(of: old), let after = destination.inverse(of: new) else { return false }
        let isPair =
            before.name == after.name
            || Property.relationship(before).canonicalName == Property.relationship(after).canonicalName
        return isPair && before.isToMany && !after.isToMany
    }
}
