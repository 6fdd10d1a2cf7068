internal import Diagnostics
internal import ModelSchema

/// Reports gaps in the numbers of versions.
struct UnusedVersionGapRule: LintRule {
    let description = RuleDescription(
        id: .unusedVersionGap, code: "MC1022", group: "structure",
        title: "a number is missing in the sequence of versions",
        explanation: """
            `Model 2` and `Model 4` without `Model 3`: stores of a version that was shipped and removed can no longer \
            be migrated. Off by default, because the version may never have been shipped.
            """,
        remedy: "Restore the version from version control if it was ever shipped.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent else { return }
        let numbers = context.versionNames.compactMap { name in
            name.split(separator: " ").last.flatMap { Int($0) }
        }.sorted()
        for (first, second) in zip(numbers, numbers.dropFirst()) where second > first && second - 1 > first {
            report(
                RuleFinding(
                    "there are versions \(first) and \(second), but none between them", at: context.model.origin,
                    why: "Stores of a version that was removed can no longer be migrated.",
                    help: "Restore it from version control if it was ever shipped."))
        }
    }
}
