package import ModelSchema

/// The types of the standard library and Foundation that SwiftData stores as plain attributes
/// (Documentation/Formats/SwiftDataModel.md, 3).
///
/// The reader of Swift sources and the run-time schema both use the table.
package enum SimpleTypes {
    /// Returns the attribute type for a type's unqualified name, or `nil` if SwiftData does not store it as a plain
    /// attribute.
    package static func attributeType(named name: String) -> AttributeType? { types[name] }

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

    /// The transformer of an array of plain values (Documentation/Formats/SwiftDataModel.md, 3).
    package static let arrayTransformerName = "NSSecureUnarchiveFromData"
}
