// swift-format-ignore-file
import Foundation
import SwiftData
import Testing
import XCTest

@Model final class Custom: Hashable, Comparable, CustomDebugStringConvertible {
    var name: String
    var rank: Int
    @ObservationIgnored @Transient var ignored = 0
    init(name: String, rank: Int = 0) { self.name = name; self.rank = rank }
    static func == (lhs: Custom, rhs: Custom) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
    static func < (lhs: Custom, rhs: Custom) -> Bool { lhs.rank < rhs.rank }
    var debugDescription: String { "Custom \(name)" }
}

@Model final class Invoice {
    #Index<Invoice>(.binary([\.number]), .binary([\.date, \.number]))
    #Unique<Invoice>([\.number], [\.customer, \.date])
    var number: Int
    var customer: String
    var date: Date
    var lines: [Line]
    @Relationship(deleteRule: .cascade, inverse: \Payment.invoice) var payments: [Payment] = []
    var total: Decimal { lines.reduce(0) { $0 + $1.amount } }
    struct Line: Codable, Hashable { var text: String; var amount: Decimal }
    init(number: Int, customer: String, date: Date, lines: [Line] = []) {
        (self.number, self.customer, self.date) = (number, customer, date)
        self.lines = lines
    }
}
@Model final class Payment {
    var amount: Decimal
    var invoice: Invoice?
    init(amount: Decimal, invoice: Invoice? = nil) { self.amount = amount; self.invoice = invoice }
}

// Relationships of every kind.
@Model final class Team {
    var name: String
    @Relationship(inverse: \Player.team) var players: [Player] = []
    @Relationship(inverse: \Player.captainOf) var captain: Player?
    var rivals: [Team] = []
    @Relationship(deleteRule: .noAction) var stadium: Stadium?
    var coach: Coach
    init(name: String, coach: Coach) { self.name = name; self.coach = coach }
}
@Model final class Player {
    var name: String
    var team: Team?
    var captainOf: Team?
    @Relationship(inverse: \Player.mentees) var mentor: Player?
    var mentees: [Player] = []
    @Relationship(inverse: \Award4.winners) var awards: [Award4] = []
    init(_ name: String, team: Team? = nil) { self.name = name; self.team = team }
}
@Model final class Stadium { var city: String; var teams: [Team]? ; init(city: String) { self.city = city } }
@Model final class Coach { var name: String; init(_ name: String) { self.name = name } }
@Model final class Award4 { var title: String; var winners: [Player]; init(_ title: String, winners: [Player] = []) { self.title = title; self.winners = winners } }

@Suite struct TeamTests {
    func make(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(try ModelContainer(for: Schema(types), configurations: [.init(isStoredInMemoryOnly: true)]))
    }

    @Test func modelsCanDefineEqualityAndOrder() throws {
        let context = try make(Custom.self)
        let a = Custom(name: "x"), b = Custom(name: "x", rank: 1)
        context.insert(a); context.insert(b)
        #expect(a == b && a < b && Set([a, b]).count == 1)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Custom>()).sorted().map(\.rank) == [0, 1])
        #expect("\(a.debugDescription)" == "Custom x")
        let any: any PersistentModel = Custom(name: "any")
        context.insert(any)
        #expect(any.modelContext != nil)
        context.delete(any)
        #expect(try context.fetchCount(FetchDescriptor<Custom>()) == 2)
        let list: [Custom] = try context.fetch(.init(predicate: .true, sortBy: [.init(\.rank, order: .reverse)]))
        #expect(list.map(\.rank) == [1, 0])
        let none: [Custom] = try context.fetch(.init(predicate: #Predicate { $0.rank > 7 }))
        #expect(none.isEmpty)
    }

    @Test func anInvoiceIsReplacedByOneWithTheSameUniqueValues() throws {
        let context = try make(Invoice.self)
        let date = Date(timeIntervalSince1970: 9)
        let first = Invoice(number: 1, customer: "A", date: date, lines: [.init(text: "x", amount: 1.5), .init(text: "y", amount: 2)])
        context.insert(first)
        first.payments = [Payment(amount: 1), Payment(amount: 2)]
        try context.save()
        #expect(first.total == 3.5)
        // Collides by the second constraint.
        let second = Invoice(number: 2, customer: "A", date: date, lines: [])
        context.insert(second)
        try context.save()
        let all = try context.fetch(FetchDescriptor<Invoice>())
        #expect(all.map(\.number) == [2])
        first.lines.append(.init(text: "z", amount: 1))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Payment>()) == 2)
        var sum: Decimal = 0
        try context.enumerate(FetchDescriptor<Payment>()) { sum += $0.amount }
        #expect(sum == 3)
    }

