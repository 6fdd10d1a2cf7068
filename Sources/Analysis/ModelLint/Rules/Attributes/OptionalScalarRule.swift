internal import Diagnostics
internal import ModelSchema

/// Reports optional attributes whose scalar properties cannot be `nil`.
struct OptionalScalarRule: LintRule {
    let description = RuleDescription(
        id: .optionalScalar, code: "MC3002", group: "attributes",
        title: "an optional attribute has a scalar type and no default",
        explanation: """
            Generated code gives the attribute a scalar type such as `Int64` or `Bool`, which cannot be nil: a missing \
            value reads as 0, and code cannot tell the two apart. Objective-C has no optional scalars, so Xcode cannot \
            generate `Int64?` either. Off by default, because Xcode itself creates such attributes.
            """,
        remedy: "Make it required with a default, or switch off Use Scalar Type.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.isOptional && attribute.usesScalarType == true && !attribute.hasDefault
                && !attribute.isDerived && attribute.type.isNumber
            {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” is optional, but its scalar type has no nil",
                        at: attribute.origin, attribute: "usesScalarValueType", inspectorField: "Use Scalar Type",
                        why: "A missing value reads as 0.",
                        help: "Make it required with a default, or switch off Use Scalar Type."))
            }
        }
    }
}
