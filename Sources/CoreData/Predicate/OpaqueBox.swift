internal import PredicateSyntax

/// A value in a predicate for which the predicate language has no literal: a date, an object, a block.
///
/// Trees refer to it by the box's address, so that they can be combined without renumbering; `PredicateTree` and
/// `ExpressionTree` retain the boxes.
final class OpaqueBox {
    let value: Any

    init(_ value: Any) {
        self.value = value
    }

    /// The reference that a tree contains in place of the value.
    var reference: OpaqueValue { OpaqueValue(index: Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
}

/// The boxes that a tree refers to.
struct OpaqueBoxes {
    private(set) var boxes: [OpaqueBox] = []

    init() {}

    init(_ parts: [OpaqueBoxes]) {
        boxes = parts.flatMap(\.boxes)
    }

    /// Returns the value of a tree's reference, or nil for a reference of another tree.
    func value(of reference: OpaqueValue) -> Any? {
        boxes.first { $0.reference == reference }?.value
    }

    /// Adds a value, and returns the reference that a tree contains in its place.
    mutating func add(_ value: Any) -> OpaqueValue {
        let box = OpaqueBox(value)
        boxes.append(box)
        return box.reference
    }

    mutating func add(_ other: OpaqueBoxes) {
        boxes += other.boxes
    }
}
