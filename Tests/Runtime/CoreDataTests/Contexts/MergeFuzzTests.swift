import CoreData
import TestSupport
import Testing

/// Two contexts of one coordinator change the same objects. The expected result follows from three versions of each
/// object: as both fetched it, and as each has changed it (Documentation/Formats/RuntimeBehavior.md, 4.5: the policy
/// decides for each property that both have changed).
@Suite(.overAllStores) struct MergeFuzzTests {
    /// One-to-many and many-to-many relationships. A one-to-one relationship has two rows that two policies may make
    /// inconsistent, and there is no rule for the order of an ordered one.
    private static let links: Set<String> = ["parent", "children", "friends", "friendOf", "tags", "nodes"]

    private enum Winner: CaseIterable {
        case store, object, overwrite, rollback

        var policy: Any {
            switch self {
            case .store: NSMergeByPropertyStoreTrumpMergePolicy
            case .object: NSMergeByPropertyObjectTrumpMergePolicy
            case .overwrite: NSOverwriteMergePolicy
            case .rollback: NSRollbackMergePolicy
            }
        }
    }

    /// Returns the merged value of an attribute or to-one relationship with three versions.
    private static func merged<Value: Equatable>(
        _ base: Value, _ first: Value, _ second: Value, _ winner: Winner, _ isConflict: Bool
    ) -> Value {
        switch winner {
        case .overwrite where isConflict: second
        case .rollback where isConflict: first
        case .store where first != base: first
        default: second != base ? second : first
        }
    }

    /// Returns the expected result of the second context's save after the first's.
    private static func expected(
        _ base: GraphReference, _ first: GraphReference, _ second: GraphReference, _ winner: Winner
    ) -> GraphReference {
        var result = GraphReference()
        for (key, object) in first.objects where base.objects[key] == nil { result.objects[key] = plain(object) }
        for (key, object) in second.objects where base.objects[key] == nil { result.objects[key] = plain(object) }
        var parents: [Int: Int?] = [:]
        for key in Set(first.objects.keys).union(second.objects.keys) {
            guard let base = base.objects[key] else {
                parents[key] = (first.objects[key] ?? second.objects[key])?.links["parent"]?.first
                continue
            }
            // Skip objects deleted by the first or second context.
            guard let one = first.objects[key], let two = second.objects[key] else { continue }
            let values = [base, one, two].map(\.value)
            let ups = [base, one, two].map { $0.links["parent"]?.first }
            let isConflict =
                (values[0] != values[1] || ups[0] != ups[1]) && (values[0] != values[2] || ups[0] != ups[2])
            var object = plain(one)
            object.value = merged(values[0], values[1], values[2], winner, isConflict)
            result.objects[key] = object
            parents[key] = merged(ups[0], ups[1], ups[2], winner, isConflict)
        }
        for (key, parent) in parents.sorted(by: { $0.key < $1.key }) {
            if let parent, result.objects[parent] != nil { result.join(key, Link.named("parent"), parent) }
        }
        for name in ["friends", "tags"] {
            for key in result.objects.keys.sorted() {
                let link = Link.named(name)
                let (a, b, c) = (
                    Set(base.members(key, link)), Set(first.members(key, link)), Set(second.members(key, link))
                )
                let members = a.intersection(b).intersection(c).union(b.subtracting(a)).union(c.subtracting(a))
                for member in members.sorted() where result.objects[member] != nil { result.join(key, link, member) }
            }
        }
        return result
    }

    private static func plain(_ object: GraphReference.Object) -> GraphReference.Object {
        GraphReference.Object(entity: object.entity, value: object.value)
    }

    private static func run(_ winners: [Winner], merges: Bool) {
        Seeds.run(rounds: 4) { random, log in
            var random = random
            let coordinator = try GraphFuzzTests.coordinator([:])
            let contexts = [try Library.context(coordinator), try Library.context(coordinator)]
            let first = GraphActor(contexts[0], random, [:])
            let second = GraphActor(contexts[1], SeededGenerator(seed: random.next()), [:], firstKey: 1000)
            defer { log = zip(first.log, second.log).map { "A: \($0)\nB: \($1)\n" } }
            first.allowedLinks = links
            try first.change(20)
            try first.context.save()
            for _ in 0..<6 {
                let base = first.reference
                second.reference = base
                for actor in [first, second] {
                    actor.forgetObjects()
                    actor.context.refreshAllObjects()
                    if random.chance(2) { try actor.check("at the start") }
                    actor.allowedLinks = links
                    actor.touched = []
                    actor.log = []
                }
                guard let winner = winners.randomElement(using: &random) else { return }
                // A policy for whole objects does not define many-to-many relationships.
                if winner == .rollback || winner == .overwrite {
                    for actor in [first, second] { actor.allowedLinks = ["parent", "children"] }
                }
                second.context.mergePolicy = winner.policy
                try second.change(4, deletes: false)
                second.context.processPendingChanges()
                try first.change(4, deletes: false)
                try deleteUntouched(first, second)
                // Merge the changes of a notification.
                let notes = try first.context.notes { try first.context.save() }
                // Before a save, local changes are applied on top of the changes saved by others.
                let requested = expected(base, first.reference, second.reference, merges ? .object : winner)
                second.log.append("save, \(winner)")
                if merges {
                    for note in notes { second.context.mergeChanges(fromContextDidSave: note) }
                    try GraphActor.check(second.context, requested, "after the merge")
                }
                second.forgetObjects()
                try second.context.save()
                let moved = second.reference.objects.filter {
                    $0.value.links["parent"] != base.objects[$0.key]?.links["parent"]
                }
                try agree(second.context, Set(moved.keys))
                try GraphActor.check(try Library.context(coordinator), requested, "a fresh context (\(winner))")
                second.context.refreshAllObjects()
                first.forgetObjects()
                first.context.refreshAllObjects()
                try GraphActor.check(second.context, requested, "the second context")
                try GraphActor.check(first.context, requested, "the first context")
                first.reference = requested
            }
        }
    }

