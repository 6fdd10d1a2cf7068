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
}

/// A number as the compiler reads it from the text of a limit or a default. Integers are compared exactly.
enum CompiledNumber: Comparable {
    case integer(Int64)
    case real(Double)

    static func < (one: CompiledNumber, other: CompiledNumber) -> Bool {
        switch (one, other) {
        case (.integer(let first), .integer(let second)): first < second
        default: one.real < other.real
        }
    }

    private var real: Double {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        }
    }
}

extension Attribute {
    /// The limits that are compiled, as written: of the values of numbers and dates, and of the lengths of strings.
    var limitTexts: (minimum: String?, maximum: String?) {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string:
            (Self.text(minimum), Self.text(maximum))
        case .date: (Self.text(minimumDateInterval), Self.text(maximumDateInterval))
        default: (nil, nil)
        }
    }

    private static func text(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }

    func compiledLimit(_ text: String) -> CompiledNumber {
        switch type {
        case .double, .float, .date: .real(NumberText.real(text))
        default: .integer(NumberText.integer(text))
        }
    }
}
