internal import Diagnostics
internal import ModelMigration
internal import ModelSchema

/// An error for a model that allows no valid store.
struct Unsatisfiable: Error {
    /// The problem, at the affected element.
    var finding: ModelFinding

    /// - Parameters:
    ///   - message: The problem.
    ///   - why: The rules of the model that contradict each other.
    ///   - origin: The element.
    init(_ message: String, at origin: ElementOrigin?, why: String? = nil, help: String? = nil) {
        finding = ModelFinding(.error, rule: .unsatisfiableModel, message, at: origin, why: why, help: help)
    }
}

/// The number of rows of each entity in a store, and the relationships that link them.
struct StorePlan {
    /// An entity that gets fewer rows than requested.
    struct Reduction {
        var entity: String
        var rows: Int
        /// The relationship that does not allow more, as `Entity.name`.
        var relationship: String
    }

    let model: IndexedModel
    /// The number of rows of each concrete entity, by name.
    private(set) var counts: [String: Int] = [:]
    /// The entities with rows, in the order of creation.
    let entities: [String]
    /// The pairs of relationships, each once.
    let links: [RelationshipLink]
    /// The entities that get fewer rows than requested.
    private(set) var reductions: [Reduction] = []

    /// The maximum number of rounds, each of which removes rows for one relationship. More rounds would not terminate.
    private static let maximumRounds = 1000

    /// Plans a store.
    ///
    /// - Parameter rows: The number of rows of each concrete entity.
    /// - Throws: `Unsatisfiable` if a required relationship has no possible destination.
    init(_ model: IndexedModel, rows: Int) throws(Unsatisfiable) {
        self.model = model
        entities = model.entityNames.filter { model.entities[$0]?.entity.isAbstract == false }
        for name in entities { counts[name] = rows }
        try Self.checkTypes(model)
        links = try RelationshipLink.all(in: model)
        guard rows > 0 else { return }
        for _ in 0..<Self.maximumRounds {
            guard try reduceOnce() else { return }
        }
    }

    /// Rejects attributes that a SQLite store does not support.
    private static func checkTypes(_ model: IndexedModel) throws(Unsatisfiable) {
        for entity in model.sortedEntities {
            for attribute in entity.entity.attributes
            where !attribute.isTransient && [.undefined, .objectID].contains(attribute.type) {
                let type = attribute.type.xmlValue.lowercased()
                throw Unsatisfiable(
                    "no store can be made: “\(entity.name).\(attribute.name)” has the type \(type)",
                    at: attribute.origin,
                    why: "Only transient attributes may have it.",
                    help: "Choose another version, or make the attribute transient.")
            }
        }
    }

    /// Returns the entities with rows that are an entity or inherit from it.
    func members(of entity: String) -> [String] {
        entities.filter { model.isEntity($0, kindOf: entity) }
    }

    /// Returns the number of rows that are of an entity or inherit from it.
    func population(of entity: String) -> Int {
        members(of: entity).reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    /// Removes rows for the first relationship that requires it. Returns whether one did.
    private mutating func reduceOnce() throws(Unsatisfiable) -> Bool {
        for link in links {
            let (first, second) = (population(of: link.first.entity), population(of: link.second.entity))
            guard let excess = link.excess(first: first, second: second) else { continue }
            let end = excess.isFirst ? link.first : link.second
            guard excess.limit > 0 else { throw unsatisfiable(link, excess.isFirst) }
            reduce(end.entity, to: excess.limit, because: excess.isFirst ? link.second : link.first, link)
            return true
        }
        return false
    }

    private mutating func reduce(
        _ entity: String, to limit: Int, because end: RelationshipLink.End, _ link: RelationshipLink
    ) {
        let members = members(of: entity)
        let total = population(of: entity)
        var left = limit
        for (index, name) in members.enumerated() {
            let old = counts[name] ?? 0
            let share = index == members.count - 1 ? left : old * limit / max(total, 1)
            let new = min(old, left, share)
            left -= new
            guard new < old else { continue }
            counts[name] = new
            reductions.removeAll { $0.entity == name }
            reductions.append(Reduction(entity: name, rows: new, relationship: link.description))
        }
    }

    private func unsatisfiable(_ link: RelationshipLink, _ isFirst: Bool) -> Unsatisfiable {
        let (end, other) = isFirst ? (link.first, link.second) : (link.second, link.first)
        let title = end.relationship.map { "“\(end.entity).\($0.name)”" } ?? "“\(end.entity)”"
        let isEmpty = population(of: other.entity) == 0
        return Unsatisfiable(
            "no object of “\(end.entity)” can be made legal: the relationship \(title) cannot be satisfied",
            at: end.relationship?.origin ?? model.entities[end.entity]?.entity.origin,
            why: isEmpty
                ? "It is required, and “\(other.entity)” has no objects: it is abstract without subentities, or cannot be made."
                : "It needs at least \(end.least) objects of “\(other.entity)”, and its inverse allows too few.",
            help: "Make the relationship optional, change its counts, or ask for more rows with --rows.")
    }
}
