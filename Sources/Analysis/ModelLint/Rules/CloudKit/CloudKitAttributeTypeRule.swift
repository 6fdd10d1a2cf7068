internal import Diagnostics
internal import ModelSchema

/// Reports attributes whose types CloudKit does not support.
struct CloudKitAttributeTypeRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitAttributeType, code: "MC9002", group: "cloudkit",
        title: "an attribute of CloudKit has the type Undefined or Object ID",
        explanation: "CloudKit records can contain neither untyped values nor object IDs; the store does not load.",
        remedy: "Choose another type, or make the attribute transient.", defaultSeverity: .error, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.cloudKitEntities {
            for attribute in entity.attributes
            where (attribute.type == .undefined || attribute.type == .objectID) && !attribute.isTransient
                && attribute.unknownType == nil
            {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” has the type \(attribute.type.xmlValue)",
                        at: attribute.origin, attribute: "attributeType", inspectorField: "Attribute Type",
                        why: "CloudKit does not support it: the store does not load.", help: "Choose another type."))
            }
        }
    }
}
