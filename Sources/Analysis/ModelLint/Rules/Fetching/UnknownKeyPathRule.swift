internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

/// Reports predicates that refer to an unknown property.
struct UnknownKeyPathRule: LintRule {
    let description = RuleDescription(
        id: .unknownKeyPath, code: "MC7003", group: "fetching",
        title: "a predicate refers to a property that does not exist",
        explanation: """
            The rule checks the key paths in the predicates of fetch requests, fetched properties and partial indexes. \
            Apple's compiler does not check them: the app starts, and the fetch raises an exception when it is executed. \
            Most invalid key paths result from renaming a property.
            """,
        remedy: "Correct the key path.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for location in PredicateLocation.all(in: context.model) {
            guard let entityName = location.entityName, let entity = context.entitiesByName[entityName],
                let predicate = try? PredicateParser.parsePredicate(location.text)
            else { continue }
            let source = location.sourceEntityName.flatMap { context.entitiesByName[$0] }
            for problem in KeyPathCheck(context.lookup, root: entity, source: source).problems(in: predicate) {
                report(
                    RuleFinding(
                        "the predicate of \(location.name) refers to \(problem)", at: location.origin,
                        attribute: location.attribute,
                        why: "The fetch raises an exception when it is executed.", help: "Correct the key path."))
            }
        }
    }
}
