import CoreData
import CoreDataPostgreSQL
import Foundation

/// Many programs that save small changes at once.
extension PostgreSQLStack {
    /// What a save of a changed object sends, in as many round trips; `key` picks the object.
    private static let transaction = """
        \\set key random(1, \(Amount.rows(100_000)))
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

    /// Saves changes of one object each from as many processes as there are clients, like programs that share a
    /// database.
    func save(_ count: Int, clients: Int) throws -> Double {
        let url = try server().url(filledDatabase(Amount.rows(100_000))).absoluteString
        let model = try compiledModel().path
        let programs = try (0..<clients).map { index in
            try ClientProcess(["--postgresql-client", model, url, "\(index)", "\(count / clients)"])
        }
        for program in programs { try program.expect("ready") }
        return try ObjectBenchmarks.seconds {
            for program in programs { program.start() }
            for program in programs { try program.expect("done") }
        }
    }

    /// Is one of the clients: `--postgresql-client MODEL URL INDEX COUNT`. It waits for a line before it saves.
    static func runClient(_ arguments: [String]) throws {
        guard arguments.count == 4, let url = URL(string: arguments[1]), let index = Int(arguments[2]),
            let count = Int(arguments[3])
        else { throw CommandFailure(description: "usage: --postgresql-client MODEL URL INDEX COUNT") }
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try BenchModel.load(URL(fileURLWithPath: arguments[0])))
        try coordinator.addPersistentStore(ofType: NSPostgreSQLStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            // Programs that change the same objects would have conflicts.
            request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
            request.fetchOffset = index * 1000
            request.fetchLimit = 1000
            let books = try context.fetch(request)
            FileHandle.standardOutput.write(Data("ready\n".utf8))
            _ = readLine()
            for number in 0..<count {
                books[number % books.count].price += 1
                try context.save()
            }
            FileHandle.standardOutput.write(Data("done\n".utf8))
        }
    }

    /// Runs the same statements with pgbench.
    func pgbench(_ count: Int, clients: Int) throws -> Double {
        let server = try server()
        let database = try filledDatabase(Amount.rows(100_000))
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

/// This program as another process.
private final class ClientProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits for a line.
    func expect(_ line: String) throws {
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard text == line + "\n" else { throw CommandFailure(description: "a client ended without “\(line)”") }
    }

    /// Sends the line that the client waits for.
    func start() { input.fileHandleForWriting.write(Data("go\n".utf8)) }

    deinit { process.waitUntilExit() }
}
