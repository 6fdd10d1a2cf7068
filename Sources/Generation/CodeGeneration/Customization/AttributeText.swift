internal import ModelSchema

/// The Swift text of an attribute's accessors.
struct AttributeText {
    let entityName: String
    let attribute: Attribute
    let customization: AttributeCustomization
    let style: CodeStyle

    /// The type of the property as Xcode writes it, or the type that a key names.
    var plainType: String {
        customization.customType.map { SwiftTypeSyntax.optional($0) } ?? attribute.swiftType(style: style)
    }

    var propertyType: String {
        switch customization.accessor {
        case .raw(let raw): raw.propertyType
        case .codable(let codable): "\(codable.type)?"
        case .optional: "\(plainType)?"
        case .required: objectType
        case .readOnly, nil: plainType
        }
    }

    /// The type as Xcode writes it, without the question mark.
    private var objectType: String { plainType.hasSuffix("?") ? String(plainType.dropLast()) : plainType }

    private var key: String { SwiftIdentifier.stringLiteral(attribute.name) }
    private var primitive: String { "primitiveValue(forKey: \(key))" }

    /// The member of `NSNumber` with the attribute's number; `nil` for other types.
    private var numberMember: String? {
        switch attribute.type {
        case .integer16: "int16Value"
        case .integer32: "int32Value"
        case .integer64: "int64Value"
        case .double: "doubleValue"
        case .float: "floatValue"
        case .boolean: "boolValue"
        default: nil
        }
    }

    /// The integer type of the attribute; `nil` for other types.
    private var integerType: String? {
        switch attribute.type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        default: nil
        }
    }

    /// The number in the store as an optional.
    private var number: String? { numberMember.map { "(\(primitive) as? NSNumber)?.\($0)" } }

    /// The condition of the getter's `guard`; `nil` for a getter without one.
    var readGuard: String? {
        if case .required = customization.accessor, attribute.type != .string {
            return "let value = \(primitive) as? \(objectType)"
        }
        guard case .raw(let raw) = customization.accessor else { return nil }
        let isTotal = raw.hasTotalInitializer || (raw.isOptional && raw.fallback != nil)
        if integerType != nil, let number {
            if isTotal, raw.isOptional, raw.fallback != nil { return "let number = \(number)" }
            let value = raw.hasTotalInitializer ? "" : ", let value = \(raw.type)(rawValue: raw)"
            return "let number = \(number), let raw = \(raw.type).RawValue(exactly: number)\(value)"
        }
        let stored = number ?? "\(primitive) as? \(attribute.comparedType ?? "\(raw.type).RawValue")"
        return isTotal ? "let raw = \(stored)" : "let raw = \(stored), let value = \(raw.type)(rawValue: raw)"
    }

    /// The statement that the getter executes if the guard fails.
    var readFailure: String? {
        let name = "\(entityName).\(attribute.name)"
        if case .required = customization.accessor { return "preconditionFailure(\"\(name) has no value\")" }
        guard case .raw(let raw) = customization.accessor else { return nil }
        if raw.isOptional { return "return nil" }
        if let fallback = raw.fallback { return "return .\(fallback)" }
        return "preconditionFailure(\"\(name) has no known value: \\(String(describing: \(primitive)))\")"
    }

    /// The expression that the getter returns.
    var readValue: String? {
        switch customization.accessor {
        case .raw(let raw):
            if raw.isOptional, let fallback = raw.fallback, !raw.hasTotalInitializer {
                guard integerType != nil else { return "\(raw.type)(rawValue: raw) ?? .\(fallback)" }
                return "\(raw.type).RawValue(exactly: number).flatMap { \(raw.type)(rawValue: $0) } ?? .\(fallback)"
            }
            return raw.hasTotalInitializer ? "\(raw.type)(rawValue: raw)" : "value"
        case .optional:
            if attribute.type == .date { return "(\(primitive) as? Date)?.timeIntervalSinceReferenceDate" }
            return number
        case .required:
            return attribute.type == .string ? "\(primitive) as? \(objectType) ?? \"\"" : "value"
        case .readOnly:
            let type = plainType
            if type == "TimeInterval" { return "(\(primitive) as? Date)?.timeIntervalSinceReferenceDate ?? 0" }
            if let number, !type.hasSuffix("?") { return "\(number) ?? \(attribute.type == .boolean ? "false" : "0")" }
            return "\(primitive) as? \(objectType)"
        case .codable, nil:
            return nil
        }
    }

    /// The expression that the setter stores.
    var storedValue: String? {
        switch customization.accessor {
        case .raw(let raw):
            let type = integerType.map { "\($0)(" }
            if !raw.isOptional {
                let value = type.map { "\($0)newValue.rawValue)" } ?? "newValue.rawValue"
                return numberMember == nil ? value : "NSNumber(value: \(value))"
            }
            let value = type.map { "\($0)$0.rawValue)" } ?? "$0.rawValue"
            return "newValue.map { \(numberMember == nil ? value : "NSNumber(value: \(value))") }"
        case .optional:
            if attribute.type == .date { return "newValue.map { Date(timeIntervalSinceReferenceDate: $0) }" }
            return "newValue.map { NSNumber(value: $0) }"
        case .required:
            return "newValue"
        case .codable, .readOnly, nil:
            return nil
        }
    }
}
