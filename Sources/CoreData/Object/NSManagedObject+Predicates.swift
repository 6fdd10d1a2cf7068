internal import Foundation

/// Predicates and expressions read objects by slot: no key is looked up, and no number is boxed.
extension NSManagedObject: SlotReadable {
    /// The layout.
    package final var slotTable: AnyObject { layout }

    /// The identity of the layout.
    package final var slotTableID: ObjectIdentifier { ObjectIdentifier(state.pointee.layout) }

    /// The object's ID, which stands for the object in comparisons.
    package final var predicateIdentity: NSObject? { objectID }

    /// The number of a property.
    package final func slot(forKey key: String) -> Int? { layout.index(of: key) }

    /// The value of a property.
    package final func slotValue(_ slot: Int) -> PredicateValue {
        switch realizedSlots()[slot] {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .float(let value): .real(Double(value))
        case .string(let value): .string(value)
        case .date(let value): .date(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): .uuid(value)
        case .data(let value): .data(value)
        case .object(let value): PredicateValue(any: value)
        case .boxed(let box): PredicateValue(any: box.value)
        case .managed(let object): .slotted(object)
        case .reference: toOne(at: slot).map { .slotted($0) } ?? .null
        case .many(let storage): Self.collection(storage)
        case .null: missingValue(slot)
        }
    }

    private final func missingValue(_ slot: Int) -> PredicateValue {
        switch layout.slots[slot].kind {
        case .attribute, .toOne: .null
        case .toMany: Self.collection(toMany(at: slot))
        case .fetched: PredicateValue(any: anyValue(at: slot))
        }
    }

    private static func collection(_ storage: ToManyStorage) -> PredicateValue {
        .collection(
            PredicateCollection(
                storage.members.map { .slotted($0) }, kind: storage.isOrdered ? .orderedSet : .set))
    }
}
