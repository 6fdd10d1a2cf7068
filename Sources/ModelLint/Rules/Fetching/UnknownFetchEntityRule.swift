internal import Diagnostics
internal import ModelSchema

/// Reports fetch requests and configurations that refer to an unknown entity.
struct UnknownFetchEntityRule: LintRule {
    let description = RuleDescription(
        id: .unknownFetchEntity, code: "MC7002", group: "fetching",
        title: "a fetch request or configuration refers to an entity that is not in the model",
        explanation: """
            Apple's compiler rejects a fetch request or configuration with an entity that does not exist.
            """,
        remedy: "Choose another entity, or remove the request.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        func check(_ name: String?, _ what: String, _ origin: ElementOrigin?, _ attribute: String) {
            guard let name, !name.isEmpty, context.entitiesByName[name] == nil else { return }
            report(
                RuleFinding(
                    "\(what) names the entity “\(name)”, which is not in the model", at: origin, attribute: attribute,
                    why: "The model cannot be compiled.", help: "Choose another entity, or remove it."))
        }
        for request in context.model.fetchRequests {
            check(request.entityName, "the fetch request “\(request.name)”", request.origin, "entity")
        }
        for entity in context.entities {
            for fetched in entity.fetchedProperties {
                let request = fetched.fetchRequest
                check(request?.entityName, "“\(entity.name).\(fetched.name)”", request?.origin, "entity")
            }
        }
        for configuration in context.model.configurations {
            for member in configuration.members {
                check(member.entityName, "the configuration “\(configuration.name)”", member.origin, "name")
            }
        }
    }
}
