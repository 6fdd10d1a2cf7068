import CoreData
import TestSupport

/// A difference between a context and its expected state.
struct GraphDifference: Error, CustomStringConvertible {
    var description: String
}

/// An actor that makes the same random changes to a context and to its expected state.
final class GraphActor {
    let context: NSManagedObjectContext
    var reference = GraphReference()
    /// The actions so far, for the message of a failure.
    var log: [String] = []
    var random: SeededGenerator
    let rules: [String: NSDeleteRule]
    /// Objects that are kept alive; the others must be fetched again.
    private var kept: [Int: NSManagedObject] = [:]
    private var nextKey: Int
    /// The relationships that may be changed; empty for all.
    var allowedLinks: Set<String> = []
    /// Objects whose values or relationships were changed.
    var touched: Set<Int> = []

    init(
        _ context: NSManagedObjectContext, _ random: SeededGenerator, _ rules: [String: NSDeleteRule], firstKey: Int = 0
    ) {
        self.context = context
        self.random = random
        self.rules = rules
        nextKey = firstKey
    }

    // MARK: Finding objects

    func object(_ key: Int) throws -> NSManagedObject {
        if let object = kept[key] { return object }
        let request = NSFetchRequest<NSManagedObject>(entityName: rootEntity(reference.objects[key]?.entity ?? "Node"))
        request.predicate = NSPredicate(format: "key == %d", key)
        let found = try context.fetch(request)
        guard found.count == 1 else { throw GraphDifference(description: "\(found.count) objects have the key \(key)") }
        if !random.chance(3) { kept[key] = found[0] }
        return found[0]
    }

    private func rootEntity(_ name: String) -> String { name == "Leaf" ? "Node" : name }

    func forgetObjects() { kept = [:] }

    // MARK: Changes

    /// Makes a number of random changes.
    func change(_ count: Int = 1, deletes: Bool = true) throws {
        for _ in 0..<count { try changeOnce(deletes: deletes) }
    }

    private func changeOnce(deletes: Bool) throws {
        let keys = reference.objects.keys.sorted()
        switch Int.random(in: 0..<(deletes ? 20 : 18), using: &random) {
        case 0...2: try insert()
        case 3...5:
            guard let key = keys.randomElement(using: &random) else { return try insert() }
            let value = random.chance(4) ? nil : Int.random(in: 0..<4, using: &random)
            log.append("\(key).value = \(value.map(String.init) ?? "nil")")
            try object(key).setValue(value, forKey: "value")
            reference.objects[key]?.value = value
            touched.insert(key)
        case 6...17: try relate()
        default:
            guard keys.count > 3 else { return try insert() }
            let victims = (0..<Int.random(in: 1...2, using: &random)).compactMap { _ in
                keys.randomElement(using: &random)
            }
            try delete(Array(Set(victims)).sorted())
        }
    }

    func insert() throws {
        let entity = ["Node", "Node", "Leaf", "Box", "Tag"].randomElement(using: &random) ?? "Node"
        let key = nextKey
        nextKey += 1
        log.append("insert \(entity) \(key)")
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(key, forKey: "key")
        kept[key] = object
        reference.objects[key] = GraphReference.Object(entity: entity)
        touched.insert(key)
    }

    /// Deletes objects, unless a rule denies it.
    func delete(_ keys: [Int]) throws {
        var after = reference
        guard !after.delete(keys, rules) else { return }
        log.append("delete \(keys)")
        for object in try keys.map(object) { context.delete(object) }
        context.processPendingChanges()
        reference = after
        kept = kept.filter { after.objects[$0.key] != nil }
    }

