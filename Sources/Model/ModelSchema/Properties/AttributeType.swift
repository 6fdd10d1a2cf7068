internal import Diagnostics

/// The type of an attribute. The raw values are those of Apple's `NSAttributeType`
/// (Documentation/Formats/CompiledModel.md, 2.4).
package enum AttributeType: Int, Hashable, Sendable, CaseIterable {
    /// No type. Valid for transient attributes only; in a source, `attributeType` is absent.
    case undefined = 0
    /// A 16-bit signed integer.
    case integer16 = 100
    /// A 32-bit signed integer.
    case integer32 = 200
    /// A 64-bit signed integer.
    case integer64 = 300
    /// A decimal number, `NSDecimalNumber`.
    case decimal = 400
    /// A 64-bit floating point number.
    case double = 500
    /// A 32-bit floating point number.
    case float = 600
    /// Text.
    case string = 700
    case boolean = 800
    /// A point in time.
    case date = 900
    /// Bytes.
    case binary = 1000
    case uuid = 1100
    /// A URL.
    case uri = 1200
    /// An object that a value transformer converts to bytes.
    case transformable = 1800
    /// The identifier of a managed object. No known source file uses it.
    case objectID = 2000
    /// A group of attributes (`CompositeType`).
    case composite = 2100

    /// Creates a type from the value of `attributeType`, for example `Integer 16`; `nil` for a value that no Xcode
    /// writes.
    package init?(xmlValue: String) {
        guard let type = Self.byXMLValue[xmlValue] else { return nil }
        self = type
    }

    /// The name of the type in a source.
    package var xmlValue: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }

    /// The range of values of an integer type; `nil` for other types.
    package var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: .min ... .max
        default: nil
        }
    }

    /// Returns the type name closest to one that no Xcode writes, or `nil` if none is close.
    package static func suggestion(for xmlValue: String) -> String? {
        // Names of Swift types that differ from those in sources by more than a few letters.
        let byWord = [
            "bool": AttributeType.boolean, "data": .binary, "int": .integer64, "int16": .integer16, "int32": .integer32,
            "int64": .integer64, "integer": .integer64, "url": .uri,
        ]
        if let type = byWord[xmlValue.lowercased()] { return type.xmlValue }
        return EditDistance.closest(to: xmlValue, among: allCases.map(\.xmlValue))
    }

    private static let byXMLValue = Dictionary(uniqueKeysWithValues: allCases.map { ($0.xmlValue, $0) })
}
