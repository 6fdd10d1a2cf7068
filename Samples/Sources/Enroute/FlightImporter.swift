import CoreData

/// Imports the flights of the service on a background queue. It must not be isolated to the main actor.
struct FlightImporter: Sendable {
    let container: NSPersistentContainer

    /// Saves flights, updating known ones.
    func load(_ flights: [FlightInfo]) async throws {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            for info in flights { try Flight.update(from: info, in: context) }
            try context.save()
        }
    }

    /// Deletes a flight.
    func delete(_ ident: String) async throws {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Flight>(entityName: "Flight")
            request.predicate = NSPredicate(format: "ident_ = %@", ident)
            for flight in try context.fetch(request) { context.delete(flight) }
            try context.save()
        }
    }
}
