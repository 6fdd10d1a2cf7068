import CoreData
import Foundation
import GRDB

/// The store against GRDB's Codable records, which is what Swift programs without Core Data use.
///
/// GRDB has a file of its own, with the same columns, the same index, the same log and the same waiting for the disk as a store.
enum GRDBBenchmarks {
    static func all(_ stack: StoreStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        let count = 100_000
        let records = RecordFiles(stack)
        return [
            Benchmark(
                name: "store/grdb-insert-save", size: "\(count) objects, 6 attributes and a to-one", rounds: few,
                ours: { try stack.insert(count) }, reference: { try records.insert(count) },
                referenceName: "GRDB, Codable records"),
            Benchmark(
                name: "store/grdb-fetch-read", size: "\(count) objects, 3 attributes read", rounds: few,
                ours: { try stack.fetchAll(count) }, reference: { try records.fetchAll(count) },
                referenceName: "GRDB, Codable records"),
        ]
    }
}

/// A book as a record.
private struct BookRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "book"

    var id: Int64?
    var isNew: Bool
    var pages: Int64
    var price: Double
    var published: Date?
    var isbn: String?
    var title: String?
    var authorID: Int64?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    // Dates are numbers, as in a store: texts, which they are unless one says so, have to be written and parsed.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
}

/// An author as a record.
private struct AuthorRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "author"

    var id: Int64?
    var name: String?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Files with books as GRDB keeps them.
private final class RecordFiles {
    private let stack: StoreStack
    private var filled: [Int: URL] = [:]

    init(_ stack: StoreStack) {
        self.stack = stack
    }

    private func open(_ url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        // With it comes `synchronous = NORMAL`.
        configuration.journalMode = .wal
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }

    /// A new file with authors.
    private func make(_ url: URL, authors: Int) throws -> (queue: DatabaseQueue, authors: [AuthorRecord]) {
        let queue = try open(url)
        let made = try queue.write { database in
            try database.create(table: "author") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text)
            }
            try database.create(table: "book") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("isNew", .boolean)
                table.column("pages", .integer)
                table.column("price", .double)
                table.column("published", .double)
                table.column("isbn", .text)
                table.column("title", .text)
                table.column("authorID", .integer).indexed()
            }
            return try (0..<authors).map { number in
                var author = AuthorRecord(name: "Author \(number)")
                try author.insert(database)
                return author
            }
        }
        return (queue, made)
    }

    private func insert(_ count: Int, _ authors: [AuthorRecord], _ queue: DatabaseQueue) throws {
        try queue.write { database in
            for number in 0..<count {
                var book = BookRecord(
                    isNew: number & 1 == 1, pages: Int64(number), price: Double(number) * 0.5,
                    published: Date(timeIntervalSinceReferenceDate: Double(number)), isbn: "978-\(number)",
                    title: "The title of book \(number)", authorID: authors[number / 100].id)
                try book.insert(database)
            }
        }
    }

    /// The time to make records and insert them in one transaction.
    func insert(_ count: Int) throws -> Double {
        let url = stack.newURL()
        defer { stack.remove(url) }
        let (queue, authors) = try make(url, authors: max(count / 100, 1))
        let seconds = try ObjectBenchmarks.seconds { try insert(count, authors, queue) }
        try queue.close()
        return seconds
    }

    /// The time to fetch all records and read three properties.
    func fetchAll(_ count: Int) throws -> Double {
        let queue = try open(filledURL(count))
        let seconds = try ObjectBenchmarks.seconds {
            var sum = 0.0
            for book in try queue.read({ try BookRecord.fetchAll($0) }) {
                sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
        try queue.close()
        return seconds
    }

    /// A file with so many books, made once.
    private func filledURL(_ count: Int) throws -> URL {
        if let url = filled[count] { return url }
        let url = stack.newURL()
        let (queue, authors) = try make(url, authors: max(count / 100, 1))
        try insert(count, authors, queue)
        try queue.close()
        filled[count] = url
        return url
    }
}
