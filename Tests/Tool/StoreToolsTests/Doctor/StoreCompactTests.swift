import CoreData
import Diagnostics
import Foundation
import StoreFile
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// `modelc store compact` makes stores smaller within the disk space that it announces, and changes no object.
@Suite struct StoreCompactTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 4

    private static let entities = """
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        </entity>
        """

    /// Returns a store with free pages, and with ten transactions of history, one each day, the last of them now.
    private func store(junk: Int = 4_000_000, changes: Int = 50) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 30) == 0)
        let now = Date().timeIntervalSinceReferenceDate
        try scratch.execute(
            """
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
            ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
            ZBUNDLEIDTS INTEGER, ZTIMESTAMP FLOAT);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, \(changes * 10)), (16002, 'TRANSACTION', 0, 10), \
            (16003, 'TRANSACTIONSTRING', 0, 1);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'org.example.app');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
            INSERT INTO ATRANSACTION SELECT i, 16002, NULL, NULL, 1, \(now) - (10 - i) * 86400 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(changes * 10))
            INSERT INTO ACHANGE SELECT i, 16001, NULL, 1, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), \
            1 + i % 30, 1 + (i - 1) / \(changes), x'01' FROM n;
            CREATE TABLE junk (a); INSERT INTO junk VALUES (zeroblob(\(junk))); DROP TABLE junk
            """, in: "a.sqlite")
        return scratch
    }

    private func size(_ scratch: StoreScratch, _ name: String = "a.sqlite") -> Int64 {
        FileStatus.size(scratch.url(name).path) ?? 0
    }

    /// Checks that the store is intact, and has the objects of another.
    private func expectSame(_ scratch: StoreScratch, _ name: String, as original: String) throws {
        let findings = try StoreDoctorTests.check(scratch.url(name).path).findings.filter { $0.severity > .note }
        #expect(findings.isEmpty, "\(findings)")
        #expect(scratch.diff(original, name) == 0, "\(scratch.output)\(scratch.errorOutput)")
    }

    private func keep(_ scratch: StoreScratch) throws {
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url("original.sqlite"))
        try FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".original_SUPPORT"))
    }

    @Test func freePagesAreRemovedWithinTheBound() throws {
        let scratch = try store()
        try keep(scratch)
        let path = scratch.url("a.sqlite").path
        var options = CompactionPlan.Options()
        options.history = .before(Date().timeIntervalSinceReferenceDate - 4.5 * 86_400)
        let hold = try ExclusiveStoreAccess(path)
        var plan = try hold.compactionPlan(options)
        // What is in use is smaller than a step of this small store.
        #expect(plan.transactions == 5 && plan.changes == 250)
        plan.strategy = .incremental
        let before = size(scratch)
        var peak: Int64 = 0
        try StoreCompactor(plan, options) {
            peak = max(peak, size(scratch) + size(scratch, "a.sqlite-wal") - before)
        }.compact(hold)
        #expect(peak <= plan.bound, "\(peak) of \(plan.bound)")
        #expect(size(scratch) < before / 4)
    }

    /// A large store that is mostly free pages needs at most 5% more disk space.
    @Test func aSparseStoreNeedsFewPercentOfItsSize() throws {
        let scratch = try store(junk: 60_000_000)
        let path = scratch.url("a.sqlite").path
        let options = CompactionPlan.Options()
        let hold = try ExclusiveStoreAccess(path)
        var plan = try hold.compactionPlan(options)
        #expect(plan.bound * 20 <= plan.size)
        let chosen = plan.strategy
        plan.strategy = .incremental
        let before = size(scratch)
        var (peak, steps): (Int64, Int) = (0, 0)
        try StoreCompactor(plan, options) {
            peak = max(peak, size(scratch) + size(scratch, "a.sqlite-wal") - before)
            steps += 1
        }.compact(hold)
        #expect(peak * 20 <= before, "\(peak) of \(before)")
        #expect(steps > 50)
        #expect(chosen == .rebuild)
        #expect(size(scratch) < 400_000)
    }

    @Test(arguments: [
        ["--in-place"], ["--in-place", "--rebuild"], ["--output", "small.sqlite"], ["--in-place", "--secure"],
    ])
    func historyIsPurgedAndObjectsStay(arguments: [String]) throws {
        let scratch = try store()
        try keep(scratch)
        let before = try scratch.files()
        #expect(scratch.compact(["a.sqlite"] + arguments + ["--purge-history", "4.5", "--dry-run"]) == 0)
        #expect(
            scratch.errorOutput.contains("history to purge: 5 transactions with 250 changes"), "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("of additional disk space"))
        #expect(try scratch.files() == before)
        #expect(scratch.compact(["a.sqlite"] + arguments + ["--purge-history", "4.5"]) == 0, "\(scratch.errorOutput)")
        let name = arguments.contains("--output") ? "small.sqlite" : "a.sqlite"
        if name != "a.sqlite" { #expect(try scratch.files().filter { before[$0.key] != nil } == before) }
        try expectSame(scratch, name, as: "original.sqlite")
        #expect(size(scratch, name) < size(scratch, "original.sqlite") / 4)
        let database = try SeedDatabase(scratch.url(name).path)
        #expect(try database.texts("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK") == ["6", "7", "8", "9", "10"])
        #expect(try database.integer("SELECT count(*) FROM ACHANGE") == 250)
        #expect(try database.integer("SELECT min(Z_PK) FROM ACHANGE") == 251)
        #expect(try database.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == 10)
        #expect(try database.integer("SELECT count(*) FROM ATRANSACTIONSTRING") == 1)
        #expect(try database.integer("PRAGMA freelist_count") == 0)
        #expect(try database.integer("PRAGMA auto_vacuum") == 2)
        #expect(try database.texts("PRAGMA journal_mode") == ["wal"])
        #expect(!(try scratch.files().keys.contains { $0.contains(".modelc-") }))
    }

    /// The request of the runtime and the command delete the same rows.
    @Test func thePurgeIsThatOfCoreDatasRequest() throws {
        let scratch = try store()
        try keep(scratch)
        let limit = Date(timeIntervalSinceNow: -4.5 * 86_400)
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "4.5"]) == 0)
        let model = try StoreDoctorTests.runtimeModel(try #require(try scratch.model()))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: scratch.url("original.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = try context.performAndWait {
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: limit))
        }
        let rows = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map { "SELECT Z_PK FROM \($0) ORDER BY Z_PK" }
        for query in rows {
            #expect(
                try SeedDatabase(scratch.url("a.sqlite").path).texts(query)
                    == SeedDatabase(scratch.url("original.sqlite").path).texts(query))
        }
    }

    @Test func allHistoryIsPurgedUnlessCloudKitMirrorsTheStore() throws {
        let scratch = try store()
        try scratch.execute(
            """
            CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER); \
            INSERT INTO ANSCKRECORDMETADATA VALUES (1, NULL)
            """, in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "all"]) == 2)
        #expect(scratch.errorOutput.contains("CloudKit mirrors the store"), "\(scratch.errorOutput)")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "7.5"]) == 0)
        try scratch.execute("UPDATE ANSCKRECORDMETADATA SET ZPENDINGEXPORTTRANSACTIONNUMBER = 3", in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "7.5"]) == 2)
        // What was exported is not known.
        for statement in [
            "DELETE FROM ANSCKRECORDMETADATA",
            "ALTER TABLE ANSCKRECORDMETADATA RENAME COLUMN ZPENDINGEXPORTTRANSACTIONNUMBER TO ZOTHER",
            "ALTER TABLE ANSCKRECORDMETADATA RENAME TO ANSCKEVENT",
        ] {
            try scratch.execute(statement, in: "a.sqlite")
            #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "7.5"]) == 2, "\(statement)")
        }
        try scratch.execute("DROP TABLE ANSCKEVENT", in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "all"]) == 0)
        // The newest transaction stays.
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        #expect(try database.texts("SELECT Z_PK FROM ATRANSACTION") == ["10"])
        #expect(try database.integer("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 10") == 50)
        #expect(try database.integer("SELECT count(*) FROM ACHANGE") == 50)
    }

    /// After each step, no transaction has lost its changes, and what is left has no holes, although a clock was set
    /// back.
    @Test func aPurgeEndsWithAWholeHistoryAtAnyMoment() throws {
        let scratch = try store(changes: 300)
        let now = Date().timeIntervalSinceReferenceDate
        try scratch.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = \(now - 20 * 86400) WHERE Z_PK = 9", in: "a.sqlite")
        let path = scratch.url("a.sqlite").path
        var options = CompactionPlan.Options()
        options.history = .before(now - 4.5 * 86_400)
        let hold = try ExclusiveStoreAccess(path)
        var plan = try hold.compactionPlan(options)
        #expect(plan.transactions == 5 && plan.changes == 1500)
        plan.strategy = .incremental
        var steps: [(Int64?, Int64?)] = []
        try StoreCompactor(plan, options) {
            let transactions = try? hold.database.integer("SELECT count(*) FROM ATRANSACTION")
            let changes = try? hold.database.integer("SELECT count(*) FROM ACHANGE")
            steps.append((transactions, changes))
        }.compact(hold)
        #expect(steps.count >= 5)
        #expect(steps.allSatisfy { $0.1 == ($0.0 ?? 0) * 300 }, "\(steps)")
        #expect(steps.last?.0 == 5)
    }

    @Test func orphanedFilesAreSetAside() throws {
        let scratch = try store()
        try keep(scratch)
        let folder = ".a_SUPPORT/_EXTERNAL_DATA"
        let names = (0..<4).map { _ in UUID().uuidString }
        for name in names { try scratch.write(Data(name.utf8), to: "\(folder)/\(name)") }
        try scratch.write(Data("other".utf8), to: "\(folder)/other")
        let old = Date(timeIntervalSinceNow: -2 * 86_400)
        for name in names.dropFirst() + ["other"] {
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: scratch.url("\(folder)/\(name)").path)
        }
        // A store beside this one shares the folder.
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url("a.db"))
        try scratch.execute(
            "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '\(names[1])' || x'00' AS BLOB) WHERE Z_PK = 2", in: "a.db")
        let neighbor = try Data(contentsOf: scratch.url("a.db"))
        // What it refers to is not known while it is damaged.
        try (neighbor.prefix(100) + Data(repeating: 0xAA, count: neighbor.count - 100)).write(to: scratch.url("a.db"))
        #expect(scratch.check("a.sqlite", "--only", "external-file-orphaned", "--strict") == 0)
        #expect(scratch.output.contains("it is not known to which files in"), "\(scratch.output)")
        #expect(!scratch.errorOutput.contains("can be repaired"))
        try neighbor.write(to: scratch.url("a.db"))
        #expect(scratch.compact(["a.sqlite", "--output", "small.sqlite"]) == 0)
        #expect(
            Set(try scratch.files().keys.filter { $0.hasPrefix("small.sqlite.orphans/") }.map { $0.suffix(36) })
                == Set(names[2...].map { $0[...] }))
        #expect(names.allSatisfy { FileManager.default.fileExists(atPath: scratch.url("\(folder)/\($0)").path) })
        try expectSame(scratch, "small.sqlite", as: "original.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place"]) == 0)
        let files = try scratch.files()
        for (name, isMoved) in zip(names, [false, false, true, true]) {
            #expect((files["\(folder)/\(name)"] == nil) == isMoved)
            #expect((files["a.sqlite.orphans/\(name)"] == Data(name.utf8)) == isMoved)
        }
        #expect(files["\(folder)/other"] != nil)
        try expectSame(scratch, "a.sqlite", as: "original.sqlite")
    }

    @Test func aStoreWithoutAutoVacuumIsRebuilt() throws {
        let scratch = try store()
        try keep(scratch)
        try scratch.execute(
            "PRAGMA auto_vacuum = 0; VACUUM; CREATE TABLE junk (a); INSERT INTO junk VALUES (zeroblob(900000)); DROP TABLE junk",
            in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place"]) == 0)
        #expect(scratch.errorOutput.contains("in place, by a new copy of what is in use"))
        try expectSame(scratch, "a.sqlite", as: "original.sqlite")
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("PRAGMA auto_vacuum") == 2)
    }

    @Test func storesThatCannotBeCompactedAreUnchanged() throws {
        let scratch = try store()
        let open = try SeedDatabase(scratch.url("a.sqlite").path)
        _ = try open.integer("SELECT count(*) FROM ZBOOK")
        #expect(scratch.compact(["a.sqlite", "--in-place"]) == 2)
        #expect(scratch.errorOutput.contains("the store is in use"), "\(scratch.errorOutput)")
        // A copy can be made while it is in use.
        #expect(scratch.compact(["a.sqlite", "--output", "small.sqlite"]) == 0)
        #expect(scratch.compact(["a.sqlite", "--output", "small.sqlite"]) == 2)
        #expect(scratch.compact(["a.sqlite"]) == -1)
        #expect(scratch.compact(["a.sqlite", "--in-place", "--purge-history", "old"]) == -1)
        try scratch.write(Data("text".utf8), to: "text.sqlite")
        #expect(scratch.compact(["text.sqlite", "--in-place"]) == 2)
        try scratch.execute("CREATE TABLE a (b)", in: "other.sqlite", creates: true)
        #expect(scratch.compact(["other.sqlite", "--in-place"]) == 2)
    }

    @Test func aDamagedStoreIsLeft() throws {
        let scratch = try store()
        let root = try #require(
            try SeedDatabase(scratch.url("a.sqlite").path).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
        var bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        bytes.replaceSubrange(Int(root - 1) * 4096..<Int(root) * 4096, with: Data(repeating: 0xAA, count: 4096))
        try bytes.write(to: scratch.url("a.sqlite"))
        let before = try scratch.files()
        for arguments in [["--in-place"], ["--in-place", "--rebuild"], ["--output", "b.sqlite"]] {
            #expect(scratch.compact(["a.sqlite"] + arguments) == 2)
            #expect(scratch.errorOutput.contains("damaged"), "\(scratch.errorOutput)")
            #expect(try scratch.files().filter { !$0.key.hasPrefix("a.sqlite-") } == before)
        }
    }

    // MARK: Interruptions

    /// Kills the program at random moments: the store is whole, and a second run ends the work.
    @Test(.randomized, arguments: [["--in-place"], ["--in-place", "--rebuild"]])
    func killedCompactionsLeaveAWholeStore(options: [String]) throws {
        var random = Seeds.generator()
        let scratch = try store(junk: 12_000_000, changes: 2000)
        try keep(scratch)
        let original = try Data(contentsOf: scratch.url("a.sqlite"))
        let arguments = ["compact", "a.sqlite", "--purge-history", "4.5"] + options
        let start = Date()
        #expect(try ToolProcess.run("modelc-store", arguments, in: scratch.folder).code == 0)
        let duration = Date().timeIntervalSince(start)
        var ended = 0
        for _ in 0..<Self.kills {
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: scratch.url("a.sqlite").path + suffix)
            }
            try original.write(to: scratch.url("a.sqlite"))
            let process = Process()
            process.executableURL = ToolProcess.url("modelc-store")
            process.arguments = arguments
            process.currentDirectoryURL = scratch.folder
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            Thread.sleep(forTimeInterval: .random(in: 0...duration * 1.1, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if process.terminationReason == .exit { ended += 1 }
            try expectSame(scratch, "a.sqlite", as: "original.sqlite")
            // What is left of the history is its end.
            let database = try SeedDatabase(scratch.url("a.sqlite").path)
            let (count, first) = (
                try database.integer("SELECT count(*) FROM ACHANGE") ?? 0,
                try database.integer("SELECT min(Z_PK) FROM ACHANGE")
            )
            #expect(count >= 10_000 && first == 20_001 - count)
        }
        #expect(scratch.compact(["a.sqlite", "--purge-history", "4.5"] + options) == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT count(*) FROM ACHANGE") == 10_000)
        if Self.kills > 4 { print("killed compactions: \(ended) of \(Self.kills) had ended") }
    }

    @Test func aFullDiskLeavesAWholeStore() throws {
        let scratch = try store()
        try keep(scratch)
        for arguments in [["--output", "b.sqlite"], ["--in-place", "--rebuild"]] {
            for kilobytes in [0, 16] {
                let result = try ToolProcess.run(
                    "modelc-store", ["compact", "a.sqlite"] + arguments, in: scratch.folder, kilobytes: kilobytes)
                #expect(result.code == 2, "\(kilobytes): \(result.errorOutput)")
                #expect(!FileManager.default.fileExists(atPath: scratch.url("b.sqlite").path))
                try expectSame(scratch, "a.sqlite", as: "original.sqlite")
            }
        }
    }
}
