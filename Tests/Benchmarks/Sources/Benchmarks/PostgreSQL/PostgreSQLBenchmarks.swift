import CoreData
import Foundation

/// The store on a PostgreSQL server against libpq, which does the least that keeps or finds the same rows on the same
/// server.
enum PostgreSQLBenchmarks {
    static func all(_ stack: PostgreSQLStack, rounds: Int) -> [Benchmark] {
        let few = max(2, rounds / 6)
        let (thousands, million) = (Amount.rows(100_000), Amount.rows(1_000_000))
        let size = "\(thousands) objects, 6 attributes and a to-one"
        let single = [
            Benchmark(
                name: "postgresql/insert-save", size: size, rounds: few, ours: { try stack.insert(thousands) },
                reference: { try stack.insertByCopy(thousands) }, referenceName: "libpq, COPY"),
            Benchmark(
                name: "postgresql/insert-save-rows", size: size, rounds: few, ours: { try stack.insert(thousands) },
                reference: { try stack.insertByRow(thousands) }, referenceName: "libpq, an INSERT per row"),
            Benchmark(
                name: "postgresql/fetch-read", size: "\(thousands) objects, 3 attributes read", rounds: few,
                ours: { try stack.fetchAll(thousands) }, reference: { try stack.fetchAllReference(thousands) },
                referenceName: "libpq, binary rows"),
            Benchmark(
                name: "postgresql/fetch-indexed", size: "100 of \(million) by a to-one", rounds: rounds,
                ours: { try stack.fetchIndexed(million) }, reference: { try stack.fetchIndexedReference(million) },
                referenceName: "libpq, binary rows"),
        ]
        let trips = [100, 10_000].map { count in
            Benchmark(
                name: "postgresql/round-trips-\(count)", size: "a save of \(count) objects over a link of 2 ms",
                rounds: 2,
                ours: { try stack.roundTrips(count).trips }, reference: { try stack.roundTrips(1).trips },
                referenceName: "a save of one", unit: .count)
        }
        let delays = [1, 100, 10_000].map { count in
            Benchmark(
                name: "postgresql/distant-save-\(count)", size: "a save of \(count) objects over a link of 2 ms",
                rounds: few,
                ours: { try stack.roundTrips(count).seconds },
                reference: { try stack.insertByCopy(count, isDistant: true) },
                referenceName: "libpq, COPY")
        }
        let clients = [1, 4, 16].map(Amount.programs).map { count in
            Benchmark(
                name: "postgresql/clients-\(count)", size: "4000 saves of a changed object by \(count) programs",
                rounds: few,
                ours: { try stack.save(Amount.saves(4000), clients: count) },
                reference: { try stack.pgbench(Amount.saves(4000), clients: count) },
                referenceName: "pgbench")
        }
        return single + trips + delays + clients
    }
}

/// What the benchmarks do, on either side.
extension PostgreSQLStack {
    // MARK: Inserting

    private func fill(_ book: Book, _ number: Int, _ author: Author) {
        book.isNew = number & 1 == 1
        book.pages = Int64(number)
        book.price = Double(number) * 0.5
        book.published = Date(timeIntervalSinceReferenceDate: Double(number))
        book.isbn = "978-\(number)"
        book.title = "The title of book \(number)"
        book.author = author
    }

    private func saveAuthors(_ count: Int, _ context: NSManagedObjectContext) throws -> [Author] {
        let authors = (0..<max(count / 100, 1)).map { number in
            let author = Author(context: context)
            author.name = "Author \(number)"
            return author
        }
        try context.save()
        return authors
    }

    fileprivate func insert(_ count: Int) throws -> Double {
        try withStore { _, context in
            let authors = try saveAuthors(count, context)
            return try ObjectBenchmarks.seconds {
                for number in 0..<count { fill(Book(context: context), number, authors[number / 100]) }
                try context.save()
            }
        }
    }

    fileprivate func insertByCopy(_ count: Int, isDistant: Bool = false) throws -> Double {
        try withStore { database, _ in
            let server = try server()
            try copyAuthors(try connection(database), count)
            let link = try isDistant ? DelayedLink(before: server.socket, delay: .milliseconds(1)) : nil
            defer { link?.stop() }
            let connection = try ReferenceConnection(server.conninfo(database, host: link?.folder))
            return try ObjectBenchmarks.seconds {
                try connection.run("BEGIN")
                try copyBooks(connection, count)
                try connection.run("COMMIT")
            }
        }
    }

