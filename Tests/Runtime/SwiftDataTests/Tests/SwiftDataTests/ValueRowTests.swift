import CoreData
import SwiftData
import Testing

/// The rows about attributes and relationships: defaults, uniqueness, missing values, delete rules.
@Suite struct ValueRowTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var url: URL { folder.appendingPathComponent("rows.store") }

    private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)]))
    }

    @Test func defaultsAreMadeForEachModel() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try open(Defaults.self)
        let (one, two) = (Defaults(), Defaults())
        #expect(one.key != two.key && one.number != two.number)
        context.insert(one)
        context.insert(two)
        try context.save()
        let keys = try ModelContext(context.container).fetch(FetchDescriptor<Defaults>()).map(\.key)
        #expect(Set(keys) == [one.key, two.key])
        // The schema has one value, which a migration writes to all rows.
        let attribute = try #require(context.container.schema.entitiesByName["Defaults"]?.attributesByName["key"])
        #expect(attribute.defaultValue is UUID)
    }

    @Test func uniqueValuesThatAreNilDoNotCollide() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try open(Coded.self)
        for _ in 0..<2 { context.insert(Coded(code: nil, serial: nil)) }
        context.insert(Coded(code: "a", serial: 1))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Coded>()) == 3)
        // Any one of several constraints matches.
        context.insert(Coded(code: "b", serial: 1))
        try context.save()
        context.insert(Coded(code: "b", serial: 2))
        try context.save()
        let found = try ModelContext(context.container).fetch(
            FetchDescriptor<Coded>(predicate: #Predicate { $0.code != nil }))
        #expect(found.map(\.code) == ["b"] && found.map(\.serial) == [2])
    }

    @Test func compositesWithoutValuesAreNil() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let context = try open(Boxed.self)
            context.insert(Boxed())
            let full = Boxed()
            full.extra = Format(width: 1, height: 2)
            full.mood = .sad
            context.insert(full)
            try context.save()
            full.extra = nil
            full.mood = nil
            try context.save()
        }
        let found = try open(Boxed.self).fetch(FetchDescriptor<Boxed>())
        #expect(found.count == 2 && found.allSatisfy { $0.extra == nil && $0.mood == nil })
    }

    @Test func ephemeralValuesAreNotStored() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let context = try open(Boxed.self)
            let box = Boxed()
            context.insert(box)
            box.progress = 0.5
            try context.save()
            #expect(box.progress == 0.5)
        }
        #expect(try open(Boxed.self).fetch(FetchDescriptor<Boxed>()).map(\.progress) == [0])
    }

    @Test func unknownRawValuesTrapWithTheirName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
            do {
                let context = ModelContext(
                    try ModelContainer(for: LevelsBefore.Leveled.self, configurations: ModelConfiguration(url: url)))
                context.insert(LevelsBefore.Leveled(level: .third))
                try context.save()
            }
            let context = ModelContext(
                try ModelContainer(for: LevelsAfter.Leveled.self, configurations: ModelConfiguration(url: url)))
            let model = try #require(try context.fetch(FetchDescriptor<LevelsAfter.Leveled>()).first)
            _ = model.level
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in ["Leveled", "level", "3", "x-coredata://"] { #expect(message.contains(part), "\(message)") }
    }

    @Test func requiredModelsTrapWithTheirName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = ModelContext(try makeContainer(Owned.self))
            let owned = Owned(owner: Landlord())
            context.insert(owned)
            try context.save()
            context.delete(owned.owner)
            do {
                try context.save()
            } catch {
                try #require((error as NSError).code == 1570)
            }
            _ = owned.owner
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in ["Owned", "“owner”", "x-coredata://"] { #expect(message.contains(part), "\(message)") }
    }

    @Test func deletionsFollowTheDeleteRules() throws {
        let context = ModelContext(try makeContainer(Ruled.self))
        let ruled = Ruled()
        context.insert(ruled)
        ruled.denied = [Leaf()]
        ruled.cascaded = [Leaf(), Leaf()]
        ruled.nullified = [Leaf()]
        ruled.ignored = [Leaf()]
        try context.save()
        context.delete(ruled)
        do {
            try context.save()
            Issue.record("the deletion is denied")
        } catch {
            #expect((error as NSError).code == 1600)
        }
        context.rollback()
        ruled.denied = []
        try context.save()
        context.delete(ruled)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Leaf>()) == 3)
        #expect(try context.fetchCount(FetchDescriptor<Leaf>(predicate: #Predicate { $0.nullifying != nil })) == 0)
    }

    @Test func membersOfToManyRelationshipsAreASet() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let context = try open(Ruled.self)
            let ruled = Ruled()
            context.insert(ruled)
            #expect(ruled.never == nil)
            let leaves = (0..<5).map { Leaf(number: $0) }
            ruled.cascaded = leaves.reversed() + [leaves[2]]
            #expect(ruled.cascaded.map(\.number) == [4, 3, 2, 1, 0])
            try context.save()
            #expect(ruled.never == [])
        }
        let context = try open(Ruled.self)
        let ruled = try #require(try context.fetch(FetchDescriptor<Ruled>()).first)
        // After a fetch, the order is that of the primary keys.
        let keys = ruled.cascaded.map(\.persistentModelID)
        #expect(keys == keys.sorted() && Set(ruled.cascaded.map(\.number)) == [0, 1, 2, 3, 4] && ruled.never == [])
    }

    @Test func countsOfMembersAreValidated() throws {
        let context = ModelContext(try makeContainer(Described.self))
        let model = Described(code: "x")
        context.insert(model)
        model.friends = (0..<4).map { _ in Befriended() }
        #expect(throws: (any Error).self) { try context.save() }
        model.friends.removeLast()
        try context.save()
    }
}

