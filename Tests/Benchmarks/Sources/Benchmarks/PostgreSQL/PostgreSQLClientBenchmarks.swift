import CoreData
import Foundation

/// Many programs that save small changes at once.
extension PostgreSQLStack {
    /// What a save of a changed object sends, in as many round trips; `key` picks the object.
    private static let transaction = """
        \\set key random(1, 100000)
        \\startpipeline
        BEGIN;
        SELECT txid_current();
        UPDATE coredata."Book" AS t SET "_version" = t."_version" + 1, "price" = u.c0
        FROM (SELECT :key::bigint, 1, :key::float8) AS u(pk, version, c0)
        WHERE t."_pk" = u.pk AND t."_version" >= u.version RETURNING t."_pk";
        SET CONSTRAINTS ALL IMMEDIATE;
        \\endpipeline
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
