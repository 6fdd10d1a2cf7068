import SwiftData
import Testing

/// Insertions with unique values that a stored row or another insertion already has.
@Suite struct UpsertTests {
    // MARK: Other contexts

    @Test func otherContextsSeeAnUpdatedRow() throws {
        let context = try makeContext()
        let stored = Author(name: "A")
        context.insert(stored)
        try context.save()
        let other = ModelContext(context.container)
        let seen = try #require(try other.fetch(FetchDescriptor<Author>()).first)
        #expect(seen.birth == nil)
        let writer = ModelContext(context.container)
        nonisolated(unsafe) var updated: [PersistentIdentifier] = []
        let token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: writer, queue: nil
        ) { note in
            updated += note.userInfo?["updatedIdentifiers"] as? [PersistentIdentifier] ?? []
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let duplicate = Author(name: "A")
        duplicate.birth = Date(timeIntervalSinceReferenceDate: 5)
        writer.insert(duplicate)
        try writer.save()
        #expect(updated == [stored.persistentModelID])
        _ = try other.fetch(FetchDescriptor<Author>())
        #expect(seen.birth == Date(timeIntervalSinceReferenceDate: 5))
    }

    // MARK: Hierarchies

    @Test func aModelDoesNotBecomeOneOfAnotherClass() throws {
        let container = try makeContainer(Craft.self, Boat.self)
        let context = ModelContext(container)
        context.insert(Boat(name: "boat"))
        context.insert(Craft(name: "craft"))
        try context.save()
        for model in [Craft(name: "boat"), Boat(name: "craft")] {
            let other = ModelContext(container)
            other.insert(model)
            let error = #expect(throws: NSError.self) { try other.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == 133021)
            #expect(other.insertedModelsArray.count == 1 && model.modelContext === other)
            other.rollback()
            #expect(try other.fetchCount(FetchDescriptor<Craft>()) == 2)
        }
        let masts = try ModelContext(container).fetch(FetchDescriptor<Boat>()).map(\.masts)
        #expect(masts == [2])
    }

    // MARK: Failing saves

    /// Returns a context and a model whose insertion updates a row, which then has too many members.
    private func makeFailingUpsert() throws -> (ModelContext, Crew) {
        let context = ModelContext(try makeContainer(Crew.self))
        context.insert(Crew(name: "A", sailors: [Sailor("one"), Sailor("two")]))
        try context.save()
        let crew = Crew(name: "A", sailors: [Sailor("three")])
        crew.motto = "new"
        context.insert(crew)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(crew.modelContext === context)
        return (context, crew)
    }

    @Test func aModelKeepsTheRowOfAFailedUpsert() throws {
        let (context, crew) = try makeFailingUpsert()
        crew.motto = "newer"
        crew.sailors.removeFirst()
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Crew>())
        #expect(stored.map(\.motto) == ["newer"])
        crew.motto = "newest"
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Crew>()).map(\.motto) == ["newest"])
    }

    @Test func aModelOfAFailedUpsertCanBeInsertedAgain() throws {
        let (context, crew) = try makeFailingUpsert()
        context.rollback()
        #expect(crew.motto == "new" && crew.modelContext == nil)
        let stored = try #require(try context.fetch(FetchDescriptor<Crew>()).first)
        #expect(stored.motto == "" && stored.sailors.count == 2)
        crew.name = "B"
        crew.sailors = []
        context.insert(crew)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Crew>()) == 2)
    }

    // MARK: Several constraints

    @Test func aModelFollowsTheRowThroughTwoConstraints() throws {
        let container = try makeContainer(Account.self)
        let context = ModelContext(container)
        context.insert(Account("c", "2"))
        try context.save()
        let one = Account("u", "9"), two = Account("u", "2")
        context.insert(one)
        context.insert(two)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
        for account in [one, two] {
            account.note = "changed"
            #expect(account.modelContext === context && context.hasChanges)
            try context.save()
            #expect(try ModelContext(container).fetch(FetchDescriptor<Account>()).map(\.note) == ["changed"])
            account.note = ""
            try context.save()
        }
    }
}

@Model class Craft {
    @Attribute(.unique) var name: String

    init(name: String) { self.name = name }
}

@Model final class Boat: Craft {
    var masts: Int = 2
    var sail: String = "white"

    override init(name: String) { super.init(name: name) }
}

@Model final class Crew {
    @Attribute(.unique) var name: String
    var motto: String = ""
    @Relationship(maximumModelCount: 2, inverse: \Sailor.crew) var sailors: [Sailor]

    init(name: String, sailors: [Sailor]) {
        self.name = name
        self.sailors = sailors
    }
}

@Model final class Sailor {
    var name: String
    var crew: Crew?

    init(_ name: String) { self.name = name }
}

@Model final class Account {
    @Attribute(.unique) var login: String
    @Attribute(.unique) var mail: String
    var note: String = ""

    init(_ login: String, _ mail: String) {
        self.login = login
        self.mail = mail
    }
}
