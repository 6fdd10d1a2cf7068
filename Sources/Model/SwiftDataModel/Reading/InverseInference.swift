internal import ModelSchema

/// A relationship of a schema whose inverse is not known yet.
struct PendingRelationship {
    var entity: String
    var relationship: Relationship
    var place: SourcePlace
    /// Whether the macro `@Relationship` is attached.
    var hasMacro: Bool
    /// The entity and property named by the argument `inverse:`.
    var explicitInverse: (entity: String, property: String)?
}

/// The inverses that SwiftData infers (Documentation/Formats/SwiftDataModel.md, 4).
struct InverseInference {
    private var relationships: [PendingRelationship]
    private var places: [String: [String: Int]] = [:]
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
        for (place, pending) in relationships.enumerated() {
            places[pending.entity, default: [:]][pending.relationship.name] = place
        }
    }

    private var results: [PendingRelationship] {
        relationships.enumerated().map { place, pending in
            guard let inverse = inverses[place] else { return pending }
            var result = pending
            result.relationship.inverseName = relationships[inverse].relationship.name
            result.relationship.inverseEntityName = relationships[inverse].entity
            return result
        }
    }

    private func title(_ place: Int) -> String {
        "\(relationships[place].entity).\(relationships[place].relationship.name)"
    }

    /// Applies rule 1: an explicit inverse sets both ends.
    private mutating func applyExplicitInverses() {
        for (place, pending) in relationships.enumerated() {
            guard let wanted = pending.explicitInverse else { continue }
            guard let inverse = places[wanted.entity]?[wanted.property] else {
                problems.append(
                    SourceProblem(
                        message:
                            "the inverse “\(wanted.entity).\(wanted.property)” of “\(title(place))” is not a relationship "
                            + "of the schema",
                        place: pending.place, help: "name a relationship of “\(wanted.entity)”"))
                continue
            }
            let leadsBack =
                relationships[inverse].relationship.destinationName == pending.entity
                && pending.relationship.destinationName == wanted.entity
            guard leadsBack else {
                problems.append(
                    SourceProblem(
                        message:
                            "“\(title(inverse))” cannot be the inverse of “\(title(place))”: their types do not match",
                        place: pending.place, help: "name a relationship that leads back to “\(pending.entity)”"))
                continue
            }
            for (one, other) in [(place, inverse), (inverse, place)] {
                if let known = inverses[one], known != other {
                    problems.append(
                        SourceProblem(
                            message: "“\(title(one))” is the inverse of both “\(title(known))” and “\(title(other))”",
                            place: relationships[one].place, help: "keep one of the `inverse:` arguments"))
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
        for place in free where inverses[place] == nil {
            let pending = relationships[place]
            let destination = pending.relationship.destinationName ?? ""
            if pending.entity == destination {
                problems.append(
                    SourceProblem(
                        message: "the inverse of “\(title(place))”, which leads to its own model, cannot be determined",
                        place: pending.place,
                        help: "name the inverse: `@Relationship(inverse: \\\(pending.entity).…)`"))
                continue
            }
            let own = groups[Pair(pending.entity, destination)] ?? []
            let others = groups[Pair(destination, pending.entity)] ?? []
            guard own.count == 1, others.count == 1, let other = others.first, place < other || inverses[other] == nil
            else { continue }
            guard place < other else { continue }
            pair(place, other)
        }
    }

    private mutating func pair(_ place: Int, _ other: Int) {
        let (one, two) = (relationships[place], relationships[other])
        if one.relationship.isToMany, two.relationship.isToMany, !(one.hasMacro && two.hasMacro) {
            problems.append(
                SourceProblem(
                    message:
                        "it cannot be determined whether “\(title(place))” and “\(title(other))” are inverses of each other",
                    place: one.place,
                    help: "name the inverse: `@Relationship(inverse: \\\(two.entity).\(two.relationship.name))`"))
            return
        }
        // Rule 5: both ends have the macro.
        guard !(one.hasMacro && two.hasMacro) else { return }
        // Rule 3: a required to-one end.
        guard [one, two].allSatisfy({ $0.relationship.isToMany || $0.relationship.isOptional }) else { return }
        inverses[place] = other
        inverses[other] = place
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
