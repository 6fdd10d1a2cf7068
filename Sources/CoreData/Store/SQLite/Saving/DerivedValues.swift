internal import Foundation

/// Computes the derived attributes that no trigger keeps: dates of saves, and texts that are folded or taken from other
/// properties of the object.
enum DerivedValues {
    /// A row with the derived attributes of an object that is being saved.
    static func row(_ row: Row, of object: NSManagedObject, _ entity: StoredEntity) -> Row {
        let slots = entity.mapping.derived.filter { !$0.hasTriggers }.map(\.slot)
        guard !slots.isEmpty else { return row }
        var values = row.values
        for slot in slots {
            guard let attribute = entity.layout.slots[slot].property as? NSDerivedAttributeDescription,
                let expression = attribute.derivationExpression
            else { continue }
            let value = ValueConversion.unwrapped(expression.expressionValue(with: object, context: nil))
            values[slot] = value.flatMap { ValueConversion.slotValue($0, attribute.attributeType) } ?? .null
        }
        return Row(values: values, version: row.version)
    }
}
