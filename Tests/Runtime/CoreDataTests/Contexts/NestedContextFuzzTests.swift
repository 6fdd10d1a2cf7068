import CoreData
import TestSupport
import Testing

/// Contexts at several levels - a root with two children and a grandchild, and another root - change, save, fail to
/// save, merge each other's notifications in any order, are rolled back, reset and released. What each sees is compared
/// with a plain model: the changes of a context over what its parent sees. `MODELC_FUZZ_SECONDS=60 swift test --filter
/// NestedContextFuzz` runs longer.
@Suite struct NestedContextFuzzTests {
    @Test func contextsSeeTheirChangesOverThoseBeneath() {
        Seeds.run(rounds: runsLongForms ? 600 : 60) { random, log in
            let world = try NestedWorld(random)
            defer { log = world.log }
            try world.run(steps: 120)
        }
    }
}

/// The changes that a context has not saved, by the keys of objects.
private struct Layer {
    var inserted: [Int: Int] = [:]
    var updated: [Int: Int] = [:]
    var deleted: Set<Int> = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Returns what is visible over a state. Changed objects stay visible until their deletion beneath is merged.
    func over(_ beneath: [Int: Int]) -> [Int: Int] {
        var result = beneath.merging(updated) { $1 }.merging(inserted) { $1 }
        for key in deleted { result[key] = nil }
        return result
    }
}

private final class NestedWorld {
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// A context, its part of the model, and notifications that it has not merged.
    private final class User {
        let name: String
        let parent: User?
        var context: NSManagedObjectContext
        var layer = Layer()
        let notes = Recorder<Notification>()
        var token: (any NSObjectProtocol)?

        init(_ name: String, _ parent: User?, _ context: NSManagedObjectContext) {
            (self.name, self.parent, self.context) = (name, parent, context)
        }
    }

    private(set) var log: [String] = []
    private var random: SeededGenerator
    private let coordinator: NSPersistentStoreCoordinator
    /// Whether the store rejects equal values, which the context itself cannot find.
    private let isUnique: Bool
    /// The values in the store by key.
    private var store: [Int: Int] = [:]
    private var users: [User] = []
    /// Objects that outlive their contexts.
    private var held: [(object: NSManagedObject, context: ObjectIdentifier)] = []
    private var released: Set<ObjectIdentifier> = []
    private let controller: NSFetchedResultsController<NSManagedObject>
    private let delegate = Follower()
    private var nextNumber = 0

