internal import Diagnostics
internal import ModelSchema

/// Reports invalid regular expressions.
struct RegexInvalidRule: LintRule {
    let description = RuleDescription(
        id: .regexInvalid, code: "MC3009", group: "attributes",
        title: "the regular expression of an attribute cannot be read",
        explanation: """
            The pattern is compiled when an object is saved. If ICU cannot parse it, an exception is raised. The rule finds \
            unclosed brackets and parentheses, a quantifier without an operand, and a trailing backslash.
            """,
        remedy: "Correct the pattern.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes {
                guard let pattern = attribute.regularExpression, !pattern.isEmpty,
                    let problem = PatternCheck.problem(in: pattern)
                else { continue }
                report(
                    RuleFinding(
                        "the pattern of “\(entity.name).\(attribute.name)” cannot be read: \(problem)",
                        at: attribute.origin, attribute: "regularExpressionString", inspectorField: "Reg. Ex.",
                        why: "Saving an object raises an exception.", help: "Correct the pattern."))
            }
        }
    }
}

/// Checks the brackets and quantifiers of a regular expression for errors in every dialect.
enum PatternCheck {
    /// Returns the problem of a pattern; `nil` if none is found.
    static func problem(in pattern: String) -> String? {
        var groups = 0
        var isInSet = false
        var isEscaped = false
        /// Whether a quantifier may follow.
        var hasOperand = false
        var setLength = 0
        for character in pattern.unicodeScalars {
            if isEscaped {
                isEscaped = false
                hasOperand = true
                setLength += 1
                continue
            }
            switch character {
            case "\\": isEscaped = true
            case "]" where isInSet && setLength > 0:
                isInSet = false
                hasOperand = true
            case _ where isInSet:
                // A caret at the start is not a member.
                if character != "^" || setLength > 0 { setLength += 1 }
            case "[":
                isInSet = true
                setLength = 0
            case "(":
                groups += 1
                hasOperand = false
            case ")":
                groups -= 1
                hasOperand = true
                if groups < 0 { return "a parenthesis is closed that was not opened" }
            case "*", "+":
                if !hasOperand { return "“\(character)” has nothing before it" }
            case "|": hasOperand = false
            // In a group's head, `(?:`, it is not a quantifier.
            case "?": break
            default: hasOperand = true
            }
        }
        if isEscaped { return "it ends with a backslash" }
        if isInSet { return "a bracket is not closed" }
        return groups > 0 ? "a parenthesis is not closed" : nil
    }
}
