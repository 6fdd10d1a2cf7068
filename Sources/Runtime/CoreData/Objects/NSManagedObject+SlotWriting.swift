internal import Foundation
internal import RuntimeSupport

/// Setting of values by key-value coding, and their checks.
extension NSManagedObject {
    /// Sets a property as key-value coding does.
    final func setAnyValue(_ value: Any?, at index: Int) {
        let slot = layout.slots[index]
        let value = Unwrapping.value(value)
        switch slot.kind {
        case .attribute(let type): setAttribute(converted(value, type: type, slot: slot), at: index)
        case .toOne: setToOne(object(value, slot), at: index)
        case .toMany: setToMany(objects(value, slot), at: index)
        case .fetched:
            misuse(
                "NSInvalidArgumentException",
                "“\(layout.name).\(slot.name)” is a fetched property, which cannot be set")
        }
    }

    /// Sets an attribute, and records the change.
    final func setAttribute(_ value: SlotValue, at index: Int) {
        realize()
        recordChange()
        guard observers != nil else { return writableSlots()[index] = value }
        announcing(index) { writableSlots()[index] = value }
    }

    /// Converts a key-value coding value to a slot's type. Traps if its class is wrong.
    final func converted(_ value: Any?, type: NSAttributeType, slot: EntityLayout.Slot) -> SlotValue {
        guard let value else { return .null }
        if let composite = slot.property as? NSCompositeAttributeDescription {
            if let converted = CompositeValue.converted(value, composite.elements) { return .object(converted) }
        } else if let converted = ValueConversion.slotValue(value, type) {
            return converted
        }
        misuse(
            "NSInvalidArgumentException",
            "Unacceptable type of value for attribute: property = \"\(slot.name)\"; entity = \(layout.name); desired type = "
                + "\(type.valueClassName ?? "NSObject"); given type = \(Swift.type(of: value)); value = \(value).")
    }

    final func object(_ value: Any?, _ slot: EntityLayout.Slot) -> NSManagedObject? {
        guard let value else { return nil }
        guard let object = value as? NSManagedObject else {
            wrongValue(value, slot: slot, requested: "NSManagedObject")
        }
        check(object, slot)
        return object
    }

    final func objects(_ value: Any?, _ slot: EntityLayout.Slot) -> [NSManagedObject] {
        guard let value else { return [] }
        let list: [Any]
        switch value {
        case let set as NSOrderedSet: list = set.array
        case let set as NSSet: list = set.allObjects
        case let array as [Any]: list = array
        case let set as Set<AnyHashable>: list = set.map(\.base)
        default:
            wrongValue(value, slot: slot, requested: slot.kind == .toMany(isOrdered: true) ? "NSOrderedSet" : "NSSet")
        }
        return list.map { element in
            guard let object = element as? NSManagedObject else {
                wrongValue(element, slot: slot, requested: "NSManagedObject")
            }
            check(object, slot)
            return object
        }
    }

    private final func wrongValue(_ value: Any, slot: EntityLayout.Slot, requested: String) -> Never {
        misuse(
            "NSInvalidArgumentException",
            "Unacceptable type of value for \(slot.kind == .toOne ? "to-one" : "to-many") relationship: property = "
                + "\"\(slot.name)\"; entity = \(layout.name); desired type = \(requested); given type = "
                + "\(Swift.type(of: value)); value = \(value).")
    }

    /// Traps if an object cannot be the destination of a relationship.
    final func check(_ object: NSManagedObject, at index: Int) {
        // The common case: an object of the destination entity itself, in the same context.
        if layout.slots[index].destination == object.layout.entityIdentity,
            state.pointee.context?.toOpaque() == object.state.pointee.context?.toOpaque()
        {
            return
        }
        check(object, layout.slots[index])
    }

    /// Traps if an object cannot be the destination of a slot's relationship.
    final func check(_ object: NSManagedObject, _ slot: EntityLayout.Slot) {
        if let relationship = slot.property as? NSRelationshipDescription,
            let destination = relationship.destinationEntity, !object.entity.isKindOf(entity: destination)
        {
            misuse(
                "NSInvalidArgumentException",
                "Unacceptable type of value for relationship: property = \"\(slot.name)\"; entity = \(layout.name); desired "
                    + "entity = \(destination.name ?? ""); given entity = \(object.layout.name).")
        }
        guard let own = managedObjectContext else { return }
        guard let other = object.managedObjectContext else {
            guard !object.hasTemporaryID else { return }
            misuse(
                "NSInvalidArgumentException",
                "Illegal attempt to establish a relationship “\(slot.name)” from \(layout.name) to an object that has left "
                    + "its context: the deletion of \(object.objectID.uriRepresentation()) was saved, or its context was "
                    + "reset. Check managedObjectContext, or fetch the object again")
        }
        if own !== other {
            misuse(
                "NSInvalidArgumentException",
                "Illegal attempt to establish a relationship “\(slot.name)” between objects in different contexts "
                    + "(source: \(layout.name), destination: \(object.layout.name)). Get the object in this context with "
                    + "object(with:)")
        }
    }
}
