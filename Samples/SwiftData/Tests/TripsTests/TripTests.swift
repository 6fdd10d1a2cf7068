import Foundation
import SwiftData
import Testing

@testable import Trips

@Suite struct TripTests {
    @Test func storeAddsTripsAndStops() async throws {
        let container = try ModelContainer.trips(at: nil)
        let store = TripStore(modelContainer: container)
        let id = try await store.add("Iceland", from: "2025-07-01", to: "2025-07-14")
        try await store.addStop("Reykjavík", nights: 3, to: id)
        try await store.addStop("Höfn", nights: 2, to: id)
        _ = try await store.add("Berlin", from: "2025-03-01", to: "2025-03-02")
        #expect(try await store.names(since: "2025-06-01") == ["Iceland"])
        let context = ModelContext(container)
        let long = try context.fetch(
            FetchDescriptor<Trip>(predicate: #Predicate { $0.stops.contains { $0.nights > 2 } }))
        #expect(long.map(\.name) == ["Iceland"])
        #expect(long.first?.stops.count == 2)
    }

    @Test func deletingATripDeletesItsStops() throws {
        let context = ModelContext(try ModelContainer.trips(at: nil))
        let trip = Trip(name: "Iceland", firstDay: "2025-07-01", lastDay: "2025-07-14")
        trip.stops = [Stop(place: "Höfn", nights: 2)]
        context.insert(trip)
        try context.save()
        context.delete(trip)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test func daysOfTheFirstReleaseAreSplit() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Trips.store")
        do {
            let container = try ModelContainer(
                for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: url)])
            let context = ModelContext(container)
            context.insert(TripsV1.Trip(name: "Iceland", days: "2025-07-01/2025-07-14"))
            try context.save()
        }
        let trips = try ModelContext(ModelContainer.trips(at: url)).fetch(FetchDescriptor<Trip>())
        #expect(trips.map(\.firstDay) == ["2025-07-01"])
        #expect(trips.map(\.lastDay) == ["2025-07-14"])
        #expect(trips.map(\.kind) == [.leisure])
    }
}
