import CoreData
import SampleSupport

/// Airports, airlines and flights: find or create, objects that announce changes, and a query that follows the store.
@main
@MainActor
struct EnrouteApp {
    static func main() async throws {
        try await Launch.run { folder in try await EnrouteApp(PersistenceController(folder: folder)).run() }
    }

    private let container: NSPersistentContainer
    private var context: NSManagedObjectContext { container.viewContext }

    init(_ persistence: PersistenceController) {
        container = persistence.container
    }

    private func run() async throws {
        Launch.section("Known airports")
        for airport in try context.fetch(Airport.fetchRequest(NSPredicate(format: "TRUEPREDICATE"))).sorted() {
            print(
                "\(airport.icao): \(airport.friendlyName), \(airport.flightsTo.count) to, \(airport.flightsFrom.count) from"
            )
        }
        let sfo = Airport.withICAO("KSFO", context: context)
        print("KSFO is \(sfo.isInserted ? "new" : "known")")
        try context.save()
        try announce(sfo)
        try await follow(sfo)
        try search(sfo)
    }

    /// Observes changes with `observe`, which works on every platform; SwiftUI's views use `objectWillChange`.
    private func announce(_ sfo: Airport) throws {
        Launch.section("An airport announces its changes")
        let name = sfo.observe(\.name_, options: [.old, .new]) { airport, change in
            print(
                "  the name of \(airport.icao): \((change.oldValue ?? nil) ?? "none") -> \((change.newValue ?? nil) ?? "none")"
            )
        }
        let anything = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { notification in
            let updated = notification.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
            let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            print("  in the context: \(inserted.count) inserted, \(updated.count) updated")
        }
        defer { NotificationCenter.default.removeObserver(anything) }
        for info in FlightService.airports { try Airport.update(from: info, context: context) }
        sfo.name = "SFO"
        name.invalidate()
        sfo.name = "San Francisco Int'l"
        print("it has \(sfo.hasPersistentChangedValues ? "" : "no ")changes to be saved")
        try context.save()
    }

    /// Loads and saves flights in the background; they appear on the board.
    private func follow(_ sfo: Airport) async throws {
        Launch.section("A board that follows the store")
        let board = try FlightBoard(FlightSearch(destination: sfo), in: context)
        let importer = FlightImporter(container: container)
        print("at first: \(board.lines.count) flights")
        print("in the morning:")
        try await importer.load(FlightService.morning)
        await showUpdates()
        print("at noon:")
        try await importer.load(FlightService.noon)
        await showUpdates()
        print("landed:")
        try await importer.delete("UAL123")
        await showUpdates()
        print("at last:")
        for line in board.lines { print("  \(line)") }
    }

    /// Waits until the main queue has merged the changes saved in the background.
    private func showUpdates() async { await context.perform(schedule: .enqueued) { @Sendable in } }

    private func search(_ sfo: Airport) throws {
        Launch.section("Searching")
        let jfk = Airport.withICAO("KJFK", context: context)
        var search = FlightSearch(destination: sfo, origin: jfk)
        print("from \(jfk.location): \(try context.fetch(search.request).map(\.ident))")
        search.origin = nil
        search.airline = Airline.withCode("DLH", in: context)
        search.airline?.name = "Deutsche Lufthansa"
        search.airline?.shortName = "Lufthansa"
        try context.save()
        print("\(search.airline?.shortName ?? ""): \(try context.fetch(search.request).map(FlightBoard.line))")
        print("in the air: \(sfo.incoming.map(\.ident)); of \(sfo.flightsTo.count) to \(sfo.friendlyName)")
    }
}
