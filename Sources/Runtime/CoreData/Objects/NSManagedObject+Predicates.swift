internal import Foundation

/// Access to objects by slot for predicates and expressions, without looking up keys or boxing numbers.
extension NSManagedObject: SlotReadable {
    package final var slotTable: AnyObject { layout }

    /// The identity of the layout.
    package final var slotTableID: ObjectIdentifier { ObjectIdentifier(layout) }

    /// The object's ID, which stands for the object in comparisons.
    package final var predicateIdentity: NSObject? { objectID }

    /// Returns the slot number of a property.
    package final func slot(forKey key: String) -> Int? { layout.index(of: key) }

    /// Returns the value of a property.
    package final func slotValue(_ slot: Int) -> PredicateValue {
        let value = realizedSlots()[slot]
        switch value {
        case .managed(let reference): return .slotted(reference.object)
        case .reference: return toOne(at: slot).map { .slotted($0) } ?? .null
        case .many(let members): return Self.collection(members.storage)
        case .null: return missingValue(slot)
        case .stored: return PredicateValue(attribute: attributeValue(at: slot))
        default: return PredicateValue(attribute: value)
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

extension NSManagedObject: KeyPathReadable {
    package final func sortValue(forKeyPath keyPath: String) -> Any? {
        guard let index = layout.index(of: keyPath), !layout.slots[index].isTransient else {
            // A class may override the method.
            return value(forKeyPath: keyPath)
        }
        return anyValue(at: index)
    }
}

extension NSManagedObject: KeyPathNaming {
    /// Returns the dotted key path of a Swift key path that leads to a property.
    package static func predicateKeys(of keyPath: AnyKeyPath) -> String? { PropertyKeyPath.property(of: keyPath) }
}

extension PredicateValue {
    /// Creates the value of an attribute, or `nil` for a relationship.
    @inline(__always)
    init(attribute value: SlotValue) {
        switch value {
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .float(let value): self = .real(Double(value))
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): self = .uuid(value)
        case .data(let value): self = .data(value)
        case .object(let value): self = PredicateValue(any: value)
        case .boxed(let box): self = PredicateValue(any: box.value)
        case .stored(let stored): self = PredicateValue(attribute: stored.current)
        case .null, .reference, .managed, .many: self = .null
        }
    }
}

extension NSManagedObject: SlotBacked {
    /// Calls a function with the values by slot, loading them if needed.
    @inline(__always)
    final func withSlots<Result>(_ body: (SlotReader) -> Result) -> Result {
        body(realizedSlots())
    }
}
