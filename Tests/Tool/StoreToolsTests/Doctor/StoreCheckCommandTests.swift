import CompiledModel
import CoreData
import Diagnostics
import Foundation
import Testing

@testable import StoreTools

/// `modelc store check` and `modelc store info` as commands.
@Suite struct StoreCheckCommandTests {
    private static let entities = """
        <entity name="Author" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
        </entity>
        """

    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 20) == 0)
        return scratch
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func findingsHaveTermsOfTheModelAndAnExitCode() throws {
        let scratch = try store()
        #expect(scratch.check("a.sqlite") == 0)
        #expect(scratch.errorOutput == "modelc: no findings in 40 rows\n")
        try scratch.execute(
            "UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK IN (3, 5, 7); UPDATE ZAUTHOR SET ZNAME = NULL WHERE Z_PK = 4",
            in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--max-examples", "2") == 1)
        let uuid = try #require(
            try SeedDatabase(scratch.url("a.sqlite").path).texts("SELECT Z_UUID FROM Z_METADATA").first)
        #expect(
            scratch.output.hasPrefix(
                """
                a.sqlite: error: 3 objects of “Book” refer to a “Book.author” that does not exist [dangling-reference]
                  rows: x-coredata://\(uuid)/Book/p3, x-coredata://\(uuid)/Book/p5 and 1 more
                  help: Set the relationship's columns to NULL;
                """), "\(scratch.output)")
        #expect(
            scratch.output.contains(
                "a.sqlite: warning: 1 object of “Author” has no “Author.name”, which is required [required-value-missing]"
            ))
        let repairable = "1 can be repaired: modelc store repair a.sqlite --output FIXED"
        #expect(scratch.errorOutput == "modelc: found 1 error, 1 warning in 40 rows; \(repairable)\n")
        #expect(scratch.check("a.sqlite", "--except", "dangling-reference") == 0)
        #expect(scratch.check("a.sqlite", "--except", "dangling-reference", "--strict") == 1)
        #expect(scratch.check("a.sqlite", "--only", "MC0832") == 1)
        #expect(!scratch.output.contains("required-value-missing"))
        #expect(scratch.check("a.sqlite", "--only", "dangling-referense") == 2)
        #expect(scratch.errorOutput.contains("Did you mean “dangling-reference”?"), "\(scratch.errorOutput)")
        #expect(scratch.check("a.sqlite", "--only", "missing-inverse") == 2)
    }

    @Test func otherStoresAreCheckedAfterOneThatCannotBeOpened() throws {
        let scratch = try store()
        try scratch.write(Data("text".utf8), to: "b.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "a.sqlite")
        #expect(scratch.check("b.sqlite", "none.sqlite", "a.sqlite") == 2)
        #expect(scratch.errorOutput.contains("b.sqlite:1:1: error: the file is not a SQLite store of Core Data"))
        #expect(
            scratch.errorOutput.contains("none.sqlite: error: there is no file at this path"), "\(scratch.errorOutput)")
        #expect(scratch.output.contains("a.sqlite: error: 1 object of “Book” refers"), "\(scratch.output)")
        #expect(scratch.errorOutput.contains("modelc: found 1 error in 40 rows; 1 can be repaired: "))
        #expect(scratch.check("b.sqlite", "a.sqlite", "--reporter", "json") == 2)
        let stores = try #require(try json(scratch.output)["stores"] as? [[String: Any]])
        #expect(stores.map { $0["path"] as? String } == ["b.sqlite", "a.sqlite"])
        #expect(stores[0]["error"] as? String == "the file is not a SQLite store of Core Data")
        #expect(scratch.check("b.sqlite") == 2)
    }

    /// A service for reports knows a finding by its fingerprint, which must not become that of another store's.
    @Test func fingerprintsTellStoresOfOneNameApart() throws {
        let scratch = try store()
        func fingerprints() throws -> [String] {
            _ = scratch.check("x/a.sqlite", "y/a.sqlite", "--reporter", "gitlab")
            let list = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [[String: Any]]
            return try #require(list).compactMap { $0["fingerprint"] as? String }
        }
        for path in ["x", "y"] {
            try FileManager.default.createDirectory(at: scratch.url(path), withIntermediateDirectories: true)
            #expect(scratch.make(rows: 20, to: "\(path)/a.sqlite") == 0)
            try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "\(path)/a.sqlite")
        }
        let both = try fingerprints()
        #expect(both.count == 2)
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 3", in: "x/a.sqlite")
        #expect(try fingerprints() == Array(both.suffix(1)))
        // The store alone is known by its name, wherever it is.
        #expect(scratch.check("y/a.sqlite", "--reporter", "gitlab") == 1)
        let one = scratch.output
        try FileManager.default.moveItem(at: scratch.url("y"), to: scratch.url("z"))
        #expect(scratch.check("z/a.sqlite", "--reporter", "gitlab") == 1)
        #expect(scratch.output == one.replacingOccurrences(of: "y/a.sqlite", with: "z/a.sqlite"))
    }

    @Test func aBaselineTellsStoresOfOneNameApart() throws {
        let scratch = try store()
        try FileManager.default.createDirectory(at: scratch.url("x"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: scratch.url("y"), withIntermediateDirectories: true)
        #expect(scratch.make(rows: 20, to: "x/a.sqlite") == 0)
        #expect(scratch.make(rows: 20, to: "y/a.sqlite") == 0)
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "x/a.sqlite")
        #expect(scratch.check("x/a.sqlite", "y/a.sqlite", "--write-baseline", "y/base.txt") == 0)
        #expect(try scratch.text("y/base.txt").contains("dangling-reference\t../x/a.sqlite\tBook.author\t1"))
        #expect(scratch.check("x/a.sqlite", "y/a.sqlite", "--baseline", "y/base.txt") == 0)
        // However the path is written.
        #expect(scratch.check(scratch.url("x/a.sqlite").path, "--baseline", "y/../y/base.txt") == 0)
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 3", in: "x/a.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "y/a.sqlite")
        #expect(scratch.check("x/a.sqlite", "y/a.sqlite", "--baseline", "y/base.txt") == 1)
        #expect(scratch.output.contains("y/a.sqlite: error:"))
    }

    /// A store of a configuration has the hashes of its entities only.
    @Test func aModelIsFoundForAStoreOfOneConfiguration() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            Self.entities + """
                <entity name="Log" syncable="YES"><attribute name="text" attributeType="String"/></entity>
                <configuration name="Logs"><memberEntity name="Log"/></configuration>
                <configuration name="Library"><memberEntity name="Author"/><memberEntity name="Book"/></configuration>
                """)
        let model = try NSManagedObjectModel(
            try DecodedModel(try EncodedModel(try #require(try scratch.model())).bytes, name: "Model"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Logs", at: scratch.url("a.sqlite"))
        try coordinator.insertRows(into: store) { rows in
            _ = try rows.table("Log", properties: ["text"]).insert(["one"])
        }
        try coordinator.remove(store)
        try scratch.execute("UPDATE ZLOG SET ZTEXT = NULL; DELETE FROM Z_MODELCACHE", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--model", "Model.xcdatamodel") == 0, "\(scratch.errorOutput)")
        #expect(
            scratch.output.contains("1 object of “Log” has no “Log.text”, which is required"), "\(scratch.output)")
        #expect(
            scratch.export("a.sqlite", "--model", "Model.xcdatamodel", "--output", "-") == 0, "\(scratch.errorOutput)")
        #expect(scratch.output == "{\"_id\":\"Log/1\",\"_entity\":\"Log\",\"text\":null}\n")
        // Not for a model in which the entity is another one.
        try scratch.writeModel(
            Self.entities + """
                <entity name="Log" syncable="YES"><attribute name="line" attributeType="String"/></entity>
                <configuration name="Logs"><memberEntity name="Log"/></configuration>
                """)
        #expect(scratch.check("a.sqlite", "--model", "Model.xcdatamodel") == 2)
        #expect(scratch.errorOutput.contains("no version of “Model.xcdatamodel” has the hashes of the store"))
    }

    /// A rule that was asked for, and that cannot be checked, is not a success.
    @Test func aRuleThatNeedsTheModelIsNotCheckedWithoutIt() throws {
        let scratch = try store()
        try scratch.execute("DELETE FROM Z_MODELCACHE; UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "a.sqlite")
        #expect(scratch.check("a.sqlite") == 0)
        #expect(scratch.check("a.sqlite", "--only", "damaged-page", "--only", "history-max") == 0)
        #expect(scratch.check("a.sqlite", "--only", "damaged-page", "--only", "dangling-reference") == 2)
        #expect(
            scratch.errorOutput.contains(
                "“dangling-reference” cannot be checked, because the store does not contain its model"),
            "\(scratch.errorOutput)")
        #expect(scratch.check("a.sqlite", "--only", "dangling-reference", "--model", "Model.xcdatamodel") == 1)
    }

    /// Damage ends checks, so it is said whatever rules are selected.
    @Test func damageIsReportedWhateverRulesAreSelected() throws {
        let scratch = try store()
        let root = try #require(
            try SeedDatabase(scratch.url("a.sqlite").path).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
        var bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        bytes.replaceSubrange(Int(root - 1) * 4096..<Int(root) * 4096, with: Data(repeating: 0xAA, count: 4096))
        try bytes.write(to: scratch.url("a.sqlite"))
        #expect(scratch.check("a.sqlite", "--only", "dangling-reference") == 1)
        #expect(scratch.output.contains("[damaged-page]"), "\(scratch.output)")
    }

    /// The number of members in a relationship of an entity with itself.
    @Test func membersInTheTableOfTheirOwnersAreCounted() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Folder" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" \
            inverseName="folders" inverseEntity="Folder"/>
                <relationship name="folders" optional="YES" toMany="YES" maxCount="3" deletionRule="Nullify" \
            destinationEntity="Folder" inverseName="parent" inverseEntity="Folder"/>
            </entity>
            """)
        #expect(scratch.make(rows: 10) == 0)
        try scratch.execute("UPDATE ZFOLDER SET ZPARENT = NULL", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--only", "too-many", "--strict") == 0)
        try scratch.execute("UPDATE ZFOLDER SET ZPARENT = 1 WHERE Z_PK BETWEEN 2 AND 5", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--only", "too-many", "--strict") == 1)
        #expect(scratch.output.contains("1 object has more than 3 “Folder.folders”"), "\(scratch.output)")
    }

    @Test func reportersAndBaselinesWork() throws {
        let scratch = try store()
        try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 999 WHERE Z_PK = 3", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--reporter", "json") == 1)
        let report = try json(scratch.output)
        let finding = try #require((report["findings"] as? [[String: Any]])?.first)
        let rows = try #require(finding["rows"] as? [String: Any])
        #expect(rows["table"] as? String == "ZBOOK")
        #expect(rows["column"] as? String == "ZAUTHOR")
        #expect(rows["count"] as? Int == 1)
        #expect((finding["element"] as? [String: Any])?["path"] as? [String] == ["Book", "author"])
        let sql = try #require(rows["sql"] as? String)
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer(sql) == 3)
        let summary = try #require((report["stores"] as? [[String: Any]])?.first)
        #expect((summary["entities"] as? [String: Int]) == ["Author": 20, "Book": 20])
        for reporter in ReporterKind.allCases {
            #expect(scratch.check("a.sqlite", "--reporter", reporter.rawValue) == 1)
            #expect(scratch.output.contains("dangling-reference") || reporter == .junit, "\(scratch.output)")
        }
        #expect(scratch.check("a.sqlite", "--write-baseline", "baseline.txt") == 0)
        #expect(scratch.check("a.sqlite", "--baseline", "baseline.txt") == 0)
        #expect(scratch.errorOutput.contains("1 more finding hidden by the baseline"))
        // A report does not replace the store.
        let before = try scratch.files()
        #expect(scratch.check("a.sqlite", "--reporter", "json=a.sqlite") == 2)
        #expect(scratch.check("a.sqlite", "--write-baseline", "a.sqlite") == 2)
        #expect(try scratch.files() == before)
    }

    @Test func nonStoresAreRejected() throws {
        let scratch = try store()
        #expect(scratch.check("none.sqlite") == 2)
        try scratch.write(Data("text".utf8), to: "text.sqlite")
        #expect(scratch.check("text.sqlite") == 2)
        #expect(scratch.info("text.sqlite") == 2)
        try scratch.write(Data(), to: "empty.sqlite")
        #expect(scratch.check("empty.sqlite") == 2)
        try scratch.execute("CREATE TABLE a (b)", in: "other.sqlite", creates: true)
        #expect(scratch.check("other.sqlite") == 2)
        #expect(scratch.info("other.sqlite") == 2)
        #expect(scratch.check("a.sqlite", "--duplicates", "None") == 2)
        #expect(scratch.check("Model.xcdatamodel") == 2)
    }

    @Test func aLockedStoreIsNotChecked() throws {
        let scratch = try store()
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        _ = try database.integer("PRAGMA journal_mode = DELETE")
        try database.execute("BEGIN EXCLUSIVE")
        #expect(scratch.check("a.sqlite") == 2)
        #expect(scratch.errorOutput.contains("locked"), "\(scratch.errorOutput)")
        try database.execute("ROLLBACK")
        #expect(scratch.check("a.sqlite") == 0)
    }

    @Test func infoShowsEntitiesAndMatchingVersions() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions([Self.entities, Self.entities.replacingOccurrences(of: "title", with: "name")])
        #expect(scratch.make("Books.xcdatamodeld", rows: 20) == 0)
        #expect(scratch.info("a.sqlite", "--against", "Books.xcdatamodeld") == 0)
        #expect(scratch.output.contains("  versions    V2\n"), "\(scratch.output)")
        #expect(scratch.output.contains("  model       in the store\n"))
        #expect(scratch.output.contains("  Book      20  "), "\(scratch.output)")
        #expect(scratch.info("a.sqlite", "--against", "Books.xcdatamodeld", "--format", "json") == 0)
        let summary = try json(scratch.output)
        #expect(summary["matches"] as? [String] == ["V2"])
        #expect(summary["entities"] as? [String: Int] == ["Author": 20, "Book": 20])
        #expect((summary["sizes"] as? [String: Int])?["Book"] ?? 0 > 0)
        try scratch.execute("DELETE FROM Z_MODELCACHE", in: "a.sqlite")
        #expect(scratch.info("a.sqlite", "--against", "Books.xcdatamodeld") == 0)
        #expect(scratch.output.contains("  Book      20  "), "\(scratch.output)")
        #expect(scratch.info("a.sqlite") == 0)
        #expect(scratch.output.contains("  model       none\n"))
    }
}
