import CoreData
import Testing

/// The results of fetched results controllers, from Apple's reference of NSFetchedResultsController.
@Suite struct ResultsControllerTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try Library.context()
        for (title, pages) in [("Emma", 300), ("Dune", 500), ("Ulysses", 700), ("Candide", 100), ("Exile", 300)] {
            _ = context.make("Book", ["title": title, "pages": pages])
        }
        try context.save()
    }

    private func request(_ keys: String...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return request
    }

    private func controller(
        _ request: NSFetchRequest<NSManagedObject>, sections: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: "books")
    }

    private func titles(_ objects: [Any]?) -> [String]? {
        objects?.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
    }

    @Test func controllersAreEmptyBeforeTheFirstFetch() {
        let controller = controller(request("title"))
        #expect(controller.fetchedObjects == nil && controller.sections == nil)
        #expect(controller.managedObjectContext === context && controller.cacheName == "books")
        #expect(controller.sectionNameKeyPath == nil && controller.fetchRequest.entityName == "Book")
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
    }

    @Test func controllersWithoutSectionsHaveOneSection() throws {
        let controller = controller(request("title"))
        try controller.performFetch()
        #expect(titles(controller.fetchedObjects) == ["Candide", "Dune", "Emma", "Exile", "Ulysses"])
        #expect(controller.sections?.count == 1 && controller.sections?[0].numberOfObjects == 5)
        #expect(titles(controller.sections?[0].objects) == titles(controller.fetchedObjects))
        let dune = controller.object(at: IndexPath(row: 1, section: 0))
        #expect(dune.value(forKey: "title") as? String == "Dune")
        #expect(controller.indexPath(forObject: dune) == IndexPath(item: 1, section: 0))
        #expect(controller.sectionIndexTitles.isEmpty)
        let other = context.make("Book", ["title": "Other"])
        #expect(controller.indexPath(forObject: other) == nil)
    }

    @Test func objectsAreGroupedIntoSections() throws {
        let controller = controller(request("pages", "title"), sections: "pages")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["100", "300", "500", "700"])
        #expect(controller.sections?.map(\.numberOfObjects) == [1, 2, 1, 1])
        #expect(titles(controller.sections?[1].objects) == ["Emma", "Exile"])
        let exile = controller.object(at: [1, 1])
        #expect(exile.value(forKey: "title") as? String == "Exile")
        #expect(controller.indexPath(forObject: exile) == [1, 1])
        #expect(controller.sections?.map(\.indexTitle) == ["1", "3", "5", "7"])
        #expect(controller.sectionIndexTitles == ["1", "3", "5", "7"])
        #expect(controller.section(forSectionIndexTitle: "5", at: 2) == 2)
    }

    @Test func emptyResultsHaveNoSections() throws {
        let request = request("pages")
        request.predicate = NSPredicate(value: false)
        let (plain, sectioned) = (controller(request), controller(request, sections: "pages"))
        try plain.performFetch()
        try sectioned.performFetch()
        #expect(plain.fetchedObjects == [] && plain.sections?.count == 1 && plain.sections?[0].numberOfObjects == 0)
        #expect(sectioned.fetchedObjects == [] && sectioned.sections?.isEmpty == true)
    }

    @Test func sectionsHaveIndexTitles() throws {
        final class Titled: NSFetchedResultsController<NSManagedObject> {
            override func sectionIndexTitle(forSectionName sectionName: String) -> String? { "<\(sectionName)>" }
        }
        final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { "#" }
        }
        let titled = Titled(
            fetchRequest: request("title"), managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
        try titled.performFetch()
        #expect(titled.sectionIndexTitles.first == "<Candide>" && titled.sections?[1].indexTitle == "<Dune>")
        let plain = controller(request("title"), sections: "title")
        try plain.performFetch()
        // Emma and Exile share a title.
        #expect(plain.sectionIndexTitles == ["C", "D", "E", "U"])
        #expect(plain.section(forSectionIndexTitle: "U", at: 3) == 4)
        let delegate = Delegate()
        plain.delegate = delegate
        #expect(plain.sectionIndexTitles == ["#"])
        // With a delegate that lacks the method, the controller uses its own titles.
        let silent = TableDelegate()
        titled.delegate = silent
        #expect(titled.sectionIndexTitles.first == "<Candide>")
    }

    @Test func sectionsAreNamedAfterTheirValues() throws {
        let (one, two) = (context.make("Author", ["name": "A"]), context.make("Author", ["name": "B"]))
        let books = try context.all("Book", by: "title")
        for (book, author) in zip(books, [one, two, one, two]) { book.setValue(author, forKey: "author") }
        let controller = controller(request("author.name", "title"), sections: "author.name")
        try controller.performFetch()
        // Objects without a name come first, in an unnamed section.
        #expect(controller.sections?.map(\.name) == ["", "A", "B"])
        #expect(controller.sections?[0].indexTitle == nil && controller.sectionIndexTitles == ["A", "B"])
        books[0].setValue(true, forKey: "isNew")
        books[1].setValue(false, forKey: "isNew")
        let flags = self.controller(request("isNew", "title"), sections: "isNew")
        try flags.performFetch()
        #expect(flags.sections?.map(\.name) == ["0", "1"])
    }

    /// Apple's error for objects of a section that are not contiguous (Documentation/Formats/RuntimeBehavior.md, 6).
    @Test func noncontiguousSectionsAreAnError() {
        _ = context.make("Book", ["title": "Ivanhoe", "pages": 500])
        let controller = controller(request("title"), sections: "pages")
        let error = #expect(throws: NSError.self) { try controller.performFetch() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
        let reason = error?.userInfo["reason"] as? String ?? ""
        #expect(reason.contains("index 4") && reason.contains("'500'"), "\(reason)")
        #expect(controller.fetchedObjects == nil)
    }

    @Test func limitAndOffsetApply() throws {
        let request = request("title")
        request.fetchOffset = 1
        request.fetchLimit = 2
        request.fetchBatchSize = 1
        let controller = controller(request)
        try controller.performFetch()
        #expect(titles(controller.fetchedObjects) == ["Dune", "Emma"])
        // The request is read at each fetch.
        request.fetchLimit = 3
        try controller.performFetch()
        #expect(titles(controller.fetchedObjects) == ["Dune", "Emma", "Exile"])
    }

    /// "The controller simply provides access to the data as it was when the fetch was executed", without a delegate.
    @Test func resultsFollowChangesWithoutADelegate() throws {
        let controller = controller(request("title"))
        try controller.performFetch()
        _ = context.make("Book", ["title": "Aeneid"])
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 5)
        try controller.performFetch()
        #expect(titles(controller.fetchedObjects)?.first == "Aeneid")
    }

    @Test func controllersAreReleased() throws {
        weak var gone: NSFetchedResultsController<NSManagedObject>?
        do {
            let controller = controller(request("title"))
            let delegate = TableDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            _ = context.make("Book")
            context.processPendingChanges()
            #expect(delegate.log.contains("will"))
            gone = controller
        }
        #expect(gone == nil)
        _ = context.make("Book")
        context.processPendingChanges()
    }

    @Test func controllersAreTyped() throws {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        let books: [Book]? = controller.fetchedObjects
        let book: Book = controller.object(at: [0, 0])
        #expect(books?.first === book && controller.indexPath(forObject: book) == [0, 0])
        let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        any.sortDescriptors = request.sortDescriptors
        let untyped = NSFetchedResultsController(
            fetchRequest: any, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try untyped.performFetch()
        #expect(untyped.fetchedObjects?.count == 5 && untyped.object(at: [0, 0]) as? Book === book)
        #expect(untyped.indexPath(forObject: book) == [0, 0])
    }

    @Test func invalidRequestsTrap() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            _ = NSFetchedResultsController(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"), managedObjectContext: context,
                sectionNameKeyPath: nil, cacheName: nil)
        }
        #expect(message(result).contains("requires a fetch request with sort descriptors"))
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            _ = context.make("Book")
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "shape", cacheName: nil)
            try controller.performFetch()
        }
        #expect(message(result).contains("NSUnknownKeyException") && message(result).contains("shape"))
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            _ = controller.object(at: IndexPath(row: 3, section: 0))
        }
        #expect(message(result).contains("no object at index 3 in section at index 0"))
    }

    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    // MARK: Fetching again

    /// A delegate that fetches again when the contents are about to change.
    private final class Refetching: NSObject, NSFetchedResultsControllerDelegate {
        var refetch: () -> Void = {}
        var changes = 0

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            refetch()
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            changes += 1
        }
    }

    @Test func delegatesMayFetchAgainBeforeAChange() throws {
        let controller = controller(request("title"))
        try controller.performFetch()
        let delegate = Refetching()
        controller.delegate = delegate
        for pattern in ["Dune", "U*"] {
            delegate.refetch = {
                controller.fetchRequest.predicate = NSPredicate(format: "title LIKE %@", pattern)
                try? controller.performFetch()
            }
            let first = try #require(controller.fetchedObjects?.first)
            first.setValue("\(first.value(forKey: "title") ?? "")", forKey: "title")
            context.delete(first)
            context.processPendingChanges()
            #expect(titles(controller.fetchedObjects) == [pattern == "Dune" ? "Dune" : "Ulysses"])
            #expect(delegate.changes == 0)
            context.rollback()
            delegate.refetch = {}
            try controller.performFetch()
            delegate.changes = 0
        }
    }

    /// The request of a fetch that failed does not apply.
    @Test func aFailedFetchLeavesTheControllerAsItWas() throws {
        _ = context.make("Book", ["title": "Zadig", "pages": 100])
        let controller = controller(request("pages", "title"), sections: "pages")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["100", "300", "500", "700"])
        // The objects of the section “100” are the first and the last.
        controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(throws: (any Error).self) { try controller.performFetch() }
        let delegate = TableDelegate()
        controller.delegate = delegate
        _ = context.make("Book", ["title": "Babouc", "pages": 50])
        context.processPendingChanges()
        #expect(controller.sections?.map(\.name) == ["50", "100", "300", "500", "700"])
    }
}

/// Index paths for tables, which UIKit and AppKit add to Foundation's.
@Suite struct IndexPathTests {
    @Test func indexPathsHaveSectionsAndRows() {
        var path = IndexPath(row: 3, section: 2)
        #expect(path == IndexPath(item: 3, section: 2) && path == [2, 3])
        #expect(path.section == 2 && path.row == 3 && path.item == 3)
        path.section = 5
        path.item = 7
        #expect(path == [5, 7])
        path.row = 1
        #expect(path.item == 1)
    }
}
