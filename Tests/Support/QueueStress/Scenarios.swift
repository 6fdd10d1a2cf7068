import CoreData
import Foundation

/// Scenarios with circular waiting. Each scenario runs on the main thread, many times.
enum Scenarios {
    static let all: [String: @Sendable (Counter) throws -> Void] = [
        "merge": merge, "grandchildren": grandchildren, "upwards": upwards, "siblings": siblings,
        "coordinator": coordinator, "observer": observer,
    ]

    private static let rounds = 300

    private static func mainContext() throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try makeCoordinator()
        return context
    }

    /// A child's merge calls the main queue, which waits for the child.
    private static func merge(_ progress: Counter) throws {
        let parent = try mainContext()
        let child = parent.makeChild(.privateQueueConcurrencyType)
        for round in 1...rounds {
            parent.makeItem(round)
            try parent.save()
            if round.isMultiple(of: 3) { Thread.sleep(forTimeInterval: 0.0003) }
            let count = child.performAndWait { child.items().count }
            guard count == round else { fail("\(count) items in round \(round)") }
            progress.add()
        }
    }

    /// A private child and a private grandchild of the main context both merge, and the main thread waits for the
    /// grandchild.
    private static func grandchildren(_ progress: Counter) throws {
        let parent = try mainContext()
        let child = parent.makeChild(.privateQueueConcurrencyType)
        let grandchild = child.makeChild(.privateQueueConcurrencyType)
        for round in 1...rounds {
            grandchild.perform {
                grandchild.makeItem(round)
                grandchild.saveOrFail()
                child.perform { child.saveOrFail() }
            }
            child.performAndWait { _ = child.items(limit: 3) }
            parent.makeItem(-round)
            try parent.save()
            grandchild.performAndWait {
                _ = grandchild.items(limit: 3)
                parent.performAndWait {
                    dispatchPrecondition(condition: .onQueue(.main))
                    _ = parent.items(limit: 3)
                }
            }
            progress.add()
        }
    }

    /// Blocks of children call the main queue, which waits for the children.
    private static func upwards(_ progress: Counter) throws {
        let parent = try mainContext()
        let children = (0..<3).map { _ in parent.makeChild(.privateQueueConcurrencyType) }
        let visits = Counter()
        for round in 1...rounds {
            for child in children {
                child.perform {
                    parent.performAndWait {
                        dispatchPrecondition(condition: .onQueue(.main))
                        guard Thread.isMainThread else { fail("a block of the main queue runs on another thread") }
                        MainActor.assumeIsolated { visits.add() }
                    }
                }
            }
            if round.isMultiple(of: 2) { Thread.sleep(forTimeInterval: 0.0002) }
            for child in children { child.performAndWait { _ = child.makeItem(round) } }
            progress.add()
        }
        guard visits.value == rounds * 3 else { fail("\(visits.value) visits") }
    }

    /// Two contexts wait for each other in both directions.
    private static func siblings(_ progress: Counter) throws {
        let parent = try mainContext()
        let one = parent.makeChild(.privateQueueConcurrencyType)
        let other = parent.makeChild(.privateQueueConcurrencyType)
        let ends = DispatchGroup()
        for round in 1...rounds {
            for (outer, inner) in [(one, other), (other, one)] {
                ends.enter()
                outer.perform {
                    outer.makeItem(round)
                    inner.performAndWait {
                        inner.makeItem(round)
                        outer.performAndWait { _ = outer.insertedObjects }
                        inner.saveOrFail()
                    }
                    ends.leave()
                }
            }
            one.performAndWait { other.performAndWait { parent.performAndWait { _ = parent.items(limit: 1) } } }
            progress.add()
        }
        one.performAndWait { one.saveOrFail() }
        other.performAndWait { other.saveOrFail() }
        guard parent.items().count == rounds * 4 else { fail("\(parent.items().count) items") }
    }

    /// A block of the coordinator waits for the main queue, which waits for the coordinator.
    private static func coordinator(_ progress: Counter) throws {
        let parent = try mainContext()
        guard let coordinator = parent.persistentStoreCoordinator else { return }
        let background = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        background.persistentStoreCoordinator = coordinator
        for round in 1...rounds {
            background.perform {
                coordinator.performAndWait {
                    parent.performAndWait { _ = parent.items(limit: 2) }
                    background.makeItem(round)
                    background.saveOrFail()
                }
            }
            parent.makeItem(round)
            try parent.save()
            background.performAndWait { _ = background.items(limit: 2) }
            progress.add()
        }
    }

    /// An observer of a saving child's parent uses the child.
    private static func observer(_ progress: Counter) throws {
        let parent = try mainContext()
        let child = parent.makeChild(.privateQueueConcurrencyType)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: parent, queue: nil
        ) { _ in child.performAndWait { _ = child.insertedObjects } }
        defer { NotificationCenter.default.removeObserver(token) }
        for round in 1...rounds {
            child.perform {
                child.makeItem(round)
                child.saveOrFail()
            }
            child.performAndWait { _ = child.items(limit: 1) }
            progress.add()
        }
        guard parent.items().count == rounds else { fail("\(parent.items().count) items") }
    }
}
