internal import Diagnostics
internal import ModelSchema

/// Reports the index flag of models for iOS 10 and earlier.
struct LegacyIndexedAttributeRule: LintRule {
    let description = RuleDescription(
        id: .legacyIndexedAttribute, code: "MC4001", group: "indexes",
        title: "an attribute uses the index flag of Xcode 8",
        explanation: """
            Since Xcode 9, indexes are separate elements with a name, an order and one or more columns. The old flag \
            still works, but Xcode's editor no longer shows it, so the index is easily overlooked. Indexes do not \
            affect version hashes.
            """,
        remedy: """
            Add a fetch index for the attribute (Entity ▸ Editor ▸ Add Fetch Index) and remove the flag. If the \
            attribute is the first of a fetch index that covers all objects, just remove the flag. Partial and R-tree indexes \
            serve only some fetches, and do not replace the flag's index.
            """,
        defaultSeverity: .warning, fix: .safe)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            let covered = Set(entity.fetchIndexes.filter(\.isPlain).compactMap { $0.elements.first?.propertyName })
            for attribute in entity.attributes where attribute.isIndexed {
                let isCovered = covered.contains(attribute.name)
                report(
                    RuleFinding(
                        isCovered
                            ? "“\(entity.name).\(attribute.name)” has both a fetch index and the index flag of Xcode 8"
                            : "“\(entity.name).\(attribute.name)” has the index flag of Xcode 8",
                        at: attribute.origin, attribute: "indexed",
                        why: "Xcode's editor no longer shows the flag.",
                        help: isCovered ? "Remove the flag." : "Add a fetch index for it and remove the flag.",
                        fix: isCovered
                            ? RuleFinding.Fix("Remove the flag", safety: .safe, attributes: [("indexed", nil)]) : nil))
            }
        }
    }
}