    @Test func relationshipsOfEveryKind() throws {
        let context = try make(Team.self)
        let reds = Team(name: "Reds", coach: Coach("Ann")), blues = Team(name: "Blues", coach: Coach("Bob"))
        context.insert(reds); context.insert(blues)
        let players = ["a", "b", "c"].map { Player($0) }
        reds.players = players
        reds.captain = players[0]
        blues.rivals = [reds]
        reds.rivals.append(blues)
        players[1].mentor = players[0]
        players[2].mentor = players[0]
        let cup = Award4("Cup", winners: Array(players.prefix(2)))
        context.insert(cup)
        let stadium = Stadium(city: "X")
        reds.stadium = stadium; blues.stadium = stadium
        try context.save()
        #expect(players.allSatisfy { $0.team === reds })
        #expect(players[0].captainOf === reds)
        #expect(players[0].mentees.count == 2)
        #expect(players[1].awards == [cup])
        #expect(stadium.teams?.count == 2)
        #expect(reds.coach.name == "Ann")
        players[0].team = blues
        #expect(reds.players.count == 2 && blues.players == [players[0]])
        reds.players.removeAll { $0.name == "b" }
        #expect(players[1].team == nil)
        reds.players.move(0)
        reds.captain = nil
        #expect(players[0].captainOf == nil)
        blues.captain = players[2]
        reds.captain = players[2]
        #expect(blues.captain == nil)
        try context.save()
        context.delete(reds)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Player>()) == 3)
        #expect(players[2].team == nil && players[2].captainOf == nil)
        #expect(blues.rivals.isEmpty)
        let other = ModelContext(context.container)
        let mentored = try other.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.mentor?.name == "a" }, sortBy: [SortDescriptor(\.name)]))
        #expect(mentored.map(\.name) == ["b", "c"])
        let withCoach = try other.fetch(FetchDescriptor<Team>(predicate: #Predicate { $0.coach.name == "Bob" }))
        #expect(withCoach.count == 1)
    }

    @Test func saveErrorsAreCocoaErrors() throws {
        let context = try make(Team.self)
        let team = Team(name: "T", coach: Coach("C"))
        context.insert(team)
        try context.save()
        do {
            context.delete(team.coach)
            try context.save()
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
        }
    }

    @Test func aContextRetainsItsContainer() throws {
        func context() throws -> ModelContext {
            let container = try ModelContainer(for: Custom.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            return ModelContext(container)
        }
        let c = try context()
        c.insert(Custom(name: "x"))
        try c.save()
        #expect(try c.fetchCount(FetchDescriptor<Custom>()) == 1)
        #expect(c.container.schema.entities.count == 1)
        func model() throws -> Custom { try #require(try context().container.mainContextModel()) }
        let m = try model()
        #expect(m.name == "kept")
        #expect(m.modelContext != nil)
    }

    @Test func aBatchedFetchReturnsACollection() throws {
        let context = try make(Custom.self)
        for i in 0..<25 { context.insert(Custom(name: "\(i)", rank: i)) }
        try context.save()
        var descriptor = FetchDescriptor<Custom>(sortBy: [SortDescriptor(\.rank)])
        descriptor.includePendingChanges = false
        let results = try context.fetch(descriptor, batchSize: 10)
        #expect(results.count == 25 && results[13].rank == 13 && results.last?.rank == 24)
        #expect(results.filter { $0.rank % 2 == 0 }.count == 13)
        #expect(results.prefix(3).map(\.name) == ["0", "1", "2"])
        let ids = try context.fetchIdentifiers(descriptor, batchSize: 5)
        #expect(ids.count == 25)
        #expect(try context.fetchIdentifiers(descriptor).count == 25)
    }
}
extension ModelContainer {
    func mainContextModel() throws -> Custom? {
        let context = ModelContext(self)
        context.insert(Custom(name: "kept"))
        try context.save()
        return try context.fetch(FetchDescriptor<Custom>()).first
    }
}
extension Array { mutating func move(_ i: Int) { append(remove(at: i)) } }

enum V1: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(1, 0, 0)
    static let models: [any PersistentModel.Type] = [User.self]
    @Model final class User { var firstName: String; var lastName: String; var age: String; init(firstName: String, lastName: String, age: String) { self.firstName = firstName; self.lastName = lastName; self.age = age } }
}
enum V2: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(1, 1, 0)
    static let models: [any PersistentModel.Type] = [User.self, Pet.self]
    @Model final class User {
        var firstName: String; var lastName: String; var age: String; var fullName: String?; var ageNumber: Int = 0
        @Relationship(deleteRule: .cascade, inverse: \Pet.owner) var pets: [Pet] = []
        init(firstName: String, lastName: String, age: String) { self.firstName = firstName; self.lastName = lastName; self.age = age }
    }
    @Model final class Pet { var name: String; var owner: User?; init(name: String) { self.name = name } }
}
enum V3: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(2, 0, 0)
    static var models: [any PersistentModel.Type] { [User.self, Animal.self] }
    @Model final class User {
        @Attribute(originalName: "fullName") var name: String = ""
        @Attribute(originalName: "ageNumber") var age: Int = 0
        @Relationship(deleteRule: .cascade, inverse: \Animal.owner) var pets: [Animal] = []
        init(name: String) { self.name = name }
    }
    @Model final class Animal { var name: String = ""; var owner: User?; init(name: String) { self.name = name } }
}
enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] { [.custom(fromVersion: V1.self, toVersion: V2.self, willMigrate: nil, didMigrate: fill(_:)), v2v3] }
    nonisolated(unsafe) static var pets: [String: String] = [:]
    static func fill(_ context: ModelContext) throws {
        for user in try context.fetch(FetchDescriptor<V2.User>()) {
            user.fullName = "\(user.firstName) \(user.lastName)"
            user.ageNumber = Int(user.age) ?? -1
            user.pets.append(V2.Pet(name: "Pet of \(user.firstName)"))
        }
        try context.save()
    }
    static let v2v3 = MigrationStage.custom(fromVersion: V2.self, toVersion: V3.self) { context in
        for pet in try context.fetch(FetchDescriptor<V2.Pet>()) { pets[pet.name] = pet.owner?.fullName }
    } didMigrate: { context in
        for (pet, owner) in pets {
            let animal = V3.Animal(name: pet)
            context.insert(animal)
            animal.owner = try context.fetch(FetchDescriptor<V3.User>(predicate: #Predicate { $0.name == owner })).first
        }
        try context.save()
    }
}
final class MigrationXCTests: XCTestCase {
    func testMigration() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
        func seed() throws {
            let container = try ModelContainer(for: Schema(V1.models, version: V1.versionIdentifier), migrationPlan: nil, configurations: ModelConfiguration(url: url))
            let context = ModelContext(container)
            context.insert(V1.User(firstName: "A", lastName: "B", age: "30"))
            context.insert(V1.User(firstName: "C", lastName: "D", age: "x"))
            try context.save()
        }
        try seed()
        let container = try ModelContainer(for: V3.User.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        let users = try context.fetch(FetchDescriptor<V3.User>(sortBy: [SortDescriptor(\.name)]))
        XCTAssertEqual(users.map(\.name), ["A B", "C D"])
        XCTAssertEqual(users.map(\.age), [30, -1])
        XCTAssertEqual(users.map { $0.pets.map(\.name) }, [["Pet of A"], ["Pet of C"]])
        XCTAssertThrowsError(try ModelContainer(for: V1.User.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: url)))
    }
}