    fileprivate func insertByRow(_ count: Int) throws -> Double {
        try withStore { database, _ in
            let connection = try connection(database)
            try copyAuthors(connection, count)
            return try ObjectBenchmarks.seconds {
                try connection.run("BEGIN")
                let places = (1...10).map { "$\($0)" }.joined(separator: ", ")
                try connection.prepare("insert", "INSERT INTO coredata.\"Book\" (\(Self.columns)) VALUES (\(places))")
                for number in 0..<count {
                    try connection.execute(
                        "insert",
                        [
                            Wire.bytes(Int64(number + 1)), Wire.bytes(Int32(2)), Wire.bytes(Int64(1)),
                            Array("978-\(number)".utf8), [UInt8(number & 1)], Wire.bytes(Int64(number)),
                            Wire.bytes((Double(number) * 0.5).bitPattern), Wire.bytes(Double(number).bitPattern),
                            Array("The title of book \(number)".utf8), Wire.bytes(Int64(number / 100 + 1)),
                        ])
                }
                try connection.run("COMMIT")
            }
        }
    }

    /// Saves new objects over a link of 2 ms, and returns how long the save took and how often it waited for the
    /// server.
    fileprivate func roundTrips(_ count: Int) throws -> (seconds: Double, trips: Double) {
        let server = try server()
        let link = try DelayedLink(before: server.socket, delay: .milliseconds(1))
        defer { link.stop() }
        let database = try server.createDatabase()
        defer { server.drop(database) }
        let context = try context(database, host: link.folder)
        defer { close(context) }
        let authors = try saveAuthors(count, context)
        for number in 0..<count { fill(Book(context: context), number, authors[number / 100]) }
        let before = link.roundTrips
        let seconds = try ObjectBenchmarks.seconds { try context.save() }
        return (seconds, Double(link.roundTrips - before))
    }

    // MARK: Fetching

    fileprivate func fetchAll(_ count: Int) throws -> Double {
        let context = try context(filledDatabase(count))
        defer { close(context) }
        return try ObjectBenchmarks.seconds {
            var sum = 0.0
            for book in try context.fetch(NSFetchRequest<Book>(entityName: "Book")) {
                sum += Double(book.pages) + book.price + Double(book.title?.utf8.count ?? 0)
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
    }

    fileprivate func fetchAllReference(_ count: Int) throws -> Double {
        let connection = try connection(filledDatabase(count))
        return try ObjectBenchmarks.seconds {
            try connection.prepare("all", "SELECT \"pages\", \"price\", \"title\" FROM coredata.\"Book\"")
            var sum = 0.0
            try connection.execute("all", []) { result in
                for row in 0..<Int32(count) {
                    sum += Double(Wire.number(result, row, 0))
                    sum += Double(bitPattern: UInt64(bitPattern: Wire.number(result, row, 1)))
                    sum += Double(Wire.text(result, row, 2).utf8.count)
                }
            }
            guard sum > 0 else { throw CommandFailure(description: "nothing was fetched") }
        }
    }

    /// A hundred fetches of a hundred books.
    fileprivate func fetchIndexed(_ count: Int) throws -> Double {
        let context = try context(filledDatabase(count))
        defer { close(context) }
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

    fileprivate func fetchIndexedReference(_ count: Int) throws -> Double {
        let connection = try connection(filledDatabase(count))
        return try ObjectBenchmarks.seconds {
            try connection.prepare("some", "SELECT \(Self.columns) FROM coredata.\"Book\" WHERE \"author\" = $1")
            for author in 1...100 {
                var length = 0
                try connection.execute("some", [Wire.bytes(Int64(author))]) { result in
                    for row in 0..<Int32(100) {
                        length += Wire.text(result, row, 3).utf8.count + Wire.text(result, row, 8).utf8.count
                    }
                }
                guard length > 0 else { throw CommandFailure(description: "nothing was fetched") }
            }
        }
    }
}
