internal import Diagnostics
internal import ModelSchema

/// Reports relationships with the delete rule Cascade at both ends.
struct CascadeCycleRule: LintRule {
    let description = RuleDescription(
        id: .cascadeCycle, code: "MC2005", group: "relationships",
        title: "both ends of a relationship have the delete rule Cascade",
        explanation: """
            With Cascade on both ends, deleting one object deletes the objects at the other end, these delete theirs, and so \
            on: deleting one book deletes its author and all of the author's books. Where one end owns the other, only the owner's \
            side should cascade.
            """,
        remedy: "Keep Cascade on the side of the owner and choose Nullify on the other.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                guard let (inverse, owner) = context.lookup.inverse(of: relationship), inverse.deleteRule == .cascade,
                    // Two to-one ends are excluded: objects that are deleted together can be intended.
                    relationship.isToMany || inverse.isToMany,
                    // Each pair is reported once, at the end that comes first.
                    let location = relationship.origin, let other = inverse.origin, location.index <= other.index
                else { continue }
                // The end at the owned objects: the inverse of the to-many relationship.
                let part = relationship.isToMany ? inverse : relationship
                let partOwner = relationship.isToMany ? owner.name : entity.name
                var finding = RuleFinding(
                    "“\(entity.name).\(relationship.name)” and its inverse “\(owner.name).\(inverse.name)” both cascade",
                    at: relationship.origin, attribute: "deletionRule", inspectorField: "Delete Rule",
                    why: "Deleting one object deletes everything that is connected with it in either direction.",
                    help: "Choose Nullify for “\(partOwner).\(part.name)”.")
                finding.related = [("the inverse is here", inverse.origin, "deletionRule")]
                report(finding)
            }
        }
    }
}
