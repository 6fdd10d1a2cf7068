internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports names in a CloudKit schema that differ only in case.
struct CloudKitCaseCollisionRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitCaseCollision, code: "MC9007", group: "cloudkit",
        title: "two record types or fields differ in case only",
        explanation: """
            CloudKit's names are case-sensitive, but people and tools easily confuse names that differ only in case, and \
            record types and fields can never be renamed. All entities of an inheritance tree share a record type.
            """,
        remedy: "Rename one of them.", defaultSeverity: .warning, profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var types: [String: Entity] = [:]
        for tree in context.cloudKitTrees {
            let root = tree.root
            if let other = types.updateValue(root, forKey: root.name.lowercased()), other.name != root.name {
                report(
                    Self.finding(
                        "the entity “\(root.name)”", origin: root.origin, other: "“\(other.name)”",
                        otherOrigin: other.origin))
            }
            var fields: [String: (shown: String, name: String, origin: ElementOrigin?)] = [:]
            for entity in tree.members {
                for property in entity.cloudKitProperties {
                    let shown = "“\(entity.name).\(property.name)”"
                    let field = (shown, property.name, property.origin)
                    if let other = fields.updateValue(field, forKey: property.name.lowercased()),
                        other.name != property.name
                    {
                        report(
                            Self.finding(shown, origin: property.origin, other: other.shown, otherOrigin: other.origin))
                    }
                }
            }
        }
    }

    private static func finding(
        _ subject: String, origin: ElementOrigin?, other: String, otherOrigin: ElementOrigin?
    ) -> RuleFinding {
        var finding = RuleFinding(
            "\(subject) differs from \(other) in case only", at: origin, attribute: "name", inspectorField: "Name",
            why: "The names in CloudKit are easily confused, and can never be changed.", help: "Rename one of them.")
        finding.related = [("the other declaration is here", otherOrigin, "name")]
        return finding
    }
}
