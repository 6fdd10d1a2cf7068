import SwiftData
import Testing

@Model
final class Ticket {
    @Attribute(.preserveValueOnDeletion) var number: Int
    @Attribute(.unique, .preserveValueOnDeletion) var code: String
    var note: String = ""
    var holder: Holder?

    init(number: Int, code: String) {
        self.number = number
        self.code = code
    }
}

@Model
final class Holder {
    var name: String
    @Relationship(inverse: \Ticket.holder) var tickets: [Ticket] = []
    init(name: String) { self.name = name }
}

@Suite struct HistoryTests {
    private let context: ModelContext

    init() throws { context = ModelContext(try makeContainer(Ticket.self, Holder.self)) }

    private func all() throws -> [DefaultHistoryTransaction] {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }

    private func addThree() throws -> Ticket {
        context.author = "app"
        let ticket = Ticket(number: 7, code: "x")
        context.insert(ticket)
        context.insert(Holder(name: "h"))
        try context.save()
        context.author = "sync"
        ticket.note = "changed"
        try context.save()
        context.author = nil
        context.delete(ticket)
        try context.save()
        return ticket
    }

    @Test func historyHasChangesOfEachKind() throws {
        _ = try addThree()
        let history = try all()
        #expect(history.map(\.author) == ["app", "sync", nil])
        #expect(history.map(\.changes.count) == [2, 1, 1])
        guard case .update(let update as DefaultHistoryUpdate<Ticket>) = history[1].changes[0],
            case .delete(let deletion as DefaultHistoryDelete<Ticket>) = history[2].changes[0]
        else {
            Issue.record("\(history)")
            return
        }
        #expect(update.updatedAttributes.map { $0 as AnyKeyPath } == [\Ticket.note])
        #expect(deletion.tombstone[\.number] as? Int == 7)
        #expect(deletion.tombstone[\.code] as? String == "x")
        #expect(deletion.tombstone[\.note] == nil)
        #expect(Array(deletion.tombstone).count == 2)
        let inserted = history[0].changes.filter {
            if case .insert(_ as DefaultHistoryInsert<Ticket>) = $0 { true } else { false }
        }
        #expect(inserted.map(\.changedPersistentIdentifier) == [update.changedPersistentIdentifier])
        #expect(history[0].storeIdentifier == update.changedPersistentIdentifier.storeIdentifier)
    }

    @Test func predicatesSelectTransactions() throws {
        _ = try addThree()
        let token = try all()[0].token
        func authors(_ predicate: Predicate<DefaultHistoryTransaction>) throws -> [String?] {
            try context.fetchHistory(HistoryDescriptor(predicate: predicate)).map(\.author)
        }
        #expect(try authors(#Predicate { $0.token > token }) == ["sync", nil])
        #expect(try authors(#Predicate { $0.token > token && $0.author == "sync" }) == ["sync"])
        #expect(try authors(#Predicate { token < $0.token && $0.author != "sync" }) == [nil])
        #expect(try authors(#Predicate { $0.author == "app" }) == ["app"])
        #expect(try authors(#Predicate { $0.changes.count > 1 }) == ["app"])
        let past = Date.now.addingTimeInterval(-1000)
        #expect(try authors(#Predicate { $0.timestamp > past }).count == 3)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        descriptor.fetchLimit = 2
        #expect(try context.fetchHistory(descriptor).map(\.author) == [nil, "sync"])
        let decoded = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
        #expect(decoded == token)
    }

    @Test func tokensWithInvalidNumbersAreCompared() throws {
        _ = try addThree()
        let largest = Int64.max
        let token = try JSONDecoder().decode(
            DefaultHistoryToken.self, from: Data(#"{"tokenValue":{"a":\#(largest),"b":\#(largest)}}"#.utf8))
        let last = try #require(try all().last).token
        #expect(last < token && !(token < last) && !(token < token))
        let found = try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        #expect(found.isEmpty)
    }

    @Test func tokensOfDeletedHistoryExpire() throws {
        _ = try addThree()
        let history = try all()
        let (first, second) = (history[0].token, history[1].token)
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try context.deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "sync" }))
        }
        #expect(try all().count == 3)
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
        #expect(try all().count == 1)
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first }))
        }
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try all().isEmpty)
    }
}
