internal import Diagnostics
internal import ModelSchema

/// Reports invalid regular expressions.
struct RegexInvalidRule: LintRule {
    let description = RuleDescription(
        id: .regexInvalid, code: "MC3009", group: "attributes",
        title: "the regular expression of an attribute is invalid",
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
                        "the pattern of “\(entity.name).\(attribute.name)” is invalid: \(problem)",
                        at: attribute.origin, attribute: "regularExpressionString", inspectorField: "Reg. Ex.",
                        why: "Saving an object raises an exception.", help: "Correct the pattern."))
            }
        }
    }
}
