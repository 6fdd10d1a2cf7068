internal import Foundation

/// The coding of a composite attribute in the columns of its elements.
final class CompositeCoding {
    /// An element with a column.
    struct Leaf {
        var column: String
        var coding: ValueCoding
        var isExternal: Bool
    }

    /// The elements with columns, in column order.
    let leaves: [Leaf]
    private let elements: CompositeElements

    /// - Parameter columns: The columns of the attribute's `SlotColumn`.
    init?(_ composite: NSCompositeAttributeDescription, _ columns: [ElementColumn], external: ExternalStorage) {
        var leaves: [Leaf] = []
        for (column, (_, element)) in zip(columns, CompositeValue.elements(of: composite)) {
            guard let coding = ValueCoding(element, external: external) else { return nil }
            leaves.append(
                Leaf(
                    column: column.column, coding: coding,
                    isExternal: element.allowsExternalBinaryDataStorage))
        }
        self.leaves = leaves
        elements = CompositeElements(composite)
    }

    // MARK: Reading

    /// Returns the value in columns of a statement's current row.
    func value(_ statement: SQLiteStatement, _ columns: [Int32]) -> SlotValue {
        let values = zip(leaves, columns).map { leaf, column in leaf.coding.value(statement, column) }
        return elements.value(values)
    }

    // MARK: Writing

    /// Binds the elements of a value to consecutive positions of a statement, and advances the position.
    func bind(_ value: SlotValue, to statement: SQLiteStatement, at index: inout Int32) throws {
        for (leaf, value) in zip(leaves, elements.values(value)) {
            try leaf.coding.bind(value, to: statement, at: index)
            index += 1
        }
    }
}
