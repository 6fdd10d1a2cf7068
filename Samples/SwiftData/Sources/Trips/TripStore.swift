import Foundation
import SwiftData

/// Changes trips in the background.
@ModelActor
actor TripStore {
    /// Adds a trip, and returns its identifier.
    func add(_ name: String, from firstDay: String, to lastDay: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name, firstDay: firstDay, lastDay: lastDay)
        modelContext.insert(trip)
        try modelContext.save()
        return trip.persistentModelID
    }

    /// Adds a stop to a trip.
    func addStop(_ place: String, nights: Int, to id: PersistentIdentifier) throws {
        guard let trip = self[id, as: Trip.self] else { return }
        trip.stops.append(Stop(place: place, nights: nights))
        try modelContext.save()
    }

    /// Returns the names of the trips that begin on a day or later, in order.
    func names(since day: String) throws -> [String] {
        let descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.firstDay >= day }, sortBy: [SortDescriptor(\.firstDay), SortDescriptor(\.name)])
        return try modelContext.fetch(descriptor).map(\.name)
    }
}