    /// Deletes an object in the first context that the second has neither changed nor related to anything.
    private static func deleteUntouched(_ first: GraphActor, _ second: GraphActor) throws {
        let free = first.reference.objects.keys.filter { key in
            guard !second.touched.contains(key) else { return false }
            return Link.all(of: first.reference.objects[key]?.entity ?? "").allSatisfy { link in
                (first.reference.members(key, link) + second.reference.members(key, link)).allSatisfy {
                    !second.touched.contains($0)
                }
            }
        }
        if let victim = free.sorted().randomElement(using: &first.random), first.random.chance(2) {
            try first.delete([victim])
        }
    }

    /// Checks that both sides of relationships agree under any policy, except for those that only the other context has
    /// changed.
    private static func agree(_ context: NSManagedObjectContext, _ moved: Set<Int>) throws {
        func isMoved(_ object: NSManagedObject) -> Bool {
            (object.value(forKey: "key") as? Int).map(moved.contains) ?? false
        }
        for object in context.registeredObjects where !object.isFault && !object.isDeleted && isMoved(object) {
            guard
                let parent = object.entity.relationshipsByName["parent"].flatMap({ object.value(forKey: $0.name) })
                    as? NSManagedObject, !parent.hasFault(forRelationshipNamed: "children")
            else { continue }
            let children = parent.value(forKey: "children") as? NSSet
            if children?.contains(object) != true {
                throw GraphDifference(description: "\(object) is not among the children of its parent")
            }
            for case let child as NSManagedObject in children?.allObjects ?? []
            where isMoved(child) && child.value(forKey: "parent") as? NSManagedObject !== parent {
                throw GraphDifference(description: "\(child) is among the children of another parent")
            }
        }
    }

    /// A parent changes while its child has changes: the child's save passes on exactly the child's changes.
    @Test func childSavesPassOnExactlyTheirChanges() {
        Seeds.run(rounds: 6) { random, log in
            var random = random
            let coordinator = try GraphFuzzTests.coordinator([:])
            let parent = GraphActor(try Library.context(coordinator), random, [:])
            let child = GraphActor(
                GraphFuzzTests.child(of: parent.context), SeededGenerator(seed: random.next()), [:], firstKey: 1000)
            defer { log = zip(parent.log, child.log).map { "parent: \($0)\nchild: \($1)\n" } }
            parent.allowedLinks = Self.links
            child.allowedLinks = Self.links
            try parent.change(20)
            for _ in 0..<6 {
                if random.chance(2) { try parent.context.save() }
                let base = parent.reference
                child.reference = base
                child.forgetObjects()
                child.context.refreshAllObjects()
                if random.chance(2) { try child.check("at the start") }
                child.touched = []
                (parent.log, child.log) = ([], [])
                try child.change(4, deletes: false)
                child.context.processPendingChanges()
                try parent.change(4, deletes: false)
                try Self.deleteUntouched(parent, child)
                if random.chance(3) { try parent.context.save() }
                let requested = Self.expected(base, parent.reference, child.reference, .object)
                child.forgetObjects()
                try child.context.save()
                parent.forgetObjects()
                try GraphActor.check(parent.context, requested, "the parent")
                child.context.refreshAllObjects()
                try GraphActor.check(child.context, requested, "the child")
                parent.reference = requested
            }
            try parent.context.save()
            try GraphActor.check(try Library.context(coordinator), parent.reference, "a fresh context")
        }
    }

    @Test func policiesKeepInversesConsistent() { Self.run(Winner.allCases, merges: false) }

    @Test func mergingBeforeSavesKeepsInversesConsistent() { Self.run([.object, .store], merges: true) }
}