    private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }

    init(_ random: SeededGenerator) throws {
        self.random = random
        isUnique = self.random.chance(2)
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = ["key", "value"].map { name in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, .integer64AttributeType, false)
            return attribute
        }
        entity.uniquenessConstraints = [["value"]]
        model.entities = [entity]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: isUnique ? NSSQLiteStoreType : NSInMemoryStoreType, configurationName: nil,
            at: URL(fileURLWithPath: "/dev/null"))
        let root = User("root", nil, Self.context(coordinator, nil))
        let left = User("left", root, Self.context(coordinator, root))
        users = [
            root, left, User("leaf", left, Self.context(coordinator, left)),
            User("right", root, Self.context(coordinator, root)), User("other", nil, Self.context(coordinator, nil)),
        ]
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "key", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: root.context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
        for user in users { observe(user) }
    }

    deinit {
        for user in users { user.token.map(NotificationCenter.default.removeObserver) }
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator, _ parent: User?) -> NSManagedObjectContext
    {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if let parent { context.parent = parent.context } else { context.persistentStoreCoordinator = coordinator }
        return context
    }

    private func observe(_ user: User) {
        let others = users.filter { $0 !== user }.map(\.notes)
        user.token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: user.context, queue: nil
        ) { note in
            for notes in others { notes.values.append(note) }
        }
    }

    /// Returns what a context sees according to the model.
    private func visible(_ user: User) -> [Int: Int] { user.layer.over(user.parent.map(visible) ?? store) }

    private func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    // MARK: Steps

    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        for user in users.reversed() { try check(user) }
        try checkController()
    }

    private func step() throws {
        guard let user = users.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<26, using: &random) {
        case 0...3: try insert(user)
        case 4...8: try update(user)
        case 9...10: try delete(user)
        case 11...15: try save(user)
        case 16...17: merge(user)
        case 18:
            record(user, "rollback")
            user.context.rollback()
            user.layer = Layer()
        case 19:
            guard random.chance(2) else { return }
            record(user, "reset")
            user.context.reset()
            user.layer = Layer()
        case 20: try refresh(user)
        case 21: release(user)
        case 22:
            held.removeAll { _ in random.chance(3) }
        case 23:
            record(user, "process")
            user.context.processPendingChanges()
        default: try check(user)
        }
    }

    private func record(_ user: User, _ text: String) { log.append("\(user.name): \(text)") }

    private func insert(_ user: User) throws {
        let (key, value) = (number(), number())
        record(user, "insert \(key)")
        let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: user.context)
        object.setValue(key, forKey: "key")
        object.setValue(value, forKey: "value")
        user.layer.inserted[key] = value
        if random.chance(4) { try user.context.obtainPermanentIDs(for: [object]) }
        if random.chance(3) {
            // Another context gets the ID before the object arrives there, and may read it.
            guard let other = users.randomElement(using: &random), other !== user else { return }
            let fault = other.context.object(with: object.objectID)
            record(other, "knows \(key)")
            hold(fault, other)
            if random.chance(2), visible(other)[key] == nil, !fault.isInserted {
                #expect(fault.value(forKey: "key") == nil)
            }
        }
        hold(object, user)
    }

    private func hold(_ object: NSManagedObject, _ user: User) {
        if random.chance(2) { held.append((object, ObjectIdentifier(user.context))) }
    }

    /// Returns a random object that a context sees, with its key.
    private func pick(_ user: User) throws -> (NSManagedObject, Int)? {
        guard let key = visible(user).keys.sorted().randomElement(using: &random) else { return nil }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "key == %d", key)
        let found = try user.context.fetch(request)
        guard found.count == 1 else {
            throw Failure(description: "\(user.name) finds \(found.count) objects with the key \(key)")
        }
        hold(found[0], user)
        return (found[0], key)
    }

    private func update(_ user: User) throws {
        guard let (object, key) = try pick(user) else { return }
        let value = number()
        record(user, "update \(key) to \(value)")
        guard object.value(forKey: "value") as? Int != value else { return }
        object.setValue(value, forKey: "value")
        if user.layer.inserted[key] == nil { user.layer.updated[key] = value } else { user.layer.inserted[key] = value }
    }

    private func delete(_ user: User) throws {
        guard let (object, key) = try pick(user) else { return }
        record(user, "delete \(key)")
        user.context.delete(object)
        user.layer.updated[key] = nil
        if user.layer.inserted.removeValue(forKey: key) == nil { user.layer.deleted.insert(key) }
    }

    private func save(_ user: User) throws {
        let beneath = user.parent.map(visible) ?? store
        let isLost = user.layer.updated.keys.contains { beneath[$0] == nil }
        let after = user.layer.over(beneath)
        let isDuplicate = isUnique && user.parent == nil && Set(after.values).count < after.count
        do {
            try user.context.save()
        } catch {
            record(user, "save fails: \((error as NSError).code)")
            let code = (error as NSError).code
            let isExpected =
                user.parent == nil
                ? code == NSManagedObjectMergeError || code == NSManagedObjectConstraintMergeError && isDuplicate
                : code == NSManagedObjectReferentialIntegrityError && isLost
            guard isExpected else { throw Failure(description: "\(user.name) fails to save: \(error)") }
            return
        }
        record(user, "save")
        // A parent that has not learned of a deletion in the store takes the change, and its own save fails.
        let taken = Set(user.parent?.context.updatedObjects.compactMap { $0.value(forKey: "key") as? Int } ?? [])
        let lost = user.layer.updated.keys.filter { beneath[$0] == nil && !taken.contains($0) }
        guard lost.isEmpty, !isDuplicate else {
            throw Failure(description: "\(user.name) has saved equal values, or changes of lost objects: \(lost)")
        }
        guard let parent = user.parent else {
            store = after
            user.layer = Layer()
            return
        }
        // The same for a deletion.
        let isDeleted = Set(parent.context.deletedObjects.compactMap { $0.value(forKey: "key") as? Int })
        var layer = parent.layer
        layer.inserted.merge(user.layer.inserted) { $1 }
        for (key, value) in user.layer.updated {
            if layer.inserted[key] == nil { layer.updated[key] = value } else { layer.inserted[key] = value }
        }
        for key in user.layer.deleted {
            layer.updated[key] = nil
            // What is not beneath is deleted already.
            if layer.inserted.removeValue(forKey: key) == nil, beneath[key] != nil || isDeleted.contains(key) {
                layer.deleted.insert(key)
            }
        }
        parent.layer = layer
        user.layer = Layer()
    }

    /// Merges some of the notifications, in any order.
    private func merge(_ user: User) {
        var notes = user.notes.values.shuffled(using: &random)
        // Notifications may be merged more than once.
        if random.chance(2) { notes.removeLast(notes.count / 2) } else if random.chance(2) { user.notes.values = [] }
        record(user, "merge \(notes.count)")
        for note in notes { user.context.mergeChanges(fromContextDidSave: note) }
        forgetMergedDeletions(user)
    }

    /// A merged deletion discards the changes of an object that is not beneath any more. Which deletions were merged is
    /// the context's to say; that they are real is checked.
    private func forgetMergedDeletions(_ user: User) {
        let beneath = user.parent.map(visible) ?? store
        let pending = user.context.updatedObjects.union(user.context.deletedObjects)
        let keys = Set(pending.compactMap { $0.value(forKey: "key") as? Int })
        for key in Set(user.layer.updated.keys).union(user.layer.deleted).subtracting(keys) {
            if beneath[key] == nil {
                user.layer.updated[key] = nil
                user.layer.deleted.remove(key)
            } else {
                Issue.record("\(user.name) has lost its change of \(key) with a merge")
            }
        }
    }

    private func refresh(_ user: User) throws {
        guard let (object, key) = try pick(user) else { return }
        let keepsChanges = random.chance(2)
        record(user, "refresh \(key), \(keepsChanges)")
        if user.layer.inserted[key] != nil, !keepsChanges { return }
        user.context.refresh(object, mergeChanges: keepsChanges)
        if !keepsChanges { user.layer.updated[key] = nil }
    }

    /// Replaces a context without children by another. Its objects stay.
    private func release(_ user: User) {
        guard user.name != "root", !users.contains(where: { $0.parent === user }) else { return }
        record(user, "release")
        user.token.map(NotificationCenter.default.removeObserver)
        let old = ObjectIdentifier(user.context)
        weak let context = user.context
        // Notifications retain the context.
        for other in users where other !== user {
            let notes = other.notes.values.filter { ($0.object as? NSManagedObjectContext) === user.context }
            other.notes.values.removeAll { ($0.object as? NSManagedObjectContext) === user.context }
            for note in notes { other.context.mergeChanges(fromContextDidSave: note) }
            forgetMergedDeletions(other)
        }
        user.context = Self.context(coordinator, user.parent)
        user.layer = Layer()
        observe(user)
        guard context == nil else { return }
        for (object, owner) in held where owner == old {
            #expect(object.managedObjectContext == nil)
            _ = (object.objectID, object.isFault, object.hasChanges, object.description)
        }
        held.removeAll { $0.context == old && random.chance(2) }
        // Another context may get the same address.
        held = held.map { ($0.object, $0.context == old ? ObjectIdentifier(self) : $0.context) }
    }

    // MARK: Checks

    private func check(_ user: User) throws {
        record(user, "check")
        // A context reads what its parent has loaded.
        for level in sequence(first: user, next: \.parent).reversed() { level.context.refreshAllObjects() }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let found = try user.context.fetch(request)
        var seen: [Int: Int] = [:]
        for object in found {
            guard !object.isDeleted, let key = object.value(forKey: "key") as? Int,
                let value = object.value(forKey: "value") as? Int
            else { throw Failure(description: "\(user.name) finds an object without values: \(object)") }
            seen[key] = value
        }
        let expected = visible(user)
        guard seen == expected, found.count == seen.count else {
            let differing = Set(seen.keys).union(expected.keys).filter { seen[$0] != expected[$0] }.sorted().map {
                key in
                "\(key): \(seen[key] ?? -1) instead of \(expected[key] ?? -1)"
            }
            throw Failure(description: "\(user.name) sees \(found.count) objects; \(differing.joined(separator: ", "))")
        }
        let count = try user.context.count(for: request)
        guard count == found.count else {
            throw Failure(description: "\(user.name) counts \(count) objects and finds \(found.count)")
        }
        guard user.context.hasChanges == !user.layer.isEmpty else {
            throw Failure(description: "\(user.name) has changes: \(user.context.hasChanges)")
        }
    }

    /// After merging everything, the results of a controller are what a fetch finds.
    private func checkController() throws {
        guard let root = users.first else { return }
        let notes = root.notes.values
        root.notes.values = []
        for note in notes { root.context.mergeChanges(fromContextDidSave: note) }
        forgetMergedDeletions(root)
        root.context.processPendingChanges()
        let keys = controller.fetchedObjects?.map { $0.value(forKey: "key") as? Int }
        guard keys == visible(root).keys.sorted() else {
            throw Failure(
                description:
                    "the controller has \(keys?.map { $0 ?? -1 } ?? []) instead of \(visible(root).keys.sorted())")
        }
    }
}
