internal import Foundation
internal import ModelSchema

/// The conversion of attribute values to the columns of the new version.
enum MigratedValue {
    /// The SQL function that converts a value to the form of attributes that allow external storage.
    static let toExternal = "NSCoreDataMigrationExternalValue"
    /// The SQL function that reverses the conversion.
    static let toInline = "NSCoreDataMigrationInlineValue"

    /// The SQL function that rounds a number to single precision.
    static let toFloat = "NSCoreDataMigrationFloatValue"

    /// Returns the value of an attribute in existing rows.
    ///
    /// - Parameters:
    ///   - column: the column of the old version; `nil` if the attribute is new.
    ///   - old: the attribute in the old version.
    ///   - slot: the attribute's slot in the layout of the new version.
    static func expression(
        _ column: SQLFragment?, old: NSAttributeDescription?, slot: Int, layout: EntityLayout
    ) -> SQLFragment {
        guard let new = layout.slots[slot].property as? NSAttributeDescription else { return "NULL" }
        if new is NSDerivedAttributeDescription {
            guard let column, let old, derivation(old) == derivation(new) else { return "NULL" }
            return column
        }
        let value = defaultValue(new, layout.defaults[slot])
        guard let column, let old else { return value.map { "\(argument: $0)" } ?? "NULL" }
        let converted = conversion(column, old: old, new: new)
        if old.isOptional, !new.isOptional, let value { return "ifnull(\(converted), \(argument: value))" }
        return converted
    }

    /// The condition that no row meets.
    static let never: SQLFragment = "0"

    /// Returns the value of an element of a composite attribute in existing rows.
    ///
    /// - Parameters:
    ///   - column: the column of the old version; `nil` if the element is new.
    ///   - old: the element in the old version.
    ///   - new: the element in the new version.
    ///   - group: the condition for rows in which the group of the element has a value; `nil` for all. A group without
    ///     values is nil, and stays nil.
    static func element(
        _ column: SQLFragment?, old: NSAttributeDescription?, new: NSAttributeDescription, in group: SQLFragment?
    ) -> SQLFragment {
        let slot = new.defaultValue.flatMap { ValueConversion.slotValue($0, new.attributeType) }
        let value = group == never ? nil : slot.flatMap { defaultValue(new, $0) }
        let filler = value.map { value -> SQLFragment in
            group.map { "CASE WHEN \($0) THEN \(argument: value) END" } ?? "\(argument: value)"
        }
        guard let column, let old else { return filler ?? "NULL" }
        let converted = conversion(column, old: old, new: new)
        if old.isOptional, !new.isOptional, let filler { return "ifnull(\(converted), \(filler))" }
        return converted
    }

    /// Returns the derivation of an attribute as text, or `nil` if it is not derived.
    static func derivation(_ attribute: NSAttributeDescription) -> String? {
        (attribute as? NSDerivedAttributeDescription)?.derivationExpression?.tree.format
    }

    private static func conversion(
        _ column: SQLFragment, old: NSAttributeDescription, new: NSAttributeDescription
    ) -> SQLFragment {
        if isBytes(old), isBytes(new), old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
            return "\(word: new.allowsExternalBinaryDataStorage ? toExternal : toInline)(\(column))"
        }
        guard old.attributeType != new.attributeType else { return column }
        if new.attributeType.integerRange != nil {
            return old.attributeType.integerRange != nil ? column : "CAST(\(column) AS INTEGER)"
        }
        switch new.attributeType {
        case .doubleAttributeType: return "CAST(\(column) AS REAL)"
        // As a save would write the number.
        case .floatAttributeType: return "\(word: toFloat)(\(column))"
        default: return column
        }
    }

    private static func isBytes(_ attribute: NSAttributeDescription) -> Bool {
        [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType)
    }

    /// Returns the condition that finds values of an old column that do not fit the type of the new version, or `nil`
    /// if all fit.
    static func misfits(
        _ column: SQLFragment, old: NSAttributeType, new: NSAttributeType
    ) -> SQLFragment? {
        guard old != new else { return nil }
        if let range = new.integerRange {
            if let known = old.integerRange, range.contains(known.lowerBound), range.contains(known.upperBound) {
                return nil
            }
            if new == .integer64AttributeType {
                return "\(column) NOT BETWEEN -9223372036854775808.0 AND 9223372036854774784.0"
            }
            let (least, most) = (SQLArgument.integer(range.lowerBound), SQLArgument.integer(range.upperBound))
            return "CAST(\(column) AS INTEGER) NOT BETWEEN \(argument: least) AND \(argument: most)"
        }
        if new == .floatAttributeType, old == .doubleAttributeType {
            return "abs(\(column)) > \(argument: .real(Double(Float.greatestFiniteMagnitude)))"
        }
        return nil
    }

    /// Returns a default value in the form stored in columns, or `nil` if there is none.
    static func defaultValue(_ attribute: NSAttributeDescription, _ value: SlotValue) -> SQLArgument? {
        switch value {
        case .boolean(let value): return .integer(value ? 1 : 0)
        case .integer(let value): return .integer(value)
        case .double(let value): return .real(value)
        case .float(let value): return .real(Double(value))
        case .string(let value): return .text(value)
        case .date(let value): return .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return .bytes(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .data(let value):
            return .bytes(
                attribute.allowsExternalBinaryDataStorage ? Data([ExternalStorage.inlineMark]) + value : value)
        case .boxed(let box): return (box.value as? URL).map { .text($0.absoluteString) }
        case .object(let object):
            return (object as? NSDecimalNumber).map { .real(DecimalCoding.double($0.decimalValue)) }
        case .null, .reference, .managed, .many, .stored: return nil
        }
    }
}

extension NSAttributeType {
    /// The range of an integer type; `nil` for other types.
    var integerRange: ClosedRange<Int64>? {
        AttributeType(rawValue: Int(rawValue))?.integerRange
    }
}
