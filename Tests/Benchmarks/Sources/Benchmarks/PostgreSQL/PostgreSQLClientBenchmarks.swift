import CoreData
import Foundation

/// Many programs that save small changes at once.
extension PostgreSQLStack {
    /// What a save of a changed object sends, as the server logs it; `random` picks the object.
    private static let transaction = """
        \\set key random(1, 100000)
        BEGIN;
        SELECT txid_current();
        UPDATE coredata."Book" SET "_version" = "_version" + 1, "price" = :key WHERE "_pk" = :key;
        COMMIT;
        """

    /// Saves changes of one object each from as many programs as there are clients: each has a coordinator of its own.
    func save(_ count: Int, clients: Int) throws -> Double {
        let database = try filledDatabase(100_000)
        let contexts = try (0..<clients).map { _ in try context(database) }
        defer { contexts.forEach(close) }
        let share = count / clients
        let books = try contexts.enumerated().map { index, context in
            try context.performAndWait {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.fetchLimit = 1000
                // Programs that change the same objects would have conflicts.
                request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
                request.fetchOffset = index * 1000
                return try context.fetch(request)
            }
        }
        let group = DispatchGroup()
        nonisolated(unsafe) let work = zip(contexts, books).map { $0 }
        return try ObjectBenchmarks.seconds {
            for (context, books) in work {
                nonisolated(unsafe) let books = books
                group.enter()
                context.perform {
                    for number in 0..<share {
                        books[number % books.count].price += 1
                        do { try context.save() } catch { fatalError("\(error)") }
                    }
                    group.leave()
                }
            }
            group.wait()
        }
    }

    /// Runs the same statements with pgbench.
    func pgbench(_ count: Int, clients: Int) throws -> Double {
        let server = try server()
        let database = try filledDatabase(100_000)
        let script = "/tmp/bench-script-\(getpid()).sql"
        try Self.transaction.write(toFile: script, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: script) }
        return try Subprocess.time(
            "\(server.programs)/pgbench",
            [
                "-h", server.folder, "-p", "5432", "-U", "modelc", "-n", "-M", "prepared", "-f", script, "-c",
                "\(clients)", "-j",
                "\(min(clients, 2))", "-t", "\(count / clients)", database,
            ])
    }
}
