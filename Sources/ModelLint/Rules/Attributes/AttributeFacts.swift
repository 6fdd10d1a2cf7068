internal import ModelSchema

extension Attribute {
    /// Whether the source gives it a default.
    var hasDefault: Bool {
        if hasComputedDefault { return true }
        if type == .date, !(defaultDateInterval ?? "").isEmpty { return true }
        guard let defaultValue else { return false }
        return type == .string || !defaultValue.isEmpty
    }
}

extension AttributeType {
    /// Whether values are numbers or Booleans.
    var isNumber: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: true
        default: false
        }
    }

    /// Whether Xcode's inspector has a field for a default.
    var canHaveDefault: Bool {
        switch self {
        case .undefined, .binary, .transformable, .objectID, .composite: false
        default: true
        }
    }

    /// The range of values of an integer type; `nil` for other types.
    var integerRange: ClosedRange<Double>? {
        switch self {
        case .integer16: Double(Int16.min)...Double(Int16.max)
        case .integer32: Double(Int32.min)...Double(Int32.max)
        case .integer64: Double(Int64.min)...Double(Int64.max)
        default: nil
        }
    }
}
