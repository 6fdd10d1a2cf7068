import Foundation

/// The least work that objects with unsaved and saved values can do for the cases of `ObjectBenchmarks`: values by
/// slot, an ID, a row that the store shares with the object, and sets for notifications.
enum ObjectFloorBenchmarks {
    /// A value of any type.
    private enum Value {
        case null
        case integer(Int64)
        case double(Double)
        case string(String)
        case object(Book)
        case id(ID)
    }

    /// An ID.
    private final class ID: NSObject {
        let key: Int64

        init(_ key: Int64) { self.key = key }

        override var hash: Int { Int(truncatingIfNeeded: key) }

        override func isEqual(_ object: Any?) -> Bool { (object as? ID)?.key == key }
    }

    /// The values of a row, contiguous in memory.
    private final class Row: ManagedBuffer<Int, Value> {
        deinit {
            _ = withUnsafeMutablePointers { count, values in values.deinitialize(count: count.pointee) }
        }
    }

    /// An object with its own values.
    private class Book: NSObject {
        static let slotCount = 7
        static let title = 5
        static let pages = 2
        static let author = 0

        final let fingerprint: UInt64
        final let values: UnsafeMutablePointer<Value>
        final var members: [Book] = []
        final var id: ID?
        final var row: Row?

        init(_ fingerprint: UInt64) {
            self.fingerprint = fingerprint
            values = .allocate(capacity: Self.slotCount)
            values.initialize(repeating: .null, count: Self.slotCount)
        }

        deinit {
            values.deinitialize(count: Self.slotCount)
            values.deallocate()
        }

        /// Reads a value like generated code.
        @inline(__always)
        final func text(_ slot: Int, _ known: UInt64) -> String? {
            guard fingerprint == known else { return nil }
            if case .string(let value) = values[slot] { return value }
            return nil
        }
    }

    static func all(rounds: Int, plainTexts: @escaping () throws -> Double, plainGraph: @escaping () throws -> Double)
        -> [Benchmark]
    {
        let few = max(3, rounds / 6)
        return [
            Benchmark(
                name: "floor/read-text", size: "1000 objects with values by slot, 200 times", rounds: rounds,
                ours: readTexts, reference: plainTexts, referenceName: "a stored property"),
            Benchmark(
                name: "floor/insert-relate-save", size: "100000 objects with values by slot, rows, IDs and sets",
                rounds: few, ours: { try build(Amount.rows(100_000)) }, reference: plainGraph,
                referenceName: "plain Swift classes"),
            Benchmark(
                name: "floor/memory", size: "one of 100000 such objects", rounds: 1, ours: { try memory("floor") },
                reference: { try memory("plain") }, referenceName: "plain Swift classes", unit: .bytes),
        ]
    }

    private static func memory(_ side: String) throws -> Double { try ObjectBenchmarks.memory(side) }

    private static func readTexts() throws -> Double {
        let books = (0..<ObjectBenchmarks.count).map { number in
            let book = Book(1)
            book.values[Book.title] = .string("Title \(number)")
            return book
        }
        return try ObjectBenchmarks.seconds {
            var sum = 0
            for _ in 0..<ObjectBenchmarks.passes {
                for book in books { sum &+= book.text(Book.title, 1)?.utf8.count ?? 0 }
            }
            ObjectBenchmarks.blackHole(sum)
        }
    }

    /// The owner of the objects and their rows.
    private struct Graph {
        var objects: [Book] = []
        var rows: [Int64: Row] = [:]

        /// Breaks the reference cycles.
        func release() { for object in objects { object.members = [] } }
    }

    private static func build(_ count: Int) throws -> Double {
        var graph = Graph()
        defer { graph.release() }
        return try ObjectBenchmarks.seconds { graph = makeGraph(count) }
    }

    /// Returns the memory of an object with its row, in bytes.
    static func memoryOfObject(_ count: Int) -> Double {
        let before = ObjectBenchmarks.residentBytes
        let graph = makeGraph(count)
        defer { graph.release() }
        return (ObjectBenchmarks.residentBytes - before) / Double(count)
    }

    /// Creates objects, relates them, and does the work of a save.
    private static func makeGraph(_ count: Int) -> Graph {
        var graph = Graph()
        graph.objects.reserveCapacity(count)
        var author: Book?
        for number in 0..<count {
            let book = Book(1)
            graph.objects.append(book)
            if number % 100 == 0 {
                author = book
                continue
            }
            book.values[Book.title] = .string("Title \(number)")
            book.values[Book.pages] = .integer(Int64(number))
            guard let author else { continue }
            book.values[Book.author] = .object(author)
            author.members.append(book)
        }
        let changed = Set(graph.objects)
        for (number, book) in graph.objects.enumerated() { book.id = ID(Int64(number + 1)) }
        for book in graph.objects {
            let row = row(of: book)
            book.row = row
            if let id = book.id { graph.rows[id.key] = row }
        }
        let ids = Set(graph.objects.compactMap(\.id))
        ObjectBenchmarks.blackHole(changed.count + ids.count)
        return graph
    }

    private static func row(of book: Book) -> Row {
        let row = unsafeDowncast(Row.create(minimumCapacity: Book.slotCount) { _ in Book.slotCount }, to: Row.self)
        row.withUnsafeMutablePointerToElements { values in
            for slot in 0..<Book.slotCount {
                if case .object(let other) = book.values[slot] {
                    (values + slot).initialize(to: other.id.map { .id($0) } ?? .null)
                } else {
                    (values + slot).initialize(to: book.values[slot])
                }
            }
        }
        return row
    }
}
