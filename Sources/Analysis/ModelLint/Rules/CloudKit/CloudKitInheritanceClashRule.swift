internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports properties whose fields clash, because all entities of an inheritance tree share a record type.
struct CloudKitInheritanceClashRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitInheritanceClash, code: "MC9008", group: "cloudkit",
        title: "two subentities have properties with the same name whose CloudKit fields differ",
        explanation: """
            An inheritance tree is one record type with the fields of all its entities. Properties of the same name share a \
            field, which has one type.
            """,
        remedy: "Rename one of the properties, or give both the same type.", defaultSeverity: .error,
        profile: "cloudkit")

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for tree in context.cloudKitTrees where tree.members.count > 1 {
            var fields: [String: (entity: String, type: FieldType, origin: ElementOrigin?)] = [:]
            for entity in tree.members {
                for property in entity.cloudKitProperties {
                    guard let type = property.type else { continue }
                    guard let other = fields[property.name] else {
                        fields[property.name] = (entity.name, type, property.origin)
                        continue
                    }
                    guard other.type != type, other.entity != entity.name else { continue }
                    var finding = RuleFinding(
                        "“\(entity.name).\(property.name)” is \(type.text) in CloudKit, and "
                            + "“\(other.entity).\(property.name)” is \(other.type.text)",
                        at: property.origin, attribute: "name", inspectorField: "Name",
                        why: "Both map to the field “\(SchemaMapping.prefix)\(property.name)” of "
                            + "“\(SchemaMapping.prefix)\(tree.root.name)”.",
                        help: "Rename one of them, or give both the same type.")
                    finding.related = [("the other declaration is here", other.origin, "name")]
                    report(finding)
                }
            }
        }
    }
}
