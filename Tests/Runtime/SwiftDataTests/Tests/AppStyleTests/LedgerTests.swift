// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@Suite(.serialized)
struct LedgerTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        let schema = Schema(versionedSchema: LedgerSchema.self)
        container = try ModelContainer(
            for: schema, configurations: [ModelConfiguration("Ledger", schema: schema, isStoredInMemoryOnly: true)])
        context = ModelContext(container)
    }

    private func reloaded<T: PersistentModel>(_ type: T.Type) throws -> [T] {
        try ModelContext(container).fetch(FetchDescriptor<T>())
    }

    @Test func valuesOfAllKindsAreSaved() throws {
        let account = Account(name: "a")
        account.tags = ["x", "y"]
        account.limits = .init(
            daily: 12.5, monthly: 3, perCountry: ["de": 1], window: .init(start: 1, end: 2), currencies: [])
        account.history = [.init(date: Date(timeIntervalSince1970: 1), amount: 3.5, source: .savings)]
        account.state = .closed(Date(timeIntervalSince1970: 5), reason: "r")
        account.identifiers = [UUID()]
        account.matrix = [[1, 2], [3]]
        account.counts = ["k": 1]
        account.optionalCounts = ["a": ["b"]]
        account.weights.append(0.25)
        account.kind = .savings
        context.insert(account)
        account.counts["l", default: 0] += 2
        account.limits.window.end = 9
        account.history.append(.init(date: .distantPast, amount: 1))
        try context.save()
        let found = try #require(try reloaded(Account.self).first)
        #expect(found.tags == ["x", "y"] && found.limits == account.limits && found.history == account.history)
        #expect(
            found.state == account.state && found.identifiers == account.identifiers && found.matrix == [[1, 2], [3]])
        #expect(found.counts == ["k": 1, "l": 2] && found.optionalCounts == ["a": ["b"]])
        #expect(found.weights == [0.5, 0.5, 0.25] && found.kind == .savings && found.limits.window.end == 9)
        #expect(found.number == 0 && found.type == "t")
        #expect(found == account && Set([found, account]).count == 1)
    }

    @Test func aComputedBalanceFollowsItsEntries() throws {
        let account = Account(name: "a")
        context.insert(account)
        for amount in [1, 2, 3] as [Decimal] { context.insert(Entry(amount, account: account)) }
        #expect(account.balance == 6)
        try context.save()
        #expect(try reloaded(Account.self).first?.balance == 6)
        let entries = try context.fetch(FetchDescriptor<Entry>(sortBy: [.init(\.amount, order: .reverse)]))
        #expect(entries.map(\.amount) == [3, 2, 1])
        context.delete(entries[0])
        #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 2)
        try context.save()
        #expect(account.balance == 3)
        #expect(account.entries?.count == 2)
    }

    @Test func initializersMayFail() throws {
        #expect(Account(validating: "") == nil)
        #expect(throws: CocoaError.self) { try Account(throwing: "") }
        let account = try #require(Account(validating: "v"))
        context.insert(account)
        context.insert(account)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
        context.delete(Account(name: "never inserted"))
        let fresh = Account(name: "fresh")
        context.insert(fresh)
        context.delete(fresh)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
    }

    @Test func aReceiptIsDeletedWithItsEntry() throws {
        let entry = Entry(5)
        entry.receipt = Receipt(image: Data(repeating: 7, count: 200_000), lines: [.init(text: "l", price: nil)])
        let payee = Payee(name: "p", entries: [entry])
        context.insert(payee)
        try context.save()
        #expect(entry.payee === payee)
        let found = try #require(try reloaded(Receipt.self).first)
        #expect(found.image.count == 200_000 && found.lines == [.init(text: "l", price: nil)])
        #expect(found.entry?.payee?.name == "p")
        context.delete(entry)
        try context.save()
        #expect(try reloaded(Receipt.self).isEmpty)
        #expect(payee.entries.isEmpty)
    }

    @Test func predicatesTestCapturedCollections() throws {
        let payees = ["x", "y", "z"].map { Payee(name: $0) }
        for (index, payee) in payees.enumerated() {
            context.insert(payee)
            let entry = Entry(Decimal(index))
            entry.note = index == 0 ? nil : "note \(index)"
            entry.isCleared = index == 2
            entry.payee = payee
        }
        try context.save()
        let ids = payees.prefix(2).map(\.persistentModelID)
        #expect(
            try context.fetchCount(FetchDescriptor<Payee>(predicate: #Predicate { ids.contains($0.persistentModelID) }))
                == 2)
        let names = payees.map(\.name)
        let entries = FetchDescriptor<Entry>(
            predicate: #Predicate<Entry> { entry in
                entry.payee.flatMap { names.contains($0.name) } == true && entry.note?.isEmpty == false
            }, sortBy: [SortDescriptor(\.payee?.name, order: .reverse)])
        #expect(try context.fetch(entries).map(\.amount) == [2, 1])
        let cutoff: Decimal = 1
        #expect(
            try context.fetchCount(
                FetchDescriptor<Entry>(predicate: #Predicate { $0.amount >= cutoff && !$0.isCleared })) == 1)
        let search = "NOTE"
        #expect(
            try context.fetchCount(
                FetchDescriptor<Entry>(predicate: #Predicate { $0.note?.localizedStandardContains(search) ?? false }))
                == 2)
        #expect(
            try context.fetchCount(FetchDescriptor<Entry>(predicate: #Predicate { ($0.note ?? "").contains("note") }))
                == 2)
        #expect(
            try context.fetchCount(
                FetchDescriptor<Payee>(predicate: #Predicate { $0.entries.filter { $0.isCleared }.count > 0 })) == 1)
        let one = payees[0]
        let id = one.id
        #expect(try context.fetchCount(FetchDescriptor<Entry>(predicate: #Predicate { $0.payee?.id == id })) == 1)
        let all = try context.fetch(FetchDescriptor<Payee>()).sorted()
        #expect(all.map(\.debugDescription) == ["x", "y", "z"])
        #expect(
            try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.note), SortDescriptor(\.date)])).first?
                .note == nil)
    }

    @Test func upsertsKeepRelationships() throws {
        let payee = Payee(name: "p")
        context.insert(payee)
        context.insert(
            {
                let entry = Entry(1); entry.payee = payee; return entry
            }())
        try context.save()
        let again = Payee(name: "p")
        context.insert(again)
        let entry = Entry(2)
        entry.payee = again
        try context.save()
        let payees = try reloaded(Payee.self)
        #expect(payees.count == 1)
        #expect(payees.first?.entries.count == 2)
    }

    @Test func findingOrCreatingReturnsOneModelForAName() throws {
        let context = ModelContext(
            try ModelContainer(for: Topic.self, configurations: .init(isStoredInMemoryOnly: true)))
        let topic = try Topic.findOrCreate("a", in: context)
        #expect(try Topic.findOrCreate("a", in: context) === topic)
        #expect(try Topic.findOrCreate("b", in: context) !== topic)
        try context.save()
        #expect(try Topic.findOrCreate("a", in: context) === topic)
    }

    @Test func aGenericActorInsertsFetchesAndDeletes() async throws {
        let store = GenericStore(modelContainer: container)
        let id = try await store.insert { Payee(name: "actor") }
        let names = try await store.fetch(Payee.self, sortBy: [SortDescriptor(\.name)]) { $0.map(\.name) }
        #expect(names == ["actor"])
        #expect((context.model(for: id) as? Payee)?.name == "actor")
        try await store.delete(Payee.self, where: #Predicate { $0.name == "actor" })
        #expect(try context.fetchCount(FetchDescriptor<Payee>()) == 0)
    }

    @Test func aPrivateModelIsSaved() throws {
        let context = ModelContext(
            try ModelContainer(for: Hidden.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(Hidden(text: "h"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Hidden>()).map(\.text) == ["h"])
    }

    @Test func filesKeepProvisionalValues() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "ledger.store")
        for round in 0..<2 {
            let container = try ModelContainer(
                for: Schema(versionedSchema: LedgerSchema.self), configurations: ModelConfiguration(url: url))
            let context = ModelContext(container)
            #expect(try context.fetchCount(FetchDescriptor<Account>()) == round)
            let account = Account(id: "\(round)", name: "n")
            account.state = .closed(.now, reason: "x")
            context.insert(account)
            try context.save()
        }
    }

    @Test func requiredRelationshipFailsToValidate() throws {
        let entry = Entry(1)
        context.insert(entry)
        try context.save()
        let model: any PersistentModel = entry
        context.delete(model)
        #expect(context.deletedModelsArray.count == 1)
        try context.save()
        for type in LedgerSchema.models { try context.delete(model: type) }
    }
}

@Model
private final class Hidden {
    fileprivate var text: String
    init(text: String) { self.text = text }
}
