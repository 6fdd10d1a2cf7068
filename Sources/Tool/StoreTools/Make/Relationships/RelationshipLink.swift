internal import ModelMigration
internal import ModelSchema

/// A relationship with its inverse, and the number of objects that each side allows.
struct RelationshipLink: CustomStringConvertible {
    struct End {
        /// The entity whose objects are on this side.
        var entity: String
        /// The relationship to the other side; `nil` if there is no inverse.
        var relationship: Relationship?
        /// Whether objects may have no destination.
        var isOptional: Bool
        /// The minimum number of destinations of an object that has any.
        var least: Int
        /// The maximum number of destinations of an object.
        var most: Int
        var isToMany: Bool { relationship?.isToMany ?? true }
        var isOrdered: Bool { relationship.map { $0.isToMany && $0.isOrdered } ?? false }
    }

    /// The side on which the links are set: that of a to-one relationship if there is one.
    var first: End
    var second: End
    /// Whether the relationship is its own inverse.
    var isReflexive: Bool

    var description: String {
        let end = first.relationship == nil ? second : first
        return "\(end.entity).\(end.relationship?.name ?? "")"
    }

    // MARK: Finding them

    /// Returns all pairs of relationships in a model, without those of unknown entities.
    ///
    /// - Throws: `Unsatisfiable` if a required relationship has no destination entity.
    static func all(in model: IndexedModel) throws(Unsatisfiable) -> [RelationshipLink] {
        var links: [RelationshipLink] = []
        var done: Set<String> = []
        for entity in model.sortedEntities {
            for relationship in entity.entity.relationships.sorted(by: { $0.name < $1.name }) {
                guard !relationship.isTransient, done.insert("\(entity.name).\(relationship.name)").inserted else {
                    continue
                }
                guard let destination = relationship.destinationName.flatMap({ model.entities[$0] }) else {
                    if relationship.isOptional { continue }
                    throw Unsatisfiable(
                        "“\(entity.name).\(relationship.name)” is required and has no destination entity",
                        at: relationship.origin)
                }
                let inverse = inverse(of: relationship, owner: entity.name, destination: destination, model: model)
                if let inverse { done.insert("\(inverse.owner).\(inverse.relationship.name)") }
                links.append(
                    link(
                        entity.name, relationship: relationship, destination: destination.name, inverse: inverse,
                        model: model))
            }
        }
        return links
    }

    private typealias Owned = (owner: String, relationship: Relationship)

    /// Returns the inverse of a relationship, if it names this one as its inverse.
    private static func inverse(
        of relationship: Relationship, owner: String, destination: IndexedModel.IndexedEntity,
        model: IndexedModel
    ) -> Owned? {
        guard let name = relationship.inverseName, let found = destination.properties[name],
            case .relationship(let inverse) = found.property, inverse.inverseName == relationship.name,
            let target = inverse.destinationName,
            model.isEntity(owner, kindOf: target) || model.isEntity(target, kindOf: owner)
        else { return nil }
        return (found.owner, inverse)
    }

    private static func link(
        _ owner: String, relationship: Relationship, destination: String, inverse: Owned?, model: IndexedModel
    ) -> RelationshipLink {
        let unique = uniqueToOnes(in: model)
        // The more specific of one relationship's entity and the other's destination.
        let source =
            inverse?.relationship.destinationName.map { model.isEntity($0, kindOf: owner) ? $0 : owner } ?? owner
        let target =
            inverse.map { model.isEntity(destination, kindOf: $0.owner) ? destination : $0.owner } ?? destination
        var first = end(source, relationship)
        var second =
            inverse.map { end(target, $0.relationship) }
            // For a to-many relationship without an inverse, the store keeps one owner for each member.
            ?? End(
                entity: target, relationship: nil, isOptional: true, least: 1,
                most: relationship.isToMany ? 1 : .max)
        if unique.contains("\(owner).\(relationship.name)") { second.most = 1 }
        if let inverse, unique.contains("\(inverse.owner).\(inverse.relationship.name)") { first.most = 1 }
        let isReflexive = inverse.map { $0.owner == owner && $0.relationship.name == relationship.name } ?? false
        let swaps =
            !isReflexive && second.relationship != nil && first.isToMany && (!second.isToMany || second.isOrdered)
        return RelationshipLink(
            first: swaps ? second : first, second: swaps ? first : second, isReflexive: isReflexive)
    }

    private static func end(_ entity: String, _ relationship: Relationship) -> End {
        guard relationship.isToMany else {
            return End(
                entity: entity, relationship: relationship, isOptional: relationship.isOptional, least: 1, most: 1)
        }
        let most = relationship.maximumCount ?? 0
        return End(
            entity: entity, relationship: relationship, isOptional: relationship.isOptional,
            least: max(1, relationship.minimumCount ?? 0), most: most > 0 ? most : .max)
    }

    /// Returns the to-one relationships in uniqueness constraints, as `Entity.name`: no two objects may have the same
    /// destination.
    private static func uniqueToOnes(in model: IndexedModel) -> Set<String> {
        var result: Set<String> = []
        for entity in model.sortedEntities {
            for constraint in entity.entity.uniquenessConstraints {
                for mention in constraint.properties {
                    guard let owned = entity.properties[mention.name], case .relationship = owned.property else {
                        continue
                    }
                    result.insert("\(owned.owner).\(mention.name)")
                }
            }
        }
        return result
    }

    // MARK: Counting

    /// A side with more objects than the rules allow.
    struct Excess {
        var isFirst: Bool
        /// The maximum number of objects.
        var limit: Int
    }

    /// Returns the side that has too many objects, or `nil` if there is a valid set of links for both numbers.
    func excess(first count: Int, second otherCount: Int) -> Excess? {
        if isReflexive {
            guard !first.isOptional, count > 0, first.least > count else { return nil }
            return Excess(isFirst: true, limit: 0)
        }
        if !first.isOptional, count > 0 {
            if otherCount < first.least { return Excess(isFirst: true, limit: 0) }
            let capacity = Self.product(otherCount, min(second.most, count))
            if Self.product(count, first.least) > capacity {
                return Excess(isFirst: true, limit: Self.product(otherCount, second.most) / first.least)
            }
        }
        if !second.isOptional, otherCount > 0 {
            if count < second.least { return Excess(isFirst: false, limit: 0) }
            let capacity = Self.product(count, min(first.most, otherCount))
            if Self.product(otherCount, second.least) > capacity {
                return Excess(isFirst: false, limit: Self.product(count, first.most) / second.least)
            }
        }
        return nil
    }

    static func product(_ count: Int, _ factor: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
