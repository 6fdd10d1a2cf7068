internal import Diagnostics
internal import ModelSchema

/// Reports fetch indexes whose columns are a prefix of another's.
struct RedundantPrefixIndexRule: LintRule {
    let description = RuleDescription(
        id: .redundantPrefixIndex, code: "MC4003", group: "indexes",
        title: "a fetch index is a prefix of another one",
        explanation: """
            SQLite uses an index on (`a`, `b`) for queries on `a` alone, so a second index on `a` only costs time and \
            space with every change.
            """,
        remedy: "Remove the shorter index.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities where entity.fetchIndexes.count > 1 {
            for index in entity.fetchIndexes where index.isPlain {
                let longer = entity.fetchIndexes.first { other in
                    other.isPlain && other.elements.count > index.elements.count
                        && zip(other.elements, index.elements).allSatisfy {
                            $0.propertyName == $1.propertyName && $0.isAscending == $1.isAscending
                        }
                }
                guard let longer else { continue }
                var finding = RuleFinding(
                    "the fetch index “\(index.name)” of “\(entity.name)” is a prefix of “\(longer.name)”",
                    at: index.origin, attribute: "name",
                    why: "SQLite uses the longer index instead; this one only slows every change.",
                    help: "Remove it.")
                finding.related = [("the longer one is here", longer.origin, "name")]
                report(finding)
            }
        }
    }
}

extension FetchIndex {
    /// Whether the index has columns, which are all properties in binary order, and covers all objects.
    var isPlain: Bool {
        !elements.isEmpty && (partialIndexPredicate ?? "").isEmpty
            && elements.allSatisfy { ($0.type ?? "Binary") == "Binary" && $0.propertyName != nil }
    }
}
