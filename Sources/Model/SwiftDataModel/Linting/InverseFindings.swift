internal import Diagnostics
internal import ModelSchema

/// The relationships that SwiftData leaves without an inverse although there is a candidate
/// (Documentation/Formats/SwiftDataModel.md, 4).
enum InverseFindings {
    /// Returns the findings about relationships. Their inverses must already be inferred.
    static func all(_ relationships: [PendingRelationship]) -> [DeclarationFinding] {
        let open = relationships.filter { $0.relationship.inverseName == nil && !$0.isOneWay }
        return open.compactMap { pending in
            let destination = pending.relationship.destinationName ?? ""
            guard destination != pending.entity else { return nil }
            let own = open.filter { $0.entity == pending.entity && $0.relationship.destinationName == destination }
            let others = open.filter { $0.entity == destination && $0.relationship.destinationName == pending.entity }
            guard let other = others.first else { return nil }
            if own.count > 1 || others.count > 1 { return ambiguous(pending, own: own, others: others) }
            // Each pair is reported once.
            if pending.hasMacro, other.hasMacro {
                return title(pending) < title(other) ? bothMacros(pending, other) : nil
            }
            if !pending.relationship.isToMany, !pending.relationship.isOptional { return required(pending, other) }
            return nil
        }
    }

    private static func title(_ pending: PendingRelationship) -> String {
        "\(pending.entity).\(pending.relationship.name)"
    }

    private static func keyPath(_ pending: PendingRelationship) -> String {
        "`@Relationship(inverse: \\\(pending.entity).\(pending.relationship.name))`"
    }

    private static let why =
        "Without an inverse, SwiftData does not update the other side, and deleting an object leaves references to it."

    private static func related(_ others: [PendingRelationship]) -> [(message: String, origin: ElementOrigin)] {
        others.compactMap { other in
            other.relationship.origin.map { ("“\(title(other))” could be the inverse", $0) }
        }
    }

    private static func required(_ pending: PendingRelationship, _ other: PendingRelationship) -> DeclarationFinding {
        DeclarationFinding(
            rule: .swiftDataRequiredInverse,
            message: "“\(title(pending))” and “\(title(other))” are not inverses of each other, because "
                + "“\(title(pending))” is not optional",
            origin: pending.relationship.origin, why: why,
            help: "Make it optional, or name the inverse: \(keyPath(other)). Either one changes the version hash.",
            related: related([other]))
    }

    private static func bothMacros(_ pending: PendingRelationship, _ other: PendingRelationship) -> DeclarationFinding {
        DeclarationFinding(
            rule: .swiftDataUnnamedInverse,
            message: "“\(title(pending))” and “\(title(other))” are not inverses of each other, because both have "
                + "`@Relationship` and neither names its inverse",
            origin: pending.relationship.origin, why: why,
            help: "Name the inverse: \(keyPath(other)). This changes the version hashes of both models.",
            related: related([other]))
    }

    private static func ambiguous(
        _ pending: PendingRelationship, own: [PendingRelationship], others: [PendingRelationship]
    ) -> DeclarationFinding {
        let candidates = others.map { "“\(title($0))”" }.joined(separator: " and ")
        let message =
            others.count > 1
            ? "“\(title(pending))” has no inverse: it is ambiguous between \(candidates)"
            : "“\(title(pending))” has no inverse: \(candidates) could also be that of "
                + own.filter { title($0) != title(pending) }.map { "“\(title($0))”" }.joined(separator: ", ")
        return DeclarationFinding(
            rule: .swiftDataAmbiguousInverse, message: message, origin: pending.relationship.origin, why: why,
            help:
                "Name the inverse: \(others.first.map(keyPath) ?? ""). This changes the version hashes of both models.",
            related: related(others))
    }
}
