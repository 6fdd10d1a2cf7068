internal import Diagnostics
internal import ModelSchema

/// Reports current versions that are not the last in the order of names.
struct VersionNamingRule: LintRule {
    let description = RuleDescription(
        id: .versionNaming, code: "MC1021", group: "structure",
        title: "the current version does not come last in the order of the names",
        explanation: """
            Migration code that walks through the versions sorts them by name, and people assume that the last one \
            is the newest. `Model 10` after `Model 9` sorts correctly, `Model final` does not. Off by default.
            """,
        remedy: "Number the versions consecutively: Model, Model 2, Model 3.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent, let last = context.versionNames.last, last != context.model.name else { return }
        report(
            RuleFinding(
                "the current version is “\(context.model.name)”, but “\(last)” comes last", at: context.model.origin,
                why: "The last version is usually assumed to be the newest.", help: "Number the versions consecutively."
            ))
    }
}
