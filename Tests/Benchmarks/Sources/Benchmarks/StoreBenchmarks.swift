import CSQLiteReference
import CoreData
import Foundation

/// The SQLite store against SQLite's C interface, which does the least work to store or find the same rows.
enum StoreBenchmarks {
    static func all(_ stack: StoreStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        let (thousands, million) = (Amount.rows(100_000), Amount.rows(1_000_000))
        return [
            Benchmark(
                name: "store/insert-save", size: "\(thousands) objects, 6 attributes and a to-one", rounds: few,
                ours: { try stack.insert(thousands) }, reference: { try stack.insertReference(thousands) },
                referenceName: "sqlite3"),
            Benchmark(
                name: "store/batch-insert", size: "\(thousands) objects of dictionaries, 6 attributes", rounds: few,
                ours: { try stack.insertBatch(thousands) }, reference: { try stack.insertReference(thousands) },
                referenceName: "sqlite3"),
            Benchmark(
                name: "store/fetch-read", size: "\(thousands) objects, 3 attributes read", rounds: few,
                ours: { try stack.fetchAll(thousands) }, reference: { try stack.fetchAllReference(thousands) },
                referenceName: "sqlite3"),
            Benchmark(
                name: "store/fetch-indexed", size: "100 of \(million) by a to-one", rounds: rounds,
                ours: { try stack.fetchIndexed(million) }, reference: { try stack.fetchIndexedReference(million) },
                referenceName: "sqlite3"),
            Benchmark(
                name: "store/count", size: "of \(million) by an attribute", rounds: few,
                ours: { try stack.count(million) }, reference: { try stack.countReference(million) },
                referenceName: "sqlite3"),
            Benchmark(
                name: "store/update", size: "10000 of \(thousands) objects fetched and changed", rounds: few,
                ours: { try stack.update(thousands, 10_000) },
                reference: { try stack.updateReference(thousands, 10_000) }, referenceName: "sqlite3"),
            Benchmark(
                name: "store/delete", size: "10000 of \(thousands) objects fetched and deleted", rounds: few,
                ours: { try stack.delete(thousands, 10_000) },
                reference: { try stack.deleteReference(thousands, 10_000) }, referenceName: "sqlite3"),
            Benchmark(
                name: "store/open", size: "a store of \(million) rows", rounds: rounds,
                ours: { try stack.open(million) }, reference: { try stack.open(1000) },
                referenceName: "the store, 1000 rows"),
        ]
    }
}

/// The operations of the benchmarks, on either side.
extension StoreStack {
    // MARK: Inserting

    func insert(_ count: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        let context = try context(url)
        let authors = (0..<max(count / 100, 1)).map { number in
            let author = Author(context: context)
            author.name = "Author \(number)"
            return author
        }
        try context.save()
        return try ObjectBenchmarks.seconds {
            for number in 0..<count {
                let book = Book(context: context)
                book.isNew = number & 1 == 1
                book.pages = Int64(number)
                book.price = Double(number) * 0.5
                book.published = Date(timeIntervalSinceReferenceDate: Double(number))
                book.isbn = "978-\(number)"
                book.title = "The title of book \(number)"
                book.author = authors[number / 100]
            }
            try context.save()
        }
    }

    /// The dictionaries are created beforehand: how is up to the program.
    fileprivate func insertBatch(_ count: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        let context = try context(url)
        var books: [[String: Any]] = []
        for number in 0..<count {
            var book: [String: Any] = [:]
            book["isNew"] = number & 1 == 1
            book["pages"] = Int64(number)
            book["price"] = Double(number) * 0.5
            book["published"] = Date(timeIntervalSinceReferenceDate: Double(number))
            book["isbn"] = "978-\(number)"
            book["title"] = "The title of book \(number)"
            books.append(book)
        }
        return try ObjectBenchmarks.seconds {
            try context.execute(NSBatchInsertRequest(entityName: "Book", objects: books))
        }
    }

    fileprivate func insertReference(_ count: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        _ = try context(url)
        let database = try ReferenceDatabase(url)
        return try ObjectBenchmarks.seconds {
            try database.run("BEGIN IMMEDIATE")
            try insert(database, count)
            try database.run("COMMIT")
        }
    }

    // MARK: Fetching

