import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreData

/// Saved data survives, whatever terminates the program, the connection or the server. `MODELC_KILLS` sets the number
/// of kills.
@Suite(.needsPostgreSQL) struct PostgreSQLDurabilityTests {
    private static let isLong = ProcessInfo.processInfo.environment["MODELC_KILLS"] != nil
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 3

    /// Prints the figures of a long run.
    private static func report(_ what: String, _ kills: Int, _ saved: Int, failed: Int?) {
        guard isLong else { return }
        print("killed \(what): \(kills), saves: \(saved)" + (failed.map { ", failed: \($0)" } ?? ""))
    }

    /// The numbers of the groups, each of which has been saved with three items.
    private func groups(_ connection: PostgreSQLConnection) throws -> [Int64] {
        guard try connection.execute("SELECT 1 WHERE to_regclass('coredata._metadata') IS NOT NULL").count == 1 else {
            return []
        }
        let rows = try connection.execute("SELECT \"number\" FROM coredata.\"Group\" ORDER BY 1")
        let numbers = try (0..<rows.count).compactMap { try rows.int($0, 0) }
        // The writer deletes the items of old groups.
        let partial = try connection.execute(
            """
            SELECT count(*) FROM (SELECT g."number", count(i._pk) AS items FROM coredata."Group" g
            LEFT JOIN coredata."Item" i ON i."group" = g._pk GROUP BY 1) s
            WHERE items <> CASE WHEN "number" <= \(numbers.count - 20) THEN 0 ELSE 3 END
            """)
        #expect(try partial.int(0, 0) == 0)
        return numbers
    }

    private func check(_ connection: PostgreSQLConnection, last: Int) throws {
        let numbers = try groups(connection)
        // One more may have been saved but not reported.
        #expect(numbers.count == last || numbers.count == last + 1, "\(numbers.count) of \(last)")
        #expect(numbers == Array(1...Int64(max(numbers.count, 1))).prefix(numbers.count).map { $0 })
    }

    @Test(.randomized) func killedProgramsLeaveWholeSaves() throws {
        var random = Seeds.generator()
        let stack = try PostgreSQLStack()
        var last = 0
        for _ in 0..<Self.kills {
            let writer = try WriterProcess("write", stack.url.absoluteString)
            let lines = writer.kill(after: .random(in: 0.1...0.5, using: &random))
            last = lines.last.flatMap { Int($0) } ?? last
            // The server may still be committing for the program.
            let end = Date(timeIntervalSinceNow: 120)
            while try stack.text(
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ) != "0", Date() < end { Thread.sleep(forTimeInterval: 0.01) }
            let count = try groups(stack.connection).count
            #expect(count == last || count == last + 1)
            last = count
        }
        Self.report("programs", Self.kills, last, failed: nil)
    }

