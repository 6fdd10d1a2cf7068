import CoreData
import Diagnostics
import Foundation
import Testing

@testable import StoreTools

/// `modelc store check`, `repair` and `compact` with files that are named, protected or linked in unusual ways.
@Suite struct StoreRepairFileTests {
    private static let entities = """
        <entity name="Author" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
        </entity>
        """

    /// Returns a store in which a book refers to an author that does not exist, without a log.
    private func store(rows: Int = 20) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: rows) == 0)
        try scratch.execute(
            "UPDATE ZBOOK SET ZCOVER = NULL; UPDATE ZBOOK SET ZAUTHOR = 9999 WHERE Z_PK = 3; "
                + "PRAGMA wal_checkpoint(TRUNCATE)", in: "a.sqlite")
        try? FileManager.default.removeItem(at: scratch.url(".a_SUPPORT"))
        return scratch
    }

    // MARK: Backups

    /// The working directory, which the program's paths do not name.
    @Test func aBackupIsMadeInTheWorkingDirectory() throws {
        let scratch = try store()
        let result = try ToolProcess.run(
            "modelc-store", ["repair", "a.sqlite", "--in-place", "--backup", "books.backup"], in: scratch.folder)
        #expect(result.code == 0, "\(result.errorOutput)")
        #expect(try SeedDatabase(scratch.url("books.backup").path).integer("SELECT count(*) FROM ZBOOK") == 20)
        let dangling = "SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 9999"
        #expect(try SeedDatabase(scratch.url("books.backup").path).integer(dangling) == 1)
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer(dangling) == 0)
    }

    /// A failed command has changed nothing, so it leaves no backup either.
    @Test func aFailedRepairLeavesNoBackup() throws {
        let scratch = try store(rows: 2000)
        let before = try scratch.files()
        // The copies have the size of the store. The log that replaces its content is larger.
        let kilobytes = (before["a.sqlite"]?.count ?? 0) / 1024
        let result = try ToolProcess.run(
            "modelc-store", ["repair", "a.sqlite", "--in-place", "--backup", "books.backup"], in: scratch.folder,
            kilobytes: kilobytes)
        #expect(result.code == 2, "\(result.errorOutput)")
        #expect(result.errorOutput.contains("Nothing was changed"), "\(result.errorOutput)")
        #expect(try scratch.files().filter { !$0.key.hasPrefix("a.sqlite-") } == before)
    }

    // MARK: Permissions

    /// The copy is changed before it gets the permissions of a store that is read-only.
    @Test(.enabled(if: ToolProcess.runsUnprivileged), arguments: [["repair"], ["compact"]])
    func aReadOnlyStoreIsCopied(command: [String]) throws {
        let scratch = try store()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: scratch.url("a.sqlite").path)
        try manager.createSymbolicLink(atPath: scratch.url("link.sqlite").path, withDestinationPath: "a.sqlite")
        try manager.createDirectory(at: scratch.url("out"), withIntermediateDirectories: false)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.url("out").path)
        for name in ["a.sqlite", "link.sqlite"] {
            let result = try ToolProcess.run(
                "modelc-store", command + [name, "--output", "out/\(name)"], in: scratch.folder, unprivileged: true)
            #expect(result.code == 0, "\(result.errorOutput)")
            let mode = try manager.attributesOfItem(atPath: scratch.url("out/\(name)").path)[.posixPermissions]
            #expect(mode as? Int == 0o444)
        }
        guard command == ["repair"] else { return }
        let result = try ToolProcess.run(
            "modelc-store", ["repair", "a.sqlite", "--dry-run"], in: scratch.folder,
            environment: ["TMPDIR": scratch.url("out").path], unprivileged: true)
        #expect(result.code == 0, "\(result.errorOutput)")
        #expect(result.output == "~ Book/3 author: 9999 → nil [dangling-reference]\n")
    }

    // MARK: Links

    /// Every command looks beside the file that a link leads to, unless there are external files beside the link.
    @Test(arguments: [false, true]) func externalFilesOfALinkAreFound(areBesideLink: Bool) throws {
        let scratch = try store()
        let (used, orphan) = (UUID().uuidString, UUID().uuidString)
        try FileManager.default.createDirectory(at: scratch.url("real"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(at: scratch.url("a.sqlite"), to: scratch.url("real/b.sqlite"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.url("a.sqlite").path, withDestinationPath: "real/b.sqlite")
        let folder = (areBesideLink ? ".a_SUPPORT" : "real/.b_SUPPORT") + "/_EXTERNAL_DATA"
        for name in [used, orphan] {
            try scratch.write(Data("cover".utf8), to: "\(folder)/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)],
                ofItemAtPath: scratch.url("\(folder)/\(name)").path)
        }
        try scratch.execute(
            "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '\(used)' || x'00' AS BLOB) WHERE Z_PK = 2; "
                + "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 3", in: "real/b.sqlite")
        #expect(scratch.check("a.sqlite", "--notes") == 0, "\(scratch.output)")
        #expect(scratch.output.contains("no row refers to 1 file"), "\(scratch.output)")
        #expect(scratch.export("a.sqlite", "--output", "-") == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.contains(Data("cover".utf8).base64EncodedString()), "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "c.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try scratch.files()[".c_SUPPORT/_EXTERNAL_DATA/\(used)"] == Data("cover".utf8))
        #expect(scratch.diff("a.sqlite", "c.sqlite") == 0, "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.compact(["a.sqlite", "--in-place"]) == 0, "\(scratch.errorOutput)")
        let files = try scratch.files()
        #expect(files["a.sqlite.orphans/\(orphan)"] == Data("cover".utf8))
        #expect(files["\(folder)/\(used)"] != nil && files["\(folder)/\(orphan)"] == nil, "\(files.keys)")
        #expect(scratch.check("a.sqlite", "--notes") == 0, "\(scratch.output)")
        #expect(!scratch.output.contains("[external-file"), "\(scratch.output)")
    }

    // MARK: External files

    /// Adds a book with an external cover to a store, and files that no row refers to.
    ///
    /// - Returns: The names of the cover, of an old and of a new orphan.
    private func addFiles(to scratch: StoreScratch) throws -> (cover: String, orphan: String, new: String) {
        let names = (0..<3).map { _ in UUID().uuidString }
        for name in names {
            try scratch.write(Data(name.utf8), to: ".a_SUPPORT/_EXTERNAL_DATA/\(name)")
            guard name != names[2] else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)],
                ofItemAtPath: scratch.url(".a_SUPPORT/_EXTERNAL_DATA/\(name)").path)
        }
        try scratch.execute(
            "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '\(names[0])' || x'00' AS BLOB) WHERE Z_PK = 2", in: "a.sqlite")
        return (names[0], names[1], names[2])
    }

    /// Files of rows that the repair changes stay: the backup refers to them.
    @Test func orphanedFilesAreMovedAsideInPlace() throws {
        let scratch = try store()
        let (cover, orphan, new) = try addFiles(to: scratch)
        let folder = ".a_SUPPORT/_EXTERNAL_DATA"
        #expect(scratch.repair("a.sqlite", "--dry-run") == 0, "\(scratch.errorOutput)")
        #expect(
            scratch.output
                == "~ Book/3 author: 9999 → nil [dangling-reference]\n> \(orphan) [external-file-orphaned]\n")
        #expect(try scratch.files()["\(folder)/\(orphan)"] != nil)
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup", "--except", "external-file-orphaned") == 0)
        #expect(try scratch.files()["\(folder)/\(orphan)"] != nil)
        try scratch.execute("UPDATE ZBOOK SET Z_ENT = 9999 WHERE Z_PK = 2", in: "a.sqlite")
        #expect(
            scratch.repair(["a.sqlite", "--in-place", "--backup", "b.sqlite", "--unsafe-fixes", "--format", "json"])
                == 0,
            "\(scratch.errorOutput)")
        #expect(scratch.output.contains("\"kind\": \"moved\""), "\(scratch.output)")
        #expect(scratch.output.contains("\"object\": \"\(orphan)\""), "\(scratch.output)")
        #expect(scratch.errorOutput.contains("1 external file moved to a.sqlite.orphans"), "\(scratch.errorOutput)")
        let files = try scratch.files()
        #expect(files["a.sqlite.orphans/\(orphan)"] == Data(orphan.utf8))
        #expect(files["\(folder)/\(orphan)"] == nil)
        #expect(files["\(folder)/\(cover)"] != nil && files["\(folder)/\(new)"] != nil)
        #expect(files.keys.count { $0.hasPrefix("a.sqlite.orphans/") } == 1)
    }

    @Test func orphanedFilesAreCopiedBesideTheOutput() throws {
        let scratch = try store()
        let (cover, orphan, _) = try addFiles(to: scratch)
        #expect(scratch.repair("a.sqlite", "--output", "c.sqlite", "--only", "dangling-reference") == 0)
        #expect(try scratch.files().keys.count { $0.contains(".orphans/") } == 0)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        let files = try scratch.files()
        #expect(files["b.sqlite.orphans/\(orphan)"] == Data(orphan.utf8))
        #expect(files.keys.count { $0.contains(".orphans/") } == 1)
        #expect(files[".a_SUPPORT/_EXTERNAL_DATA/\(orphan)"] != nil)
        #expect(files[".b_SUPPORT/_EXTERNAL_DATA/\(cover)"] != nil)
        #expect(files[".b_SUPPORT/_EXTERNAL_DATA/\(orphan)"] == nil)
        #expect(scratch.check("a.sqlite", "--notes", "--only", "external-file-orphaned", "--reporter", "json") == 0)
        #expect(scratch.output.contains("\"repair\": \"safe\""), "\(scratch.output)")
    }

    /// A folder that cannot be made is an error after the repair, which says that what was done stays.
    @Test func filesThatCannotBeMovedAreAnError() throws {
        let scratch = try store()
        let (_, orphan, _) = try addFiles(to: scratch)
        try scratch.write(Data("text".utf8), to: "a.sqlite.orphans")
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup") == 2)
        #expect(scratch.errorOutput.contains("external files without a row cannot be moved"), "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("what was done stays"), "\(scratch.errorOutput)")
        #expect(scratch.output.contains("[dangling-reference]"), "\(scratch.output)")
        let files = try scratch.files()
        #expect(files["a.sqlite.orphans"] == Data("text".utf8))
        #expect(files[".a_SUPPORT/_EXTERNAL_DATA/\(orphan)"] != nil)
        #expect(scratch.check("a.sqlite") == 0, "\(scratch.output)")
    }

    // MARK: The description

    /// Two rows of an entity are an error, and the runtime and the doctor use the same one.
    @Test func aSecondRowOfAnEntityIsAnError() throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 3; INSERT INTO Z_PRIMARYKEY VALUES (7, 'Book', 0, 3), "
                + "(8, 'Shelf', 0, 0)", in: "a.sqlite")
        #expect(scratch.check("a.sqlite") == 1)
        #expect(scratch.output.contains("error: Z_PRIMARYKEY has a second row for “Book”"), "\(scratch.output)")
        #expect(!scratch.output.contains("“Shelf”"), "\(scratch.output)")
        #expect(scratch.check("a.sqlite", "--notes") == 1)
        #expect(scratch.output.contains("note: Z_PRIMARYKEY has a row for “Shelf”, which"), "\(scratch.output)")
        let (context, objects) = try scratch.objects(of: "a.sqlite")
        let titles = context.performAndWait { objects["Book"]?.map { $0.value(forKey: "title") as? String } }
        #expect(titles?.count == 20)
    }

    // MARK: Output

    /// What a repair without options does not change is not called safe.
    @Test func checkNamesTheOptionsForAMirroredStore() throws {
        let scratch = try store()
        try scratch.execute(
            "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER, ZENTITYPK INTEGER); "
                + "UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.check("a.sqlite") == 1)
        #expect(
            scratch.output.contains("`modelc store repair a.sqlite --mirrored --output FIXED` repairs it."),
            "\(scratch.output)")
        #expect(
            scratch.errorOutput.hasSuffix(
                "found 1 error, 1 warning in 40 rows; 1 can be repaired: modelc store repair a.sqlite --output FIXED\n"),
            "\(scratch.errorOutput)")
        #expect(scratch.check("a.sqlite", "--only", "dangling-reference", "--reporter", "json") == 1)
        #expect(scratch.output.contains("\"repair\": \"unsafe\""), "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1)
        #expect(scratch.errorOutput.contains("1 finding left, because"), "\(scratch.errorOutput)")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--mirrored") == 0, "\(scratch.errorOutput)")
    }

    @Test func aStoreThatIsNamedTwiceIsCheckedOnce() throws {
        let scratch = try store()
        #expect(scratch.check("a.sqlite", "./a.sqlite", scratch.url("a.sqlite").path) == 1)
        #expect(scratch.output.split(separator: "\n").count { $0.contains("[dangling-reference]") } == 1)
        #expect(scratch.errorOutput.contains("found 1 error in 40 rows;"), "\(scratch.errorOutput)")
    }
}