    private func relate() throws {
        guard let key = reference.objects.keys.sorted().randomElement(using: &random),
            let entity = reference.objects[key]?.entity
        else { return }
        let links = Link.all(of: entity).filter { allowedLinks.isEmpty || allowedLinks.contains($0.name) }
        guard let link = links.randomElement(using: &random) else { return }
        let candidates = reference.keys(link.destination)
        let owner = try object(key)
        touch(key, link)
        defer { touch(key, link) }
        guard link.isToMany else {
            let other = random.chance(4) ? nil : candidates.randomElement(using: &random)
            log.append("\(key).\(link.name) = \(other.map(String.init) ?? "nil")")
            if let other { touch(other, Link.named(link.inverse)) }
            owner.setValue(try other.map(object), forKey: link.name)
            reference.set(key, link, other.map { [$0] } ?? [])
            return
        }
        if random.chance(3) {
            let others = Array(candidates.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
            log.append("\(key).\(link.name) = \(others)")
            for other in others { touch(other, Link.named(link.inverse)) }
            let objects = try others.map(object)
            owner.setValue(
                link.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects), forKey: link.name)
            reference.set(key, link, others)
        } else if let other = candidates.randomElement(using: &random) {
            touch(other, Link.named(link.inverse))
            let isMember = reference.members(key, link).contains(other)
            log.append("\(key).\(link.name) \(isMember ? "-=" : "+=") \(other)")
            let object = try object(other)
            if link.isOrdered {
                let set = owner.mutableOrderedSetValue(forKey: link.name)
                if isMember { set.remove(object) } else { set.add(object) }
            } else {
                let set = owner.mutableSetValue(forKey: link.name)
                if isMember { set.remove(object) } else { set.add(object) }
            }
            if isMember { reference.unlink(key, link, other) } else { reference.join(key, link, other) }
        }
    }

    private func touch(_ key: Int, _ link: Link) {
        touched.insert(key)
        touched.formUnion(reference.members(key, link))
    }

    // MARK: Checking

    /// Compares the context with the reference.
    func check(_ where: String) throws { try Self.check(context, reference, `where`) }

    static func check(_ context: NSManagedObjectContext, _ reference: GraphReference, _ position: String) throws {
        for entity in ["Node", "Leaf", "Box", "Tag"] {
            let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            let keys = found.compactMap { $0.value(forKey: "key") as? Int }.sorted()
            guard keys == reference.keys(entity) else {
                throw GraphDifference(description: "\(position): \(entity) are \(keys), not \(reference.keys(entity))")
            }
            for object in found where entity != "Leaf" { try check(object, reference, position) }
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "value == %d", 2)
            let count = try context.count(for: request)
            let expected = reference.keys(entity).filter { reference.objects[$0]?.value == 2 }.count
            guard count == expected else {
                throw GraphDifference(description: "\(position): \(count) \(entity) with value 2, not \(expected)")
            }
        }
    }

    private static func check(_ object: NSManagedObject, _ reference: GraphReference, _ position: String) throws {
        guard let key = object.value(forKey: "key") as? Int, let expected = reference.objects[key] else { return }
        guard object.entity.name == expected.entity, object.value(forKey: "value") as? Int == expected.value else {
            throw GraphDifference(
                description: "\(position): \(key).value is \(object.value(forKey: "value") ?? "nil"), not "
                    + "\(expected.value.map(String.init) ?? "nil")")
        }
        for link in Link.all(of: expected.entity) {
            let value = object.value(forKey: link.name)
            let others: [Any] =
                if link.isOrdered {
                    (value as? NSOrderedSet)?.array ?? []
                } else if link.isToMany {
                    (value as? NSSet)?.allObjects ?? []
                } else {
                    value.map { [$0] } ?? []
                }
            let keys = others.map { ($0 as? NSManagedObject)?.value(forKey: "key") as? Int ?? -1 }
            let requested = reference.members(key, link)
            guard link.isOrdered ? keys == requested : keys.sorted() == requested.sorted() else {
                throw GraphDifference(
                    description: "\(position): \(key).\(link.name) is \(keys.sorted()), not \(requested.sorted()) "
                        + (link.isOrdered ? "(\(keys) \(requested))" : ""))
            }
            for case let other as NSManagedObject in others
            where other.managedObjectContext !== object.managedObjectContext {
                throw GraphDifference(
                    description: "\(position): \(key).\(link.name) refers to an object of another context")
            }
        }
    }
}
