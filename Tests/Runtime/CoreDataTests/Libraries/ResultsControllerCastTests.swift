import CoreData
import Testing

/// The operators that copies of sources have in place of casts between results controllers.
@Suite struct ResultsControllerCastTests {
    private let context: NSManagedObjectContext
    private let controller: NSFetchedResultsController<NSManagedObject>

    init() throws {
        context = try Library.context()
        _ = context.make("Book", ["title": "a"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
    }

    @Test func theControllerThatADelegateGetsIsTheTypedOne() {
        let untyped = controller ~>! NSFetchedResultsController<any NSFetchRequestResult>.self
        #expect(untyped === controller && untyped.fetchedObjects?.count == 1)
        let typed = untyped ~>! NSFetchedResultsController<NSManagedObject>.self
        #expect(ObjectIdentifier(typed) == ObjectIdentifier(controller))
        #expect(controller as Any ~>! NSFetchedResultsController<NSManagedObject>.self === controller)
    }

    @Test func viewsFollowTheResults() throws {
        let delegate = TableDelegate()
        controller.delegate = delegate
        delegate.reload(controller)
        let untyped = controller ~>? NSFetchedResultsController<any NSFetchRequestResult>.self
        let view = try #require(untyped)
        #expect(view.fetchedObjects?.count == 1)
        _ = context.make("Book", ["title": "b"])
        context.processPendingChanges()
        #expect(view.fetchedObjects?.count == 2 && controller.fetchedObjects?.count == 2)
    }

    @Test func otherValuesAreNotConverted() {
        let (none, text): (Any?, Any?) = (nil, "Book")
        let converted = [none, text].map { $0 ~>? NSFetchedResultsController<NSManagedObject>.self }
        #expect(converted.allSatisfy { $0 == nil })
    }
}
