// swift-format-ignore-file
import Foundation
import SwiftData

// Declarations with unusual but valid parts.

enum LedgerSchema: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(1, 2, 3)
    static var models: [any PersistentModel.Type] {
        [Account.self, LedgerSchema.Entry.self, Receipt.self, Payee.self]
    }
}

typealias Account = LedgerSchema.Account
typealias Entry = LedgerSchema.Entry

extension LedgerSchema {
    @available(macOS 15, iOS 18, *)
    @Model
    final class Account: Hashable {
        @Attribute(.unique) private(set) var id: String
        var name: String
        var kind: Kind = Kind.checking
        var tags: Set<String> = []
        var limits = Limits()
        var history: [Snapshot] = []
        var state: State = State.open
        var opened: Date = Date.distantPast
        var icon: Data = Data()
        var weights: [Double] = [0.5, 0.5]
        var identifiers: [UUID] = []
        var matrix: [[Int]] = []
        var counts: [String: Int] = [:]
        var optionalCounts: [String: [String]]? = nil
        var type: String = "t"
        var value: Int = 0
        var number: Int { value * 2 }
        @Relationship(deleteRule: .cascade, inverse: \Entry.account) var entries: [Entry]? = []
        @Relationship(deleteRule: .nullify) var favorites: [Payee] = []
        @Transient var onChange: (() -> Void)?
        @Transient lazy var formatter = NumberFormatter()
        @MainActor static let shared = Account(name: "shared")
        static var defaultName: String { "unnamed" }

        enum Kind: String, Codable, CaseIterable, Comparable, Sendable {
            case checking, savings
            static func < (lhs: Kind, rhs: Kind) -> Bool { lhs.rawValue < rhs.rawValue }
        }

        enum State: Codable, Hashable, Sendable {
            case open
            case closed(Date, reason: String)
        }

        struct Limits: Codable, Hashable, Sendable {
            var daily: Decimal = 100
            var monthly: Int?
            var perCountry: [String: Int] = [:]
            var window: Window = Window()
            var currencies: [String] = ["EUR"]
            struct Window: Codable, Hashable, Sendable {
                var start: Int = 0
                var end: Int? = nil
            }
        }

        struct Snapshot: Codable, Hashable, Sendable {
            let date: Date
            let amount: Decimal
            var source: Kind = .checking
        }

        init(id: String = UUID().uuidString, name: String = Account.defaultName) {
            self.id = id
            self.name = name
        }

        init?(validating name: String) {
            guard !name.isEmpty else { return nil }
            self.id = name
            self.name = name
        }

        convenience init(throwing name: String) throws {
            guard !name.isEmpty else { throw CocoaError(.formatting) }
            self.init(name: name)
        }

        deinit { _ = 1 }

        static func == (lhs: Account, rhs: Account) -> Bool { lhs.id == rhs.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }

        var balance: Decimal { (entries ?? []).reduce(0) { $0 + $1.amount } }
    }

    @Model
    final class Entry {
        var amount: Decimal
        var date: Date
        var note: String?
        var account: Account?
        var payee: Payee?
        @Relationship(deleteRule: .cascade, inverse: \Receipt.entry) var receipt: Receipt?
        var isCleared: Bool = false
        var position: Int16 = 0

        init(_ amount: Decimal, date: Date = .now, account: Account? = nil) {
            self.amount = amount
            self.date = date
            self.account = account
        }
    }
}

@Model
class Receipt {
    var entry: Entry?
    @Attribute(.externalStorage) var image: Data
    var lines: [Line]
    struct Line: Codable, Equatable {
        var text: String
        var price: Double?
    }
    init(image: Data, lines: [Line] = []) {
        self.image = image
        self.lines = lines
    }
}

@Model
final class Payee: CustomDebugStringConvertible, Comparable {
    #Unique<Payee>([\.name])
    #Index<Payee>([\.name])
    var name: String
    @Relationship(inverse: \Entry.payee) var entries: [Entry]
    init(name: String, entries: [Entry] = []) {
        self.name = name
        self.entries = entries
    }
    var debugDescription: String { name }
    static func < (lhs: Payee, rhs: Payee) -> Bool { lhs.name < rhs.name }
}

protocol Named: PersistentModel {
    var name: String { get set }
    init(name: String)
}

extension Named {
    static func findOrCreate(_ name: String, in context: ModelContext) throws -> Self {
        let descriptor = FetchDescriptor<Self>(predicate: #Predicate { $0.name == name })
        if let found = try context.fetch(descriptor).first { return found }
        let new = Self(name: name)
        context.insert(new)
        return new
    }
}

@Model
final class Topic: Named {
    var name: String
    var weight: Double = 1
    init(name: String) { self.name = name }
}

@ModelActor
actor GenericStore {
    func insert<T: PersistentModel>(_ make: @Sendable () -> T) throws -> PersistentIdentifier {
        let model = make()
        modelContext.insert(model)
        try modelContext.save()
        return model.persistentModelID
    }

    func fetch<T: PersistentModel, R: Sendable>(
        _ type: T.Type, predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = [],
        transform: @Sendable ([T]) throws -> R
    ) throws -> R {
        try transform(modelContext.fetch(FetchDescriptor<T>(predicate: predicate, sortBy: sortBy)))
    }

    func delete<T: PersistentModel>(_ type: T.Type, where predicate: Predicate<T>) throws {
        try modelContext.delete(model: type, where: predicate)
        try modelContext.save()
    }
}
