internal import Diagnostics
internal import ModelSchema

/// Reports transformable attributes without a declared class.
struct TransformableWithoutClassRule: LintRule {
    let description = RuleDescription(
        id: .transformableWithoutClass, code: "MC3005", group: "attributes",
        title: "a transformable attribute has no class",
        explanation: """
            Generated code declares the property as `NSObject`, so every use needs a cast. Off by default.
            """,
        remedy: "Set Custom Class to the type of the values, for example `[String]`.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.type == .transformable && (attribute.customClassName ?? "").isEmpty {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” does not specify the class of its values",
                        at: attribute.origin, attribute: "attributeType", inspectorField: "Custom Class",
                        why: "Generated code gives it the type NSObject.",
                        help: "Set Custom Class, for example to [String]."))
            }
        }
    }
}
