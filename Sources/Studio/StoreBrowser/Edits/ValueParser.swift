internal import CoreData
internal import Foundation
internal import StoreDoctor

/// Parses values as users type them.
enum ValueParser {
    /// Parses the value of an attribute.
    ///
    /// - Throws: `StoreProblem` if the text is not a valid value of the attribute's type.
    static func value(_ text: String, _ attribute: NSAttributeDescription) throws(StoreProblem) -> Any {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        let value: Any? =
            switch attribute.attributeType {
            case .integer16AttributeType: Int16(trimmed).map { NSNumber(value: $0) }
            case .integer32AttributeType: Int32(trimmed).map { NSNumber(value: $0) }
            case .integer64AttributeType: Int64(trimmed).map { NSNumber(value: $0) }
            case .decimalAttributeType: decimal(trimmed)
            case .doubleAttributeType: fraction(trimmed, Double.init).map { NSNumber(value: $0) }
            case .floatAttributeType: fraction(trimmed, Float.init).map { NSNumber(value: $0) }
            case .stringAttributeType: text
            case .booleanAttributeType: boolean(trimmed).map { NSNumber(value: $0) }
            case .dateAttributeType: DateText.date(trimmed)
            case .UUIDAttributeType: UUID(uuidString: trimmed)
            case .URIAttributeType: trimmed.isEmpty ? nil : URL(string: trimmed)
            case .binaryDataAttributeType: Data(base64Encoded: trimmed)
            default: nil
            }
        guard let value else {
            throw StoreProblem("“\(text.prefix(80))” is not a value of type \(CellReader.typeName(attribute))")
        }
        return value
    }

    /// Parses a floating-point number. Returns `nil` if it is out of range, and for NaN, which SQLite has as NULL.
    private static func fraction<Number: BinaryFloatingPoint>(
        _ text: String, _ parse: (String) -> Number?
    ) -> Number? {
        guard let number = parse(text), !number.isNaN else { return nil }
        return number.isInfinite && text.contains(where: \.isNumber) ? nil : number
    }

    /// Parses a decimal number. Returns `nil` if it has more digits than fit, which are 38.
    private static func decimal(_ text: String) -> NSDecimalNumber? {
        guard text.wholeMatch(of: #/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?/#) != nil,
            text.filter(\.isNumber).count <= 41, let value = Decimal(string: text), !value.isNaN
        else { return nil }
        return NSDecimalNumber(decimal: value)
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}
