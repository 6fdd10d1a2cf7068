internal import Diagnostics
internal import ModelSchema

/// Reports indexes of attributes whose values are stored externally.
struct ExternalStorageIndexedRule: LintRule {
    let description = RuleDescription(
        id: .externalStorageIndexed, code: "MC3010", group: "attributes",
        title: "an attribute with external storage is indexed",
        explanation: """
            Large values of such an attribute are stored in separate files, and the column contains only the file names. An \
            index on them does not speed up any fetch, and slows down every change.
            """,
        remedy: "Remove the index.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            let external = Set(entity.attributes.filter(\.allowsExternalBinaryStorage).map(\.name))
            guard !external.isEmpty else { continue }
            for attribute in entity.attributes where attribute.isIndexed && external.contains(attribute.name) {
                report(finding(entity, name: attribute.name, origin: attribute.origin, attribute: "indexed"))
            }
            for index in entity.fetchIndexes {
                for element in index.elements {
                    guard let name = element.propertyName, external.contains(name) else { continue }
                    report(finding(entity, name: name, origin: element.origin, attribute: "property"))
                }
            }
        }
    }

    private func finding(
        _ entity: Entity, name: String, origin: ElementOrigin?, attribute: String
    ) -> RuleFinding {
        RuleFinding(
            "“\(entity.name).\(name)” is stored externally, and indexed", at: origin, attribute: attribute,
            why: "The index finds nothing and slows every change.", help: "Remove the index.")
    }
}
