/// A relationship whose inverse is not known yet.
package struct RelationshipEnd {
    /// The entity's name.
    package var entity: String
    /// The property's name.
    package var name: String
    /// The destination entity's name.
    package var destination: String
    package var isToMany: Bool
    package var isOptional: Bool
    /// Whether the macro `@Relationship` is attached.
    package var hasMacro: Bool
    /// The entity and property named by the argument `inverse:`.
    package var explicitInverse: (entity: String, property: String)?
    /// Whether the argument is `inverse: nil`.
    package var isOneWay: Bool

    package init(
        entity: String, name: String, destination: String, isToMany: Bool, isOptional: Bool, hasMacro: Bool,
        explicitInverse: (entity: String, property: String)? = nil, isOneWay: Bool = false
    ) {
        self.entity = entity
        self.name = name
        self.destination = destination
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.hasMacro = hasMacro
        self.explicitInverse = explicitInverse
        self.isOneWay = isOneWay
    }
}

/// The inverses that SwiftData infers (Documentation/Formats/SwiftDataModel.md, 4).
///
/// The reader of Swift sources and the run-time schema both use the rules.
package struct InverseRules {
    /// The reason why an inverse cannot be determined. Relationships are numbered in the order in which they are given.
    package enum Problem {
        /// The relationship's argument `inverse:` names no relationship of the schema.
        case missing(Int)
        /// The relationship that the argument of the first one names is not its inverse.
        case mismatch(Int, named: Int)
        /// Two relationships name the first one.
        case contested(Int, by: Int, and: Int)
        /// The relationship leads to its own entity.
        case toItself(Int)
        /// Two to-many relationships face each other.
        case facing(Int, Int)
    }

    /// The inverse of each relationship that has one.
    package private(set) var inverses: [Int: Int] = [:]
    /// The reasons why others have none, except those whose rule is known.
    package private(set) var problems: [Problem] = []
    private let ends: [RelationshipEnd]
    private var indices: [String: [String: Int]] = [:]

    /// Determines the inverses of a schema's relationships.
    package init(_ ends: [RelationshipEnd]) {
        self.ends = ends
        for (index, end) in ends.enumerated() { indices[end.entity, default: [:]][end.name] = index }
        applyExplicitInverses()
        pairRemaining()
    }

    /// Applies rule 1: an explicit inverse sets both ends.
    private mutating func applyExplicitInverses() {
        for (index, end) in ends.enumerated() {
            guard let requested = end.explicitInverse else { continue }
            guard let inverse = indices[requested.entity]?[requested.property] else {
                problems.append(.missing(index))
                continue
            }
            guard ends[inverse].destination == end.entity, end.destination == requested.entity else {
                problems.append(.mismatch(index, named: inverse))
                continue
            }
            for (one, other) in [(index, inverse), (inverse, index)] {
                if let previous = inverses[one], previous != other {
                    problems.append(.contested(one, by: previous, and: other))
                } else {
                    inverses[one] = other
                }
            }
        }
    }

    /// Applies rules 2 to 9: exactly one candidate on each side, none with `inverse: nil`, not both with the macro, and
    /// no required to-one end.
    private mutating func pairRemaining() {
        let free = ends.indices.filter { inverses[$0] == nil && !ends[$0].isOneWay }
        let groups = Dictionary(grouping: free) { [ends[$0].entity, ends[$0].destination] }
        for index in free where inverses[index] == nil {
            let end = ends[index]
            if end.entity == end.destination {
                problems.append(.toItself(index))
                continue
            }
            let own = groups[[end.entity, end.destination]] ?? []
            let others = groups[[end.destination, end.entity]] ?? []
            guard own.count == 1, others.count == 1, let other = others.first, index < other else { continue }
            pair(index, other)
        }
    }

    private mutating func pair(_ index: Int, _ other: Int) {
        let (one, two) = (ends[index], ends[other])
        if one.isToMany, two.isToMany, !(one.hasMacro && two.hasMacro) {
            problems.append(.facing(index, other))
            return
        }
        // Rule 5: both ends have the macro.
        guard !(one.hasMacro && two.hasMacro) else { return }
        // Rule 3: a required to-one end.
        guard [one, two].allSatisfy({ $0.isToMany || $0.isOptional }) else { return }
        inverses[index] = other
        inverses[other] = index
    }
}
