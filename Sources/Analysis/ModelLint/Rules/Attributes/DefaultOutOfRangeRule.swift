internal import Diagnostics
internal import ModelSchema

/// Reports defaults that do not fit the type or the limits of their attribute.
struct DefaultOutOfRangeRule: LintRule {
    let description = RuleDescription(
        id: .defaultOutOfRange, code: "MC3007", group: "attributes",
        title: "the default does not fit the type or the limits of the attribute",
        explanation: """
            New objects start with the default. A default that does not fit the type is truncated or misread; one \
            that violates the attribute's limits makes new objects fail validation.
            """,
        remedy: "Correct the default or the limits.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes where !attribute.isDerived {
                if let text = attribute.defaultValue, !text.isEmpty, let problem = Self.problem(text, attribute) {
                    report(
                        Self.finding(text, attribute: attribute, in: entity, problem: problem, at: "defaultValueString")
                    )
                }
                guard attribute.type == .date, let text = attribute.defaultDateInterval, !text.isEmpty,
                    let problem = Self.dateProblem(text, attribute)
                else { continue }
                report(
                    Self.finding(
                        text, attribute: attribute, in: entity, problem: problem, at: "defaultDateTimeInterval"))
            }
        }
    }

    private static func finding(
        _ text: String, attribute: Attribute, in entity: Entity, problem: String, at xmlName: String
    ) -> RuleFinding {
        RuleFinding(
            "the default “\(text)” of “\(entity.name).\(attribute.name)” \(problem)", at: attribute.origin,
            attribute: xmlName, inspectorField: "Default Value",
            why: "New objects start with a value that cannot be saved or that differs from the one in the model.",
            help: "Correct the default or the limits.")
    }

    /// Returns what is wrong with a default, given how the compiler reads it.
    private static func problem(_ text: String, _ attribute: Attribute) -> String? {
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            let number = NumberText.parseInteger(text)
            guard number.isExact else {
                let isTooLarge = number.value == .max || number.value == .min
                return (isTooLarge ? "is out of range for \(attribute.type.xmlValue)" : notANumber(text))
                    + ", and is compiled as \(number.value)"
            }
            if attribute.type.integerRange?.contains(number.value) == false {
                return "is out of range for \(attribute.type.xmlValue)"
            }
            return limitProblem(.integer(number.value), attribute)
        case .double, .float:
            let number = NumberText.parseReal(text)
            guard number.isExact else {
                return "is not a number, and is compiled as \(NumberText.text(of: number.value))"
            }
            if attribute.type == .float, !Float(number.value).isFinite { return "is out of range for Float" }
            return limitProblem(.real(number.value), attribute)
        case .decimal:
            guard let (number, isExact) = DecimalText.parse(text) else { return "is not a number, and is not compiled" }
            guard isExact else { return "is not a number, and is compiled as \(number)" }
            return limitProblem(.real(NumberText.real(number.description)), attribute)
        case .string: return lengthProblem(text.utf16.count, attribute)
        case .boolean:
            let value = NumberText.parseBoolean(text)
            return value.isExact ? nil : "is neither YES nor NO, and is compiled as \(value.value ? "YES" : "NO")"
        case .uuid: return UUIDText.bytes(of: text) == nil ? "is not a UUID, and is not compiled" : nil
        case .uri: return isURL(text) ? nil : "is not a valid URL"
        case .date:
            return (attribute.defaultDateInterval ?? "").isEmpty
                ? "is not compiled: the default of a date is a number of seconds" : nil
        case .undefined, .binary, .transformable, .objectID, .composite:
            return "is not compiled: the type \(attribute.type.xmlValue) has no default"
        }
    }

    private static func dateProblem(_ text: String, _ attribute: Attribute) -> String? {
        let number = NumberText.parseReal(text)
        guard number.isExact else {
            return "is not a number of seconds, and is compiled as \(NumberText.text(of: number.value))"
        }
        return limitProblem(.real(number.value), attribute)
    }

    private static func notANumber(_ text: String) -> String {
        NumberText.parseReal(text).isExact ? "is not an integer" : "is not a number"
    }

    private static func limitProblem(_ value: CompiledNumber, _ attribute: Attribute) -> String? {
        let limits = attribute.limitTexts
        if let minimum = limits.minimum, value < attribute.compiledLimit(minimum) {
            return "is below the smallest value \(minimum)"
        }
        if let maximum = limits.maximum, value > attribute.compiledLimit(maximum) {
            return "is above the largest value \(maximum)"
        }
        return nil
    }

    private static func lengthProblem(_ length: Int, _ attribute: Attribute) -> String? {
        let (value, limits) = (CompiledNumber.integer(Int64(length)), attribute.limitTexts)
        if let minimum = limits.minimum, value < attribute.compiledLimit(minimum) {
            return "is shorter than \(minimum) characters"
        }
        if let maximum = limits.maximum, value > attribute.compiledLimit(maximum) {
            return "is longer than \(maximum) characters"
        }
        return nil
    }

    /// Returns whether a text has only characters that RFC 3986 allows, or that Foundation encodes, and complete
    /// percent escapes.
    private static func isURL(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            if byte <= 0x20 || byte == 0x7F || "<>\"\\^`{|}".utf8.contains(byte) { return false }
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = bytes.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                return false
            }
            bytes = bytes.dropFirst(2)
        }
        return true
    }
}
