import CoreData
import TestSupport
import Testing

/// Contexts of two coordinators, and a child, change one file at random: with unique values, all merge policies, undo,
/// refresh, and deletions by others. Saves succeed or fail with an error that the policy explains, and always leave a
/// consistent store. `MODELC_FUZZ_SECONDS=60 swift test --filter ContextFuzz` runs longer.
@Suite struct ContextFuzzTests {
    @Test func contextsOfTwoCoordinatorsAgree() {
        Seeds.run(rounds: 8) { random, log in
            let world = try ContextFuzzWorld(random)
            defer { log = world.log }
            try world.run(steps: 80)
        }
    }
}

/// Contexts that use one file.
private final class ContextFuzzWorld {
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// A context, and the saves of other contexts that it has not merged yet.
    private final class User {
        let name: String
        let context: NSManagedObjectContext
        let notes = Recorder<Notification>()

        init(_ name: String, _ context: NSManagedObjectContext) {
            self.name = name
            self.context = context
        }
    }

    private(set) var log: [String] = []
    private var random: SeededGenerator
    private let store: TestStore
    private let plan: StoreIntegrity.Plan
    private var users: [User] = []
    private var tokens: [any NSObjectProtocol] = []

    private static let policies: [(String, NSMergePolicy)] = [
        ("error", .error), ("storeTrump", .mergeByPropertyStoreTrump), ("objectTrump", .mergeByPropertyObjectTrump),
        ("overwrite", .overwrite), ("rollback", .rollback),
    ]
    /// The expected errors of saves: conflicts, and values or relationships left invalid by a merge.
    private static let expectedCodes = [
        NSManagedObjectMergeError, NSManagedObjectConstraintMergeError, NSManagedObjectValidationError,
    ]

