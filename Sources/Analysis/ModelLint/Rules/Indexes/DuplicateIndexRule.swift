internal import Diagnostics
internal import ModelSchema

/// Reports fetch indexes of an entity with the same columns. The compiler reports those with the same name.
struct DuplicateIndexRule: LintRule {
    let description = RuleDescription(
        id: .duplicateIndex, code: "MC4002", group: "indexes",
        title: "an entity has two fetch indexes with the same columns",
        explanation: """
            A second index on the same columns does not speed up any fetch, and costs time and space with every change.
            """,
        remedy: "Remove one of them.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            var columns: [String: FetchIndex] = [:]
            for index in entity.fetchIndexes where !index.elements.isEmpty {
                guard let other = columns.updateValue(index, forKey: index.signature) else { continue }
                report(finding(index, other, in: entity))
            }
        }
    }

    private func finding(_ index: FetchIndex, _ other: FetchIndex, in entity: Entity) -> RuleFinding {
        var finding = RuleFinding(
            "the fetch index “\(index.name)” of “\(entity.name)” repeats the columns of “\(other.name)”",
            at: index.origin, attribute: "name", why: "The second index slows every change and speeds up no fetch.",
            help: "Remove one of them.")
        finding.related = [("the other declaration is here", other.origin, "name")]
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
