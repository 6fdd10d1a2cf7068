import TestSupport
import Testing

@testable import CoreData

/// Random predicates on random objects: SQL finds the same objects as the evaluator.
@Suite struct PredicateEquivalenceTests {
    private static let entities = ["Thing", "Book", "Novel", "Person", "Part", "Tag"]

    @Test func sqlAgreesWithTheEvaluator() throws {
        let seconds = Seeds.seconds ?? 0
        let end = Date(timeIntervalSinceNow: seconds)
        var seed = Seeds.first(1)
        var counts = (predicates: 0, exact: 0, narrowed: 0, selective: 0)
        repeat {
            try compare(seed: seed, rounds: 700, &counts)
            seed += 1
        } while Seeds.replayed == nil && Date() < end
        print(
            "\(counts.predicates) predicates, \(counts.selective) of them true for some objects, \(counts.exact) whole in "
                + "SQL, \(counts.narrowed) in part")
        #expect(counts.exact * 10 > counts.predicates * 9)
        #expect(counts.selective * 3 > counts.predicates)
    }

    private func compare(
        seed: UInt64, rounds: Int, _ counts: inout (predicates: Int, exact: Int, narrowed: Int, selective: Int)
    ) throws {
        let world = try FetchWorld(seed: seed)
        var objects: [String: [NSManagedObject]] = [:]
        for entity in Self.entities { objects[entity] = try world.objects(entity) }
        let generator = PredicateGenerator(world: world, objects: objects)
        let (translator, database) = try world.database()
        for _ in 0..<rounds {
            let entity = world.pick(Self.entities)
            let predicate = generator.predicate(entity)
            var session = PredicateEvaluator(predicate).session()
            let expected = Set((objects[entity] ?? []).filter { session.matches(slotted: $0) }.map(\.key))
            var settings = FetchSettings()
            settings.predicate = predicate
            let query = try translator.query(settings, try #require(translator.model.entity(named: entity)))
            let statement = query.select("\(word: query.root.alias).Z_PK")
            let found = Set(try database.rows(statement).compactMap { $0[0].flatMap { Int64($0) } })
            counts.predicates += 1
            if !expected.isEmpty, expected.count < objects[entity]?.count ?? 0 { counts.selective += 1 }
            if query.isFiltered {
                counts.exact += 1
                let detail = "seed \(seed), \(entity): \(predicate)\n\(statement.text)\n\(statement.arguments)"
                #expect(found == expected, "\(detail)")
            } else {
                if query.condition != nil { counts.narrowed += 1 }
                #expect(found.isSuperset(of: expected), "seed \(seed), \(entity): \(predicate)")
            }
        }
    }
}
