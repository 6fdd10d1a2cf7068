// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@MainActor
@Suite("Travel")
struct TravelTests {
    let container: ModelContainer
    var context: ModelContext { container.mainContext }

    init() throws {
        let config = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(
            for: Trip.self, Stop.self, Traveler.self, Accommodation.self, configurations: config)
    }

    private func names(_ predicate: Predicate<Trip>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [.init(\.name)])).map(\.name)
    }

    private func seed() throws {
        let day = 86400.0
        for index in 0..<6 {
            let trip = Trip(
                name: "Trip \(index)", startDate: Date(timeIntervalSince1970: Double(index) * day),
                endDate: Date(timeIntervalSince1970: Double(index + 2) * day),
                kind: index % 2 == 0 ? .business : .leisure,
                remoteID: "r\(index)")
            trip.rating = index == 0 ? nil : index
            trip.isFavorite = index > 3
            trip.isShared = index == 1 ? true : index == 2 ? false : nil
            trip.status = index < 3 ? .planned : .done
            if index < 2 { trip.budget = Budget(amount: Double(index) * 100, currency: .usd, limit: nil) }
            context.insert(trip)
            for order in 0..<index { trip.stops.append(Stop(name: "Stop \(order)", order: order)) }
        }
        try context.save()
    }

    @Test func predicatesOfApps() throws {
        try seed()
        #expect(try names(Trip.overlapping(Date(timeIntervalSince1970: 86400 * 1.5))) == ["Trip 0", "Trip 1"])
        #expect(try names(Trip.search("trip 3")) == ["Trip 3"])
        #expect(try names(Trip.search("", onlyFavorites: true)) == ["Trip 4", "Trip 5"])
        #expect(try names(#Predicate { ($0.rating ?? 0) > 3 }) == ["Trip 4", "Trip 5"])
        #expect(try names(#Predicate { $0.rating == nil }) == ["Trip 0"])
        #expect(try names(#Predicate { $0.rating != nil && $0.isFavorite == false }) == ["Trip 1", "Trip 2", "Trip 3"])
        #expect(try names(#Predicate { $0.isShared == true }) == ["Trip 1"])
        #expect(try names(#Predicate { $0.isShared ?? false }) == ["Trip 1"])
        #expect(try names(#Predicate { $0.isShared != true }).count == 5)
        #expect(try names(#Predicate { $0.stops.isEmpty }) == ["Trip 0"])
        #expect(try names(#Predicate { !$0.stops.isEmpty }).count == 5)
        #expect(try names(#Predicate { $0.stops.count >= 4 }) == ["Trip 4", "Trip 5"])
        #expect(try names(#Predicate { $0.stops.contains { $0.name == "Stop 3" } }) == ["Trip 4", "Trip 5"])
        #expect(try names(#Predicate { $0.budget?.amount ?? 0 > 50 }) == ["Trip 1"])
        #expect(try names(#Predicate { $0.budget == nil }).count == 4)
        let ids: Set<String> = ["r1", "r4"]
        #expect(try names(#Predicate { ids.contains($0.remoteID) }) == ["Trip 1", "Trip 4"])
        let optional: String? = "r2"
        #expect(try names(#Predicate { $0.remoteID == optional ?? "" }) == ["Trip 2"])
        let done = Trip.Status.done
        #expect(try names(#Predicate { $0.status == done }).count == 3)
        let raw = Trip.Kind.business.rawValue
        #expect(try names(#Predicate { $0.kind.rawValue == raw }).count == 3)
        let range = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 86400)
        #expect(try names(#Predicate { range.contains($0.startDate) }) == ["Trip 0", "Trip 1"])
        #expect(try names(#Predicate { $0.name.starts(with: "Trip") }).count == 6)
        #expect(try names(#Predicate { $0.name.isEmpty || $0.name == "none" }) == [])
        #expect(try names(#Predicate { $0.rating.flatMap { $0 > 4 } == true }) == ["Trip 5"])
        #expect(try names(.true).count == 6)
        #expect(try names(.false).isEmpty)
        let stopName = "Stop 1"
        let stops = try context.fetch(
            FetchDescriptor<Stop>(
                predicate: #Predicate { stop in stop.trip?.remoteID == "r3" && stop.name == stopName }))
        #expect(stops.count == 1)
        let trip = try #require(try context.existing(#Predicate<Trip> { $0.name == "Trip 5" }))
        let tripID = trip.persistentModelID
        #expect(
            try context.fetchCount(
                FetchDescriptor<Stop>(predicate: #Predicate { $0.trip?.persistentModelID == tripID })) == 5)
        #expect(try context.fetchCount(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip != nil })) == 15)
    }

    @Test func sortedAndLimited() throws {
        try seed()
        var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\Trip.startDate, order: .reverse)])
        descriptor.fetchLimit = 2
        descriptor.propertiesToFetch = [\.name, \.startDate]
        #expect(try context.fetch(descriptor).map(\.name) == ["Trip 5", "Trip 4"])
        let byKind = FetchDescriptor<Trip>(sortBy: [
            SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.name, comparator: .localizedStandard),
        ])
        #expect(try context.fetch(byKind).first?.name == "Trip 5")
        #expect(try context.fetch(FetchDescriptor<Trip>.upcoming).isEmpty)
        #expect(try context.all(Trip.self, sortBy: [SortDescriptor(\.name, comparator: .localized)]).count == 6)
        let count: Int = try context.all().filter { (trip: Trip) in trip.isPast }.count
        #expect(count == 6)
    }

    @Test func genericHelpersFindAndUpdateModels() async throws {
        try seed()
        try context.deleteAll([Stop.self])
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
        func find<T: Syncable>(_ type: T.Type, _ id: String) throws -> T? {
            try context.existing(#Predicate<T> { $0.remoteID == id })
        }
        #expect(try find(Trip.self, "r3")?.name == "Trip 3")
        let store = TripStore(modelContainer: container)
        let id = try await store.add("new")
        try await store.update(Trip.self, id: id, with: TripDTO(name: "renamed"))
        #expect(try await store.trips().contains { $0.name == "renamed" })
        let count = try await store.perform { try $0.fetchCount(FetchDescriptor<Trip>()) }
        #expect(count == 7)
        let model = try #require(context.model(for: id) as? Trip)
        #expect(model.name == "renamed")
    }

    @Test func decodedModelsAreInserted() throws {
        let json = #"[{"email":"a@b.c","fullName":"Ada"},{"email":"d@e.f","fullName":"Grace"}]"#
        let people = try JSONDecoder().decode([Traveler].self, from: Data(json.utf8))
        people.forEach(context.insert)
        people[1].mentor = people[0]
        let trip = Trip(name: "x")
        trip.travelers?.append(contentsOf: people)
        context.insert(trip)
        try context.save()
        #expect(people[0].students == [people[1]])
        #expect(Set(people[0].trips) == [trip])
        #expect(try JSONEncoder().encode(people[0]).count > 10)
        #expect(trip.travelers?.count == 2)
        trip.travelers?.removeAll { $0.email == "a@b.c" }
        #expect(people[0].trips.isEmpty)
        #expect(trip.description == "Trip(x)")
    }

    @Test func upsertKeepsOneRow() throws {
        context.insert(Traveler(email: "a", fullName: "one"))
        try context.save()
        context.insert(Traveler(email: "a", fullName: "two"))
        try context.save()
        let all = try context.fetch(FetchDescriptor<Traveler>())
        #expect(all.map(\.fullName) == ["two"])
    }

    @Test func upsertBeforeTheFirstSave() throws {
        context.insert(Traveler(email: "a", fullName: "one"))
        context.insert(Traveler(email: "a", fullName: "two"))
        try context.save()
        let all = try context.fetch(FetchDescriptor<Traveler>())
        #expect(all.count == 1)
    }

    @Test func deletingATripDeletesItsAccommodation() throws {
        try seed()
        let trip = try #require(try context.existing(#Predicate<Trip> { $0.remoteID == "r5" }))
        trip.accommodation = Accommodation(address: "here")
        trip.accommodation?.amenities = [Amenity(name: "wifi", price: 5)]
        trip.accommodation?.contact["phone"] = "123"
        try context.save()
        #expect(trip.accommodation?.trip === trip)
        context.delete(trip)
        try context.saveIfNeeded()
        #expect(try context.fetchCount(FetchDescriptor<Accommodation>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 10)
    }

    @Test func aPreviewContainerIsInMemory() throws {
        let context = PreviewData.container.mainContext
        context.insert(Trip(name: "preview"))
        #expect(try context.fetch(FetchDescriptor<Trip>()).count == 1)
        #expect(context.container.schema.version == Schema.Version(1, 0, 0))
        #expect(PreviewData.container.configurations.first?.isStoredInMemoryOnly == true)
    }

    @Test func transientStateSurvivesInsertion() throws {
        let trip = Trip(name: "x")
        trip.isSelected = true
        #expect(trip.remember("a") == 1 && trip.remember("a") == 2)
        context.insert(trip)
        #expect(trip.isSelected)
        #expect(trip.hasChanges)
        #expect(context.insertedModelsArray.count == 1)
        #expect(context.insertedModelsArray.first as? Trip === trip)
        try context.save()
        trip.name = "y"
        #expect(context.changedModelsArray.contains { $0.persistentModelID == trip.persistentModelID })
        context.delete(trip)
        #expect(context.deletedModelsArray.count == 1)
        #expect(trip.isDeleted)
    }

    @Test func modelsOfABackgroundContextAreFetched() async throws {
        let container = container
        try await Task.detached {
            let context = ModelContext(container)
            context.autosaveEnabled = false
            for index in 0..<10 { context.insert(Trip(name: "bg \(index)")) }
            try context.save()
        }.value
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 10)
    }

    @Test func aSaveIsAnnouncedOnce() async throws {
        nonisolated(unsafe) var saves = 0
        let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil)
        { _ in
            saves += 1
        }
        context.insert(Trip(name: "x"))
        try context.save()
        NotificationCenter.default.removeObserver(token)
        #expect(saves == 1)
    }
}
