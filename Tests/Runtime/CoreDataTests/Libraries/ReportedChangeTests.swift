import CoreData
import Testing

/// What contexts and controllers report of changes.
@Suite struct ReportedChangeTests {
    private func pair() throws -> (NSManagedObjectContext, NSManagedObjectContext) {
        let context = try Library.context()
        return (context, try Library.context(context.persistentStoreCoordinator))
    }

    private func merging(
        _ name: Notification.Name, from context: NSManagedObjectContext, into other: NSManagedObjectContext
    ) throws -> Notification? {
        let saved = try context.notes { try context.save() }
        return try other.notes(name) { other.mergeChanges(fromContextDidSave: try #require(saved.first)) }.first
    }

    @Test(.overAllStores) func mergesReportTheIDsOfRefreshedObjects() throws {
        let (context, other) = try pair()
        let (book, tag) = (context.make("Book"), context.make("Tag"))
        try context.save()
        // Only registered objects are refreshed.
        let same = try #require(try other.all("Book").first)
        book.setValue("b", forKey: "title")
        tag.setValue("t", forKey: "name")
        let note = try merging(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification, from: context, into: other)
        let key = NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
        #expect(note?.userInfo?[key] as? Set<NSManagedObjectID> == [same.objectID])
        #expect((note?.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 2)
    }

    @Test func sectionsAreDeletedAfterTheirObjects() throws {
        let context = try Library.context()
        let books = ["a", "b", "b"].map { context.make("Book", ["title": $0]) }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
        let delegate = CallRecorder()
        controller.delegate = delegate
        try controller.performFetch()
        for book in books[1...] { context.delete(book) }
        _ = context.make("Book", ["title": "c"])
        context.processPendingChanges()
        #expect(
            delegate.calls == ["delete object", "delete object", "delete section", "insert section", "insert object"])
    }

    @Test func sectionInfosAreComparableObjects() throws {
        let context = try Library.context()
        for title in ["a", "b"] { _ = context.make("Book", ["title": title]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        func sections(_ keyPath: String?) throws -> [NSObject] {
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: keyPath, cacheName: nil)
            try controller.performFetch()
            return try #require(controller.sections).compactMap { $0 as? NSObject }
        }
        let (one, other) = (try sections("title"), try sections("title"))
        #expect(one.count == 2 && one == other && one[0] != one[1] && one[0].hash == other[0].hash)
        #expect(try sections(nil) != [one[0]])
    }
}

/// Records the kinds of changes that a controller reports.
private final class CallRecorder: NSObject, NSFetchedResultsControllerDelegate {
    var calls: [String] = []

    private func name(_ type: NSFetchedResultsChangeType) -> String {
        switch type {
        case .insert: "insert"
        case .delete: "delete"
        case .move: "move"
        default: "update"
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        calls.append("\(name(type)) object")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        calls.append("\(name(type)) section")
    }
}
