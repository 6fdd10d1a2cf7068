internal import Foundation
internal import RuntimeSupport

/// Computes the derived attributes that no trigger maintains: dates of saves, and strings that are folded or taken from
/// other properties of the object.
package enum DerivedValues {
    /// Returns a row with the derived attributes that the caller has computed for a change.
    package static func row(_ row: Row, of change: ObjectChange) -> Row {
        if change.derived.isEmpty { return row }
        var values = Array(row.values)
        for (slot, value) in change.derived { values[slot] = value }
        return Row.make(values, version: row.version)
    }

    /// Returns the values of a row without a managed object, with those derived attributes that only depend on its
    /// attributes.
    package static func plain(_ values: [SlotValue], _ entity: some MappedEntity) -> [SlotValue] {
        let slots = entity.callerDerivedSlots
        guard !slots.isEmpty else { return values }
        let attributes = NSMutableDictionary()
        for slot in entity.layout.attributeSlots {
            attributes[entity.layout.slots[slot].name] = values[slot].anyValue
        }
        var values = values
        for (slot, value) in computed(slots, of: attributes, entity.layout) { values[slot] = value }
        return values
    }

    /// Computes derived attributes of an object from its other properties.
    ///
    /// - Parameter object: An object with values for the properties' names.
    static func computed(
        _ slots: [Int], of object: Any, _ layout: EntityLayout
    ) -> [(slot: Int, value: SlotValue)] {
        slots.compactMap { slot in
            guard let attribute = layout.slots[slot].property as? NSDerivedAttributeDescription,
                let expression = attribute.derivationExpression
            else { return nil }
            let value = Unwrapping.value(expression.expressionValue(with: object, context: nil))
            return (slot, value.flatMap { ValueConversion.slotValue($0, attribute.attributeType) } ?? .null)
        }
    }
}