    init(_ random: SeededGenerator) throws {
        self.random = random
        store = try TestStore(ContextFuzzModel.make(&self.random))
        plan = try StoreIntegrity.Plan(store.model)
        let first = try store.open()
        let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        second.persistentStoreCoordinator = first.persistentStoreCoordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = first
        for (name, context) in [("A", first), ("B", second), ("C", try store.open()), ("child", child)] {
            let manager = UndoManager()
            context.undoManager = manager
            context.mergePolicy = Self.policies.randomElement(using: &self.random)?.1 ?? .error
            users.append(User(name, context))
        }
        for user in users where user.name != "child" {
            let others = users.filter { $0 !== user && $0.name != "child" }.map(\.notes)
            tokens.append(
                NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextDidSave, object: user.context, queue: nil
                ) { note in
                    for other in others { other.values.append(note) }
                })
        }
        try change(users[0], 12)
        try save(users[0])
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        for user in users.reversed() { try save(user) }
        for user in users.reversed() {
            user.context.rollback()
            guard !user.context.hasChanges else {
                throw Failure(description: "\(user.name) has changes after a rollback")
            }
        }
        try check()
    }

    private func step() throws {
        guard let user = users.randomElement(using: &random) else { return }
        let context = user.context
        switch Int.random(in: 0..<20, using: &random) {
        case 0...7: try change(user, Int.random(in: 1...4, using: &random))
        case 8...10, 16: try save(user)
        case 11:
            record(user, "undo")
            context.undo()
        case 12:
            record(user, "redo")
            context.redo()
        case 13:
            record(user, "refresh all")
            context.refreshAllObjects()
        case 14:
            guard let object = try object(user, ContextFuzzModel.entities.randomElement(using: &random) ?? "Item")
            else {
                return
            }
            let merges = random.chance(2)
            record(user, "refresh \(name(object)), \(merges)")
            context.refresh(object, mergeChanges: merges)
        case 15:
            let notes = user.notes.values
            record(user, "merge \(notes.count)")
            user.notes.values = []
            for note in notes { merge(note, into: user) }
        case 17:
            if random.chance(3) {
                record(user, "reset")
                context.reset()
            } else {
                record(user, "rollback")
                context.rollback()
            }
        case 18:
            record(user, "process")
            context.processPendingChanges()
        default:
            let (name, policy) = Self.policies.randomElement(using: &random) ?? ("error", .error)
            record(user, name)
            context.mergePolicy = policy
        }
    }

    private func record(_ user: User, _ text: String) { log.append("\(user.name): \(text)") }

    private func merge(_ note: Notification, into user: User) {
        let source = note.object as? NSManagedObjectContext
        if source?.persistentStoreCoordinator === user.context.persistentStoreCoordinator {
            return user.context.mergeChanges(fromContextDidSave: note)
        }
        var changes: [AnyHashable: Any] = [:]
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
            let objects = (note.userInfo?[key] as? Set<NSManagedObject>) ?? []
            changes[key] = objects.map { $0.objectID.uriRepresentation() }
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [user.context])
    }

    // MARK: Changes

    private func name(_ object: NSManagedObject) -> String {
        let id = object.objectID
        return (object.entity.name ?? "") + (id.isTemporaryID ? " new" : " " + id.uriRepresentation().lastPathComponent)
    }

    /// Returns a random object that is not deleted.
    private func object(_ user: User, _ entity: String) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        return try user.context.fetch(request).filter { !$0.isDeleted }.randomElement(using: &random)
    }

    private func change(_ user: User, _ count: Int) throws {
        for _ in 0..<count { try changeOnce(user) }
        user.context.processPendingChanges()
    }

    private func changeOnce(_ user: User) throws {
        let entity = ContextFuzzModel.entities.randomElement(using: &random) ?? "Item"
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: user.context)
            record(user, "insert \(entity)")
            if !random.chance(3) { try setAttribute(of: object, user) }
            if !random.chance(3) { try setRelationship(of: object, user) }
        case 3...5: if let object = try object(user, entity) { try setAttribute(of: object, user) }
        case 6...9: if let object = try object(user, entity) { try setRelationship(of: object, user) }
        default:
            guard let object = try object(user, entity) else { return }
            record(user, "delete \(name(object))")
            user.context.delete(object)
        }
    }

    private func setAttribute(of object: NSManagedObject, _ user: User) throws {
        let key = object.entity.attributesByName.keys.sorted().randomElement(using: &random) ?? "name"
        let number = Int.random(in: 0..<5, using: &random)
        let value: Any? =
            if random.chance(5) { nil } else if ["zone", "code", "value"].contains(key) { number } else { "\(number)" }
        record(user, "\(name(object)).\(key) = \(value ?? "nil")")
        object.setValue(value, forKey: key)
    }

    private func setRelationship(of object: NSManagedObject, _ user: User) throws {
        let entity = object.entity.name == "Part" ? "Item" : object.entity.name ?? ""
        guard let key = ContextFuzzModel.relationships[entity]?.randomElement(using: &random),
            let relationship = object.entity.relationshipsByName[key]
        else { return }
        let other = try self.object(user, relationship.destinationEntity?.name ?? "")
        // A fetch may have detected that the object was deleted.
        guard !object.isDeleted, object.managedObjectContext != nil else { return }
        record(user, "\(name(object)).\(key) ~ \(other.map(name) ?? "nil")")
        if !relationship.isToMany {
            object.setValue(random.chance(4) ? nil : other, forKey: key)
        } else if relationship.isOrdered {
            guard let other else { return }
            let set = object.mutableOrderedSetValue(forKey: key)
            if set.contains(other) { set.remove(other) } else { set.insert(other, at: 0) }
        } else {
            guard let other else { return }
            let set = object.mutableSetValue(forKey: key)
            if set.contains(other) { set.remove(other) } else { set.add(other) }
        }
    }

    // MARK: Saves

    private func save(_ user: User) throws {
        record(user, "save")
        do {
            try user.context.save()
            guard !user.context.hasChanges else { throw Failure(description: "\(user.name) has changes after a save") }
        } catch let error as CocoaError {
            let errors = (error.userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error as NSError]
            log.append("failed: \(errors.map(\.code))")
            if user.name == "child", errors.map(\.code) == [NSManagedObjectReferentialIntegrityError] {
                // The parent has lost objects that the child has changed, so that only the child can decide what to do.
                record(user, "rollback")
                user.context.rollback()
                return try check()
            }
            guard errors.allSatisfy({ Self.expectedCodes.contains($0.code) }) else {
                throw Failure(description: "\(user.name): \(errors.map { "\($0.code) \($0.localizedDescription)" })")
            }
            let policy = (user.context.mergePolicy as? NSMergePolicy)?.mergeType
            guard policy == .errorMergePolicyType || errors.allSatisfy({ $0.code == NSManagedObjectValidationError })
            else {
                throw Failure(description: "\(user.name): \(errors) with the policy \(policy.map { "\($0)" } ?? "")")
            }
            if random.chance(2) {
                record(user, "rollback")
                user.context.rollback()
            }
        }
        try check()
    }

    /// Checks that the file is consistent and that a new context can read all of it.
    private func check() throws {
        let problems = try StoreIntegrity.problems(of: store.url, plan)
        guard problems.isEmpty else { throw Failure(description: problems.joined(separator: "\n")) }
        // Reading with a context takes longer, and the result follows from the file.
        guard random.chance(8) else { return }
        let fresh = try store.open()
        defer { try? TestStore.close(fresh) }
        for entity in ContextFuzzModel.entities {
            for object in try fresh.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                for (key, relationship) in object.entity.relationshipsByName {
                    try check(object, key, relationship)
                }
            }
        }
    }

    private func members(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
        switch object.value(forKey: key) {
        case let one as NSManagedObject: [one]
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }

    private func check(_ object: NSManagedObject, _ key: String, _ relationship: NSRelationshipDescription) throws {
        for other in members(object, key) {
            _ = other.value(forKey: "name")
            guard !other.isDeleted else { throw Failure(description: "\(name(object)).\(key) is gone: \(name(other))") }
            guard let inverse = relationship.inverseRelationship?.name else {
                continue
            }
            guard members(other, inverse).contains(object) else {
                throw Failure(description: "\(name(object)).\(key) holds \(name(other)), whose \(inverse) does not")
            }
        }
    }
}
