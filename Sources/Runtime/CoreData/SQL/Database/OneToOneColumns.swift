internal import Foundation

/// The columns of both sides of a one-to-one relationship.
struct OneToOneColumns<Entity: MappedEntity> {
    let own: ToOneColumns
    let inverse: ToOneColumns
    let entity: Entity
    let destination: Entity
    let name: String
    let inverseName: String

    /// Finds the columns of the relationship at a slot; nil unless both sides are to-one.
    init?(_ slot: Int, of entity: Entity, in store: some DatabaseStore<Entity>) {
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
    func failure(in store: AnyObject) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text:
                "“\(entity.layout.name).\(name)” relates single objects: a batch update cannot give the same one to several",
            userInfo: [NSAffectedStoresErrorKey: [store]])
    }
}
