import TestSupport
import Testing

@testable import CoreData

/// Dictionary results of a SQLite store equal those computed from the same objects in memory.
@Suite struct StoreDictionaryTests {
    private static let columns = [
        "Thing": ["name", "whole", "flag", "real", "price", "day", "owner", "owner.name", "code", "link", "single"],
        "Person": ["name", "age", "boss", "boss.name"], "Part": ["title", "size", "cost", "thing", "thing.whole"],
        "Tag": ["label", "weight"],
    ]

    @Test func dictionariesMatchThoseInMemory() throws {
        let seconds = Seeds.seconds ?? 0
        let end = Date(timeIntervalSinceNow: seconds)
        var seed = Seeds.first(21)
        var counts = (requests: 0, inSQL: 0)
        repeat {
            try compare(seed: seed, rounds: 250, &counts)
            seed += 1
        } while Seeds.replayed == nil && Date() < end
        print("\(counts.requests) requests for dictionaries, \(counts.inSQL) whole in SQL")
        #expect(counts.inSQL * 2 > counts.requests)
    }

    private func compare(seed: UInt64, rounds: Int, _ counts: inout (requests: Int, inSQL: Int)) throws {
        let world = try FetchWorld(seed: seed)
        var objects: [String: [NSManagedObject]] = [:]
        for entity in Self.columns.keys { objects[entity] = try world.objects(entity) }
        let generator = PredicateGenerator(world: world, objects: objects)
        let (translator, _) = try world.database()
        for _ in 0..<rounds {
            let entity = world.pick(Self.columns.keys.sorted())
            let request = request(entity, world)
            if world.chance(2) == 0 { request.predicate = generator.predicate(entity) }
            let all = objects[entity] ?? []
            let matching = all.filter { request.predicate?.evaluate(with: $0) ?? true }
            let layout = try #require(all.first).entity.objectLayout()
            let rootLayout = try #require(translator.model.entity(named: entity)).layout
            _ = layout
            let expected = DictionaryPlan(request.settings, rootLayout).dictionaries(matching)
            let found = try world.context.fetch(request)
            counts.requests += 1
            let query = try DictionaryQuery(
                settings: request.settings, entity: try #require(translator.model.entity(named: entity)),
                model: translator.model)
            if query != nil { counts.inSQL += 1 }
            let detail =
                "seed \(seed), \(request), \(request.propertiesToFetch ?? []) by \(request.propertiesToGroupBy ?? []) having \(request.havingPredicate.map { "\($0)" } ?? "")\n\(query?.statement.text ?? "in memory")"
            #expect(NSCountedSet(array: found) == NSCountedSet(array: expected), "\(detail)")
        }
    }

