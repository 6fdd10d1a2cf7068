import CoreData
import Foundation
import GRDB

/// The store against GRDB's records, which are what Swift programs without Core Data use: Codable ones, and
/// hand-written ones with explicit columns.
///
/// GRDB uses a separate file, with the same columns, index, journal mode and synchronization as a store.
enum GRDBBenchmarks {
    static func all(_ stack: StoreStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        let count = Amount.rows(100_000)
        let records = RecordFiles(stack)
        return [
            Benchmark(
                name: "store/grdb-insert-save", size: "\(count) objects, 6 attributes and a to-one", rounds: few,
                ours: { try stack.insert(count) }, reference: { try records.insert(count, BookRecord.self) },
                referenceName: "GRDB, Codable records"),
            Benchmark(
                name: "store/grdb-columns-insert-save", size: "\(count) objects, 6 attributes and a to-one",
                rounds: few,
                ours: { try stack.insert(count) }, reference: { try records.insert(count, ColumnRecord.self) },
                referenceName: "GRDB, hand-written records"),
            Benchmark(
                name: "store/grdb-fetch-read", size: "\(count) objects, 3 attributes read", rounds: few,
                ours: { try stack.fetchAll(count) }, reference: { try records.fetchAll(count, BookRecord.self) },
                referenceName: "GRDB, Codable records"),
            Benchmark(
                name: "store/grdb-columns-fetch-read", size: "\(count) objects, 3 attributes read", rounds: few,
                ours: { try stack.fetchAll(count) }, reference: { try records.fetchAll(count, ColumnRecord.self) },
                referenceName: "GRDB, hand-written records"),
        ]
    }
}

/// The common properties of book records.
private protocol BookValues: FetchableRecord, MutablePersistableRecord {
    var pages: Int64 { get }
    var price: Double { get }
    var title: String? { get }

    init(_ number: Int, authorID: Int64?)
}

/// A book as a record with explicit columns, read by their indices.
private struct ColumnRecord: BookValues {
    static let databaseTableName = "book"

    var id: Int64?
    var isNew: Bool
    var pages: Int64
    var price: Double
    var published: Double?
    var isbn: String?
    var title: String?
    var authorID: Int64?

    init(_ number: Int, authorID: Int64?) {
        isNew = number & 1 == 1
        pages = Int64(number)
        price = Double(number) * 0.5
        published = Double(number)
        isbn = "978-\(number)"
        title = "The title of book \(number)"
        self.authorID = authorID
    }

    init(row: Row) {
        id = row[0]
        isNew = row[1]
        pages = row[2]
        price = row[3]
        published = row[4]
        isbn = row[5]
        title = row[6]
        authorID = row[7]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["isNew"] = isNew
        container["pages"] = pages
        container["price"] = price
        container["published"] = published
        container["isbn"] = isbn
        container["title"] = title
        container["authorID"] = authorID
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A book as a record that GRDB encodes and decodes.
private struct BookRecord: Codable, BookValues {
    static let databaseTableName = "book"

    var id: Int64?
    var isNew: Bool
    var pages: Int64
    var price: Double
    var published: Date?
    var isbn: String?
    var title: String?
    var authorID: Int64?

    init(_ number: Int, authorID: Int64?) {
        isNew = number & 1 == 1
        pages = Int64(number)
        price = Double(number) * 0.5
        published = Date(timeIntervalSinceReferenceDate: Double(number))
        isbn = "978-\(number)"
        title = "The title of book \(number)"
        self.authorID = authorID
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    // Dates are numbers, as in a store: by default they would be texts, which must be formatted and parsed.
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

/// GRDB database files with books.
private final class RecordFiles {
    private let stack: StoreStack
    private var filled: [Int: URL] = [:]

    init(_ stack: StoreStack) {
        self.stack = stack
    }

    private func open(_ url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        // This implies `synchronous = NORMAL`.
        configuration.journalMode = .wal
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }

    /// Creates a file with authors.
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

    private func insert<Record: BookValues>(
        _ count: Int, _ type: Record.Type, _ authors: [AuthorRecord], _ queue: DatabaseQueue
    ) throws {
        try queue.write { database in
            for number in 0..<count {
                var book = Record(number, authorID: authors[number / 100].id)
                try book.insert(database)
            }
        }
    }

    /// Returns the time to create records and insert them in one transaction.
    func insert<Record: BookValues>(_ count: Int, _ type: Record.Type) throws -> Double {
        let url = stack.newURL()
        defer { stack.remove(url) }
        let (queue, authors) = try make(url, authors: max(count / 100, 1))
        let seconds = try ObjectBenchmarks.seconds { try insert(count, type, authors, queue) }
        try queue.close()
        return seconds
    }

    /// Returns the time to fetch all records and read three properties.
    func fetchAll<Record: BookValues>(_ count: Int, _ type: Record.Type) throws -> Double {
        let queue = try open(filledURL(count))
        let seconds = try ObjectBenchmarks.seconds {
            var sum = 0.0
            for book in try queue.read({ try Record.fetchAll($0) }) {
                sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
        try queue.close()
        return seconds
    }

    /// Returns a file with a number of books, created once.
    private func filledURL(_ count: Int) throws -> URL {
        if let url = filled[count] { return url }
        let url = stack.newURL()
        let (queue, authors) = try make(url, authors: max(count / 100, 1))
        try insert(count, ColumnRecord.self, authors, queue)
        try queue.close()
        filled[count] = url
        return url
    }
}
