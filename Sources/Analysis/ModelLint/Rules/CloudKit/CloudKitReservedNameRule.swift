internal import CloudKitSchema
internal import Diagnostics
internal import ModelSchema

/// Reports properties with the names of fields that Core Data adds to record types.
struct CloudKitReservedNameRule: LintRule {
    let description = RuleDescription(
        id: .cloudkitReservedName, code: "MC9005", group: "cloudkit",
        title: "a property has the name of a field that Core Data adds to CloudKit records",
        explanation: """
            Core Data adds the fields `CD_entityName` and `CD_moveReceipt` to each record type, and `CD_x_ckAsset` for large \
            values of a String, Binary or Transformable attribute `x`. A property of such a name would use the same field.
            """,
        remedy: "Rename the property.", defaultSeverity: .error, profile: "cloudkit")

    private static let names: Set = ["entityName", "moveReceipt", "moveReceipt" + SchemaMapping.assetSuffix]

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for tree in context.cloudKitTrees {
            var assets: Set<String> = []
            for entity in tree.members {
                for attribute in entity.attributes where attribute.hasCloudKitAsset && !attribute.isTransient {
                    assets.insert(attribute.name + SchemaMapping.assetSuffix)
                }
            }
            for entity in tree.members {
                let properties =
                    entity.attributes.filter { !$0.isTransient }.map { ($0.name, $0.origin) }
                    + entity.relationships.filter { !$0.isTransient }.map { ($0.name, $0.origin) }
                for (name, origin) in properties where Self.names.contains(name) || assets.contains(name) {
                    report(
                        RuleFinding(
                            "“\(entity.name).\(name)” has the name of a field that Core Data adds", at: origin,
                            attribute: "name", inspectorField: "Name",
                            why: "Both would map to the field “\(SchemaMapping.prefix)\(name)”.", help: "Rename it."))
                }
            }
        }
    }
}
