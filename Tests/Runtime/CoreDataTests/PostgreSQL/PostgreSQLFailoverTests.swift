import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Links that are cut and standbys that take over while programs save; `MODELC_KILLS` says how often links are cut.
@Suite(.needsPostgreSQL) struct PostgreSQLFailoverTests {
    private static let isLong = ProcessInfo.processInfo.environment["MODELC_KILLS"] != nil
    private static let cuts = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 25

    // MARK: Links

    /// Saves fail or succeed as a whole, wherever in a message the link is cut, and the program knows which.
    @Test(.randomized) func linksThatAreCutAtAnyByteLoseNoSave() throws {
        var random = Seeds.generator()
        let stack = try PostgreSQLStack()
        let proxy = try CuttingProxy(before: stack.cluster.folder)
        defer { proxy.stop() }
        let context = try stack.context(stack.coordinator(at: stack.url(["host": proxy.folder.path])))
        var (saved, failed) = (0, 0)
        try context.performAndWait { () throws -> Void in
            for _ in 0..<Self.cuts {
                proxy.cut(afterBytes: .random(in: 1...12_000, using: &random))
                while !proxy.hasCut {
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
                #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(saved)")
            }
        }
        if Self.isLong { print("links cut at any byte: \(Self.cuts), saves: \(saved), failed: \(failed)") }
        let names = try stack.text("SELECT count(DISTINCT \"name\")::text FROM coredata.\"Author\"")
        let books = try stack.text("SELECT count(*)::text FROM coredata.\"Book\" WHERE \"author\" IS NOT NULL")
        #expect(names == "\(saved)" && books == "\(saved * 3)")
    }

    /// A transaction whose program cannot be reached ends, so that its locks do not stop others.
    @Test func idleTransactionsAreLimited() throws {
        let stack = try PostgreSQLStack()
        let limit = "idle_in_transaction_session_timeout"
        func limits(_ context: NSManagedObjectContext) throws -> String? {
            try context.performAndWait {
                _ = context.make("Author", ["name": "a"])
                try context.save()
            }
            return try stack.text("SELECT string_agg(value, ' ' ORDER BY number) FROM seen")
        }
        let context = try stack.context()
        try stack.run(
            "CREATE TABLE seen (number serial, value text)",
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                + "INSERT INTO public.seen (value) VALUES (current_setting('\(limit)')); RETURN NULL; END $$",
            "CREATE TRIGGER note AFTER INSERT ON coredata.\"Author\" FOR EACH STATEMENT EXECUTE FUNCTION note()")
        #expect(try limits(context) == "1min")
        // An administrator's limit stays in force.
        let other = try stack.context(stack.coordinator(at: stack.url(["options": "-c \(limit)=7000"])))
        #expect(try limits(other) == "1min 7s")
    }

    /// The server and the program are on different hosts, as far as the network is concerned, and the link between them
    /// goes down without a word.
    @Test(.enabled(if: isLong && NetworkNamespace.isAvailable, "needs MODELC_KILLS, root and ip"))
    func linksBetweenHostsThatGoDownLoseNoSave() throws {
        let network = try NetworkNamespace()
        defer { network.remove() }
        var options = PostgreSQLCluster.Options()
        options.network = (network.name, network.serverAddress)
        let stack = try PostgreSQLStack(cluster: PostgreSQLCluster(options))
        let url = try stack.url([
            "host": network.serverAddress, "tcp_user_timeout": "1000", "connect_timeout": "2",
        ])
        let context = try stack.context(stack.coordinator(at: url))
        var (saved, failed) = (0, 0)
        for round in 0..<5 {
            let group = DispatchGroup()
            group.enter()
            Thread {
                Thread.sleep(forTimeInterval: 0.05 + 0.013 * Double(round))
                network.setLink(up: false)
                // Longer than the program waits for an acknowledgement.
                Thread.sleep(forTimeInterval: 2.5)
                network.setLink(up: true)
                group.leave()
            }.start()
            context.performAndWait {
                while group.wait(timeout: .now()) == .timedOut {
                    let author = context.make("Author", ["name": "\(saved)"])
                    _ = context.make("Book", ["author": author])
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
            #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(saved)")
        }
        print("links between hosts taken down: 5, saves: \(saved), failed: \(failed)")
        #expect(failed > 0)
        #expect(
            try stack.text("SELECT count(*)::text FROM coredata.\"Book\" WHERE \"author\" IS NOT NULL") == "\(saved)")
    }

    // MARK: Crashes

    /// A server that crashes gives the number of a transaction that it has forgotten to another one, whose commit says
    /// nothing about the first.
    @Test(arguments: ["insert", "update", "delete"]) func reusedTransactionNumbersAreNotMistaken(
        change: String
    ) throws {
        var options = PostgreSQLCluster.Options()
        // Nothing of the transaction is on the disk before its commit.
        options.settings = [
            "wal_writer_delay": "10s", "autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0",
        ]
        let cluster = try PostgreSQLCluster(options)
        let stack = try PostgreSQLStack(cluster: cluster)
        let proxy = try CuttingProxy(before: cluster.folder)
        defer { proxy.stop() }
        let context = try stack.context(stack.coordinator(at: stack.url(["host": proxy.folder.path])))
        let reused = Mutex(false)
        try context.performAndWait {
            var author = context.make("Author", ["name": "a"])
            try context.save()
            func makeChange() {
                switch change {
                case "insert": _ = context.make("Author", ["name": "b"])
                case "update": author.setValue("b", forKey: "name")
                default: context.delete(author)
                }
            }
            // The server may write its log on its own, and does not forget the number then.
            for _ in 0..<8 where !reused.withLock({ $0 }) {
                makeChange()
                proxy.cutNextCommit(
                    .beforeCommit {
                        do {
                            let isReused = try Self.reuseLastNumber(cluster, stack.database)
                            reused.withLock { $0 = isReused }
                        } catch {
                            Issue.record(error)
                        }
                    })
                let error = nsError { try context.save() }
                guard let error else {
                    // The server had not forgotten the number, or a row that is still there says that nothing was
                    // deleted. The save was then repeated.
                    #expect(!reused.withLock { $0 } || change == "delete")
                    for object in try context.all("Author") { context.delete(object) }
                    author = context.make("Author", ["name": "a"])
                    try context.save()
                    continue
                }
                #expect(error.localizedDescription.contains("could not be determined"), "\(error)")
                #expect(context.hasChanges && error.code == NSPersistentStoreSaveOutcomeUnknownError)
                #expect(error.userInfo[NSPersistentStoreSaveOutcomeUnknownKey] as? Bool == true)
                // What most programs do: the next save finds out, and inserts nothing twice.
                if change == "insert" { try context.save() } else { context.rollback() }
            }
            #expect(reused.withLock { $0 })
            if change != "insert" {
                makeChange()
                try context.save()
            }
            let names = try context.all("Author", by: "name").map { $0.value(forKey: "name") as? String }
            #expect(names == ["insert": ["a", "b"], "update": ["b"], "delete": []][change])
        }
    }

    /// Kills a server, starts it, and commits transactions up to the number that the last one had. Returns whether the
    /// server has given that number again.
    private static func reuseLastNumber(_ cluster: PostgreSQLCluster, _ database: String) throws -> Bool {
        let number = try PostgreSQLConnection(cluster.parameters(database: database))
            .execute("SELECT max(backend_xid::text::bigint) FROM pg_stat_activity").int(0, 0)
        cluster.kill()
        try cluster.start()
        let other = try PostgreSQLConnection(cluster.parameters(database: database))
        var next: Int64 = 0
        while next < number ?? 0 { next = try other.execute("SELECT txid_current()").int(0, 0) ?? .max }
        return next == number
    }

    /// After a crash, a commit that the server has executed is still recognized.
    @Test(arguments: ["insert", "update", "delete"]) func commitsBeforeACrashAreRecognized(change: String) throws {
        var options = PostgreSQLCluster.Options()
        options.isDurable = true
        let cluster = try PostgreSQLCluster(options)
        let stack = try PostgreSQLStack(cluster: cluster)
        let context = try stack.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            try context.save()
            let store = try #require(context.postgreSQL)
            let before = try #require(store.connections.serverRun)
            switch change {
            case "insert": _ = context.make("Author", ["name": "b"])
            case "update": author.setValue("b", forKey: "name")
            default: context.delete(author)
            }
            try context.save()
            let connection = try PostgreSQLConnection(cluster.parameters(database: stack.database))
            let number = try #require(
                try connection.execute("SELECT txid_snapshot_xmax(txid_current_snapshot()) - 1").int(0, 0))
            let key = try connection.execute("SELECT max(_pk) FROM coredata.\"Author\"").int(0, 0) ?? 1
            cluster.kill()
            try cluster.start()
            let witness = PostgreSQLWitness(table: "coredata.\"Author\"", key: key, isDeleted: change == "delete")
            let pool = try store.connections.pools(store).main
            #expect(store.outcome(ofTransaction: number, witness, pool) == .committed)
            let after = try #require(store.connections.serverRun)
            #expect(after != before)
            // Without a row nothing can be said, except in the run in which the transaction began.
            store.connections.serverRun = before
            #expect(store.outcome(ofTransaction: number, nil, pool) == .unknown)
            #expect(store.outcome(ofTransaction: number, nil, pool) == .committed)
        }
    }