    /// Saves while backends are killed now and then: no successful save is lost, and none is applied partially.
    @Test(.randomized) func killedBackendsLoseNoSave() throws {
        let seed = Seeds.generator()
        let stack = try PostgreSQLStack()
        let coordinator = try stack.coordinator()
        let context = try stack.context(coordinator)
        let isDone = Flag()
        let killer = try PostgreSQLConnection(stack.cluster.parameters(database: stack.database))
        let group = DispatchGroup()
        group.enter()
        Thread {
            var random = seed
            for _ in 0..<(Self.kills * 2) {
                Thread.sleep(forTimeInterval: .random(in: 0.005...0.06, using: &random))
                _ = try? killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()"
                )
            }
            isDone.set()
            group.leave()
        }.start()
        var (saved, failed) = (0, 0)
        context.performAndWait {
            while !isDone.isSet || saved == 0 {
                let author = context.make("Author", ["name": "\(saved)"])
                for _ in 0..<3 { _ = context.make("Book", ["author": author]) }
                do {
                    try context.save()
                    saved += 1
                } catch {
                    #expect((error as NSError).domain == NSCocoaErrorDomain, "\(error)")
                    context.rollback()
                    failed += 1
                }
            }
        }
        group.wait()
        Self.report("connections", Self.kills * 2, saved, failed: failed)
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(saved)", "\(failed) failed")
        #expect(
            try stack.text("SELECT count(*)::text FROM coredata.\"Book\" WHERE \"author\" IS NOT NULL")
                == "\(saved * 3)")
    }

    /// A backend that is killed makes the server end all others and recover, as it may have damaged the memory they
    /// share.
    @Test(.randomized) func backendsKilledAtOnceLoseNoSave() throws {
        let seed = Seeds.generator()
        var options = PostgreSQLCluster.Options()
        options.isDurable = true
        let cluster = try PostgreSQLCluster(options)
        let stack = try PostgreSQLStack(cluster: cluster)
        let context = try stack.context()
        let kills = Self.isLong ? Self.kills : 1
        let isDone = Flag()
        let group = DispatchGroup()
        group.enter()
        Thread {
            var random = seed
            var killed = 0
            while killed < kills {
                Thread.sleep(forTimeInterval: .random(in: 0.01...0.15, using: &random))
                // The title of a process has the name of the database.
                let backends = cluster.processes.filter { process in
                    (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?
                        .contains(" \(stack.database) ") == true
                }
                guard let backend = backends.randomElement(using: &random) else { continue }
                if kill(backend, SIGKILL) == 0 { killed += 1 }
            }
            isDone.set()
            group.leave()
        }.start()
        var (saved, failed, unknown) = (0, 0, 0)
        context.performAndWait {
            while !isDone.isSet || saved == 0 {
                let author = context.make("Author", ["name": "\(saved)"])
                _ = context.make("Book", ["author": author])
                do {
                    try context.save()
                    saved += 1
                } catch {
                    #expect((error as NSError).domain == NSCocoaErrorDomain, "\(error)")
                    context.rollback()
                    failed += 1
                    if "\(error)".contains("could not be determined") { unknown += 1 }
                }
            }
        }
        group.wait()
        Self.report("backends", kills, saved, failed: failed)
        let (authors, books) = try Self.afterRecovery {
            try context.performAndWait {
                (
                    try context.all("Author").count,
                    try context.all("Book").filter { $0.value(forKey: "author") != nil }.count
                )
            }
        }
        #expect((saved...(saved + unknown)).contains(authors), "\(authors) of \(saved), \(unknown) of unknown outcome")
        #expect(books == authors)
    }

    /// Runs a closure again for up to a minute while it throws: the server may be recovering from the last kill.
    private static func afterRecovery<Result>(_ body: () throws -> Result) throws -> Result {
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end {
            if let result = try? body() { return result }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return try body()
    }

    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false

        var isSet: Bool { lock.withLock { value } }

        func set() { lock.withLock { value = true } }
    }

    /// Kills the server while a program saves, as in a failure of the machine; the server recovers and the store
    /// reconnects.
    @Test(.randomized) func killedServersLoseNoSave() throws {
        var random = Seeds.generator()
        var options = PostgreSQLCluster.Options()
        options.isDurable = true
        let cluster = try PostgreSQLCluster(options)
        let stack = try PostgreSQLStack(cluster: cluster)
        let context = try stack.context()
        var (saved, isUnknown) = (0, false)
        let kills = Self.isLong ? Self.kills : 1
        defer { Self.report("servers", kills, saved, failed: nil) }
        for _ in 0..<kills {
            let delay = Double.random(in: 0.01...0.2, using: &random)
            let restart = DispatchGroup()
            restart.enter()
            Thread {
                Thread.sleep(forTimeInterval: delay)
                cluster.kill()
                try? cluster.start()
                restart.leave()
            }.start()
            context.performAndWait {
                var isKilled = false
                isUnknown = false
                while !isKilled, restart.wait(timeout: .now()) == .timedOut {
                    let author = context.make("Author", ["name": "\(saved)"])
                    _ = context.make("Book", ["author": author])
                    do {
                        try context.save()
                        saved += 1
                    } catch {
                        isKilled = true
                        isUnknown = "\(error)".contains("could not be determined")
                        context.rollback()
                    }
                }
            }
            restart.wait()
            let connection = try PostgreSQLConnection(cluster.parameters(database: stack.database))
            // The store has queried the outcome of a commit without a response, unless the server took too long to
            // start.
            let authors = try connection.execute("SELECT count(*) FROM coredata.\"Author\"").int(0, 0)
            let books = try connection.execute("SELECT count(*) FROM coredata.\"Book\" WHERE \"author\" IS NOT NULL")
                .int(0, 0)
            #expect(authors == Int64(saved) || isUnknown && authors == Int64(saved + 1))
            #expect(authors == books)
            saved = Int(authors ?? 0)
            #expect(try context.performAndWait { try context.all("Author").count } == saved)
        }
    }

    /// Several programs save while the server is killed; none takes the transaction of another for its own.
    @Test(.randomized) func killedServersLoseNoSaveOfSeveralPrograms() throws {
        let seed = Seeds.generator()
        var options = PostgreSQLCluster.Options()
        options.isDurable = true
        let cluster = try PostgreSQLCluster(options)
        let stack = try PostgreSQLStack(cluster: cluster)
        _ = try stack.coordinator()
        let kills = Self.isLong ? Self.kills : 1
        let isDone = Flag()
        let outcomes = Mutex((returned: [String](), unknown: [String](), failed: 0))
        try onThreads(6) { number in
            guard number > 0 else {
                var random = seed
                defer { isDone.set() }
                for _ in 0..<kills {
                    Thread.sleep(forTimeInterval: .random(in: 0.02...0.2, using: &random))
                    cluster.kill()
                    try cluster.start()
                }
                return
            }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait {
                var round = 0
                while !isDone.isSet {
                    // The server may be down when the program starts.
                    if context.persistentStoreCoordinator == nil {
                        context.persistentStoreCoordinator = try? stack.coordinator()
                        continue
                    }
                    round += 1
                    let name = "\(number).\(round)"
                    let author = context.make("Author", ["name": name])
                    _ = context.make("Book", ["author": author])
                    do {
                        try context.save()
                        outcomes.withLock { $0.returned.append(name) }
                    } catch {
                        let isUnknown = "\(error)".contains("could not be determined")
                        outcomes.withLock { outcomes in
                            if isUnknown { outcomes.unknown.append(name) } else { outcomes.failed += 1 }
                        }
                        context.rollback()
                    }
                }
            }
        }
        let all = outcomes.withLock { $0 }
        if Self.isLong {
            print(
                "killed servers with five programs: \(kills), saves: \(all.returned.count), failed: \(all.failed), "
                    + "of unknown outcome: \(all.unknown.count)")
        }
        let connection = try PostgreSQLConnection(cluster.parameters(database: stack.database))
        let rows = try connection.execute(
            "SELECT a.\"name\", count(b._pk) FROM coredata.\"Author\" a LEFT JOIN coredata.\"Book\" b ON b.\"author\" = a._pk GROUP BY 1"
        )
        var stored: Set<String> = []
        for row in 0..<rows.count {
            stored.insert(try #require(try rows.text(row, 0)))
            #expect(try rows.int(row, 1) == 1)
        }
        #expect(Set(all.returned).subtracting(stored).isEmpty)
        #expect(stored.subtracting(all.returned).subtracting(all.unknown).isEmpty)
    }

    @Test func fourProgramsCountWithoutLostUpdates() throws {
        let times = Self.isLong ? 500 : 15
        let stack = try PostgreSQLStack()
        let first = try WriterProcess("count", stack.url.absoluteString, "0")
        _ = first.finish()
        try stack.run(
            "INSERT INTO coredata.\"Counter\" (_entity, _version, \"value\") SELECT number, 1, 0 FROM coredata._entities WHERE name = 'Counter'"
        )
        let writers = try (0..<4).map { _ in try WriterProcess("count", stack.url.absoluteString, "\(times)") }
        for writer in writers { #expect(writer.finish().code == 0) }
        #expect(try stack.text("SELECT \"value\"::text FROM coredata.\"Counter\"") == "\(4 * times)")
    }

    // MARK: Poolers and standbys

    @Test(.enabled(if: PgBouncer.program != nil, "PgBouncer is not installed")) func storesWorkThroughPgBouncer() throws
    {
        let stack = try PostgreSQLStack()
        let bouncer = try PgBouncer(before: stack.cluster)
        let keywords = try bouncer.parameters(database: stack.database)
        let url = try stack.url([
            "host": #require(keywords[keyword: "host"]), "port": #require(keywords[keyword: "port"]),
        ])
        var options = HistoryStack.tracking
        options[NSPostgreSQLTransactionPoolerOption] = true
        options[NSPostgreSQLListenerURLOption] = stack.url
        let coordinator = try stack.coordinator(options, at: url)
        try onThreads(4) { number in
            let context = try stack.context(coordinator)
            try context.performAndWait {
                for round in 0..<10 {
                    let author = context.make("Author", ["name": "\(number)", "age": round])
                    _ = context.make("Book", ["author": author])
                    try context.save()
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    request.predicate = NSPredicate(format: "name == %@ AND books.@count == 1", "\(number)")
                    #expect(try context.count(for: request) == round + 1)
                }
            }
        }
        let context = try stack.context(coordinator)
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Author").count == 40)
            #expect(try context.history().count == 40)
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]]))
            #expect(try context.all("Tag").isEmpty)
            try context.setQueryGenerationFrom(nil)
            #expect(try context.all("Tag").count == 2)
        }
    }

    /// A long test, since it needs two separate servers.
    @Test(.enabled(if: isLong, "needs MODELC_KILLS")) func readsGoToAStandbyThatHasWhatWasSaved() throws {
        let primary = try PostgreSQLCluster()
        let stack = try PostgreSQLStack(cluster: primary)
        _ = try stack.coordinator()
        var options = PostgreSQLCluster.Options()
        options.primary = primary
        let standby = try PostgreSQLCluster(options)
        let standbyURL = try standby.url(database: stack.database)
        let coordinator = try stack.coordinator([NSPostgreSQLStandbyURLOption: standbyURL])
        let context = try stack.context(coordinator)
        try context.performAndWait {
            for round in 1...10 {
                _ = context.make("Author", ["name": "\(round)"])
                try context.save()
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == round)
            }
        }
        // A read-only store can be opened on the standby itself.
        let end = Date(timeIntervalSinceNow: 120)
        let reader = try PostgreSQLConnection(standby.parameters(database: stack.database))
        while try reader.execute("SELECT count(*) FROM coredata.\"Author\"").int(0, 0) != 10, Date() < end {
            Thread.sleep(forTimeInterval: 0.01)
        }
        let readOnly = try stack.context(stack.coordinator([NSReadOnlyPersistentStoreOption: true], at: standbyURL))
        #expect(try readOnly.performAndWait { try readOnly.all("Author").count } == 10)
        let writable = try stack.context(stack.coordinator(at: standbyURL))
        try writable.performAndWait {
            _ = writable.make("Author")
            let error = try #require(nsError { try writable.save() })
            #expect(error.userInfo["NSPostgreSQLStateErrorKey"] as? String == "25006")
            #expect(error.localizedDescription.contains("open the store read-only"))
        }
        // Without the standby, the primary server responds.
        standby.kill()
        #expect(try context.performAndWait { try context.all("Author").count } == 10)
    }
}
