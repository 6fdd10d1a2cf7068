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
            for attribute in entity.attributes {
                guard let text = attribute.defaultValue, !text.isEmpty,
                    let problem = Self.problem(text, attribute)
                else { continue }
                report(
                    RuleFinding(
                        "the default “\(text)” of “\(entity.name).\(attribute.name)” \(problem)", at: attribute.origin,
                        attribute: "defaultValueString", inspectorField: "Default Value",
                        why:
                            "New objects start with a value that cannot be saved or that differs from the one in the model.",
                        help: "Correct the default or the limits."))
            }
        }
    }

    private static func problem(_ text: String, _ attribute: Attribute) -> String? {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            guard let number = Double(text) else { return "is not a number" }
            if let range = attribute.type.integerRange, !range.contains(number) {
                return "is beyond what \(attribute.type.xmlValue) holds"
            }
            if let minimum = attribute.minimum.flatMap(Double.init), number < minimum {
                return "is below the smallest value \(attribute.minimum ?? "")"
            }
            if let maximum = attribute.maximum.flatMap(Double.init), number > maximum {
                return "is above the largest value \(attribute.maximum ?? "")"
            }
        case .string:
            let length = text.utf16.count
            if let minimum = attribute.minimum.flatMap(Int.init), length < minimum {
                return "is shorter than \(minimum) characters"
            }
            if let maximum = attribute.maximum.flatMap(Int.init), length > maximum {
                return "is longer than \(maximum) characters"
            }
        case .boolean:
            guard ["YES", "NO", "true", "false", "1", "0"].contains(text) else { return "is neither YES nor NO" }
        case .uuid:
            guard isUUID(text) else { return "is not a UUID" }
        default: break
        }
        return nil
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isHexDigit)
    }
}
