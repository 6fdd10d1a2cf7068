import SwiftData
import Testing

/// Key paths whose properties are found by reading a model of samples.
@Suite struct RecordingTests {
    private func makeContext<T: PersistentModel>(_ model: T) throws -> ModelContext {
        let context = ModelContext(try makeContainer(T.self))
        context.insert(model)
        try context.save()
        return context
    }

    // MARK: Recursion

    @Test func recursivePropertiesAreRejectedInSortOrders() throws {
        let context = try makeContext(Branch())
        for order: SortDescriptor<Branch> in [
            SortDescriptor(\.depth), SortDescriptor(\.total), SortDescriptor(\.root.name), SortDescriptor(\.top?.name),
            SortDescriptor(\.path),
        ] {
            #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try context.fetch(FetchDescriptor(sortBy: [order]))
            }
        }
        let names = try context.fetch(FetchDescriptor<Branch>(sortBy: [SortDescriptor(\.parent?.parent?.parent?.name)]))
        #expect(names.count == 1)
    }

    @Test func recursivePropertiesAreRejectedInPredicates() throws {
        let context = try makeContext(Branch())
        let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Branch>()).first)
        for predicate: Predicate<Branch> in [
            #Predicate { $0.depth == 0 }, #Predicate { $0.total == 1 }, #Predicate { $0.root.name == "" },
            #Predicate { $0.ancestors.isEmpty }, #Predicate { $0.rootID == id },
        ] {
            #expect(throws: SwiftDataError.unsupportedKeyPath) {
                try context.fetch(FetchDescriptor(predicate: predicate))
            }
        }
    }

    /// Making a model reads its constants, which may be models of the same class.
    @Test func constantsMayBeModelsOfTheClass() throws {
        let context = try makeContext(Link(previous: nil))
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Link>(sortBy: [SortDescriptor(\.length)]))
        }
        let found = try context.fetch(FetchDescriptor<Link>(predicate: #Predicate { $0.previous?.name == nil }))
        #expect(found.map(\.name) == ["link"])
    }

    // MARK: Values without samples

    @Test func constantsWithoutSamples() throws {
        let context = try makeContext(Envelope(.text("a"), named: "A"))
        let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Envelope>()).first)
        func names(_ descriptor: FetchDescriptor<Envelope>) throws -> [String] {
            try context.fetch(descriptor).map(\.name)
        }
        #expect(try names(FetchDescriptor(predicate: #Predicate { $0.id == id })) == ["A"])
        #expect(try names(FetchDescriptor(predicate: #Predicate { $0.persistentModelID == id })) == ["A"])
        #expect(try names(FetchDescriptor(predicate: #Predicate { $0.name == "A" })) == ["A"])
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try names(FetchDescriptor(predicate: #Predicate { $0.isLong }))
        }
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try names(FetchDescriptor(predicate: #Predicate { $0.otherID == id }))
        }
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try names(FetchDescriptor(sortBy: [SortDescriptor(\.shownName)]))
        }
    }

    /// A model of such a class cannot be read, so that what follows it in a key path is not found.
    @Test func destinationsWithConstantsWithoutSamples() throws {
        let context = try makeContext(Mailbox())
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Mailbox>(sortBy: [SortDescriptor(\.first?.name)]))
        }
        let found = try context.fetch(FetchDescriptor<Mailbox>(predicate: #Predicate { $0.first?.name == nil }))
        #expect(found.count == 1)
    }

    /// A getter that reads such a property can neither go on nor throw.
    @Test func computedPropertiesThatReadValuesWithoutSamples() throws {
        let context = try makeContext(Sealed(.text("a"), named: "A"))
        func names(_ descriptor: FetchDescriptor<Sealed>) throws -> [String] {
            try context.fetch(descriptor).map(\.name)
        }
        for predicate: Predicate<Sealed> in [
            #Predicate { $0.isText }, #Predicate { $0.next?.title == "" }, #Predicate { $0.title == "A" },
        ] {
            for _ in 0..<2 {
                let error = #expect(throws: SwiftDataError.unsupportedKeyPath) {
                    try names(FetchDescriptor(predicate: predicate))
                }
                #expect("\(error as Any)".contains("it reads “payload”"))
            }
            #expect(throws: SwiftDataError.unsupportedKeyPath) {
                try context.delete(model: Sealed.self, where: predicate)
            }
        }
        for order: SortDescriptor<Sealed> in [SortDescriptor(\.title), SortDescriptor(\.next?.title)] {
            let error = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try names(FetchDescriptor(sortBy: [order]))
            }
            #expect("\(error as Any)".contains("it reads “payload”"))
        }
        #expect(try names(FetchDescriptor(sortBy: [SortDescriptor(\.next?.name), SortDescriptor(\.name)])) == ["A"])
        #expect(try names(FetchDescriptor(predicate: #Predicate { $0.next?.name == nil })) == ["A"])
        let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Sealed>()).first)
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try names(FetchDescriptor(predicate: #Predicate { $0.textID == id }))
        }
        #expect(try names(FetchDescriptor(predicate: #Predicate { $0.id == id })) == ["A"])
    }

    @Test func indexesOverComputedPropertiesThatReadValuesWithoutSamples() throws {
        let error = #expect(throws: SwiftDataError.unknownSchema) { try makeContainer(IndexedText.self) }
        #expect("\(error as Any)".contains("“IndexedText”: it reads “payload”"))
    }

    @Test func initialValuesAreSamples() throws {
        let context = try makeContext(Wrapping())
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try context.fetch(FetchDescriptor<Wrapping>(predicate: #Predicate { $0.isText }))
        }
        let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Wrapping>()).first)
        #expect(try context.fetchCount(FetchDescriptor<Wrapping>(predicate: #Predicate { $0.id == id })) == 1)
    }
}

