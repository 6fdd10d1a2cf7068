import TestSupport
import Testing

@testable import CoreData

/// Requests to a SQLite store have the same results as the evaluator and sort descriptors on the same objects.
@Suite struct StoreFetchTests {
    private static let entities = ["Thing", "Book", "Novel", "Person", "Part", "Tag"]
    private static let sortKeys = [
        "Thing": ["name", "whole", "real", "price", "day", "flag", "code", "owner.name", "owner.boss.age", "link"],
        "Person": ["name", "age", "boss.name"], "Part": ["title", "size", "cost", "thing.name", "thing.owner.age"],
        "Tag": ["label", "weight"],
    ]

    @Test func requestsAgreeWithTheEvaluator() throws {
        let seconds = Seeds.seconds ?? 0
        let end = Date(timeIntervalSinceNow: seconds)
        var seed = Seeds.first(7)
        repeat {
            try compare(seed: seed, rounds: 250)
            seed += 1
        } while Seeds.replayed == nil && Date() < end
    }

    private func compare(seed: UInt64, rounds: Int) throws {
        let world = try FetchWorld(seed: seed)
        var objects: [String: [NSManagedObject]] = [:]
        for entity in Self.entities { objects[entity] = try world.objects(entity) }
        let generator = PredicateGenerator(world: world, objects: objects)
        for _ in 0..<rounds {
            let entity = world.pick(Self.entities)
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate =
                world.chance(6) == 0 ? partlyTranslatable(generator, entity) : generator.predicate(entity)
            let keys = Self.sortKeys[entity] ?? Self.sortKeys["Thing"] ?? []
            request.sortDescriptors = (0..<world.chance(3)).map { _ in
                NSSortDescriptor(key: world.pick(keys), ascending: world.chance(2) == 0)
            }
            request.includesSubentities = world.chance(4) > 0
            if world.chance(3) == 0 { request.fetchLimit = world.chance(6) }
            if world.chance(3) == 0 { request.fetchOffset = world.chance(6) }
            try check(request, objects[entity] ?? [], world, "seed \(seed), \(request)")
        }
    }

    /// Returns a predicate of which SQL can express only half.
    private func partlyTranslatable(_ generator: PredicateGenerator, _ entity: String) -> NSPredicate {
        let part = NSPredicate(format: "isDeleted == NO")
        return NSCompoundPredicate(andPredicateWithSubpredicates: [generator.predicate(entity), part])
    }

    private func check(
        _ request: NSFetchRequest<NSManagedObject>, _ all: [NSManagedObject], _ world: FetchWorld, _ detail: String
    ) throws {
        var session = request.predicate.map { PredicateEvaluator($0).session() }
        let matching = all.filter { object in
            (request.includesSubentities || object.entity.name == request.entityName)
                && (session?.matches(slotted: object) ?? true)
        }
        let descriptors = request.sortDescriptors ?? []
        func precedes(_ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
            for descriptor in descriptors {
                let order = descriptor.compare(one, to: other)
                if order != .orderedSame { return order == .orderedAscending }
            }
            return false
        }
        let rest = matching.sorted(by: precedes).dropFirst(request.fetchOffset)
        let expected = request.fetchLimit > 0 ? Array(rest.prefix(request.fetchLimit)) : Array(rest)
        let results = try world.context.fetch(request)
        #expect(results.count == expected.count, "\(detail)")
        #expect(Set(results).isSubset(of: Set(matching)), "\(detail)")
        // Equal objects may be in any order.
        for (result, requested) in zip(results, expected) {
            #expect(!precedes(result, requested) && !precedes(requested, result), "\(detail)")
        }
        #expect(try world.context.count(for: request) == expected.count, "\(detail)")
        let ids = NSFetchRequest<NSManagedObjectID>(settings: request.settings)
        ids.resultType = .managedObjectIDResultType
        #expect(try world.context.fetch(ids).count == expected.count, "\(detail)")
    }

    /// Unsaved objects and changes are evaluated in memory, saved ones in SQL.
    @Test func resultsIncludeUnsavedChanges() throws {
        let world = try FetchWorld(seed: 11, things: 12)
        let things = try world.objects("Thing")
        for thing in things { thing.setValue("other", forKey: "name") }
        things[0].setValue("wanted", forKey: "name")
        let new = NSEntityDescription.insertNewObject(forEntityName: "Book", into: world.context)
        new.setValue("wanted", forKey: "name")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "name == 'wanted'")
        #expect(Set(try world.context.fetch(request)) == [things[0], new])
        #expect(try world.context.count(for: request) == 2)
        request.includesPendingChanges = false
        #expect(try world.context.fetch(request).isEmpty)
        try world.context.save()
        #expect(Set(try world.context.fetch(request)) == [things[0], new])
    }

    @Test func hugeAndDeepPredicatesAreEvaluated() throws {
        let world = try FetchWorld(seed: 5, things: 12)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        let all = try world.objects("Thing")
        var deep = NSPredicate(format: "whole != 123456")
        for index in 0..<1200 {
            let other = NSPredicate(format: "name != %@", "never\(index)")
            deep =
                index % 2 == 0
                ? NSCompoundPredicate(andPredicateWithSubpredicates: [deep, other])
                : NSCompoundPredicate(orPredicateWithSubpredicates: [deep, NSPredicate(value: false)])
        }
        request.predicate = deep
        #expect(try world.context.fetch(request).count == all.count)
        let part = NSPredicate(format: "whole != 123456")
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: Array(repeating: part, count: 33_000))
        #expect(try world.context.count(for: request) == all.count)
        // SQLite joins at most 64 tables.
        let people = NSFetchRequest<NSManagedObject>(entityName: "Person")
        people.predicate = NSPredicate(format: (0..<80).map { _ in "boss" }.joined(separator: ".") + ".age == nil")
        let expected = try world.objects("Person").filter { people.predicate?.evaluate(with: $0) ?? false }
        #expect(try world.context.count(for: people) == expected.count)
    }
}
