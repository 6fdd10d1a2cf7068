import SwiftData
import Testing

@Model final class Chore {
    var title: String
    var isCompleted = false
    var isCancelled = false
    var balance = 0
    var due: Date?
    var start: Date?
    var stage = Stage.open
    var priority = Urgency.low
    var rank = Rank.small
    var state = ChoreState(phase: .open, tags: [])
    var photo = Data()
    var list: ChoreList?

    init(title: String) { self.title = title }

    var isFinished: Bool { isCompleted || isCancelled }
    var isOpen: Bool { !isCompleted }
    var size: Int { abs(balance) }
    var shown: Date? { due ?? start }
    var trimmed: String { title.trimmingCharacters(in: .whitespacesAndNewlines) }
    var listName: String { list?.name ?? "Unknown" }
    var listID: PersistentIdentifier { list?.persistentModelID ?? persistentModelID }
}

@Model final class ChoreList {
    var name: String
    @Relationship(inverse: \Chore.list) var chores: [Chore] = []

    init(name: String) { self.name = name }

    var openChores: [Chore] { chores.filter { !$0.isCompleted } }
}

enum Stage: String, Codable {
    case open, done
    var displayName: String { rawValue.uppercased() }
}

/// In the order of its cases, unlike the raw values.
enum Urgency: String, Codable, Comparable {
    case low, medium, high
    static func < (lhs: Urgency, rhs: Urgency) -> Bool { lhs.order < rhs.order }
    private var order: Int { [.low, .medium, .high].firstIndex(of: self) ?? 0 }
}

enum Rank: Int, Codable, Comparable {
    case small = 1
    case large = 5
    static func < (lhs: Rank, rhs: Rank) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct ChoreState: Codable {
    enum Phase: Codable { case open, done }
    var phase: Phase
    var tags: [String]
}

/// Properties of classes that are not stored have no column.
@Suite struct ComputedPropertyTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try makeContainer(Chore.self, ChoreList.self))
        let list = ChoreList(name: "L")
        for title in ["a", "b"] {
            let chore = Chore(title: title)
            context.insert(chore)
            chore.list = list
            chore.isCancelled = title == "b"
            chore.state.phase = title == "b" ? .done : .open
        }
        try context.save()
    }

    private func expectUnsupported(_ predicate: Predicate<Chore>, line: Int = #line) {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(throws: SwiftDataError.unsupportedKeyPath, sourceLocation: location) {
            try context.delete(model: Chore.self, where: predicate)
        }
    }

    @Test func predicatesRejectComputedProperties() throws {
        expectUnsupported(#Predicate { !$0.isFinished })
        expectUnsupported(#Predicate { $0.isOpen })
        expectUnsupported(#Predicate { $0.size > 1 })
        expectUnsupported(#Predicate { $0.shown == nil })
        expectUnsupported(#Predicate { $0.trimmed == "a" })
        expectUnsupported(#Predicate { $0.listName == "L" })
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try context.fetch(FetchDescriptor<ChoreList>(predicate: #Predicate { $0.openChores.isEmpty }))
        }
        #expect(try context.fetchCount(FetchDescriptor<Chore>()) == 2)
    }

    @Test func sortDescriptorsRejectComputedProperties() throws {
        let descriptors: [SortDescriptor<Chore>] = [
            SortDescriptor(\.size), SortDescriptor(\.shown), SortDescriptor(\.trimmed), SortDescriptor(\.listName),
        ]
        for descriptor in descriptors {
            #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try context.fetch(FetchDescriptor(sortBy: [descriptor]))
            }
        }
        let names = try context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.list?.name)]))
        #expect(names.count == 2)
    }

    @Test func predicatesRejectOtherPropertiesOfEnumerationsAndOtherIdentifiers() throws {
        expectUnsupported(#Predicate { $0.stage.displayName == "OPEN" })
        let id = try #require(try context.fetch(FetchDescriptor<ChoreList>()).first).persistentModelID
        expectUnsupported(#Predicate { $0.listID == id })
        let raw = try context.fetchCount(FetchDescriptor<Chore>(predicate: #Predicate { $0.stage.rawValue == "open" }))
        #expect(raw == 2)
    }

    @Test func predicatesResolvePartsOfStructuresLikeProperties() throws {
        let done = ChoreState.Phase.done
        let found = try context.fetch(FetchDescriptor<Chore>(predicate: #Predicate { $0.state.phase == done }))
        #expect(found.map(\.title) == ["b"])
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Chore>(predicate: #Predicate { $0.state.tags.contains("x") }))
        }
    }

    /// Predicates cannot access the bytes of `Data`, neither in SQL nor in memory.
    @Test func bytesOfDataHaveNoPredicates() throws {
        let keyPaths: [Predicate<Chore>] = [#Predicate { $0.photo.isEmpty }, #Predicate { $0.photo.count > 1 }]
        let others: [Predicate<Chore>] = [
            #Predicate { $0.photo.contains(7) }, #Predicate { $0.photo.contains { $0 > 7 } },
            #Predicate { $0.photo.allSatisfy { $0 > 7 } },
        ]
        for (predicates, error) in [(keyPaths, SwiftDataError.unsupportedKeyPath), (others, .unsupportedPredicate)] {
            for predicate in predicates {
                #expect(throws: error) { try context.fetch(FetchDescriptor<Chore>(predicate: predicate)) }
            }
        }
    }

    @Test func enumerationsAreSortedIfTheirOrderIsThatOfTheRawValues() throws {
        try #require(try context.fetch(FetchDescriptor<Chore>()).first { $0.title == "a" }).rank = .large
        try context.save()
        let sorted = try context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.rank)]))
        #expect(sorted.map(\.title) == ["b", "a"])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.priority)]))
        }
    }
}
