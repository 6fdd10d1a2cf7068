import CoreData
import Foundation

/// An in-memory stack with the model of `Generated/Bench.xcdatamodeld`.
final class BenchStack {
    private let workspace: Workspace
    private var model: NSManagedObjectModel?
    private var context: NSManagedObjectContext?
    private var kept: [Book] = []

    init(_ workspace: Workspace) {
        self.workspace = workspace
    }

    private func loadedModel() throws -> NSManagedObjectModel {
        if let model { return model }
        let model = try BenchModel.load(workspace)
        self.model = model
        return model
    }

    func newContext() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try loadedModel())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Returns saved books.
    func books() throws -> [Book] {
        if !kept.isEmpty { return kept }
        let context = try newContext()
        kept = (0..<ObjectBenchmarks.count).map { number in
            let book = Book(context: context)
            book.title = "Title \(number)"
            book.pages = Int64(number)
            return book
        }
        try context.save()
        self.context = context
        return kept
    }

    /// Returns the time to insert, relate and save objects.
    func build(_ count: Int) throws -> Double {
        let context = try newContext()
        return try ObjectBenchmarks.seconds { _ = try fill(context, count) }
    }

    /// Returns the memory of a saved object with its row in the store, in bytes.
    func memory(_ count: Int) throws -> Double {
        let context = try newContext()
        let before = ObjectBenchmarks.residentBytes
        let objects = try fill(context, count)
        let bytes = (ObjectBenchmarks.residentBytes - before) / Double(count)
        ObjectBenchmarks.blackHole(objects.count)
        return bytes
    }

    /// Inserts, relates and saves objects.
    private func fill(_ context: NSManagedObjectContext, _ count: Int) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(count)
        var author: Author?
        for number in 0..<count {
            if number % 100 == 0 {
                let made = Author(context: context)
                made.name = "Author \(number)"
                author = made
                objects.append(made)
                continue
            }
            let book = Book(context: context)
            book.title = "Title \(number)"
            book.pages = Int64(number)
            book.author = author
            objects.append(book)
        }
        try context.save()
        return objects
    }

    /// Returns the time to change and save objects that were saved before.
    func saveChanges(_ count: Int) throws -> Double {
        let context = try newContext()
        let books = (0..<count).map { _ in Book(context: context) }
        try context.save()
        return try ObjectBenchmarks.seconds {
            for book in books { book.pages += 1 }
            try context.save()
        }
    }
}