    func fetchAll(_ count: Int) throws -> Double {
        // As in a program that has just started: nothing is cached yet.
        let context = try context(filledURL(count))
        return try ObjectBenchmarks.seconds {
            var sum = 0.0
            for book in try context.fetch(NSFetchRequest<Book>(entityName: "Book")) {
                sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
    }

    func fetchAllReference(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            let statement = try database.prepare("SELECT ZPAGES, ZPRICE, ZTITLE FROM ZBOOK")
            defer { sqlite3_finalize(statement) }
            var sum = 0.0
            while sqlite3_step(statement) == SQLITE_ROW {
                sum += Double(sqlite3_column_int64(statement, 0)) + sqlite3_column_double(statement, 1)
                sum += Double(ReferenceDatabase.text(statement, 2).utf8.count)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
    }

    /// Returns the time of a hundred fetches of a hundred books each.
    fileprivate func fetchIndexed(_ count: Int) throws -> Double {
        let context = try filledContext(count)
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.fetchLimit = 100
        let authors = try context.fetch(request)
        return try ObjectBenchmarks.seconds {
            for author in authors {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.predicate = NSPredicate(format: "author == %@", author)
                let books = try context.fetch(request)
                guard books.count == 100 else { throw CommandFailure(description: "\(books.count) books") }
            }
        }
    }

    func fetchIndexedReference(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            let statement = try database.prepare(
                "SELECT Z_PK, ZISNEW, ZPAGES, ZAUTHOR, ZPRICE, ZPUBLISHED, ZISBN, ZTITLE FROM ZBOOK WHERE ZAUTHOR = ?"
            )
            defer { sqlite3_finalize(statement) }
            for author in 1...100 {
                sqlite3_bind_int64(statement, 1, Int64(author))
                var length = 0
                while sqlite3_step(statement) == SQLITE_ROW {
                    length += ReferenceDatabase.text(statement, 6).utf8.count
                    length += ReferenceDatabase.text(statement, 7).utf8.count
                }
                sqlite3_reset(statement)
                guard length > 0 else { throw CommandFailure(description: "nothing was fetched") }
            }
        }
    }

    fileprivate func count(_ count: Int) throws -> Double {
        let context = try filledContext(count)
        return try ObjectBenchmarks.seconds {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages >= %d", count / 2)
            guard try context.count(for: request) == count / 2 else { throw CommandFailure(description: "count") }
        }
    }

    fileprivate func countReference(_ count: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            let statement = try database.prepare("SELECT count(*) FROM ZBOOK WHERE ZPAGES >= ?")
            defer { sqlite3_finalize(statement) }
            sqlite3_bind_int64(statement, 1, Int64(count / 2))
            guard sqlite3_step(statement) == SQLITE_ROW, sqlite3_column_int64(statement, 0) == count / 2 else {
                throw CommandFailure(description: "count")
            }
        }
    }

    // MARK: Changing

    fileprivate func update(_ count: Int, _ changes: Int) throws -> Double {
        let context = try filledContext(count)
        return try ObjectBenchmarks.seconds {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.fetchLimit = changes
            for book in try context.fetch(request) { book.pages += 1 }
            try context.save()
        }
    }

    fileprivate func updateReference(_ count: Int, _ changes: Int) throws -> Double {
        let database = try filledDatabase(count)
        return try ObjectBenchmarks.seconds {
            try database.run("BEGIN IMMEDIATE")
            let read = try database.prepare("SELECT Z_PK, Z_OPT, ZPAGES FROM ZBOOK LIMIT \(changes)")
            let write = try database.prepare("UPDATE ZBOOK SET Z_OPT = ?, ZPAGES = ? WHERE Z_PK = ?")
            defer {
                sqlite3_finalize(read)
                sqlite3_finalize(write)
            }
            var rows: [(Int64, Int64, Int64)] = []
            while sqlite3_step(read) == SQLITE_ROW {
                rows.append(
                    (sqlite3_column_int64(read, 0), sqlite3_column_int64(read, 1), sqlite3_column_int64(read, 2)))
            }
            sqlite3_reset(read)
            for (key, version, pages) in rows {
                sqlite3_bind_int64(write, 1, version + 1)
                sqlite3_bind_int64(write, 2, pages + 1)
                sqlite3_bind_int64(write, 3, key)
                try ReferenceDatabase.step(write)
            }
            try database.run("COMMIT")
        }
    }

    fileprivate func delete(_ count: Int, _ changes: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        let context = try context(url)
        try fill(ReferenceDatabase(url), count)
        return try ObjectBenchmarks.seconds {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.fetchLimit = changes
            for book in try context.fetch(request) { context.delete(book) }
            try context.save()
        }
    }

    func deleteReference(_ count: Int, _ changes: Int) throws -> Double {
        let url = newURL()
        defer { remove(url) }
        _ = try context(url)
        let database = try ReferenceDatabase(url)
        try fill(database, count)
        return try ObjectBenchmarks.seconds {
            try database.run("BEGIN IMMEDIATE")
            let write = try database.prepare("DELETE FROM ZBOOK WHERE Z_PK = ?")
            defer { sqlite3_finalize(write) }
            for key in 1...changes {
                sqlite3_bind_int64(write, 1, Int64(key))
                try ReferenceDatabase.step(write)
            }
            try database.run("COMMIT")
        }
    }

    fileprivate func open(_ count: Int) throws -> Double {
        let url = try filledURL(count)
        return try ObjectBenchmarks.seconds { _ = try context(url) }
    }
}
