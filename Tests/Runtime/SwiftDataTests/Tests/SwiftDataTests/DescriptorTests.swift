import SwiftData
import Testing

@Model
final class Drawing {
    var name: String
    @Attribute(.codable) var shape: Shape?
    @Attribute(.codable) var shapes: [Shape] = []

    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case line([Double])
    }

    init(name: String) { self.name = name }
}

@Suite struct DescriptorTests {
    private func descriptor(_ text: String, over pages: Int) -> FetchDescriptor<Book> {
        FetchDescriptor(
            predicate: #Predicate { book in
                book.title == text && book.tagsInOrder?.contains { $0.name == text } ?? (book.pages > pages)
            },
            sortBy: [SortDescriptor(\.title)])
    }

    @Test func descriptorsWithEqualPartsAreEqual() {
        #expect(descriptor("a", over: 1) == descriptor("a", over: 1))
        #expect(descriptor("a", over: 1) != descriptor("b", over: 1))
        #expect(descriptor("a", over: 1) != descriptor("a", over: 2))
        #expect(
            FetchDescriptor<Book>(predicate: #Predicate { $0.title == "x" })
                != FetchDescriptor<Book>(predicate: #Predicate { $0.title != "x" }))
        #expect(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 1 }) != FetchDescriptor<Book>())
        var limited = FetchDescriptor<Book>()
        limited.fetchLimit = 1
        #expect(limited != FetchDescriptor<Book>())
    }

    @Test func otherPropertiesAreFetchedOnDemand() throws {
        let context = try makeContext()
        context.insert(Book(title: "B"))
        try context.save()
        var descriptor = FetchDescriptor<Book>()
        descriptor.propertiesToFetch = [\.title, \.author?.name]
        #expect(try ModelContext(context.container).fetch(descriptor).map(\.pages) == [100])
        descriptor.propertiesToFetch = [\.summary]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
    }

    @Test func arraysOfCodableValuesRoundTrip() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("x.store")
        let container = try ModelContainer(for: Drawing.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        let drawing = Drawing(name: "d")
        drawing.shapes = [.circle(radius: 2), .line([1, 2])]
        context.insert(drawing)
        try context.save()
        drawing.shape = drawing.shapes[0]
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Drawing>()).first)
        #expect(found.shape == .circle(radius: 2) && found.shapes.count == 2)
        let attribute = try #require(container.schema.entitiesByName["Drawing"]?.attributesByName["shape"])
        #expect(attribute.isCodable && attribute.isOptional && !attribute.isTransformable)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Drawing>(predicate: #Predicate { $0.shape == nil }))
        }
    }
}
