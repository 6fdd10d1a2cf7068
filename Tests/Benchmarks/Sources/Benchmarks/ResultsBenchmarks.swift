import CoreData
import Foundation

/// Fetched results controllers with many objects, in this process.
enum ResultsBenchmarks {
    private static let count = Amount.rows(100_000)

    static func all(_ bench: BenchStack, rounds: Int) -> [Benchmark] {
        let stack = Stack(bench)
        let size = "one change among \(count) objects"
        return [
            Benchmark(
                name: "results/move", size: size, rounds: rounds,
                ours: { try stack.controller().move() }, reference: { try stack.controller().fetch() },
                referenceName: "performFetch"),
            Benchmark(
                name: "results/update", size: size, rounds: rounds,
                ours: { try stack.controller().update() }, reference: { try stack.controller().fetch() },
                referenceName: "performFetch"),
            Benchmark(
                name: "results/insert-delete", size: size, rounds: rounds,
                ours: { try stack.controller().insertAndDelete() }, reference: { try stack.controller().fetch() },
                referenceName: "performFetch"),
            Benchmark(
                name: "results/sections", size: size + " in 1000 sections", rounds: rounds,
                ours: { try stack.controller(sections: "pages").move() },
                reference: { try stack.controller(sections: "pages").fetch() }, referenceName: "performFetch"),
            Benchmark(
                name: "results/difference", size: size, rounds: rounds,
                ours: { try stack.controller(Differences()).move() },
                reference: { try stack.controller(Differences()).fetch() }, referenceName: "performFetch"),
        ]
    }

    /// Receives differences, like a diffable data source.
    private final class Differences: NSObject, NSFetchedResultsControllerDelegate {
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {}
    }

    /// Receives changes, like a table view.
    private final class Changes: NSObject, NSFetchedResultsControllerDelegate {
        var count = 0
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) { count += 1 }
    }

    /// A controller that has fetched, and its context.
    private final class Followed {
        private let controller: NSFetchedResultsController<Book>
        private let delegate: any NSFetchedResultsControllerDelegate
        private let books: [Book]
        private var turn = 0

        init(
            _ context: NSManagedObjectContext, _ sections: String?, _ delegate: any NSFetchedResultsControllerDelegate
        ) throws {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "price >= 0")
            request.sortDescriptors = [
                NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: true),
            ]
            controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
            self.delegate = delegate
            controller.delegate = delegate
            try controller.performFetch()
            books = controller.fetchedObjects ?? []
        }

        func fetch() throws -> Double { try ObjectBenchmarks.seconds { try controller.performFetch() } }

        private func change(_ body: (Book) -> Void) throws -> Double {
            turn += 1
            let book = books[turn * 7919 % books.count]
            return try ObjectBenchmarks.seconds {
                body(book)
                controller.managedObjectContext.processPendingChanges()
            }
        }

        func move() throws -> Double { try change { $0.pages = Int64(turn * 31 % 1000) } }

        func update() throws -> Double { try change { $0.isNew.toggle() } }

        func insertAndDelete() throws -> Double {
            let context = controller.managedObjectContext
            let book = Book(context: context)
            let inserted = try change { _ in
                book.title = "new"
                book.pages = 500
            }
            let deleted = try change { _ in context.delete(book) }
            return inserted + deleted
        }
    }

    /// An in-memory store with books, and a controller of each kind.
    private final class Stack {
        private let bench: BenchStack
        private var coordinator: NSPersistentStoreCoordinator?
        private var controllers: [String: Followed] = [:]

        init(_ bench: BenchStack) {
            self.bench = bench
        }

        func controller(
            sections: String? = nil, _ delegate: any NSFetchedResultsControllerDelegate = Changes()
        ) throws -> Followed {
            let key = "\(sections ?? "") \(type(of: delegate))"
            if let known = controllers[key] { return known }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = try filled()
            let controller = try Followed(context, sections, delegate)
            controllers[key] = controller
            return controller
        }

        private func filled() throws -> NSPersistentStoreCoordinator {
            if let coordinator { return coordinator }
            let context = try bench.newContext()
            for number in 0..<ResultsBenchmarks.count {
                let book = Book(context: context)
                book.title = "Title \(number * 7919 % ResultsBenchmarks.count)"
                book.pages = Int64(number * 104_729 % 1000)
                book.price = 1
            }
            try context.save()
            guard let coordinator = context.persistentStoreCoordinator else {
                throw CommandFailure(description: "the context has no coordinator")
            }
            self.coordinator = coordinator
            return coordinator
        }
    }
}
