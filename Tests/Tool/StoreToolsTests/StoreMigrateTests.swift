import CSQLite3
import Foundation
import StoreFile
import Testing

@testable import StoreTools

/// `modelc store migrate`.
@Suite struct StoreMigrateTests {
    private static let books = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/><attribute name="pages" \
        optional="YES" attributeType="Integer 32"/><attribute name="cover" optional="YES" attributeType="Binary" \
        allowsExternalBinaryDataStorage="YES"/></entity>
        """

    /// The arguments for a migration that drops the covers.
    private static let lossy = ["--to", "New.xcdatamodel", "--from", "Old.xcdatamodel", "--allow-loss"]

    /// Returns a folder with a store of one version, and a model with another version.
    private func scratch(_ entities: String = books, to other: String) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(entities, to: "Old.xcdatamodel")
        try scratch.writeModel(other, to: "New.xcdatamodel")
        #expect(scratch.make("Old.xcdatamodel") == 0)
        return scratch
    }

    private static let renamed = """
        <entity name="Book"><attribute name="name" optional="YES" attributeType="String" elementID="title"/><attribute \
        name="pages" optional="YES" attributeType="Double"/><attribute name="isNew" attributeType="Boolean" \
        defaultValueString="YES"/></entity>
        """

    @Test func aStoreIsMigratedAndItsValuesAreKept() throws {
        let scratch = try scratch(to: Self.renamed)
        #expect(scratch.migrate(["a.sqlite", "--backup", "b.sqlite"] + Self.lossy) == 0)
        #expect(scratch.output.contains("rename attribute “Book.title” to “name”"))
        #expect(scratch.output.contains("ALTER TABLE ZBOOK"))
        #expect(scratch.errorOutput.contains("50 rows in"))
        #expect(scratch.errorOutput.contains("rows per second"))
        // The backup includes the external files.
        #expect(scratch.diff("b.sqlite", "a.sqlite") == 0, "\(scratch.output)")
        #expect(try StoreRows(path: scratch.url("a.sqlite").path).counts == ["Book": 50])
        let hashes = try #require(try scratch.model("New.xcdatamodel")).versionHashes().entities
        #expect(try StoreFile(path: scratch.url("a.sqlite").path).hashes == hashes)
        // A second run has nothing to do.
        let before = try scratch.files()
        #expect(scratch.migrate(["a.sqlite"] + Self.lossy) == 0)
        #expect(scratch.errorOutput.contains("already"))
        #expect(try scratch.files() == before)
    }

    @Test func aDryRunChangesNothing() throws {
        let scratch = try scratch(to: Self.renamed)
        let before = try scratch.files()
        #expect(scratch.migrate(["a.sqlite", "--dry-run"] + Self.lossy) == 0)
        #expect(scratch.output.contains("SQL:"))
        #expect(scratch.migrate(["a.sqlite", "--dry-run", "--format", "json"] + Self.lossy) == 0)
        let object = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [String: Any]
        #expect(object?["dryRun"] as? Bool == true)
        #expect((object?["sql"] as? [String])?.isEmpty == false)
        #expect(try scratch.files() == before)
    }

    @Test(arguments: [
        (
            "<entity name=\"Book\"><attribute name=\"pages\" optional=\"YES\" attributeType=\"String\"/></entity>",
            ["“Book.pages” changed its type from Integer 32 to String", "custom migration stage", "(134140)"]
        ),
        (
            "<entity name=\"Book\"><attribute name=\"isbn\" attributeType=\"String\"/></entity>",
            ["“Book.isbn” is new and required", "Give it a default value"]
        ),
        (
            "<entity name=\"Book\"><attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 16\"/></entity>",
            ["values of “Book.pages” do not fit its new type", "(134110)", "Keep the larger type"]
        ),
    ])
    func impossibleMigrationsAreExplained(_ other: String, _ texts: [String]) throws {
        let scratch = try scratch(to: other)
        let before = try scratch.files()
        for arguments in [["--dry-run"], []] {
            #expect(scratch.migrate(["a.sqlite"] + Self.lossy + arguments) == 1)
            for text in texts { #expect(scratch.errorOutput.contains(text), "\(scratch.errorOutput)") }
            #expect(try scratch.files() == before)
        }
    }

    @Test func violatedUniquenessLeavesTheStore() throws {
        let scratch = try scratch(
            to: """
                <entity name="Book"><attribute name="pages" optional="YES" attributeType="Integer 32"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="pages"/></uniquenessConstraint>
                </uniquenessConstraints></entity>
                """)
        try scratch.execute("UPDATE ZBOOK SET ZPAGES = 1", in: "a.sqlite")
        #expect(scratch.migrate(["a.sqlite"] + Self.lossy) == 1)
        #expect(scratch.errorOutput.contains("rows of “Book” have equal values of “pages”"), "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("(134111)"))
        let hashes = try #require(try scratch.model("Old.xcdatamodel")).versionHashes().entities
        #expect(try StoreFile(path: scratch.url("a.sqlite").path).hashes == hashes)
    }

    @Test func otherFilesAreRejected() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.write(Data("text".utf8), to: "text.sqlite")
        try scratch.execute("CREATE TABLE t (a)", in: "foreign.sqlite", creates: true)
        try scratch.write(
            try Data(contentsOf: scratch.url("a.sqlite")).prefix(5000) + Data(count: 3000), to: "damaged.sqlite")
        try scratch.execute("DROP TABLE ZBOOK", in: "a.sqlite")
        let before = try scratch.files()
        for name in ["text.sqlite", "foreign.sqlite", "damaged.sqlite", "nothing.sqlite", "New.xcdatamodel"] {
            #expect(scratch.migrate(name, "--to", "New.xcdatamodel") == 2, "\(name): \(scratch.errorOutput)")
            #expect(scratch.errorOutput.contains("error: "))
        }
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--version", "3") == 2)
        #expect(scratch.migrate(["a.sqlite"] + Self.lossy) == 1)
        #expect(scratch.errorOutput.contains("the store lacks"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
    }

    @Test func aStoreWithoutItsModelNeedsFrom() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.execute("DROP TABLE Z_MODELCACHE", in: "a.sqlite")
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel") == 2)
        #expect(scratch.errorOutput.contains("--from"))
        #expect(scratch.migrate(["a.sqlite"] + Self.lossy) == 0)
    }

    /// The store of another app, or of a newer version.
    @Test func aStoreOfNoVersionOfTheModelIsRefused() throws {
        let scratch = try scratch(to: Self.renamed)
        let before = try scratch.files()
        for arguments in [["--dry-run"], [], ["--allow-loss"]] {
            #expect(scratch.migrate(["a.sqlite", "--to", "New.xcdatamodel"] + arguments) == 2)
            #expect(scratch.errorOutput.contains("no version of the model has the hashes of the store"))
            #expect(scratch.errorOutput.contains("--from-store-model"), "\(scratch.errorOutput)")
        }
        #expect(try scratch.files() == before)
        #expect(
            scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--from-store-model", "--allow-loss") == 0,
            "\(scratch.errorOutput)")
    }

    @Test func lossesAreCountedAndNeedConsent() throws {
        let scratch = try scratch(
            Self.books
                + "<entity name=\"Shelf\"><attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/></entity>",
            to: Self.renamed)
        try scratch.execute("UPDATE ZBOOK SET ZCOVER = NULL WHERE Z_PK > 3", in: "a.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZCOVER = x'0141' WHERE Z_PK <= 3", in: "a.sqlite")
        let before = try scratch.files()
        let arguments = ["a.sqlite", "--to", "New.xcdatamodel", "--from", "Old.xcdatamodel"]
        for more in [["--dry-run"], []] {
            #expect(scratch.migrate(arguments + more) == 1)
            #expect(
                scratch.output.contains("  drops 3 values of “Book.cover”\n  drops 50 rows of “Shelf”\n"),
                "\(scratch.output)")
            #expect(scratch.errorOutput.contains("would drop 3 values of “Book.cover”, 50 rows of “Shelf”"))
            #expect(scratch.errorOutput.contains("--allow-loss"))
            #expect(try scratch.files() == before)
        }
        #expect(scratch.migrate(arguments + ["--dry-run", "--allow-loss", "--format", "json"]) == 0)
        let object = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [String: Any]
        let losses = try #require(object?["losses"] as? [[String: Any]])
        #expect(losses.map { $0["count"] as? Int } == [3, 50])
        // Columns without values are no loss.
        try scratch.execute("UPDATE ZBOOK SET ZCOVER = NULL; DELETE FROM ZSHELF", in: "a.sqlite")
        #expect(scratch.migrate(arguments) == 0, "\(scratch.output)\(scratch.errorOutput)")
    }

    /// The transformer is code of the app. Its bytes are copied, by a mapping model as in place.
    @Test func transformersOfTheAppAreNotNeeded() throws {
        let scratch = try StoreScratch()
        func version(_ name: String, _ more: String) -> String {
            """
            <entity name="Book"><attribute name="\(name)" optional="YES" attributeType="Transformable" \
            valueTransformerName="AppOnlyTransformer"\(more)/></entity>
            """
        }
        try scratch.writeVersions([version("color", ""), version("tint", " elementID=\"color\"")])
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel", rows: 3) == 0, "\(scratch.errorOutput)")
        try scratch.execute("UPDATE ZBOOK SET ZCOLOR = x'0102ff'", in: "a.sqlite")
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        for arguments in [["--dry-run"], []] {
            #expect(
                scratch.migrate(["a.sqlite", "--to", "Books.xcdatamodeld"] + arguments) == 0,
                "\(scratch.output)\(scratch.errorOutput)")
            #expect(scratch.output.contains("Map.xcmappingmodel"))
        }
        try scratch.execute(
            "CREATE TEMP TABLE t (a CHECK (a = 3)); INSERT INTO t SELECT count(*) FROM ZBOOK WHERE ZTINT = x'0102ff'",
            in: "a.sqlite")
    }

    /// Custom policies are code of the app.
    @Test func aDryRunChecksPolicies() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions([Self.books, Self.renamed])
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel") == 0)
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        let map = scratch.url("Map.xcmappingmodel/xcmapping.xml")
        let text = try String(contentsOf: map, encoding: .utf8)
        let mapping = "<attribute name=\"mappingtypename\" type=\"string\">"
        try #require(text.contains(mapping), "\(text)")
        let policy = "<attribute name=\"migrationpolicyclassname\" type=\"string\">AppPolicy</attribute>"
        try Data(text.replacingOccurrences(of: mapping, with: policy + mapping).utf8).write(to: map)
        let before = try scratch.files()
        for arguments in [["--dry-run"], []] {
            #expect(scratch.migrate(["a.sqlite", "--to", "Books.xcdatamodeld"] + arguments) == 1)
            #expect(scratch.errorOutput.contains("AppPolicy"), "\(scratch.errorOutput)")
            #expect(try scratch.files() == before)
        }
    }

    /// An app merges models at run time, so that a store has the hashes of several.
    @Test func storesOfSeveralModelsAreMigrated() throws {
        let scratch = try StoreScratch()
        func record(_ more: String) -> String {
            "<entity name=\"Note\"><attribute name=\"text\" optional=\"YES\" attributeType=\"String\"/>\(more)</entity>"
        }
        let added = "<attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/>"
        try scratch.writeVersions([record(""), record(added)])
        try scratch.writeModel(Self.books, to: "Shop.xcdatamodel")
        try scratch.writeModel(Self.books + record(""), to: "Old.xcdatamodel")
        try scratch.writeModel(Self.books + record(added), to: "New.xcdatamodel")
        #expect(scratch.make("Old.xcdatamodel", rows: 5) == 0)
        let models = ["--to", "Shop.xcdatamodel", "--to", "Books.xcdatamodeld"]
        #expect(scratch.migrate("a.sqlite", "--to", "Books.xcdatamodeld") == 2)
        #expect(scratch.migrate(["a.sqlite"] + models) == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("“Shop + V1” → “Shop + V2”"), "\(scratch.output)")
        let hashes = try #require(try scratch.model("New.xcdatamodel")).versionHashes().entities
        #expect(try StoreFile(path: scratch.url("a.sqlite").path).hashes == hashes)
        #expect(try StoreRows(path: scratch.url("a.sqlite").path).counts == ["Book": 5, "Note": 5])
        // Models that cannot be merged.
        try scratch.writeModel(record("<attribute name=\"x\" attributeType=\"String\"/>"), to: "Other.xcdatamodel")
        #expect(scratch.migrate(["a.sqlite", "--to", "Other.xcdatamodel"] + models) == 2)
        #expect(scratch.errorOutput.contains("has another entity “Note”"), "\(scratch.errorOutput)")
    }

    @Test func stepsLeadThroughAllVersions() throws {
        let scratch = try StoreScratch()
        func version(_ type: String, _ more: String = "") -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\"/>\(more)</entity>"
        }
        let added = "<attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/>"
        try scratch.writeVersions([version("Integer 32"), version("Integer 32", added), version("Integer 16", added)])
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel", rows: 5) == 0)
        let arguments = ["a.sqlite", "--to", "Books.xcdatamodeld", "--step-by-step"]
        // The last step fails, so that the first one is not made either.
        try scratch.execute("UPDATE ZA SET ZX = 70000", in: "a.sqlite")
        let before = try scratch.files()
        for more in [["--dry-run"], []] {
            #expect(scratch.migrate(arguments + more) == 1)
            #expect(scratch.errorOutput.contains("from “V2” to “V3”"), "\(scratch.errorOutput)")
            #expect(scratch.errorOutput.contains("do not fit its new type"))
            #expect(try scratch.files() == before)
        }
        try scratch.execute("UPDATE ZA SET ZX = 7", in: "a.sqlite")
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        #expect(scratch.migrate(arguments + ["--dry-run", "--no-mapping-models"]) == 0)
        #expect(!scratch.output.contains("Map.xcmappingmodel"))
        #expect(scratch.migrate(arguments) == 0, "\(scratch.errorOutput)")
        let lines = scratch.output.split(separator: "\n").filter {
            $0.contains("→ “V") || $0.contains("mapping model “")
        }
        #expect(
            lines == [
                "a.sqlite: “V1” → “V3”", "“V1” → “V2”:", "  mapping model “Map.xcmappingmodel”", "“V2” → “V3”:",
            ])
        let hashes = try #require(try scratch.model("Books.xcdatamodeld/V3.xcdatamodel")).versionHashes().entities
        #expect(try StoreFile(path: scratch.url("a.sqlite").path).hashes == hashes)
    }

    @Test func theWaitForAnotherProcessIsAnnouncedAndLimited() throws {
        let scratch = try scratch(to: Self.renamed)
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open(scratch.url("a.sqlite").path, &handle) == SQLITE_OK)
        try #require(sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        #expect(scratch.migrate(["a.sqlite", "--timeout", "1.5"] + Self.lossy) == 1)
        #expect(scratch.errorOutput.contains("modelc: waiting for"), "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("--timeout"), "\(scratch.errorOutput)")
        try #require(sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
        #expect(scratch.migrate(["a.sqlite", "--timeout", "1.5"] + Self.lossy) == 0, "\(scratch.errorOutput)")
        #expect(!scratch.errorOutput.contains("waiting"))
        for arguments in [["--timeout", "-1"], ["--timeout", "nan"], ["--no-mapping-models", "--mapping", "M.cdm"]] {
            #expect(scratch.migrate(["a.sqlite"] + Self.lossy + arguments) == -1)
        }
    }

    @Test func aBackupReplacesNothing() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.write(Data("text".utf8), to: "b.sqlite")
        let before = try scratch.files()
        #expect(scratch.migrate(["a.sqlite", "--backup", "b.sqlite"] + Self.lossy) == 2)
        #expect(scratch.errorOutput.contains("--backup"))
        #expect(try scratch.files() == before)
    }

    @Test func aMappingModelThatFitsIsUsed() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.writeVersions([Self.books, Self.renamed])
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        #expect(scratch.make("Old.xcdatamodel", to: "c.sqlite") == 0)
        #expect(scratch.migrate("c.sqlite", "--to", "Books.xcdatamodeld", "--mapping", "Map.xcmappingmodel") == 0)
        #expect(
            scratch.output.contains("mapping model “Map.xcmappingmodel”"), "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.output.contains("“Book” → “Book”"))
        #expect(try StoreRows(path: scratch.url("c.sqlite").path).counts == ["Book": 50])
        // The mapping model does not migrate from the store's version.
        let map = ["--mapping", "Map.xcmappingmodel"]
        #expect(scratch.migrate("a.sqlite", "--to", "Old.xcdatamodel") == 0)
        #expect(scratch.migrate(["c.sqlite", "--to", "Old.xcdatamodel", "--from", "Books.xcdatamodeld"] + map) == 2)
        #expect(scratch.errorOutput.contains("does not migrate from"), "\(scratch.errorOutput)")
    }
}
