internal import Diagnostics
internal import ModelSchema

/// Reports features that the model's minimum Xcode version does not support.
struct ToolsVersionMismatchRule: LintRule {
    let description = RuleDescription(
        id: .toolsVersionMismatch, code: "MC1020", group: "structure",
        title: "the model uses features that its minimum Xcode version lacks",
        explanation: """
            `minimumToolsVersion` is the minimum version of Xcode that can open the model. Fetch indexes need Xcode 9, \
            derived attributes Xcode 11, composite attributes Xcode 15; older versions drop them when they save.
            """,
        remedy: "Set Tools Version to Automatic (File inspector ▸ Core Data Model ▸ Tools Version).",
        defaultSeverity: .note, fix: .safe)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard let minimum = context.model.settings.minimumToolsVersion, minimum.hasPrefix("Xcode "),
            let version = Double(
                minimum.dropFirst("Xcode ".count).split(separator: ".").prefix(2).joined(separator: "."))
        else { return }
        let entities = context.entities
        let uses: [(name: String, version: Double, isUsed: Bool)] = [
            ("composite attributes", 15, !context.model.composites.isEmpty),
            ("derived attributes", 11, entities.contains { $0.attributes.contains(where: \.isDerived) }),
            ("fetch indexes", 9, entities.contains { !$0.fetchIndexes.isEmpty }),
        ]
        guard let use = uses.first(where: { $0.isUsed && $0.version > version }) else { return }
        report(
            RuleFinding(
                "the model's tools version is \(minimum), but \(use.name) need Xcode \(Int(use.version))",
                at: context.model.origin, attribute: "minimumToolsVersion",
                why: "That version of Xcode drops them when it saves the model.",
                help: "Set Tools Version to Automatic.",
                fix: RuleFinding.Fix(
                    "Set the tools version to Automatic", safety: .safe,
                    attributes: [("minimumToolsVersion", "Automatic")])))
    }
}