enum Payload: Codable {
    case text(String)
    case image(Data)

    var isText: Bool { if case .text = self { true } else { false } }
}

@Model final class Branch {
    var name = ""
    var parent: Branch?
    @Relationship(inverse: \Branch.parent) var children: [Branch] = []

    init() {}

    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }
    var total: Int { children.reduce(1) { $0 + $1.total } }
    var ancestors: [Branch] { parent.map { [$0] + $0.ancestors } ?? [] }
    var path: String { (parent?.path ?? "") + "/" + name }
    var top: Branch? { parent?.top }
    var rootID: PersistentIdentifier { parent?.rootID ?? persistentModelID }
    var root: Branch {
        var node = self
        while let parent = node.parent { node = parent }
        return node
    }
}

@Model final class Link {
    let previous: Link?
    var name = "link"

    init(previous: Link?) { self.previous = previous }

    var length: Int { (previous?.length ?? 0) + 1 }
}

@Model final class Envelope {
    let payload: Payload
    var name: String

    init(_ payload: Payload, named name: String) {
        self.payload = payload
        self.name = name
    }

    var isLong: Bool { name.count > 9 }
    var shownName: String { name.uppercased() }
    var otherID: PersistentIdentifier { persistentModelID }
}

@Model final class Mailbox {
    var first: Envelope?

    init() {}
}

@Model final class Wrapping {
    var payload = Payload.text("")

    init() {}

    var isText: Bool { payload.isText }
}

@Model final class Sealed {
    var payload: Payload
    var name: String
    var next: Sealed?

    init(_ payload: Payload, named name: String) {
        self.payload = payload
        self.name = name
    }

    var isText: Bool { payload.isText }
    var title: String { payload.isText ? name : "" }
    var textID: PersistentIdentifier? { payload.isText ? persistentModelID : nil }
}

@Model final class IndexedText {
    #Index<IndexedText>([\.isText])
    var payload: Payload

    init(_ payload: Payload) { self.payload = payload }

    var isText: Bool { payload.isText }
}
