import CoreData

/// A relationship in the model of the random tests.
struct Link: Hashable {
    var entity: String
    var name: String
    var isToMany: Bool
    var isOrdered = false
    var inverse: String

    /// Returns the relationships of an entity.
    static func all(of entity: String) -> [Link] { byEntity[entity == "Leaf" ? "Node" : entity] ?? [] }

    static func named(_ name: String) -> Link {
        table[name] ?? Link(entity: "", name: name, isToMany: false, inverse: "")
    }

    /// The destination entity.
    var destination: String { Link.named(inverse).entity }

    // Names are unique in the model, so that a name identifies a relationship.
    private static let list: [Link] = [
        Link(entity: "Node", name: "parent", isToMany: false, inverse: "children"),
        Link(entity: "Node", name: "children", isToMany: true, inverse: "parent"),
        Link(entity: "Node", name: "mate", isToMany: false, inverse: "mateOf"),
        Link(entity: "Node", name: "mateOf", isToMany: false, inverse: "mate"),
        Link(entity: "Node", name: "friends", isToMany: true, inverse: "friendOf"),
        Link(entity: "Node", name: "friendOf", isToMany: true, inverse: "friends"),
        Link(entity: "Node", name: "tags", isToMany: true, inverse: "nodes"),
        Link(entity: "Tag", name: "nodes", isToMany: true, inverse: "tags"),
        Link(entity: "Node", name: "box", isToMany: false, inverse: "items"),
        Link(entity: "Box", name: "items", isToMany: true, isOrdered: true, inverse: "box"),
    ]
    private static let table = Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0) })
    private static let byEntity = Dictionary(grouping: list, by: \.entity)

    /// Returns the model: a node with a subentity, boxes with ordered items, and tags.
    static func model(_ rules: [String: NSDeleteRule]) -> NSManagedObjectModel {
        func attribute(_ name: String) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .integer64AttributeType
            return attribute
        }
        var entities: [String: NSEntityDescription] = [:]
        for name in ["Node", "Leaf", "Box", "Tag"] {
            let entity = NSEntityDescription()
            entity.name = name
            entities[name] = entity
            if name != "Leaf" { entity.properties = [attribute("key"), attribute("value")] }
        }
        var relationships: [String: NSRelationshipDescription] = [:]
        for link in list {
            let relationship = NSRelationshipDescription()
            relationship.name = link.name
            relationship.maxCount = link.isToMany ? 0 : 1
            relationship.isOrdered = link.isOrdered
            relationship.deleteRule = rules[link.name] ?? .nullifyDeleteRule
            relationship.destinationEntity = entities[link.destination]
            relationships[link.name] = relationship
            entities[link.entity]?.properties.append(relationship)
        }
        for link in list { relationships[link.name]?.inverseRelationship = relationships[link.inverse] }
        if let node = entities["Node"], let leaf = entities["Leaf"] { node.subentities = [leaf] }
        let model = NSManagedObjectModel()
        model.entities = entities.values.sorted { ($0.name ?? "") < ($1.name ?? "") }
        return model
    }
}

/// The expected objects, with plain values and with relationships as numbers of objects.
struct GraphReference: Equatable {
    struct Object: Equatable {
        var entity: String
        var value: Int?
        var links: [String: [Int]] = [:]

        static func == (one: Object, other: Object) -> Bool {
            guard one.entity == other.entity, one.value == other.value else { return false }
            return Link.all(of: one.entity).allSatisfy { link in
                let (a, b) = (one.links[link.name] ?? [], other.links[link.name] ?? [])
                return link.isOrdered ? a == b : Set(a) == Set(b)
            }
        }
    }

    var objects: [Int: Object] = [:]

    func members(_ object: Int, _ link: Link) -> [Int] { objects[object]?.links[link.name] ?? [] }

    func keys(_ entity: String) -> [Int] {
        objects.filter { $0.value.entity == entity || (entity == "Node" && $0.value.entity == "Leaf") }.keys.sorted()
    }

    mutating func unlink(_ one: Int, _ link: Link, _ other: Int) {
        objects[one]?.links[link.name]?.removeAll { $0 == other }
        objects[other]?.links[link.inverse]?.removeAll { $0 == one }
    }

    /// Relates two objects; a to-one side releases its previous object.
    mutating func join(_ one: Int, _ link: Link, _ other: Int) {
        guard !members(one, link).contains(other) else { return }
        let inverse = Link.named(link.inverse)
        if !link.isToMany { for old in members(one, link) { unlink(one, link, old) } }
        if !inverse.isToMany { for old in members(other, inverse) { unlink(other, inverse, old) } }
        objects[one]?.links[link.name, default: []].append(other)
        objects[other]?.links[inverse.name, default: []].append(one)
    }

    /// Sets the members of a relationship.
    mutating func set(_ one: Int, _ link: Link, _ others: [Int]) {
        for old in members(one, link) where !others.contains(old) { unlink(one, link, old) }
        for new in others { join(one, link, new) }
        if link.isOrdered { objects[one]?.links[link.name] = others }
    }

    /// Deletes objects according to their delete rules. Returns whether a rule denies it.
    mutating func delete(_ first: [Int], _ rules: [String: NSDeleteRule]) -> Bool {
        var waiting = first
        var deleted: Set<Int> = []
        while let object = waiting.popLast() {
            guard let entity = objects[object]?.entity, deleted.insert(object).inserted else { continue }
            for link in Link.all(of: entity) where rules[link.name] == .cascadeDeleteRule {
                waiting += members(object, link)
            }
        }
        var isDenied = false
        for object in deleted {
            for link in Link.all(of: objects[object]?.entity ?? "") {
                let others = members(object, link)
                if rules[link.name] == .denyDeleteRule, others.contains(where: { !deleted.contains($0) }) {
                    isDenied = true
                }
            }
        }
        for object in deleted {
            for link in Link.all(of: objects[object]?.entity ?? "") {
                for other in members(object, link) { unlink(object, link, other) }
            }
            objects[object] = nil
        }
        return isDenied
    }
}
