import CoreData
import Testing

/// Delegates that receive differences or snapshots. From Apple's header: if the snapshot method is implemented, "no
/// other delegate methods will be invoked"; the difference method is "only invoked if the controller's
/// sectionNameKeyPath property is `nil`".
@Suite struct ResultsDifferenceDelegateTests {
    private class Classic: NSObject, NSFetchedResultsControllerDelegate {
        var calls: [String] = []
        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls.append("will")
        }
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls.append("did")
        }
    }

    private final class Differences: NSObject, NSFetchedResultsControllerDelegate {
        var ids: [NSManagedObjectID] = []
        var calls: [String] = []
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            calls.append("diff \(diff.removals.count) \(diff.insertions.count)")
            ids = ids.applying(diff) ?? []
        }
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls.append("did")
        }
    }

    private final class Snapshots: NSObject, NSFetchedResultsControllerDelegate {
        var snapshots: [FetchedResultsSnapshot] = []
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) { snapshots.append(snapshot) }
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) { Issue.record("not to be called") }
        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            Issue.record("not to be called")
        }
    }

    private let context: NSManagedObjectContext

    init() throws {
        context = try Library.context()
        for title in ["a", "c", "e"] { _ = context.make("Book", ["title": title]) }
        try context.save()
    }

    private func controller(
        _ delegate: any NSFetchedResultsControllerDelegate, sections: String? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
        return controller
    }

    @Test func differencesTransformTheOldIDs() throws {
        let delegate = Differences()
        let controller = try controller(delegate)
        delegate.ids = controller.fetchedObjects?.map(\.objectID) ?? []
        let books = controller.fetchedObjects ?? []
        _ = context.make("Book", ["title": "b"])
        context.processPendingChanges()
        context.delete(books[1])
        books[0].setValue("z", forKey: "title")
        books[2].setValue(5, forKey: "pages")
        context.processPendingChanges()
        // The move and the update are each a removal and an insertion.
        #expect(delegate.calls == ["diff 0 1", "diff 3 2"])
        #expect(delegate.ids == controller.fetchedObjects?.map(\.objectID))
    }

    @Test func differencesAreNotReportedForSections() throws {
        let delegate = Differences()
        let controller = try controller(delegate, sections: "title")
        _ = context.make("Book", ["title": "b"])
        context.processPendingChanges()
        #expect(delegate.calls == ["did"] && controller.sections?.count == 4)
    }

    @Test func snapshotsReflectEveryChange() throws {
        let delegate = Snapshots()
        let controller = try controller(delegate, sections: "title")
        for _ in 0..<2 {
            _ = context.make("Book", ["title": "b"])
            context.processPendingChanges()
        }
        #expect(delegate.snapshots.count == 2)
        let last = try #require(delegate.snapshots.last)
        #expect(last.sectionIdentifiers == ["a", "b", "c", "e"] && last.numberOfSections == 4)
        #expect(last.itemIdentifiers == controller.fetchedObjects?.map(\.objectID) && last.numberOfItems == 5)
        #expect(last.itemIdentifiers(inSection: "b").count == 2 && last.itemIdentifiers(inSection: "x").isEmpty)
        let id = try #require(last.itemIdentifier(at: [2, 0]))
        #expect(last.indexPath(of: id) == [2, 0] && last.itemIdentifier(at: [9, 0]) == nil)
    }

    /// The first change is reported like later ones.
    @Test func firstChangesAreReportedLikeLaterOnes() throws {
        let delegate = Classic()
        let controller = try controller(delegate)
        _ = context.make("Book")
        context.processPendingChanges()
        _ = context.make("Book")
        context.processPendingChanges()
        #expect(delegate.calls == ["will", "did", "will", "did"])
        withExtendedLifetime(controller) {}
    }
}
