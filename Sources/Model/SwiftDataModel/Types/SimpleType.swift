internal import ModelSchema
internal import SwiftSources

/// The types of the standard library and Foundation that SwiftData stores as plain attributes
/// (Documentation/Formats/SwiftDataModel.md, 3).
enum SimpleType {
    /// Returns the attribute type for a type of another module, or `nil` if SwiftData does not store it as a plain
    /// attribute.
    static func attributeType(of type: SwiftTypeText) -> AttributeType? {
        guard case .named(let components) = type, components.allSatisfy(\.arguments.isEmpty) else { return nil }
        switch components.count {
        case 1: return types[components[0].name]
        case 2
        where ["Swift", "Foundation", "CoreGraphics", "CoreFoundation", "CoreLocation", "CoreMedia"].contains(
            components[0].name):
            return types[components[1].name]
        default: return nil
        }
    }

    private static let types: [String: AttributeType] = [
        "String": .string, "Bool": .boolean,
        "Int": .integer64, "Int64": .integer64, "UInt64": .integer64, "UInt": .integer64,
        "Int32": .integer32, "UInt32": .integer32,
        "Int16": .integer16, "UInt16": .integer16, "UInt8": .integer16, "Int8": .integer16,
        "Double": .double, "TimeInterval": .double, "Float": .float, "CGFloat": .float,
        "Decimal": .decimal, "Date": .date, "Data": .binary, "UUID": .uuid, "URL": .uri,
        // Aliases that Apple's frameworks declare.
        "CLLocationDegrees": .double, "CLLocationDistance": .double, "CLLocationAccuracy": .double,
        "CLLocationSpeed": .double, "CLLocationSpeedAccuracy": .double, "CLLocationDirection": .double,
        "CLLocationDirectionAccuracy": .double, "CLHeadingComponentValue": .double, "CFTimeInterval": .double,
        "CFAbsoluteTime": .double, "Float64": .double, "CDouble": .double, "Float32": .float, "CFloat": .float,
        "CMTimeValue": .integer64, "CMTimeScale": .integer32, "CInt": .integer32, "CUnsignedInt": .integer32,
        "CShort": .integer16, "CLongLong": .integer64, "NSInteger": .integer64, "NSUInteger": .integer64,
    ]

    /// The stored properties of value types declared by Apple's frameworks, as observed in stores.
    static let frameworkValues: [[String]: [(name: String, type: AttributeType)]] = [
        ["Color", "Resolved"]: ["linearRed", "linearGreen", "linearBlue", "opacity"].map { ($0, .float) }
    ]
}
