import CoreData

/// A generic wrapper of a results controller, whose delegate is handed an untyped one.
public final class FetchedProvider<Object: NSManagedObject>: NSObject, NSFetchedResultsControllerDelegate {
    public let controller: NSFetchedResultsController<Object>
    public private(set) var counts: [Int] = []
    public var sections: [String] { controller.sections?.map(\.name) ?? [] }

    public init(context: NSManagedObjectContext, sort: String, section: String) throws {
        let request = NSFetchRequest<Object>(entityName: Object.entity().name!)
        request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: nil)
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        let typed = controller as! NSFetchedResultsController<Object>
        guard typed === self.controller else { return }
        counts.append(typed.fetchedObjects?.count ?? -1)
    }

    public func forward(to delegate: NSFetchedResultsControllerDelegate) {
        guard let untyped = controller as? NSFetchedResultsController<NSFetchRequestResult> else { return }
        delegate.controllerDidChangeContent?(untyped)
    }
}
