internal import Diagnostics
internal import ModelSchema

/// A transformable attribute of which nobody knows what is in it.
struct TransformableWithoutClassRule: LintRule {
    let description = RuleDescription(
        id: .transformableWithoutClass, code: "MC3005", group: "attributes",
        title: "a transformable attribute has no class",
        explanation:
            "Generated code can only say `NSObject`; every use of the value needs a cast. Off unless it is enabled.",
        remedy: "Set Custom Class to the type of the values, for example `[String]`.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.type == .transformable && (attribute.customClassName ?? "").isEmpty {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” does not say what class its values have",
                        at: attribute.origin, attribute: "attributeType", inspectorField: "Custom Class",
                        why: "Generated code gives it the type NSObject.",
                        help: "Set Custom Class, for example to [String]."))
            }
        }
    }
}
