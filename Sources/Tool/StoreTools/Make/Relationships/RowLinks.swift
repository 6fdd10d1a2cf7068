internal import CoreData
internal import ModelMigration
internal import ModelSchema

/// The destinations of the relationships of all rows in a plan. They are known before any row is created, because they
/// depend only on the numbers of rows.
struct RowLinks {
    /// The members of a relationship that is not stored in the rows of its members alone: one with a join table, an
    /// ordered one, or one without an inverse.
    struct Members {
        var owner: NSManagedObjectID
        var relationship: String
        /// The members, in their order if the relationship is ordered.
        var members: [NSManagedObjectID]
    }

    /// A declared or inherited relationship of an entity.
    private struct RelationshipKey: Hashable {
        var entity: String
        var relationship: String
    }

    /// The members of to-many relationships that are written after all rows.
    private(set) var members: [Members] = []
    /// The to-one destinations of an entity's rows.
    private var destinations: [RelationshipKey: [NSManagedObjectID?]] = [:]
    /// The number of destinations of each row of an entity.
    private var counts: [RelationshipKey: [Int]] = [:]
    private let plan: StorePlan
    private let ids: [String: [NSManagedObjectID]]

    /// Links the rows of a plan.
    ///
    /// - Parameters:
    ///   - ids: The IDs of the rows of each entity.
    ///   - seed: The seed that determines the links.
    /// - Throws: `Unsatisfiable` if a row breaks the rules of a relationship.
    init(_ plan: StorePlan, ids: [String: [NSManagedObjectID]], seed: UInt64) throws(Unsatisfiable) {
        self.plan = plan
        self.ids = ids
        for link in plan.links {
            var numbers = SeededNumbers(seed: seed, purpose: link.description)
            let (first, second) = (rows(of: link.first.entity), rows(of: link.second.entity))
            add(
                link, pairs: LinkPairs(link, first: first.count, second: second.count, &numbers).pairs, first: first,
                second: second)
        }
        try check()
    }

    /// Returns the destinations of an entity's rows by a to-one relationship, or `nil` if no row has one.
    func destinations(of relationship: String, in entity: String) -> [NSManagedObjectID?]? {
        destinations[RelationshipKey(entity: entity, relationship: relationship)]
    }

    private func rows(of entity: String) -> [NSManagedObjectID] {
        plan.members(of: entity).flatMap { ids[$0] ?? [] }
    }

    // MARK: Linking

    private typealias Pair = (owner: Int, member: Int)

    private mutating func add(
        _ link: RelationshipLink, pairs: [(first: Int, second: Int)], first: [NSManagedObjectID],
        second: [NSManagedObjectID]
    ) {
        let forward: [Pair] = pairs.map { ($0.first, $0.second) }
        let backward: [Pair] = pairs.map { ($0.second, $0.first) }
        guard !link.isReflexive else {
            // Both directions of each pair are in the same relationship.
            return link.first.isToMany
                ? addMembers(forward + backward, owners: first, members: first, end: link.first)
                : addDestinations(forward + backward, owners: first, members: first, end: link.first)
        }
        if !link.first.isToMany {
            addDestinations(forward, owners: first, members: second, end: link.first)
            if link.second.isOrdered {
                addMembers(backward, owners: second, members: first, end: link.second)
            } else if link.second.isToMany {
                record(counts(of: backward, second.count), link.second)
            } else {
                addDestinations(backward, owners: second, members: first, end: link.second)
            }
        } else if link.second.isOrdered {
            addMembers(backward, owners: second, members: first, end: link.second)
            record(counts(of: forward, first.count), link.first)
        } else {
            addMembers(forward, owners: first, members: second, end: link.first)
            record(counts(of: backward, second.count), link.second)
        }
    }

    private mutating func addDestinations(
        _ pairs: [Pair], owners: [NSManagedObjectID], members: [NSManagedObjectID], end: RelationshipLink.End
    ) {
        guard let name = end.relationship?.name else { return }
        var found = [NSManagedObjectID?](repeating: nil, count: owners.count)
        for pair in pairs { found[pair.owner] = members[pair.member] }
        record(found.map { $0 == nil ? 0 : 1 }, end)
        forEachEntity(of: end) { entity, range in
            destinations[RelationshipKey(entity: entity, relationship: name)] = Array(found[range])
        }
    }

    private mutating func addMembers(
        _ pairs: [Pair], owners: [NSManagedObjectID], members: [NSManagedObjectID], end: RelationshipLink.End
    ) {
        guard let name = end.relationship?.name else { return }
        var lists = [[Int]](repeating: [], count: owners.count)
        for pair in pairs { lists[pair.owner].append(pair.member) }
        // Removes duplicates: a reflexive relationship may link two objects in both directions.
        for owner in lists.indices where lists[owner].count > 1 {
            var seen: Set<Int> = []
            lists[owner].removeAll { !seen.insert($0).inserted }
        }
        record(lists.map(\.count), end)
        for (owner, list) in lists.enumerated() where !list.isEmpty {
            self.members.append(
                Members(owner: owners[owner], relationship: name, members: list.map { members[$0] }))
        }
    }

    private func counts(of pairs: [Pair], _ count: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: count)
        for pair in pairs { counts[pair.owner] += 1 }
        return counts
    }

    private mutating func record(_ found: [Int], _ end: RelationshipLink.End) {
        guard let name = end.relationship?.name else { return }
        forEachEntity(of: end) { entity, range in
            counts[RelationshipKey(entity: entity, relationship: name)] = Array(found[range])
        }
    }

    /// Calls a function with each entity on a side, and the range of its rows among those of the side.
    private func forEachEntity(of end: RelationshipLink.End, _ body: (String, Range<Int>) -> Void) {
        var start = 0
        for entity in plan.members(of: end.entity) {
            let count = ids[entity]?.count ?? 0
            body(entity, start..<start + count)
            start += count
        }
    }

    // MARK: Checking

    /// Throws if the relationship does not allow the number of destinations of a row.
    private func check() throws(Unsatisfiable) {
        for name in plan.entities {
            guard let entity = plan.model.entities[name], let count = ids[name]?.count, count > 0 else { continue }
            for (_, owned) in entity.properties.sorted(by: { $0.key < $1.key }) {
                guard case .relationship(let relationship) = owned.property, !relationship.isTransient else { continue }
                let found =
                    counts[RelationshipKey(entity: name, relationship: relationship.name)]
                    ?? Array(repeating: 0, count: count)
                try check(found, entity: name, relationship: relationship)
            }
        }
    }

    private func check(_ counts: [Int], entity: String, relationship: Relationship) throws(Unsatisfiable) {
        let least = relationship.isToMany ? relationship.minimumCount ?? 0 : 1
        let most = relationship.isToMany ? relationship.maximumCount ?? 0 : 1
        guard
            let row = counts.first(where: { count in
                !(count == 0 && relationship.isOptional) && (count < least || (most > 0 && count > most))
            })
        else { return }
        throw Unsatisfiable(
            "no object of “\(entity)” can be made legal: “\(entity).\(relationship.name)” has \(row) destinations",
            at: relationship.origin,
            why: "The relationship needs at least \(least)" + (most > 0 ? " and allows at most \(most)." : "."),
            help: "Make the relationship optional, change its counts, or ask for another number of rows with --rows.")
    }
}
