internal import Foundation

/// The coding of a composite attribute in the columns of its elements.
///
/// A store cannot distinguish a group without values from a missing group: such a group is omitted, and an optional
/// attribute is nil. A required attribute is then an empty dictionary, which is what was saved.
final class CompositeCoding {
    /// An element with a column.
    struct Leaf {
        var path: [String]
        var column: String
        var type: NSAttributeType
        var coding: ValueCoding
        var isExternal: Bool
    }

    /// The elements with columns, in column order.
    let leaves: [Leaf]
    private let elements: [Element]
    private let isOptional: Bool

    private enum Element {
        case leaf(name: String, index: Int)
        case group(name: String, [Element])
    }

    /// - Parameter columns: the columns of the attribute's `SlotPlace`.
    init?(_ composite: NSCompositeAttributeDescription, _ columns: [ElementColumn], external: ExternalStorage) {
        var leaves: [Leaf] = []
        for (column, (path, element)) in zip(columns, CompositeValue.elements(of: composite)) {
            guard let coding = ValueCoding(element, external: external) else { return nil }
            leaves.append(
                Leaf(
                    path: path, column: column.column, type: element.attributeType, coding: coding,
                    isExternal: element.allowsExternalBinaryDataStorage))
        }
        self.leaves = leaves
        var next = 0
        elements = Self.elements(of: composite, &next)
        isOptional = composite.isOptional
    }

    private static func elements(of composite: NSCompositeAttributeDescription, _ next: inout Int) -> [Element] {
        var result: [Element] = []
        for element in composite.elements {
            if let inner = element as? NSCompositeAttributeDescription {
                result.append(.group(name: inner.name, elements(of: inner, &next)))
            } else {
                result.append(.leaf(name: element.name, index: next))
                next += 1
            }
        }
        return result
    }

    // MARK: Reading

    /// Returns the value in columns of a statement's current row.
    func value(_ statement: SQLiteStatement, _ columns: [Int32]) -> SlotValue {
        let values = zip(leaves, columns).map { leaf, column in leaf.coding.value(statement, column) }
        let group = Self.dictionary(elements, values)
        return group.isEmpty && isOptional ? .null : .object(NSDictionary(dictionary: group))
    }

    private static func dictionary(_ elements: [Element], _ values: [SlotValue]) -> [String: Any] {
        var result: [String: Any] = [:]
        for element in elements {
            switch element {
            case .leaf(let name, let index): result[name] = values[index].anyValue
            case .group(let name, let elements):
                let inner = dictionary(elements, values)
                if !inner.isEmpty { result[name] = NSDictionary(dictionary: inner) }
            }
        }
        return result
    }

    // MARK: Writing

    /// Binds the elements of a value to consecutive positions of a statement, and advances the position.
    func bind(_ value: SlotValue, _ statement: SQLiteStatement, _ place: inout Int32) throws {
        let group = value.anyValue as? [String: Any]
        for leaf in leaves {
            try leaf.coding.bind(Self.value(of: leaf, in: group), statement, place)
            place += 1
        }
    }

    private static func value(of leaf: Leaf, in group: [String: Any]?) -> SlotValue {
        var current: Any? = group
        for name in leaf.path { current = (current as? [String: Any])?[name] }
        guard let value = ValueConversion.unwrapped(current) else { return .null }
        return ValueConversion.slotValue(value, leaf.type) ?? .null
    }
}
