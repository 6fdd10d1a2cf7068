import CoreData

/// Takes over what the service says of flights, on a queue of its own: on the main actor, nothing of this could run.
struct FlightImporter: Sendable {
    let container: NSPersistentContainer

    /// Saves flights; known ones are changed.
    func load(_ flights: [FlightInfo]) async throws {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            for info in flights { try Flight.update(from: info, in: context) }
            try context.save()
        }
    }

    /// Forgets a flight.
    func delete(_ ident: String) async throws {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Flight>(entityName: "Flight")
            request.predicate = NSPredicate(format: "ident_ = %@", ident)
            for flight in try context.fetch(request) { context.delete(flight) }
            try context.save()
        }
    }
}
