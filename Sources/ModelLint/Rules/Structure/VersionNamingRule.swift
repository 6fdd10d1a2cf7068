internal import Diagnostics
internal import ModelSchema

/// Versions that are not named in a sequence.
struct VersionNamingRule: LintRule {
    let description = RuleDescription(
        id: .versionNaming, code: "MC1021", group: "structure",
        title: "the current version does not come last in the order of the names",
        explanation: """
            Migration code that walks through versions sorts them by name, and people read the newest one off the list. \
            `Model 10` after `Model 9` is in order, `Model final` is not. Off unless it is enabled.
            """,
        remedy: "Name versions in a sequence: Model, Model 2, Model 3.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent, let last = context.versionNames.last, last != context.model.name else { return }
        report(
            RuleFinding(
                "the current version is “\(context.model.name)”, but “\(last)” comes last", at: context.model.origin,
                why: "Code and people take the last one for the newest.", help: "Name versions in a sequence."))
    }
}
