import SwiftData
import Testing

/// Upserts of models to which relationships without an inverse lead.
@Suite struct OneWayUpsertTests {
    /// A context with the stored topics.
    private func makeContext(_ names: String...) throws -> ModelContext {
        let context = ModelContext(try makeContainer(Topic.self, Letter.self, Memo.self))
        for name in names { context.insert(Topic(name)) }
        try context.save()
        return context
    }

    private func expectTopics(_ names: [String], in context: ModelContext) throws {
        let topics = try ModelContext(context.container).fetch(FetchDescriptor<Topic>(sortBy: [SortDescriptor(\.name)]))
        #expect(topics.map(\.name) == names)
    }

    @Test func aToOneRelationshipLeadsToTheStoredModel() throws {
        let context = try makeContext("x")
        let letter = Letter()
        letter.topic = Topic("x")
        context.insert(letter)
        try context.save()
        #expect(letter.topic?.name == "x")
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Letter>())
        #expect(stored.map { $0.topic?.name } == ["x"])
        try expectTopics(["x"], in: context)
    }

    @Test func aRequiredRelationshipLeadsToTheStoredModel() throws {
        let context = try makeContext("x")
        let memo = Memo(topic: Topic("x"))
        context.insert(memo)
        try context.save()
        #expect(memo.topic.name == "x")
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Memo>()).map(\.topic.name) == ["x"])
        try expectTopics(["x"], in: context)
    }

    @Test func aToManyRelationshipKeepsItsOrderWithoutDuplicates() throws {
        let context = try makeContext("a", "b")
        let stored = try context.fetch(FetchDescriptor<Topic>(predicate: #Predicate { $0.name == "b" }))
        let letter = Letter()
        letter.topics = [Topic("c"), Topic("b"), Topic("a")] + stored
        context.insert(letter)
        try context.save()
        #expect(letter.topics.map(\.name) == ["c", "b", "a"])
        let read = try ModelContext(context.container).fetch(FetchDescriptor<Letter>())
        #expect(read.map { $0.topics.map(\.name).sorted() } == [["a", "b", "c"]])
        try expectTopics(["a", "b", "c"], in: context)
    }

    @Test func twoNewModelsWithTheSameValueBecomeOne() throws {
        let context = try makeContext()
        let (one, two) = (Letter(), Letter())
        (one.topic, two.topic) = (Topic("y"), Topic("y"))
        two.topics = [Topic("z"), Topic("y")]
        context.insert(one)
        context.insert(two)
        try context.save()
        #expect(one.topic?.name == "y" && two.topic?.name == "y")
        #expect(one.topic?.persistentModelID == two.topic?.persistentModelID)
        #expect(two.topics.map(\.name) == ["z", "y"])
        try expectTopics(["y", "z"], in: context)
    }

    @Test func aChangedModelLeadsToTheStoredModel() throws {
        let context = try makeContext("x")
        let letter = Letter()
        context.insert(letter)
        try context.save()
        letter.topic = Topic("x")
        letter.topics.append(Topic("x"))
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Letter>())
        #expect(stored.map { $0.topic?.name } == ["x"] && stored.map { $0.topics.map(\.name) } == [["x"]])
        try expectTopics(["x"], in: context)
    }

    // MARK: Undone insertions

    @Test func theUndoOfAnInsertionKeepsTheValues() throws {
        for isSaved in [false, true] {
            let context = try makeContext()
            context.undoManager = UndoManager()
            let topic = Topic("1")
            topic.count = 5
            let memo = Memo(topic: topic)
            context.insert(memo)
            context.processPendingChanges()
            if isSaved { try context.save() }
            context.undoManager?.undo()
            #expect(topic.name == "1" && topic.count == 5 && memo.topic === topic)
            #expect(try context.fetchCount(FetchDescriptor<Memo>()) == 0)
            context.undoManager?.redo()
            try context.save()
            #expect(memo.topic.count == 5)
            let stored = try ModelContext(context.container).fetch(FetchDescriptor<Memo>())
            #expect(stored.map(\.topic.name) == ["1"] && stored.map(\.topic.count) == [5])
        }
    }

    @Test func aModelWhoseInsertionWasUndoneCanBeInsertedAgain() throws {
        let context = try makeContext()
        context.undoManager = UndoManager()
        let topic = Topic("1")
        context.insert(topic)
        context.processPendingChanges()
        context.undoManager?.undo()
        try context.save()
        try expectTopics([], in: context)
        #expect(topic.name == "1")
        context.insert(topic)
        try context.save()
        try expectTopics(["1"], in: context)
    }

    // MARK: Schemas

    @Test func twoPropertiesWithOneOriginalNameAreAnError() throws {
        let error = #expect(throws: SwiftDataError.self) { try makeContainer(Renamed.self) }
        #expect(error == .unknownSchema)
        #expect("\(String(describing: error))".contains("“Renamed” have the same original name, “title”"))
    }
}

@Model final class Topic {
    @Attribute(.unique) var name: String
    var count = 0

    init(_ name: String) { self.name = name }
}

@Model final class Letter {
    var topic: Topic?
    var topics: [Topic] = []

    init() {}
}

@Model final class Memo {
    var topic: Topic

    init(topic: Topic) { self.topic = topic }
}

@Model final class Renamed {
    @Attribute(originalName: "title") var name = ""
    @Attribute(originalName: "title") var label = ""

    init() {}
}
