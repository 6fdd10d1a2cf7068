internal import Foundation
internal import RuntimeSupport

/// Computes the derived attributes that no trigger maintains: dates of saves, and strings that are folded or taken from
/// other properties of the object.
enum DerivedValues {
    /// Returns a row with the derived attributes of an object that is being saved.
    static func row(_ row: Row, of object: NSManagedObject, _ entity: some MappedEntity) -> Row {
        if entity.derivedSlots.isEmpty { return row }
        let slots = entity.mapping.derived.filter { !$0.hasTriggers }.map(\.slot)
        guard !slots.isEmpty else { return row }
        return Row.make(values(Array(row.values), slots: slots, of: object, entity: entity), version: row.version)
    }

    /// Returns the values of a row without a managed object, with those derived attributes that only depend on its
    /// attributes.
    static func plain(_ values: [SlotValue], _ entity: some MappedEntity) -> [SlotValue] {
        if entity.derivedSlots.isEmpty { return values }
        let slots = entity.mapping.derived.filter { !$0.hasTriggers }.map(\.slot)
        guard !slots.isEmpty else { return values }
        let attributes = NSMutableDictionary()
        for slot in entity.layout.attributeSlots {
            attributes[entity.layout.slots[slot].name] = values[slot].anyValue
        }
        return self.values(values, slots: slots, of: attributes, entity: entity)
    }

    private static func values(
        _ values: [SlotValue], slots: [Int], of object: Any, entity: some MappedEntity
    ) -> [SlotValue] {
        var values = values
        for slot in slots {
            guard let attribute = entity.layout.slots[slot].property as? NSDerivedAttributeDescription,
                let expression = attribute.derivationExpression
            else { continue }
            let value = Unwrapping.value(expression.expressionValue(with: object, context: nil))
            values[slot] = value.flatMap { ValueConversion.slotValue($0, attribute.attributeType) } ?? .null
        }
        return values
    }
}
