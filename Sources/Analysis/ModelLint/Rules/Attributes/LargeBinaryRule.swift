internal import Diagnostics
internal import ModelSchema

/// Reports binary attributes that are kept in the store's rows.
struct LargeBinaryRule: LintRule {
    let description = RuleDescription(
        id: .largeBinaryWithoutExternalStorage, code: "MC3011", group: "attributes",
        title: "a binary attribute is kept inside the store",
        explanation: """
            Images and documents inside the store are read by every fetch of their entity. With external storage, Core Data \
            keeps large values in separate files. Enabling it changes the version hash. Off by default, because only the \
            app's authors know how large the values are.
            """,
        remedy: "Allow external storage, or move the data to a separate entity.", defaultSeverity: nil)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes
            where attribute.type == .binary && !attribute.allowsExternalBinaryStorage && !attribute.isTransient {
                report(
                    RuleFinding(
                        "“\(entity.name).\(attribute.name)” keeps its bytes inside the store", at: attribute.origin,
                        attribute: "attributeType", inspectorField: "Allows External Storage",
                        why: "Every fetch of “\(entity.name)” reads them.", help: "Allow external storage.",
                        fix: RuleFinding.Fix(
                            "Allow external storage", safety: .unsafe,
                            attributes: [("allowsExternalBinaryDataStorage", "YES")])))
            }
        }
    }
}
