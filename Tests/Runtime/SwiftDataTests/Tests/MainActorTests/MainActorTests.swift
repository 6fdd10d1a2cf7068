import Foundation
import SwiftData
import Testing

// A module whose default isolation is the main actor.

@Model class Garden {
    var name: String
    let planted = Date.now
    @Relationship(deleteRule: .cascade, inverse: \Plant.garden) var plants: [Plant] = []
    @Transient var isSelected = false

    init(name: String) { self.name = name }
}

@Model final class Greenhouse: Garden {
    var temperature: Double = 20

    override init(name: String) { super.init(name: name) }
}

enum Light: String, Codable, CaseIterable { case sun, shade }

struct Care: Codable, Hashable {
    var days = 3
    var light: Light = .sun
}

@Model final class Plant {
    #Index<Plant>([\.title])
    var title: String
    var care: Care = Care()
    var garden: Garden?

    init(title: String) { self.title = title }
}

@Observable final class GardenViewModel {
    private let context: ModelContext
    private(set) var plants: [Plant] = []

    init(context: ModelContext) { self.context = context }

    func load() throws {
        plants = try context.fetch(
            FetchDescriptor(predicate: #Predicate<Plant> { $0.title != "" }, sortBy: [SortDescriptor(\.title)]))
    }
}

@ModelActor actor GardenStore {
    func titles() throws -> [String] { try modelContext.fetch(FetchDescriptor<Plant>()).map(\.title) }
}

struct MainActorTests {
    private let container: ModelContainer

    init() throws {
        container = try ModelContainer(
            for: Garden.self, Greenhouse.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test func aViewModelOfTheMainActorReadsItsContext() async throws {
        let context = container.mainContext
        let house = Greenhouse(name: "glass")
        house.plants = [Plant(title: "fern"), Plant(title: "aloe")]
        context.insert(house)
        try context.save()
        let model = GardenViewModel(context: context)
        try model.load()
        #expect(model.plants.map(\.title) == ["aloe", "fern"])
        #expect((model.plants[0].garden as? Greenhouse)?.temperature == 20)
        #expect(try await GardenStore(modelContainer: container).titles().count == 2)
    }

    /// The getter of the computed property runs in another thread.
    @Test func computedPropertiesOfTheMainActorAreRejected() throws {
        let container = try ModelContainer(
            for: Seed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = container.mainContext
        context.insert(Seed(origin: .bought(shop: "a")))
        try context.save()
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try context.fetch(FetchDescriptor<Seed>(predicate: #Predicate { $0.isBought }))
        }
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Seed>(sortBy: [SortDescriptor(\.shop)]))
        }
        #expect(try context.fetchCount(FetchDescriptor<Seed>()) == 1)
    }
}

enum Origin: Codable {
    case bought(shop: String)
    case found(place: String)
}

@Model final class Seed {
    var origin: Origin

    init(origin: Origin) { self.origin = origin }

    var isBought: Bool { if case .bought = origin { true } else { false } }
    var shop: String { if case .bought(let shop) = origin { shop } else { "" } }
}
