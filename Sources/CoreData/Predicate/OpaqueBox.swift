internal import PredicateSyntax

/// A value in a predicate that the predicate language has no literal for: a date, an object, a block.
///
/// A tree names it by the box's address, so that trees can be put together without renumbering; `PredicateTree` and
/// `ExpressionTree` keep the boxes alive.
final class OpaqueBox {
    let value: Any

    init(_ value: Any) {
        self.value = value
    }

    /// What a tree holds in the value's place.
    var reference: OpaqueValue { OpaqueValue(index: Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
}

/// The boxes that a tree refers to.
struct OpaqueBoxes {
    private(set) var boxes: [OpaqueBox] = []

    init() {}

    init(_ parts: [OpaqueBoxes]) {
        boxes = parts.flatMap(\.boxes)
    }

    /// Returns the value that a tree refers to; nil for a reference of another tree.
    func value(of reference: OpaqueValue) -> Any? {
        boxes.first { $0.reference == reference }?.value
    }

    /// Keeps a value and gives what a tree holds in its place.
    mutating func add(_ value: Any) -> OpaqueValue {
        let box = OpaqueBox(value)
        boxes.append(box)
        return box.reference
    }

    mutating func add(_ other: OpaqueBoxes) {
        boxes += other.boxes
    }
}
