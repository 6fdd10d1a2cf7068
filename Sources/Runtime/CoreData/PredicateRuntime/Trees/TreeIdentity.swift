internal import Foundation
internal import PredicateSyntax

/// The content of a predicate or an expression, by which two of them are compared.
///
/// The text alone is not enough: bytes print their number, sets have no order, and the description of an object changes
/// with the object. The text therefore has a mark in place of each value without a literal, and the values follow in
/// order.
struct TreeIdentity: Hashable {
    private let text: String
    private let values: [BoxedValue]

    init(_ tree: PredicateTree) { self.init(tree.boxes) { $0.string(for: tree.syntax) } }

    init(_ tree: ExpressionTree) { self.init(tree.boxes) { $0.string(for: tree.syntax) } }

    private init(_ boxes: OpaqueBoxes, _ print: (PredicatePrinter) -> String) {
        let seen = SeenValues(boxes)
        text = print(
            PredicatePrinter { reference in
                seen.record(reference)
                return "\u{1}"
            })
        values = seen.values
    }
}

/// The values that a printer has come across. Used by one thread, while the printer runs.
private final class SeenValues: @unchecked Sendable {
    private let boxes: [Int: OpaqueBox]
    private(set) var values: [BoxedValue] = []

    init(_ boxes: OpaqueBoxes) {
        self.boxes = Dictionary(boxes.boxes.map { ($0.reference.index, $0) }) { first, _ in first }
    }

    func record(_ reference: OpaqueValue) {
        if let box = boxes[reference.index] { values.append(BoxedValue(box)) }
    }
}

/// A value without a literal, compared as Apple's constant expressions do: by `isEqual`.
private struct BoxedValue: Hashable {
    let box: OpaqueBox

    init(_ box: OpaqueBox) {
        self.box = box
    }

    static func == (first: BoxedValue, second: BoxedValue) -> Bool {
        first.box === second.box || areEqual(first.box.value, second.box.value)
    }

    private static func areEqual(_ first: Any, _ second: Any) -> Bool {
        switch (first, second) {
        case (let one as Data, let other as Data): return one == other
        case (let one as Date, let other as Date): return one == other
        case (let one as UUID, let other as UUID): return one == other
        case (let one as URL, let other as URL): return one == other
        case (let one as [Any], let other as [Any]):
            return one.count == other.count && zip(one, other).allSatisfy { areEqual($0, $1) }
        case (let one as NSObject, let other as NSObject): return one.isEqual(other)
        case (let one as AnyHashable, let other as AnyHashable): return one == other
        default: return false
        }
    }

    func hash(into hasher: inout Hasher) { Self.hash(box.value, into: &hasher) }

    private static func hash(_ value: Any, into hasher: inout Hasher) {
        switch value {
        case let list as [Any]: hasher.combine(list.count)
        case let value as Data: hasher.combine(value)
        case let value as Date: hasher.combine(value)
        case let value as UUID: hasher.combine(value)
        case let value as URL: hasher.combine(value)
        // Other values may be equal without having equal hashes, and Foundation's `hash` of some never returns.
        default: break
        }
    }
}
