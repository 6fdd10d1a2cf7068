import CSQLite3
import Foundation
import Testing

@testable import StoreTools

@Suite struct StoreDiffTests {
    private static let books = """
        <entity name="Book" elementID="Publication"><attribute name="isbn" attributeType="String"/>\
        <attribute name="title" optional="YES" attributeType="String"/>\
        <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>\
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" inverseName="books" \
        inverseEntity="Author"/>\
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/>\
        <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint>\
        </uniquenessConstraints></entity>
        <entity name="Author"><relationship name="books" optional="YES" toMany="YES" ordered="YES" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/></entity>
        <entity name="Tag"><relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="tags" \
        inverseEntity="Book"/></entity>
        """

    private func stores(rows: Int = 20) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.books)
        for name in ["a.sqlite", "b.sqlite"] {
            #expect(scratch.make(rows: rows, to: name) == 0, "\(scratch.errorOutput)")
        }
        return scratch
    }

    @Test func storesOfTheSameSeedAreEqual() throws {
        let scratch = try stores()
        #expect(scratch.diff() == 0)
        #expect(scratch.output == "The stores are equal: 60 objects.\n")
    }

    @Test func differencesOfEachKindAreListed() throws {
        let scratch = try stores()
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = 'Changed' WHERE Z_PK = 3", in: "b.sqlite")
        try scratch.execute("DELETE FROM ZTAG WHERE Z_PK = 20", in: "b.sqlite")
        try scratch.execute("DELETE FROM ZAUTHOR WHERE Z_PK = 19", in: "a.sqlite")
        #expect(scratch.diff() == 1)
        let output = scratch.output
        #expect(output.contains("  ~ Book/3\n      title: “” → “Changed”\n"), "\(output)")
        #expect(output.contains("Tag\n  - Tag/20\n"), "\(output)")
        #expect(output.contains("Author\n  + Author/19\n"), "\(output)")
    }

    @Test func theOrderOfAnOrderedRelationshipIsCompared() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.books)
        for name in ["a.sqlite", "b.sqlite"] { scratch.make(rows: 4, to: name) }
        for name in ["a.sqlite", "b.sqlite"] {
            try scratch.execute("UPDATE ZBOOK SET ZAUTHOR = 1, Z_FOK_AUTHOR = 2048 + 1024 * Z_PK", in: name)
        }
        #expect(scratch.diff() == 0, "\(scratch.output)")
        try scratch.execute("UPDATE ZBOOK SET Z_FOK_AUTHOR = 1024 WHERE Z_PK = 4", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(
            scratch.output.contains("books: {Book/1, Book/2, Book/3, Book/4} → {Book/4, Book/1, Book/2, Book/3}"),
            "\(scratch.output)")
    }

    @Test func membersOfAManyToManyRelationshipAreComparedAsASet() throws {
        let scratch = try stores()
        let table = "Z_2TAGS"
        try scratch.execute("CREATE TABLE copy AS SELECT * FROM \(table) ORDER BY 1 DESC, 2 DESC", in: "b.sqlite")
        try scratch.execute(
            "DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM copy; DROP TABLE copy", in: "b.sqlite")
        #expect(scratch.diff() == 0, "\(scratch.output)")
        try scratch.execute("DELETE FROM \(table) WHERE rowid = (SELECT min(rowid) FROM \(table))", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(scratch.output.hasSuffix("0 removed, 0 added, 1 changed, 59 equal\n"), "\(scratch.output)")
    }

    @Test func objectsAreFoundByTheirUniqueValues() throws {
        let scratch = try stores()
        // The same books with other primary keys.
        try scratch.execute(
            "UPDATE ZBOOK SET Z_PK = Z_PK + 1000; UPDATE Z_2TAGS SET Z_2BOOKS = Z_2BOOKS + 1000", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(scratch.diff { $0.match = .constraints } == 0, "\(scratch.output)")
        #expect(scratch.diff { $0.keys = ["Book.isbn"] } == 0, "\(scratch.output)")
        #expect(scratch.diff { $0.keys = ["Book.nothing"] } == 2)
        #expect(scratch.diff { $0.keys = ["Book.title"] } == 2)
        #expect(scratch.errorOutput.contains("have the same key"), "\(scratch.errorOutput)")
    }

    /// SQLite tells texts apart that Swift takes for equal.
    @Test func textsAreComparedByTheirBytes() throws {
        let scratch = try stores()
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = 'caf\u{E9}' WHERE Z_PK = 3", in: "a.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = 'cafe\u{301}' WHERE Z_PK = 3", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(
            scratch.output.contains("  ~ Book/3\n      title: “caf\\u{E9}” → “cafe\\u{301}”\n"), "\(scratch.output)")
        try scratch.execute(
            "UPDATE ZBOOK SET ZTITLE = NULL; UPDATE ZBOOK SET ZISBN = 'e\u{301}' WHERE Z_PK = 3", in: "a.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = NULL", in: "b.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZISBN = '\u{E9}' WHERE Z_PK = 4", in: "a.sqlite")
        // Two rows that a unique index accepts have different keys.
        #expect(scratch.diff { $0.match = .constraints } == 1)
        #expect(scratch.output.contains("2 removed, 2 added"), "\(scratch.output)")
        // Bytes that are not UTF-8.
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = CAST(x'61ff' AS TEXT) WHERE Z_PK = 5", in: "a.sqlite")
        try scratch.execute("UPDATE ZBOOK SET ZTITLE = CAST(x'61fe' AS TEXT) WHERE Z_PK = 5", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(scratch.output.contains("from byte 1: <ff> → “a\u{FFFD}”, from byte 1: <fe>"), "\(scratch.output)")
    }

    /// Rows that only one side has, at the start, at the end and between others.
    @Test func rowsArePairedByPrimaryKey() throws {
        let scratch = try stores()
        try scratch.execute("DELETE FROM ZTAG WHERE Z_PK IN (2, 4, 7, 19)", in: "a.sqlite")
        try scratch.execute("DELETE FROM ZTAG WHERE Z_PK IN (1, 4, 8, 9, 20)", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        let tags = scratch.output.split(separator: "\n").filter { $0.contains("Tag/") && !$0.contains(": ") }
        #expect(
            tags == ["- Tag/1", "- Tag/8", "- Tag/9", "- Tag/20", "+ Tag/2", "+ Tag/7", "+ Tag/19"].map { "  \($0)" },
            "\(scratch.output)")
    }

    /// A relationship with many members takes as long as its members, not their square.
    @Test func oneOfManyMembersIsRemoved() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.books)
        for name in ["a.sqlite", "b.sqlite"] {
            scratch.make(rows: 1, to: name)
            try scratch.execute(
                """
                DELETE FROM Z_2TAGS;
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
                INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT) SELECT i, (SELECT Z_ENT FROM ZTAG), 1 FROM n;
                INSERT INTO Z_2TAGS(Z_2BOOKS, Z_3TAGS) SELECT 1, Z_PK FROM ZTAG;
                """, in: name)
        }
        #expect(scratch.diff() == 0, "\(scratch.output)\(scratch.errorOutput)")
        try scratch.execute("DELETE FROM Z_2TAGS WHERE Z_3TAGS = 500", in: "b.sqlite")
        #expect(scratch.diff() == 1)
        #expect(scratch.output.contains("tags: {Tag/500} → {}"), "\(scratch.output)")
        #expect(scratch.diff { $0.match = .constraints } == 1)
    }

    @Test func externalDataIsComparedByItsBytes() throws {
        let scratch = try stores()
        let folder = scratch.url(".b_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().first)
        let file = folder.appendingPathComponent(name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
        #expect(scratch.diff() == 1)
        #expect(scratch.output.contains("cover: <"))
        try FileManager.default.removeItem(at: file)
        #expect(scratch.diff() == 2)
        #expect(
            scratch.errorOutput.hasPrefix("b.sqlite:1:1: error: the external data of “Book.cover”"),
            "\(scratch.errorOutput)")
    }

    @Test func renamedEntitiesAndPropertiesAreMatched() throws {
        let scratch = try stores()
        try scratch.writeModel(
            Self.books.replacingOccurrences(
                of: "\"Book\" elementID=\"Publication\"", with: "\"Volume\" elementID=\"Publication\""
            )
            .replacingOccurrences(of: "destinationEntity=\"Book\"", with: "destinationEntity=\"Volume\"")
            .replacingOccurrences(of: "inverseEntity=\"Book\"", with: "inverseEntity=\"Volume\"")
            .replacingOccurrences(
                of: "name=\"title\" optional=\"YES\"", with: "name=\"heading\" elementID=\"title\" optional=\"YES\""),
            to: "New.xcdatamodel")
        // The same table with the new names, as after a migration.
        #expect(scratch.make("New.xcdatamodel", rows: 20, to: "c.sqlite") == 0, "\(scratch.errorOutput)")
        _ = scratch.diff("a.sqlite", "c.sqlite") { $0.format = .json }
        #expect(!scratch.output.contains("\"removedEntities\": [\n"), "\(scratch.output)")
        #expect(scratch.output.contains("\"removedProperties\": []"), "\(scratch.output.suffix(400))")
        #expect(scratch.output.contains("\"addedEntities\": []"))
    }

    @Test func badInputIsAnErrorAndNothingChanges() throws {
        let scratch = try stores(rows: 3)
        try scratch.write(Data("text".utf8), to: "text")
        try scratch.write(Data(), to: "empty.sqlite")
        try scratch.execute("CREATE TABLE x(y)", in: "foreign.sqlite", creates: true)
        let before = try scratch.files()
        for name in ["text", "empty.sqlite", "foreign.sqlite", "missing", "Model.xcdatamodel"] {
            #expect(scratch.diff("a.sqlite", name) == 2, "\(name)")
            #expect(scratch.errorOutput.contains("error: "), "\(name)")
            #expect(scratch.diff(name, "a.sqlite") == 2, "\(name)")
        }
        #expect(scratch.diff() == 0)
        #expect(try scratch.files() == before)
    }

    @Test func aLockedStoreIsAnError() throws {
        let scratch = try stores(rows: 3)
        try scratch.execute("PRAGMA journal_mode = DELETE", in: "b.sqlite")
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        #expect(sqlite3_open_v2(scratch.url("b.sqlite").path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        #expect(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
        #expect(scratch.diff() == 2)
        #expect(scratch.errorOutput.contains("locked"), "\(scratch.errorOutput)")
    }

    @Test func aStoreWithoutModelIsReadWithTheModelThatHasItsHashes() throws {
        let scratch = try stores(rows: 3)
        try scratch.execute("DELETE FROM Z_MODELCACHE", in: "b.sqlite")
        #expect(scratch.diff() == 2)
        #expect(scratch.errorOutput.contains("--model"))
        #expect(scratch.diff { $0.models = ["Model.xcdatamodel"] } == 0, "\(scratch.errorOutput)")
    }
}
