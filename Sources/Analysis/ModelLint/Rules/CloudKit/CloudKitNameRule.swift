internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports names that are not valid identifiers in CloudKit.
struct CloudKitNameRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitName, code: "MC9006", group: "cloudkit",
        title: "a name cannot be used in a CloudKit schema",
        explanation: """
            Names of record types and fields consist of ASCII letters, digits and underscores. Core Data puts `CD_` before the \
            names of entities and properties and copies them verbatim. Only the root entity of an inheritance tree names a \
            record type.
            """,
        remedy: "Rename the element.", defaultSeverity: .error, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for tree in context.cloudKitTrees {
            let root = tree.root
            if !Self.isValid(root.name) { report(Self.finding("the entity “\(root.name)”", root.origin)) }
            for entity in tree.members {
                for property in entity.cloudKitProperties where !Self.isValid(property.name) {
                    report(Self.finding("“\(entity.name).\(property.name)”", property.origin))
                }
            }
        }
    }

    private static func isValid(_ name: String) -> Bool {
        name.isEmpty || SchemaName.isIdentifier(SchemaMapping.prefix + name)
    }

    private static func finding(_ subject: String, _ origin: ElementOrigin?) -> RuleFinding {
        RuleFinding(
            "\(subject) has a name that CloudKit does not allow", at: origin, attribute: "name", inspectorField: "Name",
            why: "Names in CloudKit consist of ASCII letters, digits and underscores.", help: "Rename it.")
    }
}
