internal import Diagnostics
internal import ModelSchema

/// Reports relationships whose inverse does not refer back to them.
struct InverseMismatchRule: LintRule {
    let description = RuleDescription(
        id: .inverseMismatch, code: "MC2002", group: "relationships",
        title: "the inverse of a relationship is not reciprocal",
        explanation: """
            If `Book.author` names `Author.books` as its inverse, `Author.books` has to name `Book.author`. Apple's compiler \
            accepts a model in which it names another relationship, has no inverse, or does not exist. Core Data then keeps \
            one end up to date and not the other: objects appear in one relationship and are missing in its inverse, \
            deletions leave stale references, and `NSPersistentCloudKitContainer` rejects a relationship without an inverse.
            """,
        remedy: "Choose the inverse on both sides again, so that each names the other.", defaultSeverity: .warning,
        fix: .unsafe)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for relationship in entity.relationships {
                guard let inverseName = relationship.inverseName, !inverseName.isEmpty,
                    let destinationName = relationship.destinationName,
                    context.entitiesByName[destinationName] != nil
                else { continue }
                let path = "\(entity.name).\(relationship.name)"
                guard let (inverse, owner) = context.lookup.inverse(of: relationship) else {
                    report(
                        RuleFinding(
                            "the inverse “\(destinationName).\(inverseName)” of “\(path)” does not exist",
                            at: relationship.origin, attribute: "inverseName", inspectorField: "Inverse",
                            why:
                                "The relationship is compiled without an inverse, so Core Data does not update the other end.",
                            help: "Choose an existing inverse, or add it to “\(destinationName)”."))
                    continue
                }
                let leadsBack =
                    inverse.destinationName.map { context.lookup.isSameOrAncestor($0, of: entity.name) } ?? false
                guard inverse.inverseName != relationship.name || !leadsBack else { continue }
                let answer = inverse.inverseName.map { "“\(inverse.destinationName ?? "?").\($0)”" } ?? "not set"
                var finding = RuleFinding(
                    "“\(path)” has the inverse “\(owner.name).\(inverseName)”, whose inverse is \(answer)",
                    at: relationship.origin, attribute: "inverseName", inspectorField: "Inverse",
                    why: "Core Data keeps the two ends consistent only if each names the other.",
                    help: "Choose the inverse again on both sides.")
                // An inverse whose destination is an ancestor of this entity cannot name a relationship that only this
                // one has.
                if inverse.inverseName == nil, inverse.destinationName == entity.name {
                    // Unsafe: the hash of a relationship covers the name of its inverse
                    // (Documentation/Formats/VersionHashes.md, 2.2).
                    finding.fix = .init(
                        "Set the inverse of “\(owner.name).\(inverseName)” to “\(path)”", safety: .unsafe,
                        attributes: [("inverseName", relationship.name), ("inverseEntity", entity.name)],
                        of: inverse.origin)
                }
                finding.related = [("the inverse is here", inverse.origin, "inverseName")]
                report(finding)
            }
        }
    }
}
