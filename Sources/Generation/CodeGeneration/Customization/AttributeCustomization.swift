internal import ModelSchema

/// The differences between the code of an attribute and Xcode's.
struct AttributeCustomization {
    /// The accessors that replace `@NSManaged`.
    enum Accessor {
        /// A property of a `RawRepresentable` type.
        case raw(RawAccessor)
        /// A property, or two functions, of a `Codable` type.
        case codable(CodableAccessor)
        /// An optional scalar.
        case optional
        /// A property of an object type that is not optional.
        case required
        /// A property without a setter, of Xcode's type.
        case readOnly
    }

    /// A property of a `RawRepresentable` type.
    struct RawAccessor {
        var type: String
        /// The case that stands for missing and unknown values, without a dot.
        var fallback: String?
        var isOptional: Bool
        /// Whether `init(rawValue:)` of the type never fails.
        var hasTotalInitializer: Bool

        var propertyType: String { isOptional ? "\(type)?" : type }
    }

    /// A property of a `Codable` type.
    struct CodableAccessor {
        /// The format of encoded values.
        enum Format: String, CaseIterable {
            case json
            case plist
        }

        /// The result of reading data that cannot be decoded.
        enum Errors: String, CaseIterable {
            /// The accessors are functions that throw.
            case `throw`
            /// The value is `nil`.
            case `nil`
        }

        var type: String
        var format: Format
        var errors: Errors
    }

    /// The accessors; `nil` for `@NSManaged`.
    var accessor: Accessor?
    var isReadOnly = false
    /// The type that a key names for a transformable attribute.
    var customType: String?
    /// The protocols of a transformable attribute's values in Objective-C.
    var protocols: [String] = []
    /// The lines of the documentation comment.
    var documentation: [String] = []
}

/// The differences between the code of an entity and Xcode's.
struct EntityCustomization {
    /// Whether the entity is left out.
    var isIgnored = false
    /// The superclass that a key names.
    var baseClass: String?
    /// The modules that a key names.
    var imports: [String] = []
    /// The header that a key names, for Objective-C.
    var header: String?
    /// The naming of the enumerations of property names.
    var keysStyle = KeysStyle.nested
    /// The lines of the documentation comment.
    var documentation: [String] = []
    /// The entity's own attributes, by name.
    var attributes: [String: AttributeCustomization] = [:]
    /// The documentation comments of the entity's other properties, by name.
    var propertyDocumentation: [String: [String]] = [:]
    /// The functions of fetch request templates.
    var fetches: [FetchMethod] = []
}
