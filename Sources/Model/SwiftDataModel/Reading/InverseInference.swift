internal import ModelSchema
internal import SwiftDataRules

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

/// Applies `InverseRules` to relationships of Swift sources.
struct InverseInference {
    private let relationships: [PendingRelationship]

    /// Returns the relationships with their inverses, and a problem for each inverse that could not be decided.
    static func run(_ relationships: [PendingRelationship]) -> ([PendingRelationship], [SourceProblem]) {
        let rules = InverseRules(relationships.map(\.end))
        let inference = InverseInference(relationships: relationships)
        let results = relationships.enumerated().map { place, pending in
            guard let inverse = rules.inverses[place] else { return pending }
            var result = pending
            result.relationship.inverseName = relationships[inverse].relationship.name
            result.relationship.inverseEntityName = relationships[inverse].entity
            return result
        }
        return (results, rules.problems.map(inference.problem))
    }

    private func title(_ place: Int) -> String {
        "\(relationships[place].entity).\(relationships[place].relationship.name)"
    }

    private func problem(_ problem: InverseRules.Problem) -> SourceProblem {
        switch problem {
        case .missing(let place):
            let wanted = relationships[place].explicitInverse
            let entity = wanted?.entity ?? ""
            return SourceProblem(
                message:
                    "the inverse “\(entity).\(wanted?.property ?? "")” of “\(title(place))” is not a relationship "
                    + "of the schema",
                place: relationships[place].place, help: "name a relationship of “\(entity)”")
        case .mismatch(let place, named: let inverse):
            return SourceProblem(
                message:
                    "“\(title(inverse))” cannot be the inverse of “\(title(place))”: their types do not match",
                place: relationships[place].place,
                help: "name a relationship that leads back to “\(relationships[place].entity)”")
        case .contested(let place, by: let one, and: let other):
            return SourceProblem(
                message: "“\(title(place))” is the inverse of both “\(title(one))” and “\(title(other))”",
                place: relationships[place].place, help: "keep one of the `inverse:` arguments")
        case .toItself(let place):
            return SourceProblem(
                message: "the inverse of “\(title(place))”, which leads to its own model, cannot be determined",
                place: relationships[place].place,
                help: "name the inverse: `@Relationship(inverse: \\\(relationships[place].entity).…)`")
        case .facing(let place, let other):
            let two = relationships[other]
            return SourceProblem(
                message:
                    "it cannot be determined whether “\(title(place))” and “\(title(other))” are inverses of each other",
                place: relationships[place].place,
                help: "name the inverse: `@Relationship(inverse: \\\(two.entity).\(two.relationship.name))`")
        }
    }
}

extension PendingRelationship {
    fileprivate var end: RelationshipEnd {
        RelationshipEnd(
            entity: entity, name: relationship.name, destination: relationship.destinationName ?? "",
            isToMany: relationship.isToMany, isOptional: relationship.isOptional, hasMacro: hasMacro,
            explicitInverse: explicitInverse)
    }
}
