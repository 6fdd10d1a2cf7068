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

    /// Returns the value of a tree's reference, or `nil` for a reference of another tree.
    func value(of reference: OpaqueValue) -> Any? {
        boxes.first { $0.reference == reference }?.value
    }

    /// Adds a value, and returns the reference that a tree contains in its place.
    mutating func add(_ value: Any) -> OpaqueValue {
        let box = OpaqueBox(value)
        boxes.append(box)
        return box.reference
    }

    mutating func add(_ box: OpaqueBox) {
        boxes.append(box)
    }

    mutating func add(_ other: OpaqueBoxes) {
        boxes += other.boxes
    }

    /// The number of boxes that it is not worth searching for those that a part of a tree refers to.
    fileprivate static let few = 8
}

/// The boxes of a tree by their references, for its parts.
struct PartBoxes {
    private let all: OpaqueBoxes
    private let boxes: [OpaqueValue: OpaqueBox]

    init(_ all: OpaqueBoxes) {
        self.all = all
        boxes =
            all.boxes.count > OpaqueBoxes.few
            ? Dictionary(all.boxes.map { ($0.reference, $0) }) { first, _ in first } : [:]
    }

    /// Returns the boxes of a part of the tree: all of them if there are few, otherwise those that the part refers to.
    func boxes(of part: PredicateSyntax.Predicate) -> OpaqueBoxes {
        if boxes.isEmpty { return all }
        var result = OpaqueBoxes()
        part.visitOpaqueValues { reference in
            if let box = boxes[reference] { result.add(box) }
        }
        return result
    }

    func value(of reference: OpaqueValue) -> Any? {
        boxes.isEmpty ? all.value(of: reference) : boxes[reference]?.value
    }
}

extension PredicateSyntax.Predicate {
    /// Calls a function for every reference to a value without a literal.
    fileprivate func visitOpaqueValues(_ visit: (OpaqueValue) -> Void) {
        visitBlocks(visit)
        visitExpressions { expression in
            switch expression {
            case .constant(.opaque(let reference)), .block(let reference, _): visit(reference)
            case .predicate(let predicate), .conditional(let predicate, _, _): predicate.visitBlocks(visit)
            case .subquery(let query): query.predicate.visitBlocks(visit)
            default: break
            }
        }
    }

    private func visitBlocks(_ visit: (OpaqueValue) -> Void) {
        visitPredicates { if case .block(let reference) = $0 { visit(reference) } }
    }
}
