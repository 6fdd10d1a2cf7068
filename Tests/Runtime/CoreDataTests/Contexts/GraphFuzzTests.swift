import CoreData
import TestSupport
import Testing

/// Random changes of a graph, compared with plain Swift values. `MODELC_FUZZ_SECONDS=60 swift test --filter GraphFuzz`
/// runs longer; `MODELC_FUZZ_SEED=7` repeats the run with the seed named by a failure.
@Suite(.overAllStores) struct GraphFuzzTests {
    /// Returns random delete rules for some relationships.
    static func rules(_ random: inout SeededGenerator, denies: Bool = true) -> [String: NSDeleteRule] {
        let rules: [NSDeleteRule] = [.nullifyDeleteRule, .cascadeDeleteRule] + (denies ? [.denyDeleteRule] : [])
        return Dictionary(
            uniqueKeysWithValues: ["children", "items", "mate", "nodes", "friends"].map { name in
                (
                    name,
                    random.chance(2) ? .nullifyDeleteRule : rules.randomElement(using: &random) ?? .nullifyDeleteRule
                )
            })
    }

    static func coordinator(_ rules: [String: NSDeleteRule]) throws -> NSPersistentStoreCoordinator {
        try Library.coordinator(Link.model(rules))
    }

    static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    // MARK: One context

    @Test func oneContextObeysTheRules() {
        Seeds.run(rounds: 6) { random, log in
            var random = random
            let rules = Self.rules(&random)
            let coordinator = try Self.coordinator(rules)
            let actor = GraphActor(try Library.context(coordinator), random, rules)
            actor.log.append("\(rules.filter { $0.value != .nullifyDeleteRule }.mapValues(\.rawValue))")
            defer { log = actor.log }
            var saved = GraphReference()
            for _ in 0..<60 {
                try step(actor, &saved, coordinator)
                if actor.reference != saved, !actor.context.hasChanges {
                    throw GraphDifference(description: "hasChanges is false")
                }
            }
        }
    }

    private func step(_ actor: GraphActor, _ saved: inout GraphReference, _ coordinator: NSPersistentStoreCoordinator)
        throws
    {
        let context = actor.context
        switch Int.random(in: 0..<24, using: &actor.random) {
        case 0, 1:
            actor.log.append("save")
            try context.save()
            saved = actor.reference
            if context.hasChanges { throw GraphDifference(description: "changes after a save") }
            try GraphActor.check(try Library.context(coordinator), saved, "a fresh context")
        case 2:
            actor.log.append("rollback")
            actor.forgetObjects()
            context.rollback()
            actor.reference = saved
            if context.hasChanges { throw GraphDifference(description: "changes after a rollback") }
            try actor.check("after a rollback")
        case 3:
            actor.log.append("refreshAll")
            context.refreshAllObjects()
        case 4:
            actor.log.append("refresh unchanged")
            for object in context.registeredObjects where !object.hasChanges {
                context.refresh(object, mergeChanges: false)
            }
        case 5:
            actor.log.append("reset")
            actor.forgetObjects()
            context.reset()
            actor.reference = saved
        case 6:
            actor.log.append("process")
            context.processPendingChanges()
        case 7:
            actor.log.append("forget")
            actor.forgetObjects()
        case 8, 9: try actor.check("the context")
        case 10: try denied(actor, &saved)
        default: try actor.change(2)
        }
    }

    /// Tests deletions that a rule denies: they cannot be saved and are rolled back, so they follow a save.
    private func denied(_ actor: GraphActor, _ saved: inout GraphReference) throws {
        for key in actor.reference.objects.keys.sorted() {
            var after = actor.reference
            guard after.delete([key], actor.rules) else { continue }
            actor.log.append("denied deletion of \(key)")
            try actor.context.save()
            saved = actor.reference
            actor.context.delete(try actor.object(key))
            do {
                try actor.context.save()
                throw GraphDifference(description: "the deletion of \(key) is not denied")
            } catch let error as CocoaError {
                let errors = (error.userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error as NSError]
                guard errors.allSatisfy({ $0.code == NSValidationRelationshipDeniedDeleteError }) else { throw error }
            }
            actor.context.rollback()
            return try actor.check("after a denied deletion")
        }
    }

    // MARK: A parent and its child

    @Test func parentAndChildObeyTheRules() {
        Seeds.run(rounds: 3) { random, log in
            var random = random
            let rules = Self.rules(&random, denies: false)
            let coordinator = try Self.coordinator(rules)
            let parent = GraphActor(try Library.context(coordinator), random, rules)
            _ = random.next()
            let child = GraphActor(Self.child(of: parent.context), random, rules, firstKey: 1000)
            defer { log = parent.log + ["; child: "] + child.log }
            var saved = GraphReference()
            for _ in 0..<20 {
                try parent.change(4)
                child.reference = parent.reference
                if parent.random.chance(3) {
                    parent.log.append("save")
                    try parent.context.save()
                    saved = parent.reference
                }
                child.log.append("refreshAll")
                child.context.refreshAllObjects()
                child.forgetObjects()
                if child.random.chance(2) { try child.check("the child") }
                try child.change(4)
                if child.random.chance(3) {
                    // The parent's save assigns permanent IDs in between.
                    parent.log.append("save while the child has changes")
                    child.log.append("parent saves")
                    try parent.context.save()
                    saved = parent.reference
                }
                if child.random.chance(5) {
                    child.log.append("rollback")
                    child.forgetObjects()
                    child.context.rollback()
                    child.reference = parent.reference
                } else {
                    child.log.append("save")
                    try child.context.save()
                    parent.log.append("child saves")
                    parent.reference = child.reference
                    parent.forgetObjects()
                }
                try child.check("the child after its save")
                try parent.check("the parent")
            }
            parent.log.append("save")
            try parent.context.save()
            saved = parent.reference
            try GraphActor.check(try Library.context(coordinator), saved, "a fresh context")
        }
    }
}
