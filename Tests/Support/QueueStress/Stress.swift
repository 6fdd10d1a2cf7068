import CoreData
import Foundation
import SeededRandom

/// A context with the state of the code running on its queue.
final class Node: @unchecked Sendable {
    let context: NSManagedObjectContext
    let isMain: Bool
    /// Whether the main queue runs on the main thread.
    let hasMainThread: Bool
    private let lock = NSLock()
    private var isRunning = false
    private var lastNumbers: [Int: Int] = [:]

    init(_ context: NSManagedObjectContext, hasMainThread: Bool) {
        self.context = context
        isMain = context.concurrencyType == .mainQueueConcurrencyType
        self.hasMainThread = hasMainThread
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }

    /// Records that code of the context starts running.
    func enter() {
        if isMain {
            dispatchPrecondition(condition: .onQueue(.main))
            if hasMainThread, !Thread.isMainThread { fail("a block of the main queue runs on another thread") }
        }
        lock.withLock {
            if isRunning { fail("code of the context \(context.name ?? "") runs twice") }
            isRunning = true
        }
    }

    /// Records that code of the context ends or waits for another context.
    func leave() { lock.withLock { isRunning = false } }

    /// Records a numbered block of an actor.
    func record(_ number: Int, of actor: Int) {
        lock.withLock {
            if lastNumbers[actor, default: 0] >= number { fail("blocks run out of order") }
            lastNumbers[actor] = number
        }
    }
}

/// Random work on a tree of contexts by several threads.
final class Stress: @unchecked Sendable {
    private let nodes: [Node]
    private let coordinator: NSPersistentStoreCoordinator
    private let end: Date
    let progress = Counter()
    private let history = History()
    private let open = DispatchGroup()
    /// The number of enqueued blocks that have not run, which is limited.
    private let enqueued = Counter()

    init(seed: UInt64, seconds: Double, hasMainThread: Bool) throws {
        var random = SeededGenerator(seed: seed)
        coordinator = try makeCoordinator(random.chance(2) ? NSInMemoryStoreType : NSSQLiteStoreType)
        var nodes: [Node] = []
        for number in 0..<Int.random(in: 3...8, using: &random) {
            let type: NSManagedObjectContextConcurrencyType =
                number == 1 || random.chance(4) ? .mainQueueConcurrencyType : .privateQueueConcurrencyType
            let context: NSManagedObjectContext
            if nodes.isEmpty || random.chance(4) {
                context = NSManagedObjectContext(concurrencyType: type)
                context.persistentStoreCoordinator = coordinator
                context.automaticallyMergesChangesFromParent = !random.chance(4)
            } else {
                context = nodes[Int.random(in: 0..<nodes.count, using: &random)].context.makeChild(type)
            }
            let parent = context.parent?.name.map { " below \($0)" } ?? ""
            context.name = "\(number)\(type == .mainQueueConcurrencyType ? " (main)" : "")\(parent)"
            history.observe(context)
            nodes.append(Node(context, hasMainThread: hasMainThread))
        }
        self.nodes = nodes
        end = Date().addingTimeInterval(seconds)
    }

    var isOver: Bool { Date() >= end }

    /// Runs a random step of one thread, or of the main thread's turn.
    func step(_ actor: Int, _ number: Int, _ random: inout SeededGenerator) {
        let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
        let seed = random.next()
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: wait(node, seed, depth: 0)
        case 5..<8:
            guard enqueued.value < 100 else { return wait(node, seed, depth: 0) }
            open.enter()
            enqueued.add()
            node.context.perform { [self] in
                node.record(number, of: actor)
                run(node, seed, depth: 1)
                enqueued.add(-1)
                open.leave()
            }
        case 8:
            open.enter()
            Task { [self] in
                await node.context.perform(schedule: seed % 2 == 0 ? .immediate : .enqueued) { [self] in
                    run(node, seed, depth: 1)
                }
                open.leave()
            }
        default: coordinator.performAndWait { wait(node, seed, depth: 1) }
        }
        progress.add()
    }

    private func wait(_ node: Node, _ seed: UInt64, depth: Int) {
        node.context.performAndWait { run(node, seed, depth: depth) }
    }

    /// Runs the code of a block.
    private func run(_ node: Node, _ seed: UInt64, depth: Int) {
        var random = SeededGenerator(seed: seed)
        node.enter()
        defer { node.leave() }
        let context = node.context
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3:
                history.insertItem(number: Int.random(in: 0..<1_000_000, using: &random), into: context)
            case 3..<5: context.saveOrFail()
            case 5:
                for item in context.items(limit: 5) {
                    item.setValue(Int.random(in: 0..<9, using: &random), forKey: "number")
                }
            case 6: _ = context.items(limit: 10).map { $0.value(forKey: "number") }
            case 7: context.processPendingChanges()
            default:
                guard depth < 3 else { continue }
                let other = nodes[Int.random(in: 0..<nodes.count, using: &random)]
                let seed = random.next()
                node.leave()
                wait(other, seed, depth: depth + 1)
                node.enter()
            }
        }
    }

    /// Starts threads that work until the time is up.
    func start(_ actors: Int, seed: UInt64) {
        for actor in 1...actors {
            open.enter()
            Thread.detachNewThread { [self] in
                var random = SeededGenerator(seed: seed &* 31 &+ UInt64(actor))
                var number = 0
                while !isOver {
                    number += 1
                    step(actor, number, &random)
                }
                open.leave()
            }
        }
    }

    /// Calls a block on a new thread when all work is done.
    func whenDone(_ block: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            open.wait()
            // Wait for pending merges.
            for node in nodes { node.context.performAndWait {} }
            for node in nodes.reversed() { node.context.performAndWait { node.context.saveOrFail() } }
            let fresh = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            fresh.persistentStoreCoordinator = coordinator
            let serials = fresh.performAndWait { fresh.items().map { $0.value(forKey: "serial") as? Int ?? -1 } }
            history.check(serials)
            block()
        }
    }
}
