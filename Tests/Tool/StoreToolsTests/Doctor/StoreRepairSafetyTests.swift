import CSQLite3
import CoreData
import Diagnostics
import Foundation
import ModelcDriver
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// `modelc store repair` never loses more than what its repairs say, and leaves no consequence of a repair.
@Suite struct StoreRepairSafetyTests {
    /// People whose managers are required, and departments.
    private static let entities = """
        <entity name="Department" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="department" inverseEntity="Person"/>
        </entity>
        <entity name="Person" syncable="YES">
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="department" maxCount="1" deletionRule="Nullify" destinationEntity="Department" \
        inverseName="people" inverseEntity="Department"/>
            <relationship name="manager" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="reports" inverseEntity="Person"/>
            <relationship name="reports" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="manager" inverseEntity="Person"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="people" inverseEntity="Tag"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="tags" inverseEntity="Person"/>
        </entity>
        """

    static let history = """
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 20), (16002, 'TRANSACTION', 0, 1), \
        (16003, 'TRANSACTIONSTRING', 0, 0);
        INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1);
        """

    private func store(rows: Int = 40) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: rows) == 0)
        // Everyone is their own manager.
        try scratch.execute("UPDATE ZPERSON SET ZMANAGER = Z_PK", in: "a.sqlite")
        return scratch
    }

    private func count(_ table: String, in scratch: StoreScratch, _ name: String = "b.sqlite") throws -> Int64? {
        try SeedDatabase(scratch.url(name).path).integer("SELECT count(*) FROM \(table)")
    }

    // MARK: Deletions

    @Test func aNewColumnDeletesNoObjects() throws {
        let scratch = try store()
        try scratch.execute(
            "DROP INDEX IF EXISTS ZPERSON_ZDEPARTMENT_INDEX; ALTER TABLE ZPERSON DROP COLUMN ZDEPARTMENT",
            in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--unsafe-fixes") == 1, "\(scratch.errorOutput)")
        #expect(try count("ZPERSON", in: scratch) == 40)
        #expect(scratch.errorOutput.contains("left: "), "\(scratch.errorOutput)")
    }

    @Test func aNewTableDeletesNoObjects() throws {
        let scratch = try store()
        try scratch.execute("DROP TABLE ZDEPARTMENT", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--unsafe-fixes") == 1, "\(scratch.errorOutput)")
        #expect(try count("ZPERSON", in: scratch) == 40)
        #expect(try count("ZDEPARTMENT", in: scratch) == 0)
    }

    @Test func anUnknownNumberDeletesNoObjectsAndNoHistory() throws {
        let scratch = try store()
        try scratch.execute(
            Self.history + """
                INSERT INTO ACHANGE SELECT Z_PK, 16001, NULL, 0, Z_ENT, Z_PK, 1 FROM ZTAG LIMIT 20; \
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Tag', 'Person')
                """, in: "a.sqlite")
        for rules in [
            [], ["--except", "entity-row-missing"], ["--only", "history-entity"], ["--only", "unknown-entity"],
        ] {
            let arguments = ["a.sqlite", "--output", "b.sqlite", "--force", "--unsafe-fixes"] + rules
            let code = scratch.repair(arguments)
            #expect(code == 0 || code == 1, "\(scratch.errorOutput)")
            #expect(try count("ZTAG", in: scratch) == 40)
            #expect(try count("ZPERSON", in: scratch) == 40)
            #expect(try count("ACHANGE", in: scratch) == 20)
        }
    }

    /// A chain of objects that each require the one before goes as a whole if its first has no destination.
    @Test(arguments: [[], ["--only", "dangling-reference"], ["--only", "required-reference-missing"]])
    func consequencesOfDeletionsAreRepaired(rules: [String]) throws {
        let scratch = try store()
        try scratch.execute(
            """
            UPDATE ZPERSON SET ZMANAGER = Z_PK - 1 WHERE Z_PK BETWEEN 2 AND 31; \
            UPDATE ZPERSON SET ZMANAGER = 9999, ZDEPARTMENT = NULL WHERE Z_PK = 1
            """, in: "a.sqlite")
        let arguments = ["a.sqlite", "--output", "b.sqlite", "--unsafe-fixes"] + rules
        #expect(scratch.repair(arguments) == 0, "\(scratch.errorOutput)")
        #expect(try count("ZPERSON", in: scratch) == 9)
        #expect(scratch.check("b.sqlite", "--strict") == 0, "\(scratch.output)")
        #expect(scratch.output.isEmpty || !scratch.output.contains("pair"))
        let deletions = try #require(scratch.repair(arguments + ["--force"]) == 0 ? scratch.output : nil)
        #expect(deletions.split(separator: "\n").filter { $0.hasPrefix("- Person/") }.count == 31, "\(deletions)")
    }

    // MARK: Rejected statements

    @Test func anIndexWithATakenNameGetsAnother() throws {
        let scratch = try store()
        let original = try SeedDatabase(scratch.url("a.sqlite").path)
        let index = try #require(
            try original.texts("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%(%ZDEPARTMENT%)%'")
                .first)
        try scratch.execute(
            "DROP INDEX \(index); CREATE INDEX \(index) ON ZPERSON (Z_OPT); UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1",
            in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.check("b.sqlite", "--strict") == 0, "\(scratch.output)")
        #expect(try SeedDatabase(scratch.url("b.sqlite").path).integer("SELECT Z_OPT FROM ZPERSON WHERE Z_PK = 1") == 1)
    }

    @Test func aRejectedStatementLeavesItsFindingOnly() throws {
        let scratch = try store()
        // The trigger calls a function that SQLite does not have.
        try scratch.execute(
            """
            UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Person'; \
            CREATE TRIGGER app AFTER UPDATE OF Z_OPT ON ZPERSON BEGIN SELECT unknown_function(1); END
            """, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("Z_MAX"), "\(scratch.output)")
        #expect(scratch.errorOutput.contains("[version-invalid]"), "\(scratch.errorOutput)")
    }

    // MARK: History

    @Test func mirroredHistoryAndKeysOfDeletedObjectsStay() throws {
        let scratch = try store()
        try scratch.execute(
            Self.history + """
                INSERT INTO ACHANGE SELECT 1, 16001, NULL, 2, Z_ENT, 5000, 1 FROM ZTAG LIMIT 1; \
                INSERT INTO ACHANGE SELECT 2, 16001, NULL, 0, Z_ENT, 1, 77 FROM ZTAG LIMIT 1; \
                INSERT INTO ACHANGE VALUES (3, 16001, NULL, 0, 99, 1, 1); \
                CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY); \
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'
                """, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(try count("ACHANGE", in: scratch) == 3)
        #expect(scratch.errorOutput.contains("CloudKit mirrors the store"))
        #expect(
            try SeedDatabase(scratch.url("b.sqlite").path).integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == 5000)
        _ = scratch.repair("a.sqlite", "--output", "b.sqlite", "--force", "--mirrored")
        #expect(try count("ACHANGE", in: scratch) == 1)
    }

    // MARK: Values

    @Test func jsonHasWholeTypedValues() throws {
        let scratch = try store()
        let text = String(repeating: "long ", count: 100)
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = '\(text)' WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--format", "json") == 0, "\(scratch.errorOutput)")
        let root = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [String: Any]
        let change = try #require((root?["changes"] as? [[String: Any]])?.first)
        #expect(change["old"] as? String == text)
        #expect(change["new"] as? Int == 1)
    }

    /// A name in lower case is a reference, too: its file is copied, and is no orphan.
    @Test func externalNamesCanBeInLowerCase() throws {
        let scratch = try store()
        let name = UUID().uuidString.lowercased()
        try scratch.write(Data("photo".utf8), to: ".a_SUPPORT/_EXTERNAL_DATA/\(name)")
        try scratch.execute(
            "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try scratch.files()[".b_SUPPORT/_EXTERNAL_DATA/\(name)"] == Data("photo".utf8))
    }

    /// A comparison shows what a repair announces, also of objects that do not exist.
    @Test func removedJoinRowsAreDifferences() throws {
        let scratch = try store()
        try scratch.execute("DELETE FROM Z_2TAGS; INSERT INTO Z_2TAGS VALUES (1, 2)", in: "a.sqlite")
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        let columns = try database.texts("SELECT name FROM pragma_table_info('Z_2TAGS')")
        let people = try #require(columns.first { $0.hasSuffix("PEOPLE") })
        let tags = try #require(columns.first { $0.hasSuffix("TAGS") })
        try database.execute("INSERT INTO Z_2TAGS (\(people), \(tags)) VALUES (1, 9999), (8888, 3), (8888, 9999)")
        #expect(scratch.diff("a.sqlite", "a.sqlite") == 0, "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--only", "join-dangling") == 0)
        #expect(scratch.diff("a.sqlite", "b.sqlite") == 1)
        #expect(
            scratch.output.hasPrefix(
                """
                Person
                  ~ Person/1
                      tags: {Tag/9999} → {}
                  ~ Person/8888
                      tags: {Tag/3, Tag/9999} → {}
                0 removed, 0 added, 2 changed
                """), "\(scratch.output)")
        #expect(scratch.diff("b.sqlite", "a.sqlite") == 1)
        #expect(scratch.output.contains("tags: {} → {Tag/3, Tag/9999}"), "\(scratch.output)")
    }

    /// The positions of many members are found in one pass over them.
    @Test func missingPositionsNeedNoQueryPerMember() throws {
        let scratch = try StoreScratch()
        try scratch.execute(
            "CREATE TABLE m (o, p); INSERT INTO m VALUES (1, 4096), (1, NULL), (2, NULL), (1, NULL)", in: "m.sqlite",
            creates: true)
        let query = StoreExamination.appendedPositions(table: "\"m\"", key: "o", order: "p", scope: "")
        let database = try SeedDatabase(scratch.url("m.sqlite").path)
        #expect(
            try database.texts("SELECT r || ':' || v FROM (\(query)) ORDER BY r") == ["2:5120", "3:2048", "4:6144"])
        var plan: [String] = []
        try DoctorDatabase(changing: scratch.url("m.sqlite").path).forEach("EXPLAIN QUERY PLAN \(query)") {
            plan.append($0.text(3))
        }
        #expect(!plan.isEmpty && !plan.contains { $0.contains("CORRELATED") }, "\(plan)")
    }

    // MARK: In place

    /// An app that has opened the file before the repair, and gets the lock after it, works with the repaired store.
    @Test(arguments: [["repair", "--no-backup"], ["compact", "--rebuild"]], ["WAL", "DELETE"])
    func aWaitingAppKeepsTheStore(command: [String], mode: String) throws {
        let scratch = try store()
        try scratch.execute("PRAGMA journal_mode = \(mode)", in: "a.sqlite")
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        let app = try SeedDatabase(scratch.url("a.sqlite").path)
        let arguments = ["a.sqlite", "--in-place"] + command.dropFirst()
        let code = command[0] == "repair" ? scratch.repair(arguments) : scratch.compact(arguments)
        #expect(code == 0, "\(scratch.errorOutput)")
        try app.execute("UPDATE ZDEPARTMENT SET ZNAME = 'by the app'")
        let other = try SeedDatabase(scratch.url("a.sqlite").path)
        #expect(try other.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try other.integer("SELECT count(*) FROM ZDEPARTMENT WHERE ZNAME = 'by the app'") == 40)
        let version = try other.integer("SELECT Z_OPT FROM ZPERSON WHERE Z_PK = 1")
        #expect(version == (command[0] == "repair" ? 1 : nil))
        #expect(try other.texts("PRAGMA journal_mode") == [mode.lowercased()])
        #expect(!(try scratch.files().keys.contains { $0.contains(".modelc-") }))
    }

    /// A backup can be in a folder that is not the store's, and a failure changes nothing, not even the log.
    @Test func aBackupIsMadeInItsFolderAndAFailureKeepsTheLog() throws {
        let scratch = try store()
        let live = try SeedDatabase(scratch.url("a.sqlite").path)
        try live.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: scratch.url("a.sqlite").path + suffix, toPath: scratch.url("c.sqlite").path + suffix)
        }
        try FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".c_SUPPORT"))
        let before = try scratch.files().filter { $0.key.hasPrefix("c.sqlite") }
        #expect(before["c.sqlite-wal"]?.isEmpty == false)
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", "none/backup.sqlite") == 2)
        #expect(try scratch.files().filter { before[$0.key] != nil } == before)
        #expect(!FileManager.default.fileExists(atPath: scratch.url("none").path))
        // Another file system, where there is one.
        let folder = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : scratch.folder.path
        let backup = "\(folder)/modelc-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", backup) == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(backup).integer("SELECT count(*) FROM ZPERSON WHERE Z_OPT IS NULL") == 1)
        #expect(try count("ZPERSON WHERE Z_OPT IS NULL", in: scratch, "c.sqlite") == 0)
    }

    // MARK: Copies

    /// A file that changes while it is read without a lock is read again.
    @Test func copiesAreOfOneState() throws {
        let scratch = try store()
        let path = scratch.url("a.sqlite").path
        var rounds = 0
        try DoctorDatabase.readOneState(of: path) { _ in
            rounds += 1
            if rounds == 1 { try scratch.execute("UPDATE ZTAG SET Z_OPT = 5", in: "a.sqlite") }
        }
        #expect(rounds == 2)
        rounds = 0
        #expect(throws: StoreDoctor.Failure.self) {
            try DoctorDatabase.readOneState(of: path) { _ in
                rounds += 1
                try scratch.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1", in: "a.sqlite")
            }
        }
        #expect(rounds > 2)
    }

    /// A check and a plan are of one state, too.
    @Test func checksAndPlansAreOfOneState() throws {
        let scratch = try store()
        let path = scratch.url("a.sqlite").path
        func change() {
            try? scratch.execute("DELETE FROM ZTAG WHERE Z_PK = (SELECT max(Z_PK) FROM ZTAG)", in: "a.sqlite")
        }
        let count = try #require(try count("ZTAG", in: scratch, "a.sqlite"))
        var doctor = StoreDoctor(path: path)
        var rounds = 0
        doctor.didRead = {
            rounds += 1
            if rounds == 1 { change() }
        }
        let summary = try #require(try doctor.check().summary)
        #expect(rounds == 2)
        #expect(summary.entities.first { $0.name == "Tag" }?.rows == count - 1)
        rounds = 0
        #expect(try doctor.summary().entities.first { $0.name == "Tag" }?.rows == count - 2)
        #expect(rounds == 2)
        rounds = 0
        _ = try CompactionPlan(path: path, isInPlace: true, CompactionPlan.Options()) {
            rounds += 1
            if rounds == 1 { change() }
        }
        #expect(rounds == 2)
        doctor.didRead = change
        #expect(throws: StoreDoctor.Failure.self) { try doctor.check() }
        #expect(throws: StoreDoctor.Failure.self) {
            try CompactionPlan(path: path, isInPlace: true, CompactionPlan.Options(), didRead: change)
        }
    }

    // MARK: Effort

    /// A store without faults is examined once, and any other again only after changes.
    @Test func examinationsAreFew() throws {
        let scratch = try store()
        func examinations() throws -> Int {
            var count = 0
            var repairer = StoreRepairer(
                path: scratch.url("a.sqlite").path, original: scratch.url("a.sqlite").path, model: nil,
                options: StoreRepairer.Options())
            repairer.willExamine = { count += 1 }
            _ = try repairer.run { _ in }
            return count
        }
        #expect(try examinations() == 1)
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        // At the beginning, after the repair, what it has revealed, and at the end.
        #expect(try examinations() == 4)
        #expect(try examinations() == 1)
    }

    // MARK: Leftovers

    /// Every command that writes removes what killed runs have left, except what a run still uses, and what may be the
    /// only copy of something.
    @Test(arguments: [
        ["repair", "a.sqlite", "--output", "b.sqlite"], ["repair", "a.sqlite", "--in-place", "--no-backup"],
        ["compact", "a.sqlite", "--output", "b.sqlite"], ["recover", "a.sqlite", "--output", "b.sqlite"],
        ["export", "a.sqlite", "--output", "out"], ["export", "a.sqlite", "--format", "sqlite", "--output", "out.db"],
    ])
    func leftoversOfKilledRunsAreRemoved(_ command: [String]) throws {
        let scratch = try store(rows: 3)
        // After the names that stay, those that go.
        let names = (0..<8).map { ".modelc-000000000000000\($0)" }
        try scratch.write(Data("x".utf8), to: "\(names[0])/.modelc-retired/missing")
        // The replacement has not left the folder.
        try scratch.write(Data("x".utf8), to: "\(names[1])/.modelc-retired/a.sqlite")
        try scratch.write(Data("x".utf8), to: "\(names[1])/a.sqlite")
        try scratch.write(Data("x".utf8), to: "\(names[2])/a.sqlite")
        // A file of an export that is being written, where folders cannot be locked.
        try scratch.write(Data("x".utf8), to: "\(names[3])/export/Book.jsonl")
        try scratch.write(Data("x".utf8), to: "\(names[4])/a.sqlite")
        // Killed after the replacement was put in its place, and before anything was moved away.
        try scratch.write(Data("x".utf8), to: "\(names[5])/.modelc-retired/a.sqlite/values")
        try scratch.write(Data("x".utf8), to: "\(names[6])/.modelc-retired/Model.xcdatamodel/old/file")
        try FileManager.default.createDirectory(
            at: scratch.url("\(names[7])/.modelc-retired"), withIntermediateDirectories: true)
        for name in try FileManager.default.subpathsOfDirectory(atPath: scratch.folder.path) {
            guard name.hasPrefix(".modelc-"), !name.hasSuffix(".jsonl") else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: scratch.url(name).path)
        }
        let lock = try POSIXFileSystem().lock(folder: scratch.url(names[2]).path)
        let arguments = Array(command.dropFirst())
        let code =
            switch command[0] {
            case "repair": scratch.repair(arguments)
            case "compact": scratch.compact(arguments)
            case "recover": scratch.recover(arguments[0], arguments[1], arguments[2])
            default: scratch.export(arguments)
            }
        #expect(code == 0, "\(scratch.errorOutput)")
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(left.filter { $0.hasPrefix(".modelc-") }.sorted() == Array(names[..<4]))
        withExtendedLifetime(lock) {}
    }
}