    // MARK: Standbys

    /// Starts a standby of a server.
    private func standby(of primary: PostgreSQLCluster) throws -> PostgreSQLCluster {
        var options = PostgreSQLCluster.Options()
        options.primary = primary
        return try PostgreSQLCluster(options)
    }

    /// Waits for a query to return true.
    private func wait(_ cluster: PostgreSQLCluster, _ sql: String, database: String = "postgres") throws {
        let connection = try PostgreSQLConnection(cluster.parameters(database: database))
        let end = Date(timeIntervalSinceNow: 60)
        while try connection.execute("SELECT (\(sql))::int4").int(0, 0) != 1 {
            try #require(Date() < end, "\(sql)")
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// The URL of whichever of two servers takes writes.
    private func url(_ stack: PostgreSQLStack, _ standby: PostgreSQLCluster) throws -> URL {
        try stack.url([
            "host": "\(stack.cluster.folder.path),\(standby.folder.path)", "port": "5432,5432",
            "target_session_attrs": "read-write",
        ])
    }

    /// What became of the saves of several programs.
    private struct Saves {
        var returned: [String] = []
        var unknown: [String] = []
        var failed: [String] = []
        var countAtPromotion: Int?
    }

    /// Needs two servers of its own, so it is one of the long tests.
    @Test(.randomized, .enabled(if: isLong, "needs MODELC_KILLS")) func synchronousStandbyLosesNoSave() throws {
        var random = Seeds.generator()
        let primary = try PostgreSQLCluster()
        let stack = try PostgreSQLStack(cluster: primary)
        _ = try stack.coordinator()
        let standby = try standby(of: primary)
        try stack.run("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        try wait(primary, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
        let url = try url(stack, standby)
        let delay = Double.random(in: 0.3...0.8, using: &random)
        let saves = Mutex(Saves())
        try onThreads(5) { number in
            guard number > 0 else {
                Thread.sleep(forTimeInterval: delay)
                primary.kill()
                try standby.promote()
                saves.withLock { $0.countAtPromotion = $0.returned.count }
                return
            }
            // A program has a coordinator of its own.
            let context = try stack.context(stack.coordinator(at: url))
            context.performAndWait {
                var round = 0
                while saves.withLock({ saves in saves.countAtPromotion.map { saves.returned.count < $0 + 40 } }) ?? true
                {
                    round += 1
                    let name = "\(number).\(round)"
                    let author = context.make("Author", ["name": name])
                    _ = context.make("Book", ["author": author])
                    do {
                        try context.save()
                        saves.withLock { $0.returned.append(name) }
                    } catch {
                        let isUnknown = "\(error)".contains("could not be determined")
                        saves.withLock { saves in
                            if isUnknown { saves.unknown.append(name) } else { saves.failed.append(name) }
                        }
                        context.rollback()
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
            }
        }
        let all = saves.withLock { $0 }
        let rows = try PostgreSQLConnection(standby.parameters(database: stack.database)).execute(
            "SELECT a.\"name\", count(b._pk) FROM coredata.\"Author\" a LEFT JOIN coredata.\"Book\" b ON b.\"author\" = a._pk GROUP BY 1"
        )
        var stored: Set<String> = []
        for row in 0..<rows.count {
            stored.insert(try #require(try rows.text(row, 0)))
            #expect(try rows.int(row, 1) == 1)
        }
        print(
            "promotion of a synchronous standby: \(all.returned.count) saves returned, \(all.failed.count) failed, "
                + "\(all.unknown.count) of unknown outcome")
        #expect(Set(all.returned).subtracting(stored).isEmpty)
        #expect(stored.subtracting(all.returned).subtracting(all.unknown).isEmpty)
    }

    /// Needs two servers of its own, so it is one of the long tests.
    @Test(.enabled(if: isLong, "needs MODELC_KILLS")) func asynchronousStandbyLosesOnlyWholeSaves() throws {
        let primary = try PostgreSQLCluster()
        let stack = try PostgreSQLStack(cluster: primary)
        _ = try stack.coordinator()
        let standby = try standby(of: primary)
        let context = try stack.context(stack.coordinator(at: url(stack, standby)))
        try context.performAndWait {
            func save(_ number: Int) throws -> NSManagedObject {
                let author = context.make("Author", ["name": "\(number)"])
                _ = context.make("Book", ["author": author])
                try context.save()
                return author
            }
            for number in 0..<10 { _ = try save(number) }
            try wait(standby, "SELECT count(*) = 10 FROM coredata.\"Book\"", database: stack.database)
            try PostgreSQLConnection(standby.parameters()).execute("ALTER SYSTEM SET primary_conninfo = ''")
            try PostgreSQLConnection(standby.parameters()).execute("SELECT pg_reload_conf()")
            try wait(primary, "SELECT count(*) = 0 FROM pg_stat_replication")
            let lost = try (10..<15).map(save)
            primary.kill()
            try standby.promote()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 10)
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 10)
            // To the program, another program has deleted them.
            lost[0].setValue("changed", forKey: "name")
            #expect(try #require(nsError { try context.save() }).code == NSManagedObjectMergeError)
            context.rollback()
            _ = try save(15)
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 11)
        }
    }

    /// A standby that did not receive everything may give the keys of lost objects again.
    @Test func takenKeysAreAbandoned() throws {
        let stack = try PostgreSQLStack()
        let first = try stack.context()
        let second = try stack.context()
        try first.performAndWait {
            for number in 0..<3 {
                _ = first.make("Author", ["name": "\(number)"])
                try first.save()
            }
        }
        let sequence = try #require(
            try stack.text(
                "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'coredata'::regnamespace AND relname LIKE 'Author%'"
            ))
        try stack.run("SELECT setval('coredata.\(sequence)', 1, false)")
        try second.performAndWait {
            _ = second.make("Author", ["name": "3"])
            let error = try #require(nsError { try second.save() })
            #expect(error.localizedDescription.contains("duplicate key"))
            try second.save()
            #expect(try second.all("Author").count == 4)
        }
    }
}
