import CMemory
import CoreData
import Foundation

/// The memory needed to process all rows of a store, 500 at a time: a million rows against 100,000.
///
/// Each case runs in a separate process, without memory that other cases have left. On Linux, a fetch returns an array
/// that has all of its objects from the beginning: with a batch size, the faults and their values are measured
/// separately.
enum StoreMemoryBenchmarks {
    private static let batch = 500

    /// The measured quantities.
    private enum Case: String, CaseIterable {
        /// The array of faults returned by a fetch with a batch size.
        case faults
        /// The memory added when all values are read and nothing is released.
        case values
        /// The peak memory added when all values are read and objects are turned into faults again, 500 at a time.
        case refreshed
        /// The peak memory when objects are fetched and released, 500 at a time.
        case chunks
        /// The peak memory when objects are enumerated, 500 at a time.
        case enumerated

        /// Whether the result is per row.
        var isPerRow: Bool { self == .faults || self == .values }

        /// Returns a description of the operation.
        func size(_ count: Int) -> String {
            switch self {
            case .faults: "one of \(count) objects fetched with a batch size of \(batch), no value read"
            case .values: "one of these objects, its batch read: what that adds"
            case .refreshed: "\(count) such objects read and refreshed by \(batch): what that adds at most"
            case .chunks: "\(count) objects fetched by \(batch) and let go: all at most"
            case .enumerated: "\(count) objects enumerated by \(batch): all at most"
            }
        }
    }

    static func all(_ stack: StoreStack) -> [Benchmark] {
        let (many, few) = (Amount.rows(1_000_000), Amount.rows(100_000))
        return Case.allCases.map { what in
            Benchmark(
                name: "store/memory-\(what.rawValue)", size: what.size(many), rounds: 1,
                ours: { try memory(what, many, stack) }, reference: { try memory(what, few, stack) },
                referenceName: "of \(few)", unit: what.isPerRow ? .bytes : .megabytes)
        }
    }

    private static func memory(_ what: Case, _ count: Int, _ stack: StoreStack) throws -> Double {
        let text = try Subprocess.output(
            [
                CommandLine.arguments[0], "--store-memory", what.rawValue, "\(count)", stack.modelURL().path,
                stack.filledURL(count).path,
            ])
        guard let bytes = Double(text) else { throw CommandFailure(description: "--store-memory printed \(text)") }
        return bytes
    }

    // MARK: The process that is measured

    /// Measures a case in this process: `Benchmarks --store-memory CASE COUNT MODEL STORE`.
    static func printMemory(_ arguments: [String]) throws {
        guard arguments.count == 4, let what = Case(rawValue: arguments[0]), let count = Int(arguments[1]),
            let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: arguments[2]))
        else { throw CommandFailure(description: "usage: Benchmarks --store-memory CASE COUNT MODEL STORE") }
        let context = try StoreStack.context(URL(fileURLWithPath: arguments[3]), model)
        let bytes = try context.performAndWait { try measure(what, count, context) }
        print(what.isPerRow ? bytes / Double(count) : bytes)
    }

    private static func measure(_ what: Case, _ count: Int, _ context: NSManagedObjectContext) throws -> Double {
        // Exclude the fixed memory of SQLite and the runtime, which does not depend on rows.
        _ = try context.fetch(request(limit: 1)).map(\.pages)
        context.reset()
        var before = settledBytes()
        if what == .chunks { return try chunks(count, context) - before }
        if what == .enumerated { return try enumerated(count, context) - before }
        let books = try context.fetch(request(limit: 0))
        guard books.count == count else { throw CommandFailure(description: "\(books.count) books") }
        if what == .faults { return keep(books) { settledBytes() - before } }
        before = settledBytes()
        var (most, sum) = (before, 0.0)
        for start in stride(from: 0, to: count, by: batch) {
            let some = books[start..<min(start + batch, count)]
            sum += read(some)
            most = max(most, ObjectBenchmarks.residentBytes)
            if what == .refreshed { for book in some { context.refresh(book, mergeChanges: false) } }
        }
        guard sum > 0 else { throw CommandFailure(description: "nothing was read") }
        return keep(books) { most - before }
    }

    /// Processes the books of five authors at a time, and returns the peak memory.
    private static func chunks(_ count: Int, _ context: NSManagedObjectContext) throws -> Double {
        let owners = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        owners.resultType = .managedObjectIDResultType
        let ids = try context.fetch(owners)
        var (most, sum, seen) = (0.0, 0.0, 0)
        for start in stride(from: 0, to: ids.count, by: batch / 100) {
            let request = request(limit: 0)
            let some = Array(ids[start..<min(start + batch / 100, ids.count)])
            request.predicate = NSPredicate(format: "author IN %@", argumentArray: [some])
            let books = try context.fetch(request)
            sum += read(books[...])
            seen += books.count
            most = max(most, ObjectBenchmarks.residentBytes)
        }
        guard sum > 0, seen == count else { throw CommandFailure(description: "\(seen) books were read") }
        return most
    }

    /// Processes the books with `enumerate`, and returns the peak memory.
    private static func enumerated(_ count: Int, _ context: NSManagedObjectContext) throws -> Double {
        var (most, sum, seen) = (0.0, 0.0, 0)
        try context.enumerate(request(limit: 0)) { book in
            sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
            seen += 1
            if seen % batch == 0 { most = max(most, ObjectBenchmarks.residentBytes) }
        }
        guard sum > 0, seen == count else { throw CommandFailure(description: "\(seen) books were read") }
        return most
    }

    private static func request(limit: Int) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchBatchSize = batch
        request.fetchLimit = limit
        return request
    }

    /// Reads the same values as `store/fetch-read`.
    private static func read(_ books: ArraySlice<Book>) -> Double {
        books.reduce(0) { $0 + Double($1.pages) + $1.price + Double($1.title?.utf8.count ?? 0) }
    }

    /// Returns the memory of this process after freed memory is returned to the system.
    private static func settledBytes() -> Double {
        release_freed_memory()
        return ObjectBenchmarks.residentBytes
    }

    /// Runs a block while retaining objects.
    private static func keep<Result>(_ books: [Book], _ body: () -> Result) -> Result {
        withExtendedLifetime(books, body)
    }
}
