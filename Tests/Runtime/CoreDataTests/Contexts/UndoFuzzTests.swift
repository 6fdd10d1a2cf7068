import CoreData
import TestSupport
import Testing

/// Undo and redo of random changes (issue 5: undo of single and grouped changes to attributes, relationships, inserts
/// and deletes). Undoing everything restores the state before, and redoing everything the state after, even with saves
/// in between.
@Suite(.overAllStores) struct UndoFuzzTests {
    private final class Run {
        let actor: GraphActor
        let manager = UndoManager()
        /// The states before each group that can be undone, and after each that can be redone.
        var before: [GraphReference] = []
        var after: [GraphReference] = []

        init(_ actor: GraphActor) {
            self.actor = actor
            manager.groupsByEvent = false
            actor.context.undoManager = manager
        }

        /// Makes changes in a group, with nested groups.
        func group(_ depth: Int) throws {
            manager.beginUndoGrouping()
            for _ in 0..<Int.random(in: 1...3, using: &actor.random) {
                if depth < 2, actor.random.chance(4) {
                    actor.context.processPendingChanges()
                    try group(depth + 1)
                } else {
                    try actor.change()
                }
                if actor.random.chance(3) { actor.context.processPendingChanges() }
            }
            actor.context.processPendingChanges()
            manager.endUndoGrouping()
        }

        func change() throws {
            let start = actor.reference
            actor.log.append("{")
            manager.beginUndoGrouping()
            try group(1)
            // A group without changes would be discarded.
            if actor.reference == start { try actor.insert() }
            actor.context.processPendingChanges()
            manager.endUndoGrouping()
            actor.log.append("}")
            before.append(start)
            after = []
        }

        func undo() throws {
            guard let reference = before.popLast() else { return }
            after.append(actor.reference)
            actor.log.append("undo")
            actor.forgetObjects()
            manager.undo()
            actor.reference = reference
            try actor.check("after undo")
        }

        func redo() throws {
            guard let reference = after.popLast() else { return }
            before.append(actor.reference)
            actor.log.append("redo")
            actor.forgetObjects()
            manager.redo()
            actor.reference = reference
            try actor.check("after redo")
        }
    }

    private func run(saves: Bool) {
        Seeds.run(rounds: 3) { random, log in
            var random = random
            let rules = GraphFuzzTests.rules(&random, denies: false)
            let coordinator = try GraphFuzzTests.coordinator(rules)
            let actor = GraphActor(try Library.context(coordinator), random, rules)
            defer { log = actor.log }
            try actor.change(20)
            actor.context.processPendingChanges()
            if saves { try actor.context.save() }
            let run = Run(actor)
            func save() throws {
                guard saves, actor.random.chance(3) else { return }
                actor.log.append("save")
                try actor.context.save()
                try GraphActor.check(try Library.context(coordinator), actor.reference, "a fresh context")
            }
            for _ in 0..<3 {
                for _ in 0..<6 {
                    try run.change()
                    try save()
                    if actor.random.chance(4) { try run.undo() }
                }
                let last = actor.reference
                let count = run.before.count
                while !run.before.isEmpty {
                    try run.undo()
                    try save()
                }
                for _ in 0..<count {
                    try run.redo()
                    try save()
                }
                guard actor.reference == last else { throw GraphDifference(description: "the test is wrong") }
            }
        }
    }

    @Test func undoAndRedoAreInverseWithoutSaves() { run(saves: false) }

    @Test func undoAndRedoAreInverseAcrossSaves() { run(saves: true) }
}
