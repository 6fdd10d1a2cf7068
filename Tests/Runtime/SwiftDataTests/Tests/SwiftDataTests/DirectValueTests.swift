import SwiftData
import Testing

/// A model with all types whose accessors use the slots of an object directly.
@Model
final class Direct {
    var text: String = "default"
    var optionalText: String? = "default"
    var number: Int = 1
    var optionalNumber: Int? = 1
    var long: Int64 = 1
    var optionalLong: Int64? = 1
    var real: Double = 1
    var optionalReal: Double? = 1
    var flag: Bool = true
    var optionalFlag: Bool? = true
    var date: Date = Date.distantPast
    var optionalDate: Date? = Date.distantPast
    var id: UUID = UUID()
    var optionalID: UUID? = UUID()
    @Attribute(.codable) var coded: String = "default"
    @Attribute(.codable) var optionalCoded: Int? = 1
    @Attribute(.transformable(by: "UppercaseTransformer")) var transformed: String? = "default"
    var parent: Direct?

    init() {}

    /// Sets all values in an initializer: those of a kind, or zeros, or nil.
    init(_ kind: DirectKind) {
        text = kind.text ?? ""
        optionalText = kind.text
        number = kind.number ?? 0
        optionalNumber = kind.number
        long = kind.number.map(Int64.init) ?? 0
        optionalLong = kind.number.map(Int64.init)
        real = kind.real ?? 0
        optionalReal = kind.real
        flag = kind.flag ?? false
        optionalFlag = kind.flag
        date = kind.date ?? .distantFuture
        optionalDate = kind.date
        id = kind.id ?? DirectKind.otherID
        optionalID = kind.id
        coded = kind.text ?? ""
        optionalCoded = kind.number
        transformed = kind.text
        parent = nil
    }

    func set(_ kind: DirectKind) {
        text = kind.text ?? ""
        optionalText = kind.text
        number = kind.number ?? 0
        optionalNumber = kind.number
        long = kind.number.map(Int64.init) ?? 0
        optionalLong = kind.number.map(Int64.init)
        real = kind.real ?? 0
        optionalReal = kind.real
        flag = kind.flag ?? false
        optionalFlag = kind.flag
        date = kind.date ?? .distantFuture
        optionalDate = kind.date
        id = kind.id ?? DirectKind.otherID
        optionalID = kind.id
        coded = kind.text ?? ""
        optionalCoded = kind.number
        transformed = kind.text
    }

    func hasValues(of kind: DirectKind) -> Bool {
        text == kind.text ?? "" && optionalText == kind.text && number == kind.number ?? 0
            && optionalNumber == kind.number && long == Int64(kind.number ?? 0)
            && optionalLong == kind.number.map(Int64.init) && real == kind.real ?? 0 && optionalReal == kind.real
            && flag == kind.flag ?? false && optionalFlag == kind.flag && date == kind.date ?? .distantFuture
            && optionalDate == kind.date && id == kind.id ?? DirectKind.otherID && optionalID == kind.id
            && coded == kind.text ?? "" && optionalCoded == kind.number
            && transformed?.uppercased() == kind.text?.uppercased()
    }
}

enum DirectKind: CaseIterable {
    case values, zeros, none

    static let otherID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var text: String? { [.values: "text", .zeros: ""][self] }
    var number: Int? { [.values: -7, .zeros: 0][self] }
    var real: Double? { [.values: 2.5, .zeros: 0][self] }
    var flag: Bool? { [.values: true, .zeros: false][self] }
    var date: Date? { self == .none ? nil : Date(timeIntervalSinceReferenceDate: real ?? 0) }
    var id: UUID? { self == .none ? nil : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

@Suite struct DirectValueTests {
    @Test(arguments: DirectKind.allCases) func valuesOfInitializers(_ kind: DirectKind) throws {
        ValueTransformer.setValueTransformer(UppercaseTransformer(), forName: .init("UppercaseTransformer"))
        let container = try makeContainer(Direct.self)
        let context = ModelContext(container)
        let model = Direct(kind)
        #expect(model.hasValues(of: kind))
        context.insert(model)
        #expect(model.hasValues(of: kind))
        try context.save()
        #expect(model.hasValues(of: kind))
        let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Direct>()).first)
        #expect(again.hasValues(of: kind))
    }

    @Test(arguments: DirectKind.allCases) func valuesOfSetters(_ kind: DirectKind) throws {
        ValueTransformer.setValueTransformer(UppercaseTransformer(), forName: .init("UppercaseTransformer"))
        let container = try makeContainer(Direct.self)
        let context = ModelContext(container)
        let (first, second) = (Direct(), Direct(.values))
        for model in [first, second] {
            model.set(kind)
            #expect(model.hasValues(of: kind))
            context.insert(model)
            #expect(model.hasValues(of: kind))
            model.set(.values)
            model.set(kind)
            try context.save()
        }
        let other = ModelContext(container)
        for model in try other.fetch(FetchDescriptor<Direct>()) {
            #expect(model.hasValues(of: kind))
            for next in DirectKind.allCases + [kind] {
                model.set(next)
                #expect(model.hasValues(of: next))
            }
            try other.save()
        }
        #expect(try ModelContext(container).fetch(FetchDescriptor<Direct>()).allSatisfy { $0.hasValues(of: kind) })
    }

    @Test func rolledBackModelsKeepTheirValues() throws {
        ValueTransformer.setValueTransformer(UppercaseTransformer(), forName: .init("UppercaseTransformer"))
        let context = ModelContext(try makeContainer(Direct.self))
        let model = Direct(.values)
        context.insert(model)
        context.rollback()
        #expect(model.modelContext == nil && model.hasValues(of: .values))
        model.set(.zeros)
        context.insert(model)
        try context.save()
        #expect(model.hasValues(of: .zeros))
    }

    // MARK: Lifetime

    @Test func backingDataMayOutliveTheModel() throws {
        let container = try makeContainer(Item.self)
        let writing = ModelContext(container)
        writing.insert(Item(timestamp: .now))
        try writing.save()
        let context = ModelContext(container)
        var item = try context.fetch(FetchDescriptor<Item>()).first
        var backing = item?.persistentBackingData
        let date = item?.timestamp
        item = nil
        let next = try #require(try context.fetch(FetchDescriptor<Item>()).first)
        #expect(next.timestamp == date && backing?.getValue(forKey: \.timestamp) == date)
        backing = nil
        #expect(try context.fetch(FetchDescriptor<Item>()).first === next)
        #expect((context.registeredModel(for: next.persistentModelID) as Item?) === next)
    }

    @Test func releasedModelsAreMadeAgain() throws {
        let container = try makeContainer(Item.self)
        let writing = ModelContext(container)
        writing.insert(Item(timestamp: .now))
        try writing.save()
        let context = ModelContext(container)
        for _ in 0..<3 {
            let items = try context.fetch(FetchDescriptor<Item>())
            #expect(
                items.count == 1 && (context.registeredModel(for: items[0].persistentModelID) as Item?) === items[0])
        }
        let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Item>()).first)
        #expect(context.registeredModel(for: identifier) as Item? == nil)
    }
}
