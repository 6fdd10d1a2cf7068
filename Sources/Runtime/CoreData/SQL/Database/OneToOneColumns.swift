internal import Foundation

/// The columns of both sides of a one-to-one relationship.
package struct OneToOneColumns<Entity: MappedEntity> {
    package let own: ToOneColumns
    package let inverse: ToOneColumns
    let entity: Entity
    package let destination: Entity
    package let name: String
    package let inverseName: String

    /// Finds the columns of the relationship at a slot; `nil` unless both sides are to-one.
    package init?(_ slot: Int, of entity: Entity, in store: some DatabaseStore<Entity>) {
        let description = entity.layout.slots[slot]
        guard description.inverse >= 0, !description.inverseIsToMany,
            case .toOne(let own) = entity.mapping.slotColumns[slot],
            let destination = store.entity(number: own.destination),
            destination.mapping.slotColumns.indices.contains(description.inverse),
            case .toOne(let inverse) = destination.mapping.slotColumns[description.inverse]
        else { return nil }
        self.own = own
        self.inverse = inverse
        self.entity = entity
        self.destination = destination
        name = description.name
        inverseName = destination.layout.slots[description.inverse].name
    }

    /// Returns the error for a batch update that would relate several objects to the same one.
    package func failure(in store: some BuiltInEngine) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text:
                "“\(entity.layout.name).\(name)” relates single objects: a batch update cannot give the same one to several",
            userInfo: [NSAffectedStoresErrorKey: store.affectedStores])
    }
}
