internal import Diagnostics
internal import ModelSchema

/// Reports transformable attributes that are read without secure coding.
struct InsecureTransformerRule: LintRule {
    let description = RuleDescription(
        id: .insecureTransformer, code: "MC3004", group: "attributes",
        title: "a transformable attribute does not use secure coding",
        explanation: """
            Without a transformer, or with `NSKeyedUnarchiveFromData`, Core Data instantiates whatever classes the bytes \
            name. Since iOS 13 it logs a fault for each such attribute at launch, without naming the attribute. The secure \
            transformer reads values that the old one wrote if the class supports `NSSecureCoding`; the entity's version \
            hash does not change.
            """,
        remedy: """
            Set the transformer to `NSSecureUnarchiveFromData`. It allows the property list types and collections of \
            them. For a custom class, register a subclass of `NSSecureUnarchiveFromDataTransformer`.
            """,
        defaultSeverity: .warning, fix: .unsafe)

    private static let insecureNames: Set = [
        "", "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData",
        "NSUnarchiveFromDataTransformerName",
    ]

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.type == .transformable && !attribute.isTransient
                && Self.insecureNames.contains(attribute.valueTransformerName ?? "")
            {
                let name = attribute.valueTransformerName ?? ""
                report(
                    RuleFinding(
                        name.isEmpty
                            ? "“\(entity.name).\(attribute.name)” has no value transformer and falls back to an insecure one"
                            : "“\(entity.name).\(attribute.name)” uses “\(name)”, which does not check classes",
                        at: attribute.origin,
                        attribute: name.isEmpty ? "attributeType" : "valueTransformerName",
                        inspectorField: "Transformer",
                        why:
                            "Anyone who can write to the store decides which classes the app instantiates. iOS logs a fault for it.",
                        help:
                            "Set the transformer to NSSecureUnarchiveFromData, or to a custom secure transformer for other classes.",
                        // Unsafe, because values of classes other than those of property lists could no longer be read.
                        fix: RuleFinding.Fix(
                            "Set the transformer to NSSecureUnarchiveFromData", safety: .unsafe,
                            attributes: [("valueTransformerName", "NSSecureUnarchiveFromData")])))
            }
        }
    }
}
