import CoreData
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreFile
import TestSupport
import Testing

@testable import StoreTools

/// `modelc store copy` between files and databases.
@Suite(.needsPostgreSQL, .serialized) struct StoreCopyTests {
    /// A folder with a store, and an empty database.
    private struct Fixture {
        let scratch: StoreScratch
        let url: String
        let connection: PostgreSQLConnection

        init() throws {
            scratch = try StoreScratch()
            let cluster = try PostgreSQLCluster.shared.get()
            let database = try cluster.createDatabase()
            url = try cluster.url(database: database).absoluteString
            connection = try PostgreSQLConnection(cluster.parameters(database: database))
        }

        func copy(_ arguments: String...) throws -> ToolProcess.Result {
            try ToolProcess.run("modelc-postgresql", ["copy"] + arguments, in: scratch.folder)
        }

        func shell(_ script: String, _ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script] + arguments
            process.currentDirectoryURL = scratch.folder
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        func text(_ sql: String) throws -> String? { try connection.execute("SELECT (\(sql))::text").text(0, 0) }

        func expectEqual(_ first: String, _ second: String, keysOf tables: [String]) throws {
            #expect(scratch.diff(first, second) == 0, "\(scratch.output)\(scratch.errorOutput)")
            for table in tables {
                let query =
                    "SELECT group_concat(Z_PK || ':' || Z_ENT) FROM (SELECT Z_PK, Z_ENT FROM \(table) ORDER BY 1)"
                #expect(try scratch.value(query, in: first) == scratch.value(query, in: second))
            }
            let identifier = "SELECT Z_UUID FROM Z_METADATA"
            #expect(try scratch.value(identifier, in: first) == scratch.value(identifier, in: second))
        }
    }

    @Test func aCopyInADatabaseAndBackHasTheSameObjectsKeysAndIdentifier() throws {
        let fixture = try Fixture()
        try fixture.scratch.writeModel(SampleModel.entities)
        #expect(fixture.scratch.make(rows: 120) == 0)
        // A deleted object's key, which no other object may get.
        try fixture.scratch.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1000", in: "a.sqlite")
        let there = try fixture.copy("a.sqlite", fixture.url)
        #expect(there.code == 0, "\(there.errorOutput)")
        #expect(there.output.contains("Everything: 120\n"))
        #expect(there.errorOutput.contains("objects of 6 entities"))
        let back = try fixture.copy(fixture.url, "b.sqlite")
        #expect(back.code == 0, "\(back.errorOutput)")
        #expect(back.output == there.output)
        try fixture.expectEqual("a.sqlite", "b.sqlite", keysOf: ["ZEVERYTHING", "ZNODE", "ZTAG", "ZCOVER", "ZMEMBER"])
        #expect(fixture.scratch.check("b.sqlite") == 0, "\(fixture.scratch.output)")
        let keys = "SELECT min(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_SUPER = 0"
        let last = try fixture.scratch.value(keys, in: "b.sqlite").flatMap { Int($0) }
        #expect(try #require(last) >= 1120)
        // A new object gets a key that no other object has had.
        let next = try fixture.text(#"SELECT nextval('coredata."Tag_keys"')"#).flatMap { Int($0) }
        #expect(try #require(next) > 1120)
    }

    @Test func storesOfRandomModelsAreEqualAfterTheWayThroughADatabase() {
        Seeds.run(rounds: 4) { generator, _ in
            var random = generator
            let fixture = try Fixture()
            let model = RandomStoreModel.make(using: &random)
            try fixture.scratch.writeCompiled(model)
            guard fixture.scratch.make("M.mom", rows: 12) == 0 else { return }
            let there = try fixture.copy("a.sqlite", fixture.url, "--to-schema", "own")
            // A text with a NUL and an index entry that is too large are documented limits.
            if there.errorOutput.contains("code zero") { return }
            #expect(there.code == 0, "\(there.errorOutput)")
            let back = try fixture.copy(fixture.url, "b.sqlite", "--from-schema", "own")
            #expect(back.code == 0, "\(back.errorOutput)")
            try fixture.expectEqual("a.sqlite", "b.sqlite", keysOf: [])
        }
    }

    @Test func copiesAreMigratedToAnotherVersion() throws {
        let fixture = try Fixture()
        let scratch = fixture.scratch
        try scratch.writeModel(Self.old, to: "Old.xcdatamodel")
        try scratch.writeModel(Self.new, to: "New.xcdatamodel")
        #expect(scratch.make("Old.xcdatamodel") == 0)
        // From file to file, without a database.
        let file = try ToolProcess.run(
            "modelc-store", ["copy", "a.sqlite", "b.sqlite", "--model", "New.xcdatamodel", "--new-identifier"],
            in: scratch.folder)
        #expect(file.code == 0, "\(file.errorOutput)")
        #expect(file.output == "Book: 50\n")
        #expect(scratch.diff("a.sqlite", "b.sqlite") == 0, "\(scratch.output)")
        let identifier = "SELECT Z_UUID FROM Z_METADATA"
        #expect(try scratch.value(identifier, in: "a.sqlite") != scratch.value(identifier, in: "b.sqlite"))
        let hashes = try #require(try scratch.model("New.xcdatamodel")).versionHashes().entities
        #expect(try StoreFile(path: scratch.url("b.sqlite").path).hashes == hashes)
        // Into a database, from there into another schema, and back.
        #expect(try fixture.copy("a.sqlite", fixture.url, "--model", "New.xcdatamodel").code == 0)
        let other = try fixture.copy(fixture.url, fixture.url, "--to-schema", "second")
        #expect(other.code == 0, "\(other.errorOutput)")
        #expect(try fixture.copy(fixture.url, "c.sqlite", "--from-schema", "second").code == 0)
        #expect(scratch.diff("a.sqlite", "c.sqlite") == 0, "\(scratch.output)")
        // What a migration would drop needs a flag.
        let lossy = try fixture.copy(fixture.url, "d.sqlite", "--model", "Old.xcdatamodel")
        #expect(lossy.code == 1 && lossy.errorOutput.contains("would drop"), "\(lossy.errorOutput)")
        #expect(try fixture.copy(fixture.url, "d.sqlite", "--model", "Old.xcdatamodel", "--allow-loss").code == 0)
        #expect(try scratch.files().keys.allSatisfy { !$0.contains("/.") && !$0.hasPrefix(".modelc") })
    }

    /// A migration by a mapping model locks the folder of the copy.
    @Test func copiesAreMigratedByMappingModels() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions([Self.old, Self.new])
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel") == 0)
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        let copy = try ToolProcess.run(
            "modelc-store", ["copy", "a.sqlite", "b.sqlite", "--model", "Books.xcdatamodeld/V2.xcdatamodel"],
            in: scratch.folder)
        #expect(copy.code == 0 && copy.output == "Book: 50\n", "\(copy.output)\(copy.errorOutput)")
        let mapped = try ToolProcess.run(
            "modelc-store",
            ["copy", "a.sqlite", "c.sqlite", "--model", "Books.xcdatamodeld", "--mapping", "Map.xcmappingmodel"],
            in: scratch.folder)
        #expect(mapped.code == 0 && mapped.output == "Book: 50\n", "\(mapped.output)\(mapped.errorOutput)")
        #expect(scratch.diff("b.sqlite", "c.sqlite") == 0, "\(scratch.output)")
        #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix(".modelc") })
    }

