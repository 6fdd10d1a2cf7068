// swift-format-ignore-file
import Foundation
import SwiftData

// The model layer of a travel app, as public projects write it.

public protocol Syncable: PersistentModel {
    associatedtype DTO: Codable & Sendable
    var remoteID: String { get set }
    var updatedAt: Date { get set }
    func apply(_ dto: DTO)
}

public struct TripDTO: Codable, Sendable {
    public var name: String
}

extension Trip {
    public enum Kind: String, Codable, CaseIterable, Identifiable, Sendable {
        case business, leisure
        public var id: String { rawValue }
    }

    public enum Status: Int, Codable {
        case planned = 0
        case active
        case done

        public var title: String { "\(self)" }
    }
}

@Model
public final class Trip: Syncable {
    #Index<Trip>([\.name], [\.startDate, \.endDate])
    #Unique<Trip>([\.remoteID])

    public var remoteID: String
    public var name: String
    public var startDate: Date
    public var endDate: Date
    public internal(set) var kind: Kind = Kind.leisure
    public var status: Status = Trip.Status.planned
    public var updatedAt: Date = Date.now
    public var deletedAt: Date?
    public var isFavorite = false
    public var rating: Int?
    public var isShared: Bool?
    public var budget: Budget?
    public var colorHex: String = "#FFFFFF"
    @Attribute(.externalStorage) public var photo: Data?
    @Attribute(originalName: "notes_text") public var notes: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) public var stops = [Stop]()
    @Relationship(inverse: \Traveler.trips) public var travelers: [Traveler]? = []
    @Relationship(deleteRule: .cascade) public var accommodation: Accommodation?
    @Transient public var isSelected = false
    @Transient private var cache = [String: Int]()

    public init(
        name: String, startDate: Date = .now, endDate: Date = .now.addingTimeInterval(86400), kind: Kind = .leisure,
        remoteID: String = UUID().uuidString
    ) {
        self.name = name
        self.startDate = startDate
        self.endDate = endDate
        self.kind = kind
        self.remoteID = remoteID
    }

    public func apply(_ dto: TripDTO) {
        name = dto.name
        updatedAt = .now
    }

    public var duration: TimeInterval { endDate.timeIntervalSince(startDate) }
    var isPast: Bool { endDate < .now }
    var sortedStops: [Stop] { stops.sorted { $0.order < $1.order } }
    func remember(_ key: String) -> Int {
        cache[key, default: 0] += 1
        return cache[key] ?? 0
    }
}

public struct Budget: Codable, Hashable, Sendable {
    public var amount: Double
    public var currency: Currency
    public var limit: Double?

    public enum Currency: String, Codable, Sendable { case eur, usd }
}

@Model
public final class Stop {
    public var name: String
    public var order: Int
    public var trip: Trip?
    public var coordinate: Coordinate2D = Coordinate2D(latitude: 0, longitude: 0)
    public var arrival: Date? = nil

    public init(name: String, order: Int = 0, trip: Trip? = nil) {
        self.name = name
        self.order = order
        self.trip = trip
    }
}

public struct Coordinate2D: Codable, Equatable, Sendable {
    public var latitude: Double
    public var longitude: Double
}

@Model
public final class Traveler: Codable {
    @Attribute(.unique) public var email: String
    public var fullName: String
    public var trips: [Trip] = []
    public var mentor: Traveler?
    @Relationship(inverse: \Traveler.mentor) public var students: [Traveler] = []

    public init(email: String, fullName: String) {
        self.email = email
        self.fullName = fullName
    }

    enum CodingKeys: String, CodingKey { case email, fullName }

    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        email = try container.decode(String.self, forKey: .email)
        fullName = try container.decode(String.self, forKey: .fullName)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(email, forKey: .email)
        try container.encode(fullName, forKey: .fullName)
    }
}

@Model
public final class Accommodation {
    var address: String
    @Relationship(inverse: \Trip.accommodation) var trip: Trip?
    var amenities: [Amenity] = []
    var contact: [String: String] = [:]

    init(address: String) { self.address = address }
}

struct Amenity: Codable, Hashable {
    var name: String
    var price: Decimal?
}

extension Trip: CustomStringConvertible {
    public var description: String { "Trip(\(name))" }
}

extension Trip {
    static func overlapping(_ date: Date) -> Predicate<Trip> {
        #Predicate<Trip> { trip in trip.startDate <= date && trip.endDate >= date }
    }

    static func search(_ text: String, onlyFavorites: Bool = false) -> Predicate<Trip> {
        #Predicate<Trip> { trip in
            (text.isEmpty || trip.name.localizedStandardContains(text)) && (!onlyFavorites || trip.isFavorite)
        }
    }
}

extension FetchDescriptor where T == Trip {
    static var upcoming: FetchDescriptor<Trip> {
        let now = Date.now
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.startDate > now }, sortBy: [SortDescriptor(\.startDate)])
        descriptor.fetchLimit = 20
        descriptor.relationshipKeyPathsForPrefetching = [\.stops, \.travelers]
        return descriptor
    }
}

extension ModelContext {
    func all<T: PersistentModel>(_ type: T.Type = T.self, sortBy: [SortDescriptor<T>] = []) throws -> [T] {
        try fetch(FetchDescriptor<T>(sortBy: sortBy))
    }

    func existing<T: PersistentModel>(_ predicate: Predicate<T>) throws -> T? {
        var descriptor = FetchDescriptor(predicate: predicate)
        descriptor.fetchLimit = 1
        return try fetch(descriptor).first
    }

    func deleteAll(_ types: [any PersistentModel.Type]) throws {
        for type in types { try delete(model: type) }
    }

    func saveIfNeeded() throws {
        guard hasChanges else { return }
        try save()
    }
}

public protocol TripRepository: Sendable {
    func trips() async throws -> [TripInfo]
    func add(_ name: String) async throws -> PersistentIdentifier
}

public struct TripInfo: Sendable, Hashable, Identifiable {
    public let id: PersistentIdentifier
    public let name: String
}

@ModelActor
public actor TripStore: TripRepository {
    private var counter = 0

    public func trips() throws -> [TripInfo] {
        try modelContext.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, order: .forward)])).map {
            TripInfo(id: $0.persistentModelID, name: $0.name)
        }
    }

    public func add(_ name: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name)
        modelContext.insert(trip)
        try modelContext.save()
        counter += 1
        return trip.persistentModelID
    }

    func update<T: Syncable>(_ type: T.Type, id: PersistentIdentifier, with dto: T.DTO) throws {
        guard let model = self[id, as: type] else { throw StoreError.notFound }
        model.apply(dto)
        try modelContext.save()
    }

    func perform<R: Sendable>(_ block: @Sendable (ModelContext) throws -> R) throws -> R { try block(modelContext) }

    enum StoreError: Error { case notFound }
}

enum TravelSchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Traveler.self, Accommodation.self] }
}

enum TravelMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelSchemaV1.self] }
    static var stages: [MigrationStage] { [] }
}

@MainActor
enum PreviewData {
    static let container: ModelContainer = {
        let schema = Schema(versionedSchema: TravelSchemaV1.self)
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
        do {
            return try ModelContainer(
                for: schema, migrationPlan: TravelMigrationPlan.self, configurations: [configuration])
        } catch {
            fatalError("could not create ModelContainer: \(error)")
        }
    }()
}
