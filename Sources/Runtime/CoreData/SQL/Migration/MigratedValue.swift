internal import Foundation
internal import ModelSchema

/// The values of attributes in the rows of the new version.
package struct MigratedValue {
    private let dialect: any MigrationDialect

    init(_ dialect: any MigrationDialect) {
        self.dialect = dialect
    }

    /// Returns the value of an attribute in existing rows.
    ///
    /// - Parameters:
    ///   - column: The column of the old version; `nil` if the attribute is new.
    ///   - old: The attribute in the old version.
    ///   - slot: The attribute's slot in the layout of the new version.
    ///   - isConverted: Whether the column already has the new type.
    /// - Throws: An error of Cocoa's domain if the default value of a transformable attribute cannot be stored.
    func expression(
        _ column: SQLFragment?, old: NSAttributeDescription?, slot: Int, layout: EntityLayout, isConverted: Bool
    ) throws -> SQLFragment {
        guard let new = layout.slots[slot].property as? NSAttributeDescription else { return "NULL" }
        if new is NSDerivedAttributeDescription {
            guard let column, let old, Self.derivation(old) == Self.derivation(new) else { return "NULL" }
            return column
        }
        guard let column, let old else {
            return try argument(layout.defaults[slot], of: new).map { "\(argument: $0)" } ?? "NULL"
        }
        let converted = isConverted ? column : dialect.conversion(column, old: old, new: new)
        if old.isOptional, !new.isOptional, let value = try argument(layout.defaults[slot], of: new) {
            return "coalesce(\(converted), \(argument: value))"
        }
        return converted
    }

    /// Returns a default value as a save writes it, or `nil` if there is none.
    private func argument(_ value: SlotValue, of attribute: NSAttributeDescription) throws -> SQLArgument? {
        guard attribute.attributeType == .transformableAttributeType, !value.isNull else {
            return dialect.argument(value, of: attribute)
        }
        return dialect.argument(.data(try TransformableCoding(attribute).content(of: value)), of: attribute)
    }

    /// The condition that no row meets.
    static let never: SQLFragment = "(1 = 0)"

    /// Returns the value of an element of a composite attribute in existing rows.
    ///
    /// - Parameters:
    ///   - column: The column of the old version; `nil` if the element is new.
    ///   - old: The element in the old version.
    ///   - new: The element in the new version.
    ///   - group: The condition for rows in which the group of the element has a value; `nil` for all. A group without
    ///     values is nil, and stays nil.
    ///   - isConverted: Whether the column already has the new type.
    /// - Throws: An error of Cocoa's domain if the default value of a transformable element cannot be stored.
    func element(
        _ column: SQLFragment?, old: NSAttributeDescription?, new: NSAttributeDescription, in group: SQLFragment?,
        isConverted: Bool
    ) throws -> SQLFragment {
        let slot = new.defaultValue.flatMap { ValueConversion.slotValue($0, new.attributeType) }
        let value = group == Self.never ? nil : try slot.flatMap { try argument($0, of: new) }
        let filler = value.map { value -> SQLFragment in
            group.map { "CASE WHEN \($0) THEN \(argument: value) END" } ?? "\(argument: value)"
        }
        guard let column, let old else { return filler ?? "NULL" }
        let converted = isConverted ? column : dialect.conversion(column, old: old, new: new)
        if old.isOptional, !new.isOptional, let filler { return "coalesce(\(converted), \(filler))" }
        return converted
    }

    /// Returns the derivation of an attribute as text, or `nil` if it is not derived.
    package static func derivation(_ attribute: NSAttributeDescription) -> String? {
        (attribute as? NSDerivedAttributeDescription)?.derivationExpression?.tree.format
    }
}

extension NSAttributeType {
    /// The range of an integer type; `nil` for other types.
    package var integerRange: ClosedRange<Int64>? {
        AttributeType(rawValue: Int(rawValue))?.integerRange
    }
}
