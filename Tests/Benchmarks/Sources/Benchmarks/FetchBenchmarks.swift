import CoreData
import Foundation

/// Fetches from an in-memory store, against the same queries of an array of plain Swift objects.
enum FetchBenchmarks {
    private final class PlainBook {
        let isNew: Bool
        let pages: Int64
        let price: Double
        let title: String?

        init(_ number: Int) {
            isNew = number % 2 == 0
            pages = Self.pages(number)
            price = Self.price(number)
            title = Self.title(number)
        }

        /// Unsorted values, many of them equal.
        static func pages(_ number: Int) -> Int64 { Int64(number * 7919 % 1000) }
        static func price(_ number: Int) -> Double { Double(number * 104_729 % 10_007) / 100 }
        static func title(_ number: Int) -> String { "Title \(number * 15_485_863 % 1_000_003)" }
    }

    private static let count = Amount.rows(100_000)

    static func all(_ stack: BenchStack, rounds: Int) -> [Benchmark] {
        let plain = (0..<count).map { PlainBook($0) }
        var store: NSManagedObjectContext?
        /// Returns a context with all books registered and retained, or a new one with none.
        func context(isNew: Bool) throws -> NSManagedObjectContext {
            let full = try store ?? filled(stack)
            store = full
            guard isNew else { return full }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = full.persistentStoreCoordinator
            return context
        }
        func fetch(
            _ format: String?, _ keys: [String] = [], isNew: Bool = false
        ) -> () throws -> Double {
            {
                let context = try context(isNew: isNew)
                return try ObjectBenchmarks.seconds {
                    let request = NSFetchRequest<Book>(entityName: "Book")
                    request.predicate = format.map { NSPredicate(format: $0) }
                    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
                    ObjectBenchmarks.blackHole(try context.fetch(request).count)
                }
            }
        }
        func ask(_ body: @escaping ([PlainBook]) -> Int) -> () throws -> Double {
            { try ObjectBenchmarks.seconds { ObjectBenchmarks.blackHole(body(plain)) } }
        }
        let size = "\(count) objects"
        let filterAndSort = ask { books in
            books.filter { $0.pages > 500 }.sorted {
                $0.pages != $1.pages ? $0.pages < $1.pages : ($0.title ?? "") < ($1.title ?? "")
            }.count
        }
        return [
            Benchmark(
                name: "fetch/predicate-two-sorts", size: size, rounds: rounds,
                ours: fetch("pages > 500", ["pages", "title"]), reference: filterAndSort,
                referenceName: "filter and sorted of an array"),
            Benchmark(
                name: "fetch/predicate-two-sorts-new", size: "\(size), none known to the context", rounds: rounds,
                ours: fetch("pages > 500", ["pages", "title"], isNew: true), reference: filterAndSort,
                referenceName: "filter and sorted of an array"),
            Benchmark(
                name: "fetch/sort-by-text", size: size, rounds: rounds,
                ours: fetch(nil, ["title"]),
                reference: ask { $0.sorted { ($0.title ?? "") < ($1.title ?? "") }.count },
                referenceName: "sorted of an array"),
            Benchmark(
                name: "fetch/few-of-many", size: size, rounds: rounds,
                ours: fetch("pages > 990"), reference: ask { $0.filter { $0.pages > 990 }.count },
                referenceName: "filter of an array"),
            Benchmark(
                name: "fetch/half-of-many", size: size, rounds: rounds,
                ours: fetch("pages > 500"), reference: ask { $0.filter { $0.pages > 500 }.count },
                referenceName: "filter of an array"),
            Benchmark(
                name: "fetch/compound", size: size, rounds: rounds,
                ours: fetch("pages > 100 AND price < 30.5 AND title BEGINSWITH 'Title 9'"),
                reference: ask { books in
                    books.filter { $0.pages > 100 && $0.price < 30.5 && $0.title?.hasPrefix("Title 9") == true }.count
                }, referenceName: "filter of an array"),
            Benchmark(
                name: "fetch/count", size: size, rounds: rounds,
                ours: {
                    let context = try context(isNew: false)
                    return try ObjectBenchmarks.seconds {
                        let request = NSFetchRequest<Book>(entityName: "Book")
                        request.predicate = NSPredicate(format: "pages > 500")
                        ObjectBenchmarks.blackHole(try context.count(for: request))
                    }
                }, reference: ask { $0.count { $0.pages > 500 } }, referenceName: "count of an array"),
            Benchmark(
                name: "predicate/parse", size: "1000 formats", rounds: rounds, ours: parse,
                reference: parseJSON, referenceName: "JSONSerialization of as many bytes"),
        ]
    }

    private static func filled(_ stack: BenchStack) throws -> NSManagedObjectContext {
        let context = try stack.newContext()
        context.retainsRegisteredObjects = true
        for number in 0..<count {
            let book = Book(context: context)
            book.isNew = number % 2 == 0
            book.pages = PlainBook.pages(number)
            book.price = PlainBook.price(number)
            book.title = PlainBook.title(number)
        }
        try context.save()
        // Retain them from now on.
        kept = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
        return context
    }

    private static nonisolated(unsafe) var kept: [Book] = []

    private static let format =
        "title CONTAINS[cd] 'emma' AND (pages BETWEEN {100, 300} OR author.name == 'Austen') AND NOT isNew == YES"

    private static func parse() throws -> Double {
        try ObjectBenchmarks.seconds {
            for _ in 0..<1000 { ObjectBenchmarks.blackHole(NSPredicate(format: format).hash == 1) }
        }
    }

    private static func parseJSON() throws -> Double {
        let text =
            #"{"title":["CONTAINS","cd","emma"],"or":[{"pages":["BETWEEN",100,300]},{"author.name":"Austen"}],"not":0}"#
        let data = Data(text.utf8)
        return try ObjectBenchmarks.seconds {
            for _ in 0..<1000 {
                ObjectBenchmarks.blackHole(try JSONSerialization.jsonObject(with: data) is [String: Any])
            }
        }
    }
}
