import SwiftData
import Testing

/// The rows of the table of predicate operators: each over random models, with the result of `Predicate.evaluate`.
@Suite struct PredicateTableTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try makeContainer(Parcel.self, Express.self))
        var random = Generator(state: 7)
        let senders = (0..<4).map { Sender(name: ["Ann", "Bob", "Čeněk", ""][$0], level: $0 == 3 ? nil : $0) }
        for number in 0..<60 {
            let parcel: Parcel = number % 3 == 0 ? Express(hours: random.next(5)) : Parcel()
            parcel.title = ["", "a", "Ab", "abc", "Box 9", "box 10"][random.next(6)]
            parcel.count = random.next(7) - 3
            parcel.weight = Double(random.next(9)) / 2
            parcel.isFragile = random.next(2) == 0
            parcel.note = random.next(3) == 0 ? nil : ["", "x", "Note"][random.next(3)]
            parcel.rank = random.next(3) == 0 ? nil : random.next(4)
            parcel.kind = Kind.allCases[random.next(3)]
            parcel.color = random.next(3) == 0 ? nil : [.red, .blue][random.next(2)]
            parcel.size = Size(width: random.next(4), depth: random.next(2) == 0 ? nil : 2)
            parcel.wrapping = random.next(2) == 0 ? nil : Size(width: random.next(4), depth: nil)
            parcel.date = Date(timeIntervalSinceReferenceDate: Double(random.next(5)))
            parcel.sender = random.next(4) == 0 ? nil : senders[random.next(4)]
            context.insert(parcel)
            for _ in 0..<random.next(4) {
                parcel.stops.append(Halt(name: ["Oslo", "Rome"][random.next(2)], order: random.next(3)))
            }
            if random.next(2) == 0 { parcel.marks = (0..<random.next(3)).map { Mark(text: ["m", "n"][$0 % 2]) } }
        }
        try context.save()
    }

    /// A generator whose numbers are the same in each run.
    private struct Generator {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }

    /// Expects the same models of the store, of a context with unsaved changes, and of the predicate itself.
    private func check(_ predicate: Predicate<Parcel>, line: Int = #line) throws {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        let changed = ModelContext(context.container)
        for parcel in try changed.fetch(FetchDescriptor<Parcel>()) { parcel.count += 0 }
        let all = try context.fetch(FetchDescriptor<Parcel>())
        let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
        #expect(!expected.isEmpty && expected.count < all.count, "the row tells models apart", sourceLocation: location)
        for context in [context, changed] {
            let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID)
            #expect(Set(found) == expected, sourceLocation: location)
            let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
            #expect(count == expected.count, sourceLocation: location)
        }
    }

    @Test func comparisonsAndLogicMatchSwift() throws {
        let (one, texts) = (1, ["a", "abc"])
        let (start, end) = (Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 3))
        try check(#Predicate { $0.count == 1 })
        try check(#Predicate { $0.count != one })
        try check(#Predicate { $0.count < one })
        try check(#Predicate { $0.count <= one })
        try check(#Predicate { $0.count > one })
        try check(#Predicate { one >= $0.count })
        try check(#Predicate { $0.isFragile })
        try check(#Predicate { !$0.isFragile })
        try check(#Predicate { $0.isFragile == false })
        try check(#Predicate { $0.isFragile && $0.count > 0 })
        try check(#Predicate { $0.isFragile || $0.weight > 2.5 })
        try check(#Predicate { !($0.isFragile || $0.weight > 2.5) })
        try check(#Predicate { $0.date >= start && $0.date < end })
        try check(#Predicate { (start..<end).contains($0.date) })
        try check(#Predicate { (0...2).contains($0.count) })
        try check(#Predicate { texts.contains($0.title) })
        try check(#Predicate { [1, 2].contains($0.count) })
        try check(#Predicate { $0.isFragile ? $0.count > 0 : $0.weight > 1 })
        try check(#Predicate { if $0.isFragile { $0.count > 0 } else { $0.weight > 1 } })
        try check(#Predicate { $0.title < "b" })
    }

    @Test func arithmeticMatchesSwift() throws {
        let two = 2
        try check(#Predicate { $0.count + two > 2 })
        try check(#Predicate { $0.count - two > 0 })
        try check(#Predicate { $0.count * two == 4 })
        try check(#Predicate { -$0.count > 1 })
        try check(#Predicate { $0.weight / 2.0 > 1 })
        try check(#Predicate { $0.weight * 2 - 1 < 3 })
        try check(#Predicate { $0.count + $0.size.width > 2 })
    }

    @Test func optionalsMatchSwift() throws {
        let (some, none, text): (Int?, Int?, String?) = (2, nil, "x")
        try check(#Predicate { $0.rank == nil })
        try check(#Predicate { $0.rank != nil })
        try check(#Predicate { $0.rank == 2 })
        try check(#Predicate { $0.rank != 2 })
        try check(#Predicate { $0.rank == some })
        try check(#Predicate { $0.rank == none })
        try check(#Predicate { ($0.rank ?? 0) > 1 })
        try check(#Predicate { $0.rank ?? 9 == 9 })
        try check(#Predicate { $0.note == text })
        try check(#Predicate { ($0.note ?? "").isEmpty })
        try check(#Predicate { $0.note?.isEmpty == true })
        try check(#Predicate { $0.note?.isEmpty != false })
        try check(#Predicate { $0.note?.contains("o") ?? false })
        try check(#Predicate { if let rank = $0.rank { rank > 1 } else { false } })
        try check(#Predicate { $0.rank.flatMap { $0 > 1 } == true })
        try check(#Predicate { $0.rank.flatMap { $0 > 1 } ?? true })
        try check(#Predicate { $0.sender == nil })
        try check(#Predicate { $0.sender != nil })
        try check(#Predicate { $0.sender?.name == "Ann" })
        try check(#Predicate { $0.sender?.name != "Ann" })
        try check(#Predicate { $0.sender?.level == nil })
        try check(#Predicate { ($0.sender?.level ?? -1) >= 1 })
        try check(#Predicate { $0.sender?.name ?? "none" == "none" })
        try check(#Predicate { $0.sender.flatMap { $0.name } == "Bob" })
        try check(#Predicate { if let sender = $0.sender { sender.name == "Bob" } else { true } })
    }

    @Test func textsMatchSwift() throws {
        let (search, same, before) = ("BOX", ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
        try check(#Predicate { $0.title.starts(with: "a") })
        try check(#Predicate { $0.title.contains("b") })
        try check(#Predicate { $0.title.localizedStandardContains(search) })
        try check(#Predicate { $0.title.isEmpty })
        try check(#Predicate { !$0.title.isEmpty })
        try check(#Predicate { $0.title.caseInsensitiveCompare("AB") == same })
        try check(#Predicate { $0.title.localizedCompare("b") == before })
        try check(#Predicate { $0.sender?.name.localizedStandardContains("cenek") ?? false })
        try check(#Predicate { $0.sender?.name.starts(with: "B") == true })
    }

    @Test func toManyMatchesSwift() throws {
        let names = ["Oslo"]
        try check(#Predicate { $0.stops.contains { $0.name == "Oslo" } })
        try check(#Predicate { $0.stops.contains { $0.order > 1 && $0.name == "Rome" } })
        try check(#Predicate { $0.stops.allSatisfy { $0.order > 0 } })
        try check(#Predicate { $0.stops.filter { $0.order > 0 }.count > 1 })
        try check(#Predicate { $0.stops.filter { $0.name == "Oslo" }.isEmpty })
        try check(#Predicate { $0.stops.isEmpty })
        try check(#Predicate { !$0.stops.isEmpty })
        try check(#Predicate { $0.stops.count == 2 })
        try check(#Predicate { $0.stops.contains { names.contains($0.name) } })
        try check(#Predicate { parcel in parcel.stops.contains { $0.order == parcel.count } })
        try check(#Predicate { $0.marks?.isEmpty ?? true })
        try check(#Predicate { $0.marks?.contains { $0.text == "n" } ?? false })
        try check(#Predicate { $0.marks?.contains { $0.text == "n" } == true })
        try check(#Predicate { ($0.marks?.count ?? 0) > 1 })
        try check(#Predicate { $0.sender?.parcels.contains { $0.count > 2 } ?? false })
    }

    @Test func identitiesMatchSwift() throws {
        let sender = try #require(
            try context.fetch(FetchDescriptor<Sender>(predicate: #Predicate { $0.name == "Ann" })).first)
        let halt = try #require(try context.fetch(FetchDescriptor<Halt>()).first)
        let (id, identity, haltID) = (sender.persistentModelID, sender.id, halt.persistentModelID)
        let identifiers = Set(try context.fetch(FetchDescriptor<Parcel>()).prefix(5).map(\.persistentModelID))
        let optional: PersistentIdentifier? = id
        try check(#Predicate { $0.sender?.persistentModelID == id })
        try check(#Predicate { $0.sender?.id == identity })
        try check(#Predicate { $0.sender?.persistentModelID == optional })
        try check(#Predicate { $0.sender?.persistentModelID != id })
        try check(#Predicate { identifiers.contains($0.persistentModelID) })
        try check(#Predicate { $0.stops.contains { $0.persistentModelID == haltID } })
    }

    @Test func partsOfStructuresAndEnumerationsMatchSwift() throws {
        let (large, red, raw) = (Kind.large, Color.red, "small")
        let optional: Color? = nil
        try check(#Predicate { $0.size.width > 1 })
        try check(#Predicate { $0.size.depth == nil })
        try check(#Predicate { $0.wrapping?.width == 2 })
        try check(#Predicate { $0.wrapping == nil })
        try check(#Predicate { ($0.wrapping?.width ?? 0) > 1 })
        try check(#Predicate { $0.kind == large })
        try check(#Predicate { $0.kind != large })
        try check(#Predicate { $0.kind.rawValue == raw })
        try check(#Predicate { $0.color == red })
        try check(#Predicate { $0.color == nil })
        try check(#Predicate { $0.color == optional })
        try check(#Predicate { $0.color != red })
    }

    @Test func subclassesMatchSwift() throws {
        try check(#Predicate { $0 is Express })
        try check(#Predicate { !($0 is Express) })
        try check(#Predicate { ($0 as? Express)?.hours == 2 })
        try check(#Predicate { if let express = $0 as? Express { express.hours > 2 } else { false } })
    }

    @Test func integerDivisionMatchesSwift() throws {
        try check(#Predicate { $0.count / 2 == 1 })
        try check(#Predicate { $0.count % 2 == 1 })
    }

    @Test func unsupportedOperatorsAreErrors() throws {
        func expect(_ error: SwiftDataError, _ predicate: Predicate<Parcel>, line: Int = #line) {
            let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
            #expect(throws: error, sourceLocation: location) {
                try context.fetch(FetchDescriptor(predicate: predicate))
            }
            #expect(throws: error, sourceLocation: location) {
                try context.fetchCount(FetchDescriptor(predicate: predicate))
            }
            #expect(throws: error, sourceLocation: location) {
                try context.delete(model: Parcel.self, where: predicate)
            }
        }
        let table = ["a": 1]
        expect(.unsupportedPredicate, #Predicate { $0.rank! > 1 })
        expect(.unsupportedPredicate, #Predicate { ($0 as! Express).hours > 1 })
        expect(.unsupportedPredicate, #Predicate { table[$0.title] == 1 })
        expect(.unsupportedPredicate, #Predicate { $0.title.count > 2 })
        expect(.unsupportedKeyPath, #Predicate { $0.label == "x" })
        expect(.unsupportedKeyPath, #Predicate { $0.stops.first?.name == "x" })
        #expect(throws: (any Error).self) {
            try context.fetch(FetchDescriptor<Parcel>(predicate: #Predicate { $0.tags.contains("x") }))
        }
        #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 60)
    }
}

@Model class Parcel {
    var title = ""
    var count = 0
    var weight = 0.0
    var isFragile = false
    var note: String?
    var rank: Int?
    var kind = Kind.small
    var color: Color?
    var size = Size(width: 0, depth: nil)
    var wrapping: Size?
    var date = Date.distantPast
    var tags: [String] = []
    var sender: Sender?
    @Relationship(deleteRule: .cascade, inverse: \Halt.parcel) var stops: [Halt] = []
    @Relationship(inverse: \Mark.parcels) var marks: [Mark]?
    var label: String { title + note.debugDescription }

    init() {}
}

@Model final class Express: Parcel {
    var hours: Int

    init(hours: Int) {
        self.hours = hours
        super.init()
    }
}

@Model final class Sender {
    var name: String
    var level: Int?
    @Relationship(inverse: \Parcel.sender) var parcels: [Parcel] = []

    init(name: String, level: Int?) {
        self.name = name
        self.level = level
    }
}

@Model final class Halt {
    var name: String
    var order: Int
    var parcel: Parcel?

    init(name: String, order: Int) {
        self.name = name
        self.order = order
    }
}

@Model final class Mark {
    var text: String
    var parcels: [Parcel] = []

    init(text: String) { self.text = text }
}

enum Kind: String, Codable, CaseIterable { case small, medium, large }

enum Color: Codable { case red, blue }

struct Size: Codable, Hashable {
    var width: Int
    var depth: Int?
}
