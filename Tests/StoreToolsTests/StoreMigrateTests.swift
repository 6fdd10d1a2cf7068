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
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--backup", "b.sqlite") == 0)
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
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel") == 0)
        #expect(scratch.errorOutput.contains("already"))
        #expect(try scratch.files() == before)
    }

    @Test func aDryRunChangesNothing() throws {
        let scratch = try scratch(to: Self.renamed)
        let before = try scratch.files()
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--dry-run") == 0)
        #expect(scratch.output.contains("SQL:"))
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--dry-run", "--format", "json") == 0)
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
    func whatCannotBeMigratedIsExplained(_ other: String, _ texts: [String]) throws {
        let scratch = try scratch(to: other)
        let before = try scratch.files()
        for arguments in [["--dry-run"], []] {
            #expect(scratch.migrate(["a.sqlite", "--to", "New.xcdatamodel"] + arguments) == 1)
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
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel") == 1)
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
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel") == 1)
        #expect(scratch.errorOutput.contains("the store lacks"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
    }

    @Test func aStoreWithoutItsModelNeedsFrom() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.execute("DROP TABLE Z_MODELCACHE", in: "a.sqlite")
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel") == 2)
        #expect(scratch.errorOutput.contains("--from"))
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--from", "Old.xcdatamodel") == 0)
    }

    @Test func aBackupReplacesNothing() throws {
        let scratch = try scratch(to: Self.renamed)
        try scratch.write(Data("text".utf8), to: "b.sqlite")
        let before = try scratch.files()
        #expect(scratch.migrate("a.sqlite", "--to", "New.xcdatamodel", "--backup", "b.sqlite") == 2)
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
        #expect(scratch.migrate("a.sqlite", "--to", "Old.xcdatamodel") == 0)
        #expect(scratch.migrate("c.sqlite", "--to", "Old.xcdatamodel", "--mapping", "Map.xcmappingmodel") == 2)
        #expect(scratch.errorOutput.contains("does not migrate from"), "\(scratch.errorOutput)")
    }
}
