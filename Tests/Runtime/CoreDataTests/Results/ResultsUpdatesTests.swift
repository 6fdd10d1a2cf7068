import CoreData
import Testing

/// Results as asynchronous sequences: an addition to Apple's API, as described in its documentation comments.
@Suite struct ResultsUpdatesTests {
    private let context: NSManagedObjectContext
    private let controller: NSFetchedResultsController<NSManagedObject>

    init() throws {
        context = try Library.context()
        for title in ["a", "c", "e"] { _ = context.make("Book", ["title": title]) }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
        try controller.performFetch()
    }

    /// Inserts a book on the context's queue, on which discarded sequences are removed at the same time.
    private func insert(_ title: String) {
        context.performAndWait {
            _ = context.make("Book", ["title": title])
            context.processPendingChanges()
        }
    }

    @Test func newestSnapshotIsDelivered() async {
        var iterator = controller.snapshots.makeAsyncIterator()
        #expect(await iterator.next()?.sectionIdentifiers == ["a", "c", "e"])
        insert("b")
        #expect(await iterator.next()?.sectionIdentifiers == ["a", "b", "c", "e"])
        insert("d")
        insert("f")
        // Only the newest snapshot counts.
        #expect(await iterator.next()?.sectionIdentifiers == ["a", "b", "c", "d", "e", "f"])
    }

    @Test func unconsumedChangesAreCombined() async throws {
        var iterator = controller.changes.makeAsyncIterator()
        insert("b")
        let first = await iterator.next()
        let b = try #require(first?.snapshot.itemIdentifier(at: [1, 0]))
        #expect(first?.changes == [.insertSection(1), .insert(b, at: [1, 0])])
        // Unconsumed changes are combined into one update.
        insert("d")
        controller.fetchedObjects?.first?.setValue(5, forKey: "pages")
        context.processPendingChanges()
        controller.fetchedObjects?.last.map(context.delete)
        context.processPendingChanges()
        let second = await iterator.next()
        let ids = second?.snapshot.itemIdentifiers ?? []
        #expect(second?.snapshot.sectionIdentifiers == ["a", "b", "c", "d"])
        #expect(second?.changes.count == 5, "\(second?.changes ?? [])")
        #expect(second?.changes.contains(.deleteSection(3)) == true)
        #expect(second?.changes.contains(.insertSection(3)) == true)
        #expect(second?.changes.contains(.insert(ids[3], at: [3, 0])) == true)
        #expect(second?.changes.contains(.update(ids[0], at: [0, 0], now: [0, 0])) == true)
        // An object that is inserted and deleted in between does not appear.
        insert("z")
        controller.fetchedObjects?.last.map(context.delete)
        context.processPendingChanges()
        let third = await iterator.next()
        #expect(third?.changes == [] && third?.snapshot.sectionIdentifiers == ["a", "b", "c", "d"])
    }

    @Test func newFetchesAreChanges() async {
        var iterator = controller.changes.makeAsyncIterator()
        controller.fetchRequest.predicate = NSPredicate(format: "title != 'c'")
        try? controller.performFetch()
        let update = await iterator.next()
        #expect(update?.snapshot.sectionIdentifiers == ["a", "e"] && update?.changes.count == 2)
    }

    /// Receives snapshots.
    private final class SnapshotDelegate: NSObject, NSFetchedResultsControllerDelegate {
        var snapshots: [FetchedResultsSnapshot] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            snapshots.append(snapshot)
        }
    }

    @Test func aSaveDeliversASnapshotWithThePermanentIDs() async throws {
        let delegate = SnapshotDelegate()
        controller.delegate = delegate
        var iterator = controller.snapshots.makeAsyncIterator()
        _ = await iterator.next()
        insert("b")
        #expect(await iterator.next()?.itemIdentifier(at: [1, 0])?.isTemporaryID == true)
        try context.performAndWait { try context.save() }
        let id = try #require(await iterator.next()?.itemIdentifier(at: [1, 0]))
        #expect(!id.isTemporaryID && delegate.snapshots.count == 2)
        #expect(delegate.snapshots.last?.itemIdentifier(at: [1, 0]) == id)
        #expect(context.performAndWait { (try? context.existingObject(with: id)) != nil })
        // A save without new objects changes no ID.
        try context.performAndWait {
            context.object(with: id).setValue(1, forKey: "pages")
            try context.save()
        }
        #expect(delegate.snapshots.count == 3)
    }

    @Test func iterationWaitsForChanges() async throws {
        let snapshots = controller.snapshots
        let waiting = Task {
            var seen: [Int] = []
            for await snapshot in snapshots {
                seen.append(snapshot.numberOfItems)
                if snapshot.numberOfItems == 5 { break }
            }
            return seen
        }
        try await Task.sleep(for: .milliseconds(5))
        context.performAndWait { insert("b") }
        try await Task.sleep(for: .milliseconds(5))
        context.performAndWait { insert("d") }
        let seen = await waiting.value
        #expect(seen.last == 5 && seen == seen.sorted())
    }

    @Test func sequencesEndWithTheController() async throws {
        var iterator: FetchedResultsSnapshots.AsyncIterator
        do {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let other = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try other.performFetch()
            iterator = other.snapshots.makeAsyncIterator()
            #expect(await iterator.next()?.numberOfItems == 3)
        }
        #expect(await iterator.next() == nil)
    }

    /// A sequence that was discarded, or whose task was cancelled, receives no more updates and keeps no object alive.
    @Test func discardedSequencesReceiveNothing() async {
        let task = Task { [snapshots = controller.snapshots] in
            var count = 0
            for await _ in snapshots { count += 1 }
            return count
        }
        task.cancel()
        _ = await task.value
        do { _ = controller.changes }
        insert("b")
        weak var gone: NSManagedObject?
        do {
            var iterator = controller.changes.makeAsyncIterator()
            insert("x")
            gone = controller.fetchedObjects?.last
            #expect(gone != nil)
            _ = await iterator.next()
            context.performAndWait {
                gone.map(context.delete)
                context.processPendingChanges()
                try? context.save()
            }
        }
        context.performAndWait {}
        #expect(gone == nil)
    }
}
