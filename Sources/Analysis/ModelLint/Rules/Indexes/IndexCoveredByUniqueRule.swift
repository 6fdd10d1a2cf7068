internal import Diagnostics
internal import ModelSchema

/// Reports fetch indexes with the columns of a uniqueness constraint.
struct IndexCoveredByUniqueRule: LintRule {
    let description = RuleDescription(
        id: .indexCoveredByUnique, code: "MC4005", group: "indexes",
        title: "a fetch index has the columns of a uniqueness constraint",
        explanation: "The store already has an index for a uniqueness constraint, which fetches use too.",
        remedy: "Remove the fetch index.", defaultSeverity: .note)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities where !entity.uniquenessConstraints.isEmpty {
            let constraints = entity.uniquenessConstraints.map { $0.properties.map(\.name) }
            for index in entity.fetchIndexes where (index.partialIndexPredicate ?? "").isEmpty {
                let names = index.elements.compactMap(\.propertyName)
                guard names.count == index.elements.count, !names.isEmpty,
                    index.elements.allSatisfy({ $0.isAscending && ($0.type ?? "Binary") == "Binary" }),
                    constraints.contains(where: { $0.starts(with: names) })
                else { continue }
                report(
                    RuleFinding(
                        "the fetch index “\(index.name)” of “\(entity.name)” repeats a uniqueness constraint",
                        at: index.origin, attribute: "name",
                        why: "The constraint's own index serves the same fetches.", help: "Remove the fetch index."))
            }
        }
    }
}
