// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

// Declarations in the shapes that apps use.
enum Shape {
    @Model final class Inner {
        var `default`: String = ""
        var `class`: Int = 0
        var a = 1; var b = 2
        var x: Int; var y: Int
        var maybe: String!
        var value: Optional<Int> = nil
        var closureResult: Int = { 3 + 4 }()
        var computed: Int { a + b }
        var observed: Int = 0 { didSet { _ = oldValue } }
        static let shared = 5
        static let constant = "c"
        class var other: Int { 1 }
        let created = Date()
        let identifier: String
        private var hidden: String = "h"
        fileprivate var semiHidden = "s"
        internal var nested: Nested.Deep? = nil
        @Transient var handler: (() -> Void)? = nil
        @Transient private var cachedValue: Int = 0
        enum Nested { struct Deep: Codable { var v: Int = 0 } }
        init(x: Int, y: Int = 0, identifier: String = UUID().uuidString) {
            self.x = x
            self.y = y
            self.identifier = identifier
        }
        convenience init?(text: String) {
            guard let x = Int(text) else { return nil }
            self.init(x: x)
        }
        func reveal() -> String { hidden + semiHidden }
    }
}

@Model
final class Author2: Sendable2 {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Book2.author)
    var books: [Book2]? = []
    @Relationship(deleteRule: .nullify, minimumModelCount: 0, maximumModelCount: 3, inverse: \Award.winners)
    var awards: [Award] = []
    init(name: String = "") { self.name = name }
}
protocol Sendable2 {}

@Model
final class Book2 {
    @Attribute(.unique, .preserveValueOnDeletion, originalName: "identifier") var isbn: String
    @Attribute(hashModifier: "v2") var title: String
    var author: Author2?
    var coAuthors: [Author2] = []
    init(isbn: String, title: String, author: Author2? = nil) {
        self.isbn = isbn
        self.title = title
        self.author = author
        self.coAuthors = []
    }
}

@Model class Award {
    var title: String
    var winners: [Author2]
    init(title: String, winners: [Author2]) { self.title = title; self.winners = winners }
}

// One-to-one both required on one side.
@Model final class Passport { var number: String; var holder: Citizen; init(number: String, holder: Citizen) { self.number = number; self.holder = holder } }
@Model final class Citizen {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Passport.holder) var passport: Passport?
    init(name: String) { self.name = name }
}

@Model final class Numbers {
    var i8: Int8 = -8; var i16: Int16 = -16; var i32: Int32 = -32; var i64: Int64 = -64
    var u8: UInt8 = 8; var u16: UInt16 = 16; var u32: UInt32 = 32; var u64: UInt64 = 64
    var u: UInt = 1
    var f: Float = 1.5; var d: Double = 2.5; var c: CGFloat = 3.5
    var dec: Decimal = 1.25
    var interval: TimeInterval = 60
    var oi: Int?; var od: Double?; var ob: Bool?; var of: Float?; var odec: Decimal?; var odate: Date?; var odata: Data?; var ouuid: UUID?; var ourl: URL?; var os: String?
    var url: URL = URL(string: "https://x.y")!
    var ints: [Int] = [1]; var doubles: [Double]? = nil; var dates: [Date] = []; var uuids: [UUID] = []; var datas: [Data] = []; var bools: [Bool] = [true]
    init() {}
}

struct Money: Codable, Hashable, Comparable { var cents: Int; var currency: String = "EUR"; static func < (l: Money, r: Money) -> Bool { l.cents < r.cents } }
enum Weekday: Int, Codable, CaseIterable { case mon = 1, tue, wed }
enum Flag: Codable { case on, off }
enum Payload: Codable, Equatable { case none, text(String), pair(a: Int, b: Int?) }
struct Options: OptionSet, Codable, Hashable { let rawValue: Int; static let a = Options(rawValue: 1); static let b = Options(rawValue: 2) }
struct Wrapper<T: Codable & Equatable>: Codable, Equatable { var value: T }
struct CustomKeys: Codable, Equatable { var someName: String = "n"; var other = 1; enum CodingKeys: String, CodingKey { case someName = "some_name", other } }

