internal import Foundation

/// The delete rules that a batch deletion follows.
package enum BatchDeletionRules {
    /// Returns the slots of an entity's relationships with a delete rule.
    package static func relationships(of entity: some MappedEntity, _ rule: NSDeleteRule) -> [Int] {
        (entity.layout.toOneSlots + entity.layout.toManySlots).filter {
            entity.layout.slots[$0].deleteRule == rule && !entity.layout.slots[$0].isTransient
        }
    }

    /// Throws an error if delete rules or required relationships prevent the deletion of an entity's rows.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - store: The store, for errors.
    ///   - destination: Returns the entity at the other end of the relationship at a slot, and `nil` if the store does
    ///     not hold it.
    ///   - stays: Returns whether one of the rows at the other end is not deleted.
    package static func check<Entity: MappedEntity>(
        _ entity: Entity, in store: some BuiltInEngine, destination: (Int) -> Entity?, stays: (Int) throws -> Bool
    ) throws {
        for slot in relationships(of: entity, .denyDeleteRule) {
            guard destination(slot) != nil, try stays(slot) else { continue }
            let name = entity.layout.slots[slot].name
            throw CoreDataError.error(
                .validationRelationshipDeniedDelete,
                text:
                    "objects of the entity “\(entity.layout.name)” cannot be deleted: others are related to them by “\(name)”",
                userInfo: [NSValidationKeyErrorKey: name, NSAffectedStoresErrorKey: store.affectedStores])
        }
        for slot in relationships(of: entity, .nullifyDeleteRule) {
            let description = entity.layout.slots[slot]
            guard description.inverse >= 0, !description.inverseIsToMany, let destination = destination(slot),
                destination.layout.slots.indices.contains(description.inverse)
            else { continue }
            let inverse = destination.layout.slots[description.inverse]
            guard !inverse.isOptional, try stays(slot) else { continue }
            throw CoreDataError.error(
                .persistentStoreSave,
                text: "Constraint trigger violation: Batch delete failed due to mandatory nullify inverse on "
                    + "\(destination.layout.name)/\(inverse.name)",
                userInfo: [NSValidationKeyErrorKey: inverse.name, NSAffectedStoresErrorKey: store.affectedStores])
        }
    }
}
