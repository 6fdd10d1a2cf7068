internal import Diagnostics
internal import ModelSchema

/// Reports hierarchies of entities whose table is very wide.
struct SingleTableWidthRule: LintRule {
    let description = RuleDescription(
        id: .singleTableInheritanceWidth, code: "MC5002", group: "entities",
        title: "a hierarchy of entities has a very wide table",
        explanation: """
            All subentities of an entity share one table with the columns of all of them. With more than 100 columns, most \
            of them empty in most rows, every fetch and every change of these entities is slow.
            """,
        remedy: "Give the subentities a common class in code instead of a common parent in the model.",
        defaultSeverity: .warning)

    static let columnLimit = 100

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities where entity.parentName == nil && context.childNames[entity.name] != nil {
            let family = [entity] + context.lookup.descendants(of: entity)
            let columns = family.reduce(0) { sum, member in
                sum + member.attributes.count { !$0.isTransient }
                    + member.relationships.count { !$0.isToMany && !$0.isTransient }
            }
            guard columns > Self.columnLimit else { continue }
            report(
                RuleFinding(
                    "“\(entity.name)” and its \(family.count - 1) subentities share a table of \(columns) columns",
                    at: entity.origin, attribute: "name", why: "Every fetch and change of any of them is slow.",
                    help: "Give them a common class in code instead of a common parent entity."))
        }
    }
}
