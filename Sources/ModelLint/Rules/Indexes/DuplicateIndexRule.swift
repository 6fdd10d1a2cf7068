internal import Diagnostics
internal import ModelSchema

/// Reports fetch indexes of an entity with the same columns or the same name.
struct DuplicateIndexRule: LintRule {
    let description = RuleDescription(
        id: .duplicateIndex, code: "MC4002", group: "indexes",
        title: "an entity has two fetch indexes with the same name or the same columns",
        explanation: """
            A second index on the same columns does not speed up any fetch, and costs time and space with every change. Of \
            two indexes with the same name, the store has only one.
            """,
        remedy: "Remove or rename one of them.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            var names: [String: FetchIndex] = [:]
            var columns: [String: FetchIndex] = [:]
            for index in entity.fetchIndexes {
                let signature = index.signature
                if let other = names.updateValue(index, forKey: index.name) {
                    report(finding("the name of another index", index, other, in: entity))
                } else if !index.elements.isEmpty, let other = columns.updateValue(index, forKey: signature) {
                    report(finding("the columns of “\(other.name)”", index, other, in: entity))
                }
            }
        }
    }

    private func finding(
        _ what: String, _ index: FetchIndex, _ other: FetchIndex, in entity: Entity
    ) -> RuleFinding {
        var finding = RuleFinding(
            "the fetch index “\(index.name)” of “\(entity.name)” repeats \(what)",
            at: index.origin, attribute: "name", why: "The second index slows every change and speeds up no fetch.",
            help: "Remove or rename one of them.")
        finding.related = [("the other one is here", other.origin, "name")]
        return finding
    }
}

extension FetchIndex {
    /// A text that is equal for equivalent indexes.
    var signature: String {
        elements.map { "\($0.propertyName ?? "")\($0.expression ?? "")|\($0.type ?? "Binary")|\($0.isAscending)" }
            .joined(separator: ",") + "|" + (partialIndexPredicate ?? "")
    }
}
