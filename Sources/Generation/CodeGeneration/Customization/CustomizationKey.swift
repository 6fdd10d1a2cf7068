internal import ModelSchema

/// A `userInfo` key that changes generated code, with its names in SwiftGen and mogenerator.
enum CustomizationKey: String, CaseIterable {
    case rawType
    case rawFallback
    case unwrapOptional
    case nonOptionalInit
    case codable
    case codableFormat
    case codableErrors
    case type
    case documentation
    case discussion
    case imports
    case keysStyle
    case readonly
    case ignore
    case baseClass
    case header
    case protocols

    /// The elements that a key can be an entry of.
    struct Elements: OptionSet {
        let rawValue: Int
        static let entity = Elements(rawValue: 1)
        static let attribute = Elements(rawValue: 2)
        static let relationship = Elements(rawValue: 4)
        static let fetchedProperty = Elements(rawValue: 8)
        static let any: Elements = [.entity, .attribute, .relationship, .fetchedProperty]
    }

    /// modelc's name, which takes precedence; `nil` for a key that only another tool has.
    var ownName: String? {
        switch self {
        case .readonly, .ignore, .baseClass, .discussion, .header, .protocols: nil
        default: "modelc.\(rawValue)"
        }
    }

    /// The names in other tools, in the order in which they are looked up.
    var otherNames: [String] {
        switch self {
        case .rawType: ["RawType", "attributeValueScalarType"]
        case .unwrapOptional: ["unwrapOptional"]
        case .nonOptionalInit: ["nonOptionalInit"]
        case .codable: ["attributeCodableTypeName"]
        case .type: ["attributeValueClassName"]
        case .documentation: ["documentation"]
        case .discussion: ["discussion"]
        case .imports: ["additionalImports"]
        case .readonly: ["mogenerator.readonly"]
        case .ignore: ["mogenerator.ignore"]
        case .baseClass: ["mogenerator.customBaseClass"]
        case .header: ["additionalHeaderFileName"]
        case .protocols: ["attributeTransformableProtocols"]
        case .rawFallback, .codableFormat, .codableErrors, .keysStyle: []
        }
    }

    /// All names, in the order in which they are looked up.
    var names: [String] { (ownName.map { [$0] } ?? []) + otherNames }

    var elements: Elements {
        switch self {
        case .rawType, .rawFallback, .unwrapOptional, .nonOptionalInit, .codable, .codableFormat, .codableErrors, .type,
            .readonly, .protocols:
            .attribute
        case .documentation, .discussion: .any
        case .imports, .keysStyle, .ignore, .baseClass, .header: .entity
        }
    }

    static let prefix = "modelc."

    /// The names of modelc's keys, including the one that `modelc lint` reads.
    static let ownNames = allCases.compactMap(\.ownName) + ["modelc.ignore"]

    /// Returns whether a value means true. Like SwiftGen, reads values as numbers, then as Booleans, then as text; 0,
    /// false and the empty text mean false.
    static func isTrue(_ value: String) -> Bool {
        if let number = Double(value) { return number != 0 }
        return !["NO", "no", "No", "false", "False", "FALSE", ""].contains(value)
    }
}