enum Levels {
    nonisolated(unsafe) static var next = 0
    static func take() -> Int {
        next += 1
        return next
    }
}

@Model final class Defaults {
    var key = UUID()
    var number: Int = Levels.take()
    init() {}
}

@Model final class Coded {
    @Attribute(.unique) var code: String?
    @Attribute(.unique) var serial: Int?
    init(code: String?, serial: Int?) {
        self.code = code
        self.serial = serial
    }
}

@Model final class Boxed {
    var extra: Format?
    var mood: Mood?
    @Attribute(.ephemeral) var progress: Double = 0
    init() {}
}

@Model final class Owned {
    var owner: Landlord
    init(owner: Landlord) { self.owner = owner }
}

@Model final class Landlord {
    @Relationship(deleteRule: .nullify, inverse: \Owned.owner) var houses: [Owned] = []
    init() {}
}

@Model final class Ruled {
    @Relationship(deleteRule: .deny, inverse: \Leaf.denying) var denied: [Leaf] = []
    @Relationship(deleteRule: .cascade, inverse: \Leaf.cascading) var cascaded: [Leaf] = []
    @Relationship(deleteRule: .nullify, inverse: \Leaf.nullifying) var nullified: [Leaf] = []
    @Relationship(deleteRule: .noAction, inverse: \Leaf.ignoring) var ignored: [Leaf] = []
    @Relationship(inverse: \Leaf.others) var never: [Leaf]?
    init() {}
}

@Model final class Leaf {
    var number: Int
    var denying: Ruled?
    var cascading: Ruled?
    var nullifying: Ruled?
    var ignoring: Ruled?
    var others: [Ruled]?
    init(number: Int = 0) { self.number = number }
}

enum LevelsBefore {
    @Model final class Leveled {
        enum Level: Int, Codable { case first = 1, second, third }
        var level: Level
        init(level: Level) { self.level = level }
    }
}

enum LevelsAfter {
    @Model final class Leveled {
        enum Level: Int, Codable { case first = 1, second }
        var level: Level
        init(level: Level) { self.level = level }
    }
}