    private func request(_ entity: String, _ world: FetchWorld) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.returnsDistinctResults = world.chance(3) == 0
        let names = Self.columns[entity] ?? []
        let picked = Array(Set((0...world.chance(3)).map { _ in world.pick(names) })).sorted()
        switch world.chance(4) {
        case 0: if world.chance(3) > 0 { request.propertiesToFetch = picked }
        case 1: request.propertiesToFetch = picked + [expression("extra", world.pick(rowExpressions(entity)))]
        case 2:
            request.propertiesToFetch = (0...world.chance(3)).map { expression("value\($0)", aggregate(entity, world)) }
        default:
            request.propertiesToGroupBy = picked
            request.propertiesToFetch =
                picked + (0...world.chance(2)).map { expression("value\($0)", aggregate(entity, world)) }
            switch world.chance(3) {
            case 0: request.havingPredicate = NSPredicate(format: "\(aggregate(entity, world)) != %d", world.chance(4))
            case 1: request.havingPredicate = NSPredicate(format: "$value0 != nil AND count:(SELF) > 1")
            default: break
            }
        }
        return request
    }

    private func expression(_ name: String, _ format: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        return description
    }

    private func rowExpressions(_ entity: String) -> [String] {
        switch entity {
        case "Thing":
            [
                "whole + 1", "uppercase:(name)", "parts.@count", "sum:(parts.size)", "count:(tags.weight)", "owner.age",
                "abs:(small)", "real / 2", "day + 60",
            ]
        case "Person": ["age * 2", "things.@count", "lowercase:(name)"]
        case "Part": ["size - 1", "thing.whole + size"]
        default: ["weight * 2", "things.@count"]
        }
    }

    private func aggregate(_ entity: String, _ world: FetchWorld) -> String {
        let values = [
            "Thing": ["whole", "real", "small", "owner.age", "price", "large"], "Person": ["age", "boss.age"],
            "Part": ["size", "cost"], "Tag": ["weight"],
        ]
        let value = world.pick(values[entity] ?? [])
        // Functions of many values over relationships, in groups and with functions of rows.
        let members = [
            "Thing": ["parts", "parts.size", "tags.weight"], "Person": ["things", "things.whole", "things.parts"],
            "Part": ["thing.parts", "thing.parts.size"], "Tag": ["things", "things.small"],
        ]
        if world.chance(4) == 0, let path = members[entity].map({ world.pick($0) }) {
            guard path.contains("."), !path.hasSuffix("parts") else {
                return world.pick(["count:(\(path))", "\(path).@count"])
            }
            return "\(world.pick(["sum", "count", "min", "max", "average"])):(\(path))"
        }
        return switch world.chance(8) {
        case 0: "count:(\(value))"
        case 1: "count:(SELF)"
        case 2: "count:(distinct:(\(value)))"
        case 3: "min:(\(value))"
        case 4: "max:(\(value))"
        case 5: "average:(\(value))"
        case 6: "sum:(\(value)) + 1"
        default: "sum:(\(value))"
        }
    }

    @Test func columnsHaveTheirTypes() throws {
        let world = try FetchWorld(seed: 2, things: 3)
        let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        request.resultType = .dictionaryResultType
        let things = try world.objects("Thing")
        let owner = try #require(things.first { $0.value(forKey: "owner") != nil })
        request.predicate = NSPredicate(format: "SELF == %@", owner)
        let row = try #require(try world.context.fetch(request).first)
        for (name, attribute) in owner.entity.attributesByName where !attribute.isTransient && row[name] != nil {
            let value = try #require(owner.value(forKey: name) as? NSObject)
            #expect(value.isEqual(row[name]), "\(name)")
        }
        #expect(row["owner"] as? NSManagedObjectID == (owner.value(forKey: "owner") as? NSManagedObject)?.objectID)
    }

    /// Batches and prefetching find the same rows and members as individual objects.
    @Test func batchesFindTheSameRowsAsSingleObjects() throws {
        let world = try FetchWorld(seed: 4)
        let store = try #require(world.coordinator.persistentStores.first?.engine as? SQLiteStore)
        let things = try world.objects("Thing")
        let layout = try #require(store.fetchModel?.entity(named: "Thing")).layout
        for key in ["parts", "tags", "related", "relatedBy"] {
            let index = try #require(layout.index(of: key))
            var together = [[NSManagedObjectID]](repeating: [], count: things.count)
            try store.forEachMember(of: things.map(\.objectID), at: index, layout) { owner, key, layout, _ in
                together[owner].append(NSManagedObjectID(key: key, layout: layout, storeIdentity: store.storeIdentity))
            }
            for (thing, members) in zip(things, together) {
                let alone = try store.members(of: thing.objectID, at: index, layout)
                #expect(members == alone, "\(key)")
            }
        }
        store.evictRows()
        let rows = try store.rows(for: things.map(\.objectID))
        #expect(rows.allSatisfy { $0 != nil })
        store.evictRows()
        for (thing, row) in zip(things, rows) {
            #expect(try store.row(for: thing.objectID, thing.entity.objectLayout())?.version == row?.version)
        }
    }
}
