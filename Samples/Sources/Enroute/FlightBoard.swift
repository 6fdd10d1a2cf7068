import CoreData
import SampleSupport

/// A live list of the flights to an airport, which follows the store and reports changes. Use it on the main queue.
final class FlightBoard: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Flight>
    private var changes: [String] = []

    init(_ search: FlightSearch, in context: NSManagedObjectContext) throws {
        controller = NSFetchedResultsController(
            fetchRequest: search.request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    var lines: [String] { (controller.fetchedObjects ?? []).map(Self.line) }

    static func line(_ flight: Flight) -> String {
        let state = flight.departure == nil ? "at the gate" : "in the air"
        return "\(Clock.time(flight.arrival)) \(flight.airline?.shortName ?? "") \(flight.number) from "
            + "\(flight.origin?.name ?? "-"), \(flight.aircraft), \(state)"
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { changes = [] }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let flight = anObject as? Flight else { return }
        switch type {
        case .insert: changes.append("new in row \(newIndexPath?.last ?? -1): \(Self.line(flight))")
        case .delete: changes.append("gone from row \(indexPath?.last ?? -1): \(flight.ident_ ?? "a flight")")
        case .move:
            changes.append("from row \(indexPath?.last ?? -1) to row \(newIndexPath?.last ?? -1): \(Self.line(flight))")
        case .update: changes.append("changed in row \(indexPath?.last ?? -1): \(Self.line(flight))")
        @unknown default: changes.append("something else happened")
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        print("  the board has changed:")
        for change in changes.sorted() { print("    \(change)") }
    }
}
