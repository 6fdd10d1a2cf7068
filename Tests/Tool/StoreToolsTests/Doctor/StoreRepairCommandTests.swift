import Diagnostics
import Foundation
import StoreDoctor
import TestSupport
import Testing

@testable import StoreTools

/// `modelc store repair` as a command.
@Suite struct StoreRepairCommandTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 4

    private static let entities = """
        <entity name="Author" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
            <relationship name="place" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf" inverseName="books" \
        inverseEntity="Shelf"/>
        </entity>
        <entity name="Shelf" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="place" inverseEntity="Book"/>
        </entity>
        """

    /// Returns a store in which three books refer to an author, and two to a shelf, that does not exist.
    private func store(rows: Int = 20) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: rows) == 0)
        try scratch.execute(
            "UPDATE ZBOOK SET ZAUTHOR = 9999 WHERE Z_PK IN (3, 5, 7); UPDATE ZBOOK SET ZPLACE = 9999 WHERE Z_PK IN (8, 9)",
            in: "a.sqlite")
        return scratch
    }

    @Test func checkSaysWhatCanBeRepaired() throws {
        let scratch = try store()
        #expect(scratch.check("a.sqlite") == 1)
        #expect(
            scratch.output.contains("`modelc store repair a.sqlite --output FIXED` repairs it."), "\(scratch.output)")
        #expect(
            scratch.output.contains("`modelc store repair a.sqlite --unsafe-fixes --output FIXED` repairs it."),
            "\(scratch.output)")
        #expect(scratch.check("a.sqlite", "--reporter", "json") == 1)
        #expect(scratch.output.contains("\"repair\": \"safe\""), "\(scratch.output)")
        #expect(scratch.output.contains("\"repair\": \"unsafe\""))
    }

    @Test func recommendedCommandsQuoteThePath() throws {
        let scratch = try store()
        let name = "a 'b'\n.sqlite"
        try FileManager.default.moveItem(at: scratch.url("a.sqlite"), to: scratch.url(name))
        #expect(scratch.check(name) == 1)
        let shown = #"'a '\''b'\''\n.sqlite'"#
        #expect(scratch.output.contains("`modelc store repair \(shown) --output FIXED`"), "\(scratch.output)")
        #expect(
            scratch.errorOutput.hasSuffix("can be repaired: modelc store repair \(shown) --output FIXED\n"),
            "\(scratch.errorOutput)")
    }

    /// A database that Core Data has not written, and an empty file, which SQLite takes for a database.
    @Test(arguments: ["CREATE TABLE books (x)", ""]) func otherDatabasesAreNotRepaired(sql: String) throws {
        let scratch = try StoreScratch()
        try scratch.write(Data(), to: "a.sqlite")
        try scratch.execute(sql, in: "a.sqlite")
        let before = try scratch.files()
        for arguments in [["--dry-run"], ["--output", "b.sqlite"], ["--in-place", "--no-backup"]] {
            #expect(scratch.repair(["a.sqlite"] + arguments) == 2)
            #expect(scratch.errorOutput.contains("[not-a-store]"), "\(scratch.errorOutput)")
            #expect(try scratch.files() == before)
        }
        #expect(scratch.recover("a.sqlite", "--output", "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("[not-a-store]"), "\(scratch.errorOutput)")
    }

    @Test func aFolderIsNotAStore() throws {
        let scratch = try StoreScratch()
        try scratch.write(Data(), to: "a.sqlite/x")
        #expect(scratch.check("a.sqlite") == 2)
        #expect(scratch.errorOutput.contains("a.sqlite: error: the path is that of a folder"), "\(scratch.errorOutput)")
        #expect(scratch.repair("a.sqlite", "--dry-run") == 2)
        #expect(scratch.errorOutput.contains("a.sqlite: error: the path is that of a folder"), "\(scratch.errorOutput)")
    }

    @Test func changesAreAnnouncedAndNothingElseDiffers() throws {
        let scratch = try store()
        let before = try scratch.files()
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1)
        let announced = scratch.output
        #expect(
            announced == """
                ~ Book/3 author: 9999 → nil [dangling-reference]
                ~ Book/5 author: 9999 → nil [dangling-reference]
                ~ Book/7 author: 9999 → nil [dangling-reference]

                """)
        #expect(scratch.errorOutput.contains("--unsafe-fixes repairs 1 more finding"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--unsafe-fixes") == 0)
        #expect(scratch.output == announced + "- Book/8 [dangling-reference]\n- Book/9 [dangling-reference]\n")
        #expect(try scratch.files().filter { before[$0.key] != nil } == before)
        #expect(scratch.check("b.sqlite", "--strict") == 0)
        #expect(scratch.diff("a.sqlite", "b.sqlite") == 1)
        #expect(scratch.output.contains("- Book/8\n"), "\(scratch.output)")
        #expect(scratch.output.contains("2 removed, 0 added, 3 changed"), "\(scratch.output)")
        // Nothing is left to do.
        #expect(scratch.repair("b.sqlite", "--dry-run", "--unsafe-fixes") == 0)
        #expect(scratch.output.isEmpty)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 2)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--force") == 1)
        #expect(scratch.repair("a.sqlite", "--output", "a.sqlite", "--force") == 2)
    }

    @Test func rulesAreSelected() throws {
        let scratch = try store()
        try scratch.execute("UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--only", "version-invalid") == 1)
        #expect(scratch.output == "~ Book/1 Z_OPT: nil → 1 [version-invalid]\n", "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--except", "dangling-reference") == 1)
        #expect(scratch.output == "~ Book/1 Z_OPT: nil → 1 [version-invalid]\n")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--only", "version-invallid") == 2)
    }

    @Test func aMirroredStoreKeepsItsReferences() throws {
        let scratch = try store()
        try scratch.execute(
            """
            CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER, ZENTITYPK INTEGER); \
            INSERT INTO ANSCKRECORDMETADATA SELECT 1, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'; \
            UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 1
            """, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1)
        #expect(scratch.output == "~ Book/1 Z_OPT: nil → 1 [version-invalid]\n", "\(scratch.output)")
        #expect(scratch.errorOutput.contains("CloudKit mirrors the store"), "\(scratch.errorOutput)")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--mirrored") == 1)
        #expect(scratch.output.contains("~ Book/3 author: 9999 → nil"))
    }

    // MARK: In place

    @Test func aRepairInPlaceKeepsABackup() throws {
        let scratch = try store()
        // Changes that are only in the log belong to the store.
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        try database.execute("UPDATE ZBOOK SET ZTITLE = 'in the log' WHERE Z_PK = 1")
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup") == 2)
        #expect(scratch.errorOutput.contains("the store is in use"), "\(scratch.errorOutput)")
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: scratch.url("c.sqlite"))
        try FileManager.default.copyItem(
            atPath: scratch.url("a.sqlite").path + "-wal", toPath: scratch.url("c.sqlite").path + "-wal")
        try? FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".c_SUPPORT"))
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", "a.sqlite") == 2)
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", "backup.sqlite", "--unsafe-fixes") == 0)
        #expect(scratch.check("c.sqlite", "--strict") == 0)
        #expect(scratch.diff("a.sqlite", "backup.sqlite") == 0 || scratch.errorOutput.contains("_SUPPORT"))
        let title = "SELECT ZTITLE FROM ZBOOK WHERE Z_PK = 1"
        #expect(try SeedDatabase(scratch.url("c.sqlite").path).texts(title) == ["in the log"])
        #expect(try SeedDatabase(scratch.url("backup.sqlite").path).texts(title) == ["in the log"])
        #expect(!(try scratch.files().keys.contains { $0.contains(".modelc-") }))
    }

    @Test func argumentsAreChecked() throws {
        let scratch = try store()
        #expect(scratch.repair("a.sqlite") == -1)
        #expect(scratch.repair("a.sqlite", "--in-place") == -1)
        #expect(scratch.repair("a.sqlite", "--in-place", "--backup", "b", "--no-backup") == -1)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--in-place", "--no-backup") == -1)
        #expect(scratch.repair("none.sqlite", "--output", "b.sqlite") == 2)
        try scratch.write(Data("text".utf8), to: "text.sqlite")
        #expect(scratch.repair("text.sqlite", "--output", "b.sqlite") == 2)
        #expect(scratch.repair("text.sqlite", "--in-place", "--no-backup") == 2)
        #expect(!FileManager.default.fileExists(atPath: scratch.url("b.sqlite").path))
    }

    @Test func aDamagedStoreIsLeftToRecover() throws {
        let scratch = try store()
        let root = try #require(
            try SeedDatabase(scratch.url("a.sqlite").path).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
        var bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        bytes.replaceSubrange(Int(root - 1) * 4096..<Int(root) * 4096, with: Data(repeating: 0xAA, count: 4096))
        try bytes.write(to: scratch.url("a.sqlite"))
        let before = try scratch.files()
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("modelc store recover"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
    }

    // MARK: Equal objects

    @Test func anEqualObjectStandsForTheOthers() throws {
        let scratch = try store()
        try scratch.execute(
            """
            UPDATE ZAUTHOR SET ZNAME = 'Ann' WHERE Z_PK IN (2, 4); UPDATE ZBOOK SET ZAUTHOR = 2 WHERE Z_PK = 10;
            UPDATE ZBOOK SET ZAUTHOR = 4 WHERE Z_PK IN (3, 5, 7, 11); UPDATE ZBOOK SET ZPLACE = 1 WHERE Z_PK IN (8, 9)
            """, in: "a.sqlite")
        let request = ["--duplicates", "Author:name"]
        #expect(scratch.check("a.sqlite", "--duplicates", "Author:name") == 0)
        #expect(
            scratch.output.contains(
                "`modelc store repair a.sqlite --unsafe-fixes --duplicates Author:name --output FIXED` repairs it."),
            "\(scratch.output)")
        let repair = ["a.sqlite", "--output", "b.sqlite", "--force"] + request
        #expect(scratch.repair(repair) == 0)
        #expect(scratch.diff("a.sqlite", "b.sqlite") == 0)
        #expect(scratch.repair(repair + ["--unsafe-fixes", "--keep", "oldest"]) == 0)
        let database = try SeedDatabase(scratch.url("b.sqlite").path)
        #expect(try database.texts("SELECT Z_PK FROM ZAUTHOR WHERE ZNAME = 'Ann'") == ["2"])
        #expect(
            try database.texts("SELECT DISTINCT ZAUTHOR FROM ZBOOK WHERE Z_PK IN (3, 5, 7, 10, 11)") == ["2"])
        #expect(scratch.check("b.sqlite", "--duplicates", "Author:name", "--notes") == 0)
        #expect(!scratch.output.contains("duplicate-rows"), "\(scratch.output)")
        #expect(scratch.repair(["a.sqlite", "--dry-run", "--duplicates", "Author:title"]) == 2)
    }

    // MARK: Interruptions

    /// Kills the program at random moments: the store is the old one or the new one.
    @Test(.randomized) func killedRepairsLeaveAWholeStore() throws {
        var random = Seeds.generator()
        let scratch = try store(rows: 2000)
        let original = try Data(contentsOf: scratch.url("a.sqlite"))
        let arguments = ["repair", "a.sqlite", "--in-place", "--no-backup", "--unsafe-fixes"]
        let start = Date()
        #expect(try ToolProcess.run("modelc-store", arguments, in: scratch.folder).code == 0)
        let duration = Date().timeIntervalSince(start)
        var repaired = 0
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
            let result = try StoreDoctorTests.check(scratch.url("a.sqlite").path)
            let faults = result.findings.filter { $0.severity > .note }
            #expect(faults.isEmpty || Set(faults.map(\.rule)) == [.danglingReference], "\(faults)")
            if faults.isEmpty { repaired += 1 } else { #expect(faults.map(\.rows.count).reduce(0, +) == 5) }
            for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
            where name.hasPrefix(".modelc-") {
                try FileManager.default.removeItem(at: scratch.url(name))
            }
        }
        if Self.kills > 4 { print("killed repairs: \(Self.kills - repaired) old stores, \(repaired) new ones") }
    }

    @Test func aFullDiskLeavesTheStoreAsItWas() throws {
        let scratch = try store(rows: 500)
        let before = try scratch.files()
        let size = (before["a.sqlite"]?.count ?? 0) / 1024
        for arguments in [["--output", "b.sqlite"], ["--in-place", "--no-backup"], ["--dry-run"]] {
            for kilobytes in [0, 8, size / 2] {
                let result = try ToolProcess.run(
                    "modelc-store", ["repair", "a.sqlite", "--unsafe-fixes"] + arguments, in: scratch.folder,
                    kilobytes: kilobytes)
                #expect(result.code == 2, "\(kilobytes): \(result.errorOutput)")
                let after = try scratch.files().filter { !$0.key.hasPrefix("a.sqlite-") }
                #expect(after == before, "\(after.keys.sorted())")
            }
        }
    }

    @Test(.enabled(if: getuid() != 0)) func aReadOnlyFolderIsAnError() throws {
        let scratch = try store()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: scratch.folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.folder.path) }
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 2)
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup") == 2)
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1)
    }
}
