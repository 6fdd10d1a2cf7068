internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

/// Reports fetch requests in the model that compare an attribute without an index.
struct UnindexedFetchTemplateRule: LintRule {
    let description = RuleDescription(
        id: .unindexedFetchTemplate, code: "MC4008", group: "indexes",
        title: "a fetch request of the model compares an attribute without an index",
        explanation: """
            A fetch that compares an attribute without an index scans the whole table. Off by default, because it \
            matters only if there are many objects.
            """,
        remedy: "Add a fetch index for the attribute, if there are many objects.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for request in context.model.fetchRequests {
            guard let entityName = request.entityName, let entity = context.entitiesByName[entityName],
                let text = request.predicate, !text.isEmpty,
                let predicate = try? PredicateParser.parsePredicate(text)
            else { continue }
            let indexed = indexedNames(context.lookup.lineage(of: entity))
            let compared = predicate.keyPaths.filter(\.startsAtEvaluatedObject).compactMap { path in
                path.keyPath.keys.count == 1 ? path.keyPath.keys.first : nil
            }
            let attributes = compared.filter { name in
                if case .attribute(let attribute)? = context.lookup.property(name, of: entity) {
                    return !attribute.isTransient
                }
                return false
            }
            guard let first = attributes.first, !attributes.contains(where: { indexed.contains($0) }) else { continue }
            report(
                RuleFinding(
                    "the fetch request “\(request.name)” compares “\(entityName).\(first)”, which has no index",
                    at: request.origin, attribute: "predicateString", why: "Each fetch scans the whole table.",
                    help: "Add a fetch index, if there are many objects."))
        }
    }

    /// Returns the first properties of the indexes of an entity and its ancestors.
    private func indexedNames(_ lineage: [Entity]) -> Set<String> {
        var names: Set<String> = []
        for entity in lineage {
            for index in entity.fetchIndexes {
                if let name = index.elements.first?.propertyName { names.insert(name) }
            }
            for constraint in entity.uniquenessConstraints {
                if let name = constraint.properties.first?.name { names.insert(name) }
            }
            for attribute in entity.attributes where attribute.isIndexed { names.insert(attribute.name) }
        }
        return names
    }
}