@Model final class Values {
    var price: Money
    var optionalPrice: Money?
    var prices: [Money] = []
    var day: Weekday = Weekday.mon
    var days: [Weekday] = []
    var daySet: Set<Weekday> = []
    var optionalDay: Weekday?
    var flag: Flag = Flag.on
    var optionalFlag: Flag? = Flag.off
    var payload: Payload = Payload.none
    var payloads: [Payload] = []
    var wrapped: Wrapper<String> = Wrapper(value: "w")
    var byDay: [String: Money] = [:]
    var matrix: [[Int]] = []
    var optionalStrings: [String]? = nil
    var locale: String?
    @Attribute(.codable) var blob: CustomKeys?
    init(price: Money) { self.price = price }
}

@Suite struct ShapeTests {
    func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        let schema = Schema(types)
        return ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)))
    }

    @Test func aNestedModelWithKeywordsAsNamesIsSaved() throws {
        let context = try context(Shape.Inner.self)
        let inner = Shape.Inner(x: 5)
        context.insert(inner)
        inner.default = "d"
        inner.class = 9
        inner.nested = .init(v: 4)
        try context.save()
        #expect(inner.closureResult == 7 && inner.computed == 3)
        let other = ModelContext(context.container)
        let copy = try #require(try other.fetch(FetchDescriptor<Shape.Inner>()).first)
        #expect(copy.default == "d" && copy.class == 9 && copy.x == 5 && copy.nested?.v == 4)
        #expect(copy.created == inner.created && copy.identifier == inner.identifier)
        #expect(copy.reveal() == "hs")
        #expect(copy.maybe == nil && copy.value == nil)
        let five = 5
        #expect(try other.fetchCount(FetchDescriptor<Shape.Inner>(predicate: #Predicate { $0.x == five && $0.maybe == nil })) == 1)
        #expect(Shape.Inner(text: "q") == nil)
    }

    @Test func deletingAModelLeavesManyToManyRelationships() throws {
        let context = try context(Author2.self, Book2.self, Award.self)
        let ann = Author2(name: "Ann"), bob = Author2(name: "Bob")
        context.insert(ann)
        let award = Award(title: "Prize", winners: [ann, bob])
        context.insert(award)
        let book = Book2(isbn: "1", title: "T", author: ann)
        context.insert(book)
        book.coAuthors.append(bob)
        try context.save()
        #expect(ann.books?.map(\.isbn) == ["1"])
        #expect(bob.awards.first === award)
        #expect(try context.fetchCount(FetchDescriptor<Author2>()) == 2)
        #expect(try context.fetch(FetchDescriptor<Book2>(predicate: #Predicate { $0.coAuthors.contains { $0.name == "Bob" } })).count == 1)
        let annID = ann.persistentModelID
        #expect(try context.fetch(FetchDescriptor<Award>(predicate: #Predicate { $0.winners.contains { $0.persistentModelID == annID } })).count == 1)
        context.delete(ann)
        try context.save()
        #expect(award.winners.map(\.name) == ["Bob"])
        #expect(try context.fetchCount(FetchDescriptor<Book2>()) == 0)
    }

    @Test func deletingAModelCascadesToItsOneToOneDestination() throws {
        let context = try context(Citizen.self)
        let citizen = Citizen(name: "c")
        context.insert(citizen)
        let passport = Passport(number: "p", holder: citizen)
        context.insert(passport)
        #expect(citizen.passport === passport)
        try context.save()
        context.delete(citizen)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Passport>()) == 0)
    }

    @Test func numbersOfEveryTypeAreSavedAndCompared() throws {
        let context = try context(Numbers.self)
        let n = Numbers()
        context.insert(n)
        n.u64 = .max; n.i8 = .min; n.dates = [Date(timeIntervalSince1970: 1)]; n.uuids = [UUID()]; n.datas = [Data([1])]
        n.of = 1.25; n.odec = 3; n.ourl = URL(string: "a:b"); n.u = 12
        try context.save()
        let other = ModelContext(context.container)
        let c = try #require(try other.fetch(FetchDescriptor<Numbers>()).first)
        #expect(c.u64 == .max && c.i8 == .min && c.dates == n.dates && c.uuids == n.uuids && c.datas == n.datas)
        #expect(c.of == 1.25 && c.odec == 3 && c.ourl == n.ourl && c.c == 3.5 && c.dec == 1.25 && c.u == 12)
        #expect(c.ints == [1] && c.doubles == nil && c.bools == [true])
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.i8 < 0 && $0.f > 1 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.c == 3.5 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.dec < 2 && $0.interval == 60 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.oi == nil && $0.of != nil })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { ($0.od ?? 0) == 0 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { -$0.d < 0 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.d * 2 == 5 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.d / 2 < 2 })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { $0.i64 - 1 == -65 })) == 1)
        let range = 1.0...3.0
        #expect(try other.fetchCount(FetchDescriptor<Numbers>(predicate: #Predicate { range.contains($0.d) && (1...9).contains($0.u8) })) == 1)
    }

    @Test func codableValuesAreSavedAndCompared() throws {
        let context = try context(Values.self)
        let v = Values(price: Money(cents: 5))
        context.insert(v)
        v.prices = [Money(cents: 1), Money(cents: 2, currency: "USD")]
        v.days = [.tue, .wed]; v.daySet = [.mon]; v.payload = .pair(a: 1, b: nil); v.payloads = [.text("x"), .none]
        v.byDay = ["a": Money(cents: 3)]; v.matrix = [[1, 2], [3]]; v.blob = CustomKeys(someName: "q", other: 2)
        v.optionalFlag = nil; v.wrapped.value = "z"
        try context.save()
        let c = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Values>()).first)
        #expect(c.price == Money(cents: 5) && c.optionalPrice == nil && c.prices == v.prices)
        #expect(c.days == [.tue, .wed] && c.daySet == [.mon] && c.payload == .pair(a: 1, b: nil) && c.payloads == [.text("x"), .none])
        #expect(c.byDay == v.byDay && c.matrix == [[1, 2], [3]] && c.blob == v.blob)
        #expect(c.flag == .on && c.optionalFlag == nil && c.optionalDay == nil && c.wrapped.value == "z")
        c.optionalPrice = Money(cents: 8)
        c.optionalDay = .wed
        try c.modelContext?.save()
        let other = try #require(try context.fetch(FetchDescriptor<Values>(predicate: #Predicate { $0.optionalPrice?.cents == 8 })).first)
        #expect(other.optionalDay == .wed)
        let wed = Weekday.wed
        #expect(try context.fetchCount(FetchDescriptor<Values>(predicate: #Predicate { $0.optionalDay == wed })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Values>(predicate: #Predicate { $0.optionalDay == nil })) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Values>(predicate: #Predicate { $0.price.cents > 4 && $0.price.currency == "EUR" })) == 1)
    }

    @Test func backingDataReadsAndWritesByKeyPath() throws {
        let context = try context(Award.self, Author2.self, Book2.self)
        let award = Award(title: "t", winners: [])
        #expect(award.getValue(forKey: \.title) == "t")
        context.insert(award)
        award.setValue(forKey: \.title, to: "u")
        #expect(award.title == "u")
        #expect(award.persistentBackingData.getValue(forKey: \.title) == "u")
        #expect(award.persistentBackingData.persistentModelID == award.persistentModelID)
        #expect(Award.schemaMetadata.count == 2)
    }

    @Test func aDeletedModelCanStillBeChanged() throws {
        let context = try context(Award.self, Author2.self, Book2.self)
        let award = Award(title: "t", winners: [])
        context.insert(award)
        try context.save()
        context.delete(award)
        #expect(award.isDeleted)
        #expect(context.deletedModelsArray.count == 1)
        award.title = "changed after delete"
        #expect(try context.fetchCount(FetchDescriptor<Award>()) == 0)
        award.title = "changed after deletion was processed"

        try context.save()
        #expect(award.modelContext == nil)
        #expect(try context.fetchCount(FetchDescriptor<Award>()) == 0)
    }
}
