internal import Diagnostics
internal import ModelSchema

/// Reports persistent attributes without a type.
struct UndefinedTypeRule: LintRule {
    let description = RuleDescription(
        id: .undefinedType, code: "MC3006", group: "attributes", title: "a persistent attribute has no type",
        explanation: """
            Only transient attributes may have the type Undefined. With a persistent one, no store can be created: Core Data \
            raises an exception when it loads the store.
            """,
        remedy: "Choose a type, or make the attribute transient.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.type == .undefined && attribute.unknownType == nil && !attribute.isTransient
                && !attribute.isDerived
            {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” is persistent and has no type", at: attribute.origin,
                        attribute: "attributeType", inspectorField: "Attribute Type",
                        why: "Core Data cannot create a column for it and raises an exception when it loads the store.",
                        help: "Choose a type, or make it transient."))
            }
        }
    }
}
