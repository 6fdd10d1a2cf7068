import CSQLiteReference
import CoreData
import Foundation

/// Relationships of a SQLite store against SQLite's C interface: cascading deletes, and prefetching.
enum StoreRelationshipBenchmarks {
    static func all(_ stack: StoreStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        let thousands = Amount.rows(100_000)
        return [
            Benchmark(
                name: "store/delete-cascade", size: "100 owners fetched and deleted, 10000 of \(thousands) with them",
                rounds: few, ours: { try stack.deleteOwners(thousands, 100) },
                reference: { try stack.deleteOwnersReference(thousands, 100) }, referenceName: "sqlite3"),
            Benchmark(
                name: "store/prefetch", size: "the to-many of 1000 owners, \(thousands) members", rounds: few,
                ours: { try stack.prefetch(thousands) }, reference: { try stack.prefetchReference(thousands) },
                referenceName: "sqlite3, grouped"),
        ]
    }
}

extension StoreStack {
    // MARK: Deleting

    /// Deletes authors and, by the delete rule of the relationship, their books.
    fileprivate func deleteOwners(_ count: Int, _ owners: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        let context = try context(url)
        try fill(ReferenceDatabase(url), count)
        let seconds = try ObjectBenchmarks.seconds {
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.fetchLimit = owners
            for author in try context.fetch(request) { context.delete(author) }
            try context.save()
        }
        try checkCount(ReferenceDatabase(url), count - owners * 100)
        return seconds
    }

    /// Runs the two statements that leave the same rows.
    func deleteOwnersReference(_ count: Int, _ owners: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        _ = try context(url)
        let database = try ReferenceDatabase(url)
        try fill(database, count)
        let seconds = try ObjectBenchmarks.seconds {
            try database.run("BEGIN IMMEDIATE")
            try database.run("DELETE FROM ZBOOK WHERE ZAUTHOR <= \(owners)")
            try database.run("DELETE FROM ZAUTHOR WHERE Z_PK <= \(owners)")
            try database.run("COMMIT")
        }
        try checkCount(database, count - owners * 100)
        return seconds
    }

    /// Checks that the given number of books remain, all of them with remaining authors.
    private func checkCount(_ database: ReferenceDatabase, _ count: Int) throws {
        let statement = try database.prepare("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IN (SELECT Z_PK FROM ZAUTHOR)")
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, sqlite3_column_int64(statement, 0) == count else {
            throw CommandFailure(description: "not \(count) books are left")
        }
    }

    // MARK: Going through relationships

    /// Fetches authors with their books, and reads the same values as `store/fetch-read`.
    fileprivate func prefetch(_ count: Int) throws -> Double {
        // As in a program that has just started: nothing is cached yet.
        let context = try context(filledURL(count))
        return try ObjectBenchmarks.seconds {
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.relationshipKeyPathsForPrefetching = ["books"]
            var (sum, members) = (0.0, 0)
            for author in try context.fetch(request) {
                for case let book as Book in author.books ?? NSSet() {
                    sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
                    members += 1
                }
            }
            guard sum > 0, members == count else { throw CommandFailure(description: "\(members) members") }
        }
    }

    /// A row in a program without Core Data.
    private struct PlainBook {
        var pages: Int64
        var price: Double
        var title: String
    }

    /// Runs the two SELECT statements, and groups the members by owner.
    fileprivate func prefetchReference(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            let authors = try database.prepare("SELECT Z_PK, ZNAME FROM ZAUTHOR")
            let books = try database.prepare("SELECT ZAUTHOR, ZPAGES, ZPRICE, ZTITLE FROM ZBOOK")
            defer {
                sqlite3_finalize(authors)
                sqlite3_finalize(books)
            }
            var owners: [(key: Int64, name: String)] = []
            while sqlite3_step(authors) == SQLITE_ROW {
                owners.append((sqlite3_column_int64(authors, 0), ReferenceDatabase.text(authors, 1)))
            }
            var groups: [Int64: [PlainBook]] = [:]
            while sqlite3_step(books) == SQLITE_ROW {
                groups[sqlite3_column_int64(books, 0), default: []].append(
                    PlainBook(
                        pages: sqlite3_column_int64(books, 1), price: sqlite3_column_double(books, 2),
                        title: ReferenceDatabase.text(books, 3)))
            }
            var (sum, members) = (0.0, 0)
            for owner in owners {
                for book in groups[owner.key] ?? [] {
                    sum += Double(book.pages) + book.price + Double(book.title.utf8.count)
                    members += 1
                }
            }
            guard sum > 0, members == count else { throw CommandFailure(description: "\(members) members") }
        }
    }
}
