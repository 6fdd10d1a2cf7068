internal import ModelSchema
internal import SwiftDataRules

/// A relationship of a schema whose inverse is not known yet.
struct PendingRelationship {
    var entity: String
    var relationship: Relationship
    var span: SourceSpan
    /// Whether the macro `@Relationship` is attached.
    var hasMacro: Bool
    /// The entity and property named by the argument `inverse:`.
    var explicitInverse: (entity: String, property: String)?
    /// Whether the argument is `inverse: nil`.
    var isOneWay = false
}

/// Applies `InverseRules` to relationships of Swift sources.
struct InverseInference {
    private let relationships: [PendingRelationship]

    /// Returns the relationships with their inverses, and a problem for each inverse that could not be decided.
    static func run(_ relationships: [PendingRelationship]) -> ([PendingRelationship], [SourceProblem]) {
        let rules = InverseRules(relationships.map(\.end))
        let inference = InverseInference(relationships: relationships)
        let results = relationships.enumerated().map { index, pending in
            guard let inverse = rules.inverses[index] else { return pending }
            var result = pending
            result.relationship.inverseName = relationships[inverse].relationship.name
            result.relationship.inverseEntityName = relationships[inverse].entity
            return result
        }
        return (results, rules.problems.map(inference.problem))
    }

    private func title(_ index: Int) -> String {
        "\(relationships[index].entity).\(relationships[index].relationship.name)"
    }

    private func problem(_ problem: InverseRules.Problem) -> SourceProblem {
        switch problem {
        case .missing(let index):
            let requested = relationships[index].explicitInverse
            let entity = requested?.entity ?? ""
            return SourceProblem(
                message:
                    "the inverse “\(entity).\(requested?.property ?? "")” of “\(title(index))” is not a relationship "
                    + "of the schema",
                span: relationships[index].span, help: "name a relationship of “\(entity)”")
        case .mismatch(let index, named: let inverse):
            return SourceProblem(
                message:
                    "“\(title(inverse))” cannot be the inverse of “\(title(index))”: their types do not match",
                span: relationships[index].span,
                help: "name a relationship whose destination is “\(relationships[index].entity)”")
        case .contested(let index, by: let one, and: let other):
            return SourceProblem(
                message: "“\(title(index))” is the inverse of both “\(title(one))” and “\(title(other))”",
                span: relationships[index].span, help: "keep one of the `inverse:` arguments")
        case .toItself(let index):
            return SourceProblem(
                message: "the inverse of “\(title(index))”, a relationship to its own model, cannot be determined",
                span: relationships[index].span,
                help: "name the inverse: `@Relationship(inverse: \\\(relationships[index].entity).…)`")
        case .facing(let index, let other):
            let two = relationships[other]
            return SourceProblem(
                message:
                    "it cannot be determined whether “\(title(index))” and “\(title(other))” are inverses of each other",
                span: relationships[index].span,
                help: "name the inverse: `@Relationship(inverse: \\\(two.entity).\(two.relationship.name))`")
        }
    }
}

extension PendingRelationship {
    fileprivate var end: RelationshipEnd {
        RelationshipEnd(
            entity: entity, name: relationship.name, destination: relationship.destinationName ?? "",
            isToMany: relationship.isToMany, isOptional: relationship.isOptional, hasMacro: hasMacro,
            explicitInverse: explicitInverse, isOneWay: isOneWay)
    }
}