    private static let old = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/><attribute name="cover" \
        optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/></entity>
        """
    private static let new = """
        <entity name="Book"><attribute name="name" optional="YES" attributeType="String" elementID="title"/><attribute \
        name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/><attribute \
        name="isNew" attributeType="Boolean" defaultValueString="YES"/></entity>
        """

    /// The model in the store declares the indexes of models up to Xcode 8 too.
    @Test func copiesHaveTheIndexesOfTheStore() throws {
        let fixture = try Fixture()
        try fixture.scratch.writeModel(
            """
            <entity name="Book"><attribute name="code" optional="YES" attributeType="Integer 32" indexed="YES"/>\
            <attribute name="pages" optional="YES" attributeType="Integer 32"/><compoundIndexes><compoundIndex>\
            <index value="pages"/><index value="code"/></compoundIndex></compoundIndexes></entity>
            """)
        #expect(fixture.scratch.make() == 0)
        let there = try fixture.copy("a.sqlite", fixture.url)
        #expect(there.code == 0, "\(there.errorOutput)")
        let indexes =
            "SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'coredata'"
        #expect(try fixture.text("\(indexes) AND tablename = 'Book'") == "Book_code_idx Book_pages_code Book_pkey")
        let back = try fixture.copy(fixture.url, "b.sqlite")
        #expect(back.code == 0, "\(back.errorOutput)")
        let names =
            "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1)"
        #expect(try fixture.scratch.value(names, in: "b.sqlite") == "Z_Book_code Z_Book_pages_code")
    }

    @Test func aHistoryIsAnnouncedAsDroppedOrKept() throws {
        let fixture = try Fixture()
        try fixture.scratch.writeModel(Self.old)
        #expect(fixture.scratch.make() == 0)
        try fixture.scratch.execute(
            "CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY); INSERT INTO ATRANSACTION VALUES(1), (2)",
            in: "a.sqlite")
        let database = try fixture.copy("a.sqlite", fixture.url)
        #expect(database.errorOutput.contains("the copy has no history; 2 transactions of the original are not copied"))
        let file = try fixture.copy("a.sqlite", "b.sqlite")
        #expect(file.code == 0 && !file.errorOutput.contains("history"), "\(file.errorOutput)")
        #expect(try fixture.scratch.value("SELECT count(*) FROM ATRANSACTION", in: "b.sqlite") == "2")
    }

    @Test func afterAFailureThereIsNoStoreAndOthersAreUntouched() throws {
        let fixture = try Fixture()
        let scratch = fixture.scratch
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make() == 0)
        let before = try scratch.files()
        // A store with a reference to an object that does not exist.
        try scratch.execute("UPDATE ZCOVER SET ZLEAF = 999999", in: "a.sqlite")
        let broken = try fixture.copy("a.sqlite", fixture.url)
        #expect(broken.code == 1 && broken.errorOutput.contains("does not exist"), "\(broken.errorOutput)")
        #expect(try fixture.text("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
        try before["a.sqlite"]?.write(to: scratch.url("a.sqlite"))
        #expect(try fixture.copy("a.sqlite", fixture.url).code == 0)
        let again = try fixture.copy("a.sqlite", fixture.url)
        #expect(again.code == 2 && again.errorOutput.contains("there is a store in"), "\(again.errorOutput)")
        #expect(try fixture.copy(fixture.url, "a.sqlite").code == 2)
        #expect(try fixture.copy(fixture.url, "b.sqlite", "--from-schema", "none").code == 2)
        // Connections that read a file together need these.
        let after = try scratch.files().keys.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(after.sorted() == before.keys.sorted())
        // A program without a client says which one has it.
        let without = try ToolProcess.run("modelc-store", ["copy", "a.sqlite", fixture.url], in: scratch.folder)
        #expect(without.code == 2 && without.errorOutput.contains("modelc-postgresql"), "\(without.errorOutput)")
    }

    @Test(
        arguments: [
            ("name = CAST(x'ff41' AS TEXT)", "not valid UTF-8"),
            ("number = 'abc'", "the storage class of another type"),
            ("number = 99999999999", "not fit 32 bits"), ("price = 'abc'", "stored as text"),
            ("day = '2020-01-01'", "the storage class of another type"), ("flag = 7", "neither 0 nor 1"),
        ])
    func valuesThatADatabaseCannotHoldAreReportedBeforeAnythingIsWritten(set: String, problem: String) throws {
        let fixture = try Fixture()
        try fixture.scratch.writeModel(
            """
            <entity name="Item" representedClassName="Item">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 32"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="day" optional="YES" attributeType="Date"/>
            <attribute name="flag" optional="YES" attributeType="Boolean"/>
            </entity>
            """)
        #expect(fixture.scratch.make(rows: 5) == 0)
        try fixture.scratch.execute("UPDATE ZITEM SET Z\(set) WHERE Z_PK = 2", in: "a.sqlite")
        let result = try fixture.copy("a.sqlite", fixture.url)
        #expect(result.code == 1 && result.errorOutput.contains(problem), "\(result.errorOutput)")
        #expect(try fixture.text("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'") == "0")
    }

    // MARK: What the guide for operators says

    @Test func aRestoredDumpIsTheSameStore() throws {
        let fixture = try Fixture()
        let cluster = try PostgreSQLCluster.shared.get()
        try fixture.scratch.writeModel(SampleModel.entities)
        #expect(fixture.scratch.make() == 0)
        #expect(try fixture.copy("a.sqlite", fixture.url).code == 0)
        let other = try cluster.createDatabase()
        let target = try cluster.url(database: other).absoluteString
        let script =
            "\"$0\"/pg_dump --schema coredata --format custom --file dump \"$1\" && "
            + "\"$0\"/pg_restore --exit-on-error --dbname \"$2\" dump"
        try fixture.shell(script, cluster.programs.path, fixture.url, target)
        let back = try fixture.copy(target, "b.sqlite")
        #expect(back.code == 0, "\(back.errorOutput)")
        try fixture.expectEqual("a.sqlite", "b.sqlite", keysOf: ["ZEVERYTHING", "ZNODE", "ZTAG"])
    }

    @Test func theRolesOfTheGuideHaveThePrivilegesThatTheyNeed() throws {
        let guide = Checkout.root.appendingPathComponent("Documentation/Guides/PostgreSQLOperations.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let block = try #require(text.components(separatedBy: "```sql\n").dropFirst().first)
        let sql = try #require(block.components(separatedBy: "```").first)
        let fixture = try Fixture()
        let database = try #require(try fixture.text("SELECT current_database()"))
        let adapted = sql.replacingOccurrences(of: "DATABASE library", with: "DATABASE \(database)")
        for statement in adapted.split(separator: ";")
        where statement.contains(where: \.isLetter) {
            try fixture.connection.execute(String(statement))
        }
        defer {
            for role in ["library_app", "library_reader", "library_owner"] {
                _ = try? fixture.connection.execute("DROP OWNED BY \(role) CASCADE")
                _ = try? fixture.connection.execute("DROP ROLE \(role)")
            }
        }
        func url(_ role: String) -> String {
            fixture.url.replacingOccurrences(of: "user=\(PostgreSQLCluster.user)", with: "user=\(role)")
        }
        try fixture.scratch.writeModel(SampleModel.entities)
        #expect(fixture.scratch.make() == 0)
        let made = try fixture.copy("a.sqlite", url("library_owner"))
        #expect(made.code == 0, "\(made.errorOutput)")
        for (role, name) in [("library_app", "b.sqlite"), ("library_reader", "c.sqlite")] {
            let read = try fixture.copy(url(role), name)
            #expect(read.code == 0, "\(read.errorOutput)")
            // Neither creates schemas.
            #expect(try fixture.copy("a.sqlite", url(role), "--to-schema", "other").code == 1)
        }
        func isAllowed(_ statement: String, _ role: String) throws -> Bool {
            try fixture.connection.execute("SET ROLE \(role)")
            defer { _ = try? fixture.connection.execute("RESET ROLE") }
            return (try? fixture.connection.execute(statement)) != nil
        }
        #expect(try isAllowed(#"UPDATE coredata."Tag" SET _version = _version"#, "library_app"))
        #expect(try isAllowed(#"SELECT nextval('coredata."Tag_keys"')"#, "library_app"))
        #expect(try !isAllowed(#"UPDATE coredata."Tag" SET _version = _version"#, "library_reader"))
        #expect(try !isAllowed(#"ALTER TABLE coredata."Tag" ADD COLUMN x integer"#, "library_app"))
    }

    /// Kills copies at random times, in both directions.
    @Test func aKilledCopyLeavesNoStore() throws {
        let fixture = try Fixture()
        try fixture.scratch.writeModel(SampleModel.entities)
        let rows = runsLongForms ? 3000 : 600
        #expect(fixture.scratch.make(rows: rows) == 0)
        let rounds = ProcessInfo.processInfo.environment["MODELC_KILLS"].flatMap { Int($0) } ?? 6
        var killed = 0
        let start = ProcessInfo.processInfo.systemUptime
        #expect(try fixture.copy("a.sqlite", fixture.url, "--to-schema", "whole").code == 0)
        let length = ProcessInfo.processInfo.systemUptime - start
        for round in 0..<rounds {
            // The first is killed at once, however fast the others are.
            let delay = round == 0 ? 0 : Double.random(in: 0...length)
            if try Self.kill(["a.sqlite", fixture.url], after: delay, fixture) { killed += 1 }
            // The server ends the transaction once it notices that the client is gone.
            #expect(try fixture.connection.isIdle())
            let schemas = try fixture.text("SELECT count(*) FROM pg_namespace WHERE nspname = 'coredata'")
            if schemas == "0" { continue }
            #expect(try fixture.text("SELECT count(*) FROM coredata.\"Everything\"") == "\(rows)")
            try fixture.connection.execute("DROP SCHEMA coredata CASCADE")
        }
        for _ in 0..<rounds {
            if try Self.kill(
                [fixture.url, "b.sqlite", "--from-schema", "whole"], after: .random(in: 0...length), fixture)
            {
                killed += 1
            }
            guard FileManager.default.fileExists(atPath: fixture.scratch.url("b.sqlite").path) else { continue }
            #expect(fixture.scratch.diff("a.sqlite", "b.sqlite") == 0)
            try FileManager.default.removeItem(at: fixture.scratch.url("b.sqlite"))
            try? FileManager.default.removeItem(at: fixture.scratch.url(".b_SUPPORT"))
        }
        #expect(killed > 0)
    }

    /// Runs a copy, and kills it. Returns whether it was still running.
    private static func kill(_ arguments: [String], after seconds: Double, _ fixture: Fixture) throws -> Bool {
        let process = Process()
        process.executableURL = ToolProcess.url("modelc-postgresql")
        process.arguments = ["copy"] + arguments
        process.currentDirectoryURL = fixture.scratch.folder
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        Thread.sleep(forTimeInterval: seconds)
        let isRunning = process.isRunning
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return isRunning
    }
}

extension PostgreSQLConnection {
    /// Waits until no other client of the database has a transaction, and returns whether that is so after 30 seconds.
    fileprivate func isIdle() throws -> Bool {
        for _ in 0..<1200 {
            let count = try execute(
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                    + "AND backend_type = 'client backend'"
            ).text(0, 0)
            if count == "0" { return true }
            Thread.sleep(forTimeInterval: 0.1)
        }
        return false
    }
}
