import CoreData
import Observation
import Testing

/// Live queries: an addition to Apple's API, modeled on SwiftUI's FetchRequest and SectionedFetchRequest.
@Suite struct LiveQueryTests {
    private final class Shelf {
        @LiveQuery(sortDescriptors: [SortDescriptor(\.pages)], predicate: NSPredicate(format: "pages < 500"))
        var books: LiveResults<Volume>
        @SectionedLiveQuery(
            sectionIdentifier: \.pages,
            sortDescriptors: [
                NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: true),
            ])
        var byLength: SectionedLiveResults<Int32, Volume>
    }

    private let context: NSManagedObjectContext
    private let shelf = Shelf()

    init() throws {
        context = try Library.context(Volume.coordinator())
        for (title, pages) in [("b", 100), ("a", 100), ("c", 300), ("d", 900)] {
            _ = context.make("Book", ["title": title, "pages": pages])
        }
        try context.save()
    }

    private var titles: [String?] { shelf.books.map(\.title) }

    @Test func resultsFollowTheContext() throws {
        #expect(shelf.books.isEmpty && shelf.books.managedObjectContext == nil && shelf.books.error == nil)
        try shelf.$books.begin(in: context)
        #expect(shelf.books.managedObjectContext === context)
        #expect(shelf.books.count == 3 && Set(titles) == ["a", "b", "c"] && shelf.books[2].title == "c")
        let book = context.make("Book", ["title": "e", "pages": 200])
        context.processPendingChanges()
        #expect(shelf.books[2].title == "e" && shelf.books.count == 4)
        book.setValue(600, forKey: "pages")
        context.processPendingChanges()
        #expect(shelf.books.count == 3)
    }

    @Test func changedSettingsRefetch() throws {
        try shelf.$books.begin(in: context)
        shelf.$books.nsPredicate = NSPredicate(format: "pages > 200")
        #expect(titles == ["c", "d"] && shelf.books.nsPredicate == NSPredicate(format: "pages > 200"))
        shelf.$books.nsSortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        #expect(titles == ["d", "c"] && shelf.books.sortDescriptors == [])
        shelf.$books.sortDescriptors = [SortDescriptor(\.pages)]
        #expect(titles == ["c", "d"] && shelf.books.nsSortDescriptors.map(\.key) == ["pages"])
        // Without sort descriptors, objects are sorted by their IDs, so that indices are defined.
        shelf.$books.sortDescriptors = []
        shelf.$books.nsPredicate = nil
        #expect(shelf.books.count == 4)
        _ = context.make("Book", ["title": "z"])
        context.processPendingChanges()
        #expect(shelf.books.count == 5 && titles.last == "z")
    }

    @Test func resultsAreGroupedIntoSections() throws {
        try shelf.$byLength.begin(in: context)
        #expect(shelf.byLength.map(\.id) == [100, 300, 900])
        #expect(shelf.byLength.map { $0.map(\.title) } == [["a", "b"], ["c"], ["d"]])
        context.delete(shelf.byLength[1][0])
        context.processPendingChanges()
        #expect(shelf.byLength.map(\.id) == [100, 900])
        shelf.$byLength.nsPredicate = NSPredicate(format: "title != 'a'")
        #expect(shelf.byLength.map(\.count) == [1, 1])
    }

    @Test func queriesUseACopyOfTheirRequest() throws {
        let request = NSFetchRequest<Volume>(entityName: "Book")
        request.predicate = NSPredicate(format: "title IN {'a', 'd'}")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        let query = LiveQuery(fetchRequest: request, context: context)
        #expect(query.wrappedValue.map(\.title) == ["d", "a"])
        // The query has its own copy of the request.
        request.predicate = nil
        _ = context.make("Book", ["title": "x"])
        context.processPendingChanges()
        #expect(query.wrappedValue.count == 2)
        let entity = LiveQuery<NSManagedObject>(
            entity: NSEntityDescription.entity(forEntityName: "Author", in: context), sortDescriptors: [],
            context: context)
        #expect(entity.wrappedValue.isEmpty && entity.wrappedValue.managedObjectContext === context)
    }

    @Test func errorsEmptyTheResults() throws {
        let query = SectionedLiveQuery<String?, Volume>(
            sectionIdentifier: \.title, sortDescriptors: [NSSortDescriptor(key: "pages", ascending: true)])
        try query.projectedValue.begin(in: context)
        _ = context.make("Book", ["title": "b", "pages": 1000])
        context.processPendingChanges()
        query.projectedValue.nsPredicate = NSPredicate(value: true)
        #expect((query.wrappedValue.error as? NSError)?.code == 134060 && query.wrappedValue.isEmpty)
        query.projectedValue.nsSortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(query.wrappedValue.error == nil && query.wrappedValue.map(\.id) == ["a", "b", "c", "d"])
    }

    @Test func accessIsTrackedByObservation() throws {
        try shelf.$books.begin(in: context)
        func changes(_ look: () -> Void, _ body: () -> Void) -> Int {
            let count = Recorder<Int>()
            withObservationTracking(look) { count.values.append(1) }
            body()
            return count.values.count
        }
        let insert = {
            _ = context.make("Book", ["title": "n", "pages": 5])
            context.processPendingChanges()
        }
        #expect(changes({ _ = shelf.books.count }, insert) == 1)
        #expect(changes({ _ = shelf.books.first }, { shelf.books.nsPredicate = nil }) == 1)
        #expect(changes({ _ = shelf.books.nsPredicate }, { shelf.books.nsPredicate = nil }) == 1)
        // Code that reads the sort descriptors does not observe the objects.
        #expect(changes({ _ = shelf.books.nsSortDescriptors }, insert) == 0)
        #expect(changes({ _ = shelf.books.count }, {}) == 0)
    }

    @Test func sequencesYieldSnapshotsAndChanges() async throws {
        var ended = shelf.books.snapshots.makeAsyncIterator()
        #expect(await ended.next() == nil)
        try shelf.$books.begin(in: context)
        var snapshots = shelf.books.snapshots.makeAsyncIterator()
        var changes = shelf.books.changes.makeAsyncIterator()
        #expect(await snapshots.next()?.numberOfItems == 3)
        _ = context.make("Book", ["title": "n", "pages": 5])
        context.processPendingChanges()
        #expect(await snapshots.next()?.numberOfItems == 4)
        #expect(await changes.next()?.changes.count == 1)
        shelf.books.nsPredicate = NSPredicate(format: "title == 'n'")
        #expect(await snapshots.next()?.numberOfItems == 1)
        #expect(await changes.next()?.changes.count == 3)
    }

    @Test func resultsAreReleased() throws {
        weak var gone: LiveResults<Volume>?
        do {
            let shelf = Shelf()
            try shelf.$books.begin(in: context)
            gone = shelf.books
            #expect(gone?.count == 3)
        }
        #expect(gone == nil)
        _ = context.make("Book")
        context.processPendingChanges()
    }

    @Test(arguments: [true, false]) func queriesDoNotKeepTheirContext(isSectioned: Bool) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        weak var gone: NSManagedObjectContext?
        do {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            gone = context
            let shelf = Shelf()
            try context.performAndWait {
                if isSectioned {
                    try shelf.$byLength.begin(in: context)
                    #expect(shelf.byLength.count == 3)
                } else {
                    try shelf.$books.begin(in: context)
                    #expect(shelf.books.count == 3)
                }
            }
        }
        #expect(gone == nil)
    }

    /// A context without a queue has no block in which the sequence could be closed.
    @Test func snapshotsOfAConfinedContextAreReleased() async throws {
        let confined = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        confined.persistentStoreCoordinator = context.persistentStoreCoordinator
        let request = NSFetchRequest<Volume>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: confined, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        do {
            var iterator = controller.snapshots.makeAsyncIterator()
            #expect(await iterator.next()?.numberOfItems == 4)
        }
        _ = confined.make("Book", ["title": "e", "pages": 200])
        confined.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 5)
    }
}
