import CoreData
import Foundation

/// Objects in memory, in this process, against plain Swift classes.
enum ObjectBenchmarks {
    /// The reference class.
    private final class PlainBook {
        var isNew = true
        var pages: Int64 = 0
        var price = 0.0
        var published: Date?
        var title: String?
        unowned(unsafe) var author: PlainAuthor?
    }

    private final class PlainAuthor {
        var name: String?
        var books: [PlainBook] = []
    }

    /// The number of objects in a loop; they stay in the processor's caches, like those shown on a screen.
    static let count = 1000
    static let passes = Amount.isQuick ? 2 : 200

    static func all(_ stack: BenchStack, rounds: Int) -> [Benchmark] {
        let size = "\(count) objects, \(passes) times"
        func ours(_ body: @escaping ([Book]) -> Void) -> () throws -> Double {
            { try seconds { [books = try stack.books()] in body(books) } }
        }
        func plain(_ body: @escaping ([PlainBook]) -> Void) -> () throws -> Double {
            { [books = plainBooks()] in try seconds { body(books) } }
        }
        let readNumber = ours { books in
            var sum: Int64 = 0
            for _ in 0..<passes { for book in books { sum &+= book.pages } }
            blackHole(sum)
        }
        let readText = ours { books in
            var sum = 0
            for _ in 0..<passes { for book in books { sum &+= book.title?.utf8.count ?? 0 } }
            blackHole(sum)
        }
        let plainTexts = plain { books in
            var sum = 0
            for _ in 0..<passes { for book in books { sum &+= book.title?.utf8.count ?? 0 } }
            blackHole(sum)
        }
        return [
            Benchmark(
                name: "object/read-number", size: size, rounds: rounds, ours: readNumber,
                reference: plain { books in
                    var sum: Int64 = 0
                    for _ in 0..<passes { for book in books { sum &+= book.pages } }
                    blackHole(sum)
                }, referenceName: "a stored property"),
            Benchmark(
                name: "object/read-text", size: size, rounds: rounds, ours: readText,
                reference: plainTexts, referenceName: "a stored property"),
            Benchmark(
                name: "object/write-number", size: size, rounds: rounds,
                ours: ours { books in
                    for pass in 0..<passes { for book in books { book.pages = Int64(pass) } }
                },
                reference: plain { books in
                    for pass in 0..<passes { for book in books { book.pages = Int64(pass) } }
                }, referenceName: "a stored property"),
            Benchmark(
                name: "object/write-text", size: size, rounds: rounds,
                ours: ours { books in
                    for pass in 0..<passes { for book in books { book.title = pass % 2 == 0 ? "even" : "odd" } }
                },
                reference: plain { books in
                    for pass in 0..<passes { for book in books { book.title = pass % 2 == 0 ? "even" : "odd" } }
                }, referenceName: "a stored property"),
            Benchmark(
                name: "object/number-by-key", size: size, rounds: rounds, ours: readNumber,
                reference: ours { books in
                    var sum: Int64 = 0
                    for _ in 0..<passes { for book in books { sum &+= book.value(forKey: "pages") as? Int64 ?? 0 } }
                    blackHole(sum)
                }, referenceName: "value(forKey:)"),
            Benchmark(
                name: "object/text-by-key", size: size, rounds: rounds, ours: readText,
                reference: ours { books in
                    var sum = 0
                    for _ in 0..<passes {
                        for book in books { sum &+= (book.value(forKey: "title") as? String)?.utf8.count ?? 0 }
                    }
                    blackHole(sum)
                }, referenceName: "value(forKey:)"),
            Benchmark(
                name: "graph/insert-relate-save", size: "100000 objects", rounds: max(3, rounds / 6),
                ours: { try stack.build(Amount.rows(100_000)) }, reference: { try buildPlain(Amount.rows(100_000)) },
                referenceName: "plain Swift classes"),
            Benchmark(
                name: "graph/growth", size: "200000 objects against 100000", rounds: max(3, rounds / 6),
                ours: { try stack.build(Amount.rows(200_000)) }, reference: { try stack.build(Amount.rows(100_000)) },
                referenceName: "the runtime, half the objects"),
            Benchmark(
                name: "graph/save-changes", size: "one change of each of 50000", rounds: max(3, rounds / 6),
                ours: { try stack.saveChanges(Amount.rows(50_000)) },
                reference: { try stack.saveChanges(Amount.rows(25_000)) },
                referenceName: "the runtime, half the objects"),
            Benchmark(
                name: "graph/memory", size: "one of 100000 saved objects", rounds: 1,
                ours: { try memory("ours") }, reference: { try memory("plain") },
                referenceName: "plain Swift classes", unit: .bytes),
        ]
            + ObjectFloorBenchmarks.all(
                rounds: rounds, plainTexts: plainTexts, plainGraph: { try buildPlain(Amount.rows(100_000)) })
    }

    /// The resident memory of this process, in bytes.
    static var residentBytes: Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Measures memory in a separate process that has not used any before: `ours`, `floor` or `plain`.
    static func printMemory(_ side: String, _ workspace: Workspace) throws {
        let bytes =
            switch side {
            case "ours": try BenchStack(workspace).memory(Amount.rows(100_000))
            case "floor": ObjectFloorBenchmarks.memoryOfObject(Amount.rows(100_000))
            default: plainMemory(Amount.rows(100_000))
            }
        print(bytes)
    }

    static func memory(_ side: String) throws -> Double {
        let text = try Subprocess.output(
            [CommandLine.arguments[0]] + (Amount.isQuick ? ["--quick"] : []) + ["--memory", side])
        guard let bytes = Double(text) else { throw CommandFailure(description: "--memory \(side) printed \(text)") }
        return bytes
    }

    private static func plainMemory(_ count: Int) -> Double {
        let before = residentBytes
        let graph = makePlain(count)
        let bytes = (residentBytes - before) / Double(count)
        blackHole(graph.authors.count + graph.books.count)
        return bytes
    }

    private static func plainBooks() -> [PlainBook] {
        (0..<count).map { number in
            let book = PlainBook()
            book.title = "Title \(number)"
            book.pages = Int64(number)
            return book
        }
    }

    private static func buildPlain(_ count: Int) throws -> Double {
        try seconds {
            let graph = makePlain(count)
            blackHole(graph.authors.count + graph.books.count)
        }
    }

    private static func makePlain(_ count: Int) -> (authors: [PlainAuthor], books: [PlainBook]) {
        var authors: [PlainAuthor] = []
        var books: [PlainBook] = []
        for number in 0..<count {
            if number % 100 == 0 {
                let author = PlainAuthor()
                author.name = "Author \(number)"
                authors.append(author)
                continue
            }
            let book = PlainBook()
            book.title = "Title \(number)"
            book.pages = Int64(number)
            if let author = authors.last {
                book.author = author
                author.books.append(book)
            }
            books.append(book)
        }
        return (authors, books)
    }

    /// Keeps the compiler from removing unused results.
    @inline(never)
    static func blackHole<Value>(_ value: Value) {
        withUnsafePointer(to: value) { pointer in
            if UInt(bitPattern: pointer) == 1 { print(pointer.pointee) }
        }
    }

    /// Returns the duration of a function in seconds: elapsed time, or CPU time with `--cpu`.
    static func seconds(_ body: () throws -> Void) throws -> Double {
        Timing.profile(true)
        defer { Timing.profile(false) }
        let start = Timing.now
        try body()
        return Timing.now - start
    }
}
