internal import ModelSchema

extension Attribute {
    /// Returns the Swift type of the attribute's property as Xcode writes it (Documentation/Formats/XcodeSwift.md,
    /// 3.2).
    ///
    /// Whether the attribute is optional does not affect the type. No generated file was available with the property of
    /// an attribute without a type; its type here holds any object.
    func swiftType(style: CodeStyle) -> String {
        let isScalar = usesScalarType ?? false
        switch type {
        case .integer16: return isScalar ? "Int16" : "NSNumber?"
        case .integer32: return isScalar ? "Int32" : "NSNumber?"
        case .integer64: return isScalar ? "Int64" : "NSNumber?"
        case .double: return isScalar ? "Double" : "NSNumber?"
        case .float: return isScalar ? "Float" : "NSNumber?"
        case .boolean: return isScalar ? "Bool" : "NSNumber?"
        case .decimal: return "NSDecimalNumber?"
        case .string: return "String?"
        case .date:
            if isScalar { return "TimeInterval" }
            return style.usesFoundationReferenceTypes ? "NSDate?" : "Date?"
        case .binary: return style.usesFoundationReferenceTypes ? "NSData?" : "Data?"
        case .uuid: return "UUID?"
        case .uri: return "URL?"
        case .transformable: return SwiftTypeSyntax.optional(customType ?? "NSObject")
        case .objectID: return "NSManagedObjectID?"
        case .composite: return "[String: Any]?"
        case .undefined: return "NSObject?"
        }
    }

    /// The type that a transformable attribute names for its values, or `nil`.
    var customType: String? { type == .transformable ? customTypeName : nil }
}
