internal import Diagnostics

extension Model {
    /// Returns the warnings of Apple's `momc` about a model, in document order
    /// (Documentation/Formats/MomcCommandLine.md, 3). The model still compiles, except with a transient inverse.
    func compilerWarnings(_ lookup: PropertyLookup) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for entity in entities {
            let count = entity.attributes.count + entity.relationships.count + entity.fetchedProperties.count
            if count > Self.propertyCountLimit {
                findings.append(
                    ModelFinding(
                        .warning, rule: .tooManyProperties, "“\(entity.name)” has \(count) properties",
                        at: entity.origin, attribute: "name",
                        why: "Every fetch of an object reads them all; momc warns from \(Self.propertyCountLimit) on.",
                        help: "Move groups of them to separate entities."))
            }
            for relationship in entity.relationships {
                findings += relationship.compilerWarnings(in: entity, lookup)
            }
        }
        return findings
    }

    /// The number of properties beyond which momc warns.
    private static var propertyCountLimit: Int { 100 }
}

extension Relationship {
    fileprivate func compilerWarnings(in entity: Entity, _ lookup: PropertyLookup) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        let path = "\(entity.name).\(name)"
        if inverseName?.isEmpty ?? true {
            findings.append(
                ModelFinding(
                    .warning, rule: .missingInverse, "“\(path)” has no inverse", at: origin, attribute: "name",
                    why: "Core Data keeps both ends of a relationship consistent only if each is the other's inverse.",
                    help: "Choose one (Relationship ▸ Data Model inspector ▸ Inverse), and add it first if needed."))
        } else if let (inverse, owner) = lookup.inverse(of: self), inverse.isTransient != isTransient {
            findings.append(
                ModelFinding(
                    .error, rule: .transientInverse,
                    "“\(path)” and its inverse “\(owner.name).\(inverse.name)” are not both transient", at: origin,
                    attribute: "inverseName", why: "One end would be saved and the other not.",
                    help: "Make both transient, or neither (Relationship ▸ Data Model inspector ▸ Transient)."))
        }
        if deleteRule == .noAction {
            findings.append(
                ModelFinding(
                    .warning, rule: .noActionDeleteRule, "“\(path)” has the delete rule No Action", at: origin,
                    attribute: "deletionRule",
                    why: "Deleting the object leaves dangling references at the other end, and a later save fails.",
                    help: "Choose Nullify, Cascade or Deny (Relationship ▸ Data Model inspector ▸ Delete Rule)."))
        }
        return findings
    }
}
