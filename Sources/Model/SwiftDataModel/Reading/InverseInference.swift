internal import ModelSchema

/// A relationship of a schema whose inverse is not known yet.
struct PendingRelationship {
    var entity: String
    var relationship: Relationship
    var span: SourceSpan
    /// Whether the macro `@Relationship` is attached.
    var hasMacro: Bool
    /// The entity and property named by the argument `inverse:`.
    var explicitInverse: (entity: String, property: String)?
}

/// The inverses that SwiftData infers (Documentation/Formats/SwiftDataModel.md, 4).
struct InverseInference {
    private var relationships: [PendingRelationship]
    private var spans: [String: [String: Int]] = [:]
    private var inverses: [Int: Int] = [:]
    private var problems: [SourceProblem] = []

    /// Returns the relationships with their inverses, and a problem for each inverse that could not be decided.
    static func run(_ relationships: [PendingRelationship]) -> ([PendingRelationship], [SourceProblem]) {
        var inference = InverseInference(relationships)
        inference.applyExplicitInverses()
        inference.pairTheRest()
        return (inference.results, inference.problems)
    }

    private init(_ relationships: [PendingRelationship]) {
        self.relationships = relationships
        for (span, pending) in relationships.enumerated() {
            spans[pending.entity, default: [:]][pending.relationship.name] = span
        }
    }

    private var results: [PendingRelationship] {
        relationships.enumerated().map { span, pending in
            guard let inverse = inverses[span] else { return pending }
            var result = pending
            result.relationship.inverseName = relationships[inverse].relationship.name
            result.relationship.inverseEntityName = relationships[inverse].entity
            return result
        }
    }

    private func title(_ span: Int) -> String {
        "\(relationships[span].entity).\(relationships[span].relationship.name)"
    }

    /// Applies rule 1: an explicit inverse sets both ends.
    private mutating func applyExplicitInverses() {
        for (span, pending) in relationships.enumerated() {
            guard let requested = pending.explicitInverse else { continue }
            guard let inverse = spans[requested.entity]?[requested.property] else {
                problems.append(
                    SourceProblem(
                        message:
                            "the inverse “\(requested.entity).\(requested.property)” of “\(title(span))” is not a relationship "
                            + "of the schema",
                        span: pending.span, help: "name a relationship of “\(requested.entity)”"))
                continue
            }
            let leadsBack =
                relationships[inverse].relationship.destinationName == pending.entity
                && pending.relationship.destinationName == requested.entity
            guard leadsBack else {
                problems.append(
                    SourceProblem(
                        message:
                            "“\(title(inverse))” cannot be the inverse of “\(title(span))”: their types do not match",
                        span: pending.span, help: "name a relationship that leads back to “\(pending.entity)”"))
                continue
            }
            for (one, other) in [(span, inverse), (inverse, span)] {
                if let known = inverses[one], known != other {
                    problems.append(
                        SourceProblem(
                            message: "“\(title(one))” is the inverse of both “\(title(known))” and “\(title(other))”",
                            span: relationships[one].span, help: "keep one of the `inverse:` arguments"))
                } else {
                    inverses[one] = other
                }
            }
        }
    }

    /// Applies rules 2 to 8: exactly one candidate on each side, not both with the macro, and no required to-one end.
    private mutating func pairTheRest() {
        let free = relationships.indices.filter { inverses[$0] == nil }
        let groups = Dictionary(grouping: free) {
            Pair(relationships[$0].entity, relationships[$0].relationship.destinationName ?? "")
        }
        for span in free where inverses[span] == nil {
            let pending = relationships[span]
            let destination = pending.relationship.destinationName ?? ""
            if pending.entity == destination {
                problems.append(
                    SourceProblem(
                        message: "the inverse of “\(title(span))”, which leads to its own model, cannot be determined",
                        span: pending.span,
                        help: "name the inverse: `@Relationship(inverse: \\\(pending.entity).…)`"))
                continue
            }
            let own = groups[Pair(pending.entity, destination)] ?? []
            let others = groups[Pair(destination, pending.entity)] ?? []
            guard own.count == 1, others.count == 1, let other = others.first, span < other || inverses[other] == nil
            else { continue }
            guard span < other else { continue }
            pair(span, other)
        }
    }

    private mutating func pair(_ span: Int, _ other: Int) {
        let (one, two) = (relationships[span], relationships[other])
        if one.relationship.isToMany, two.relationship.isToMany, !(one.hasMacro && two.hasMacro) {
            problems.append(
                SourceProblem(
                    message:
                        "it cannot be determined whether “\(title(span))” and “\(title(other))” are inverses of each other",
                    span: one.span,
                    help: "name the inverse: `@Relationship(inverse: \\\(two.entity).\(two.relationship.name))`"))
            return
        }
        // Rule 5: both ends have the macro.
        guard !(one.hasMacro && two.hasMacro) else { return }
        // Rule 3: a required to-one end.
        guard [one, two].allSatisfy({ $0.relationship.isToMany || $0.relationship.isOptional }) else { return }
        inverses[span] = other
        inverses[other] = span
    }

    private struct Pair: Hashable {
        var entity: String
        var destination: String

        init(_ entity: String, _ destination: String) {
            self.entity = entity
            self.destination = destination
        }
    }
}
