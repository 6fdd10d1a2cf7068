import Foundation
import Testing

@testable import StoreTools

/// `modelc store export`: formats, selections and failures.
@Suite struct StoreExportTests {
    private static let entities = """
        <entity name="Author" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="added" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="cover" optional="YES" attributeType="Binary"/>
            <attribute name="pages" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="read" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="uuid" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="weight" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="books" inverseEntity="Tag"/>
        </entity>
        <entity name="Comic" parentEntity="Book" syncable="YES">
            <attribute name="artist" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="tags" inverseEntity="Book"/>
        </entity>
        <composite name="Place">
            <attribute name="city" optional="YES" attributeType="String"/>
            <attribute name="shelf" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
        </composite>
        """

    /// Makes a store with a book, a comic, an author and a tag, whose values are known.
    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 0) == 0, "\(scratch.errorOutput)")
        let numbers = try SeedDatabase(scratch.url("a.sqlite").path)
        let columns = try numbers.texts("SELECT name FROM pragma_table_info('ZBOOK')")
        let join = try #require(
            try numbers.texts("SELECT name FROM sqlite_master WHERE name LIKE 'Z___BOOKS' OR name LIKE 'Z__TAGS'").first
        )
        let joinColumns = try numbers.texts("SELECT name FROM pragma_table_info('\(join)')")
        let (city, shelf) = (columns.first { $0.contains("CITY") } ?? "", columns.first { $0.contains("SHELF") } ?? "")
        let order = columns.first { $0.hasPrefix("Z_FOK_") } ?? ""
        let bookColumn = joinColumns.first { $0.hasPrefix("Z_2") } ?? ""
        let tagColumn = joinColumns.first { $0.hasPrefix("Z_4") } ?? ""
        try scratch.execute(
            """
            INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Ursula "K." Le Guin');
            INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (5, 4, 1, '=1+1');
            INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZADDED, ZCOVER, ZPAGES, \(city), \(shelf), ZPRICE, ZREAD, ZTITLE, ZUUID, \
            ZWEIGHT, ZAUTHOR, \(order))
            VALUES (1, 2, 1, 694224000.25, x'00ff10', 9007199254740993, 'Berlin', 3, 3.3333333332999993, 1, \
            'a, "b"' || char(10), x'E621E1F8C36C495A93FC0C247A3E6E5F', 0.10000000149011612, 1, 3072);
            INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZARTIST, ZTITLE, ZAUTHOR, \(order)) VALUES (2, 3, 1, 'Moebius', '', 1, 2048);
            INSERT INTO \(join)(\(bookColumn), \(tagColumn)) VALUES (1, 5);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5;
            """, in: "a.sqlite")
        return scratch
    }

    @Test func jsonLinesHaveTypedValuesAndKeys() throws {
        let scratch = try store()
        #expect(scratch.export("a.sqlite", "--output", "out") == 0, "\(scratch.errorOutput)")
        #expect(scratch.errorOutput == "modelc: out written, 4 objects of 4 entities\n")
        #expect(
            try scratch.text("out/Book.jsonl") == #"""
                {"_id":"Book/1","_entity":"Book","added":"2023-01-01T00:00:00.250Z","author":"Author/1","cover":"AP8Q","pages":9007199254740993,"place":{"city":"Berlin","shelf":3},"price":"3.3333333332999993","read":true,"tags":["Tag/5"],"title":"a, \"b\"\n","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","weight":0.1}

                """#)
        #expect(
            try scratch.text("out/Comic.jsonl") == #"""
                {"_id":"Comic/2","_entity":"Comic","added":null,"author":"Author/1","cover":null,"pages":null,"place":null,"price":null,"read":null,"tags":[],"title":"","uuid":null,"weight":null,"artist":"Moebius"}

                """#)
        // In the order of the relationship, each with its own entity.
        #expect(try scratch.text("out/Author.jsonl").contains(#""books":["Comic/2","Book/1"]"#))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url("out").path).sorted() == [
                "Author.jsonl", "Book.jsonl", "Comic.jsonl", "Tag.jsonl", "model.mom", "schema.json", "schema.sql",
            ])
        #expect(try scratch.text("out/schema.sql").contains("    \"added\" TIMESTAMP,\n"))
    }

    @Test func csvDistinguishesNullFromEmptyText() throws {
        let scratch = try store()
        #expect(scratch.export("a.sqlite", "--format", "csv", "--escape-formulas", "--output", "out") == 0)
        #expect(
            try scratch.text("out/Book.csv")
                == "_id,_entity,added,author,cover,pages,place.city,place.shelf,price,read,tags,title,uuid,weight\r\n"
                + "Book/1,Book,2023-01-01T00:00:00.250Z,Author/1,00ff10,9007199254740993,Berlin,3,3.3333333332999993,1,Tag/5,"
                + "\"a, \"\"b\"\"\n\",E621E1F8-C36C-495A-93FC-0C247A3E6E5F,0.1\r\n")
        #expect(try scratch.text("out/Comic.csv").hasSuffix("Comic/2,Comic,,Author/1,,,,,,,,\"\",,,Moebius\r\n"))
        #expect(try scratch.text("out/Tag.csv").contains("Tag/5,Tag,Book/1,'=1+1\r\n"))
        let merged = ["a.sqlite", "--format", "csv", "--entity", "Book", "--inheritance", "root", "--output", "-"]
        #expect(scratch.export(merged + ["--columns", "title,Comic.artist"]) == 0, "\(scratch.errorOutput)")
        #expect(
            scratch.output
                == "_id,_entity,title,artist\r\nBook/1,Book,\"a, \"\"b\"\"\n\",\r\nComic/2,Comic,\"\",Moebius\r\n")
    }

    @Test func aDatabaseIsNormalized() throws {
        let scratch = try store()
        #expect(
            scratch.export("a.sqlite", "--format", "sqlite", "--output", "plain.sqlite") == 0, "\(scratch.errorOutput)")
        let plain = try SeedDatabase(scratch.url("plain.sqlite").path)
        #expect(
            try plain.texts(
                """
                SELECT b.title || '|' || b.added || '|' || b.price || '|' || b.uuid || '|' || b."place.city" || '|' || a.name
                FROM Book b JOIN Author a ON a._id = b.author
                """) == [
                    "a, \"b\"\n|2023-01-01T00:00:00.250Z|3.3333333332999993|E621E1F8-C36C-495A-93FC-0C247A3E6E5F|Berlin|"
                        + "Ursula \"K.\" Le Guin"
                ])
        #expect(try plain.texts("SELECT artist || author_position FROM Comic") == ["Moebius2048"])
        #expect(try plain.texts("SELECT book || ',' || tag FROM Book_tags") == ["1,5"])
        #expect(try plain.texts("SELECT \"table\" FROM pragma_foreign_key_list('Book')") == ["Author"])
        #expect(try plain.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test func viewsNameEntitiesAndProperties() throws {
        let scratch = try store()
        let before = try scratch.files()["a.sqlite"]
        #expect(scratch.export("a.sqlite", "--format", "views", "--output", "-") == 0)
        let script = scratch.output
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        try database.execute(script)
        #expect(
            try database.texts(
                "SELECT _entity || ' ' || ifnull(added, '') || ' ' || ifnull(uuid, '') FROM Book ORDER BY _id")
                == ["Book 2023-01-01T00:00:00.250Z E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "Comic  "])
        #expect(try database.texts("SELECT artist FROM Comic") == ["Moebius"])
        #expect(try database.texts("SELECT book || ',' || tag FROM Book_tags") == ["1,5"])
        #expect(try scratch.files()["a.sqlite"] == before)
    }

    @Test func objectsAndPropertiesAreSelected() throws {
        let scratch = try store()
        let base = ["a.sqlite", "--columns", "title", "--output", "-"]
        #expect(scratch.export(base + ["--entity", "Comic"]) == 0)
        #expect(scratch.output == "{\"_id\":\"Comic/2\",\"_entity\":\"Comic\",\"title\":\"\"}\n")
        #expect(
            scratch.export(
                base + ["--where", "Book: pages > 100 AND ANY tags.name BEGINSWITH '='", "--entity", "Book"]) == 0)
        #expect(scratch.output.hasPrefix("{\"_id\":\"Book/1\""), "\(scratch.output)\(scratch.errorOutput)")
        #expect(!scratch.output.contains("Comic/2"))
        // A condition of a subentity leaves the others as they are.
        #expect(scratch.export(base + ["--entity", "Book", "--where", "Comic: artist == 'x'"]) == 0)
        #expect(scratch.output.contains("Book/1") && !scratch.output.contains("Comic/2"))
        #expect(scratch.export(base + ["--entity", "Book", "--where", "added > \"2022-12-31\""]) == 0)
        #expect(scratch.output.contains("Book/1") && !scratch.output.contains("Comic/2"))
        #expect(scratch.export("a.sqlite", "--limit", "0", "--output", "-") == 0)
        #expect(scratch.output.isEmpty)
        #expect(scratch.export("a.sqlite", "--entity", "Tag", "--relationships", "nested", "--output", "-") == 0)
        #expect(scratch.output.contains(#""books":[{"_id":"Book/1","added":"2023"#), "\(scratch.output)")
        #expect(scratch.export("a.sqlite", "--entity", "Tag", "--relationships", "none", "--output", "-") == 0)
        #expect(scratch.output == "{\"_id\":\"Tag/5\",\"_entity\":\"Tag\",\"name\":\"=1+1\"}\n")
        #expect(
            scratch.export("a.sqlite", "--entity", "Comic", "--dates", "unix", "--columns", "added", "--output", "-")
                == 0)
        #expect(
            scratch.export("a.sqlite", "--entity", "Book", "--dates", "unix", "--columns", "added", "--output", "-")
                == 0)
        #expect(scratch.output.contains("\"added\":1672531200.25"), "\(scratch.output)")
    }

    @Test(arguments: [
        (["--entity", "Bok"], "has no entity “Bok”"),
        (["--columns", "titel"], "no exported entity has a stored property “titel”"),
        (["--where", "title == 'a'"], "names no entity"),
        (["--where", "Book: title = = 1"], "invalid predicate"),
        (["--where", "Book: titel == 'a'"], "“Book” has no property “titel”"),
        (["--where", "Book: title == %@"], "there is no argument"),
        (["--where", "Bok: title == 'a'"], "has no entity “Bok”"),
        (["--where", "Book: cover == 'a'"], "invalid predicate"),
        (["--where", "Book:"], "the predicate is empty"),
    ])
    func invalidSelectionsAreExplained(_ arguments: [String], _ message: String) throws {
        let scratch = try store()
        let before = try scratch.files()
        #expect(scratch.export(["a.sqlite", "--output", "out"] + arguments) == 2)
        #expect(scratch.errorOutput.contains(message), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
    }

    @Test func anExistingOutputIsOnlyReplacedIfItIsAnExport() throws {
        let scratch = try store()
        #expect(scratch.export("a.sqlite", "--output", "out") == 0)
        #expect(scratch.export("a.sqlite", "--output", "out") == 2)
        #expect(scratch.errorOutput.contains("the folder exists"))
        try Data("old".utf8).write(to: scratch.url("out/Tag.jsonl"))
        #expect(scratch.export("a.sqlite", "--entity", "Book", "--output", "out/", "--force") == 0)
        #expect(try scratch.files()["out/Tag.jsonl"] == nil)
        try scratch.write(Data("mine".utf8), to: "mine/a.txt")
        let before = try scratch.files()
        #expect(scratch.export("a.sqlite", "--output", "mine", "--force") == 2)
        #expect(scratch.export("a.sqlite", "--format", "sqlite", "--output", "a.sqlite", "--force") == 2)
        #expect(scratch.errorOutput.contains("it is the store that is exported"), "\(scratch.errorOutput)")
        #expect(scratch.make(rows: 1, to: "b.sqlite") == 0)
        let withStore = try scratch.files()
        #expect(scratch.export("a.sqlite", "--format", "sqlite", "--output", "b.sqlite", "--force") == 2)
        #expect(scratch.errorOutput.contains("it is not an export"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == withStore)
        #expect(before.allSatisfy { withStore[$0.key] == $0.value })
        #expect(scratch.export("a.sqlite", "--format", "views", "--output", "mine/a.txt") == 2)
        #expect(scratch.export("a.sqlite", "--format", "views", "--output", "mine/a.txt", "--force") == 2)
        #expect(try scratch.files() == withStore)
        for format in ["views", "sqlite", "views"] {
            #expect(scratch.export("a.sqlite", "--format", format, "--output", "plain", "--force") == 0)
        }
    }

    /// What is saved in the log is exported, and neither the log nor the folder change.
    @Test func aStoreInUseIsReadAsItIs() throws {
        let scratch = try store()
        let writer = try SeedDatabase(scratch.url("a.sqlite").path)
        try writer.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZTAG SET ZNAME = 'saved'")
        try writer.execute("BEGIN; UPDATE ZTAG SET ZNAME = 'not saved'")
        let before = try scratch.files()
        #expect(before["a.sqlite-wal"]?.isEmpty == false)
        #expect(scratch.export("a.sqlite", "--entity", "Tag", "--output", "-") == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("\"name\":\"saved\""), "\(scratch.output)")
        var after = try scratch.files()
        // The index of the log has the marks of readers.
        after["a.sqlite-shm"] = before["a.sqlite-shm"]
        #expect(after == before)
    }

    @Test func aClosedOutputEndsTheExport() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 3000) == 0)
        #expect(scratch.export(["a.sqlite", "--output", "-"], stopsAfter: 10) == 2)
        #expect(scratch.output.utf8.count < 400_000)
        #expect(scratch.errorOutput.contains("the output cannot be written"), "\(scratch.errorOutput)")
    }

    @Test(arguments: ["jsonl", "csv", "sqlite"]) func aFullDiskLeavesNothing(_ format: String) throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 2000) == 0)
        let before = try scratch.files()
        let result = try ToolProcess.run(
            "modelc-store", ["export", "a.sqlite", "--format", format, "--output", "out"], in: scratch.folder,
            kilobytes: 64)
        #expect(result.code == 2)
        #expect(result.errorOutput.contains("cannot be written"), "\(result.errorOutput)")
        #expect(try scratch.files() == before)
    }

    @Test func damageAndOtherFilesAreErrors() throws {
        let scratch = try store()
        let root = try #require(
            try SeedDatabase(scratch.url("a.sqlite").path).integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
        var bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        bytes.replaceSubrange(Int(root - 1) * 4096..<Int(root) * 4096, with: Data(repeating: 0xAA, count: 4096))
        try bytes.write(to: scratch.url("a.sqlite"))
        try scratch.write(Data("text".utf8), to: "b.sqlite")
        let before = try scratch.files()
        for format in ["jsonl", "csv", "sqlite"] {
            #expect(scratch.export("a.sqlite", "--format", format, "--output", "out") == 2)
            #expect(scratch.errorOutput.contains("the database is damaged"), "\(scratch.errorOutput)")
        }
        #expect(scratch.export("b.sqlite", "--output", "out") == 2)
        #expect(scratch.export("none.sqlite", "--output", "out") == 2)
        #expect(try scratch.files() == before)
    }

    /// Rows that the model has no entity for are not left out silently.
    @Test func rowsOfUnknownEntitiesAreCounted() throws {
        let scratch = try store()
        try scratch.execute("UPDATE ZBOOK SET Z_ENT = 99 WHERE Z_PK = 2", in: "a.sqlite")
        #expect(scratch.export("a.sqlite", "--output", "out") == 1)
        #expect(scratch.errorOutput.contains("1 row in the table of “Book” is of an entity"), "\(scratch.errorOutput)")
    }

    @Test func largeValuesAreFilesAndMissingFilesAreSaid() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Photo" syncable="YES">
                <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            </entity>
            """)
        #expect(scratch.make(rows: 0) == 0)
        let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        try scratch.execute(
            """
            INSERT INTO ZPHOTO(Z_PK, Z_ENT, Z_OPT, ZDATA) VALUES (1, 1, 1, x'01' || zeroblob(100)), (2, 1, 1, x'01ff'), \
            (3, 1, 1, CAST(x'02' || CAST('\(uuid)' AS BLOB) || x'00' AS BLOB));
            """, in: "a.sqlite")
        try scratch.execute(
            "UPDATE ZPHOTO SET ZDATA = CAST(x'01' || zeroblob(100) AS BLOB) WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.export("a.sqlite", "--inline-limit", "50", "--output", "out") == 1)
        #expect(
            scratch.errorOutput.contains("1 value of “Photo.data” is in an external file"), "\(scratch.errorOutput)")
        let lines = try scratch.text("out/Photo.jsonl")
        #expect(
            lines.contains(#"{"_id":"Photo/1","_entity":"Photo","data":{"$file":"files/Photo-1/1-0-data"}}"#),
            "\(lines)")
        #expect(lines.contains(#""data":"/w=="}"#), "\(lines)")
        #expect(lines.contains(#""data":{"$missing":"\#(uuid)"}}"#), "\(lines)")
        #expect(try scratch.files()["out/files/Photo-1/1-0-data"]?.count == 100)
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 2)
        #expect(
            scratch.errorOutput.contains(
                "out/Photo.jsonl:3:1: error: the value of “Photo.data” was in an external file"))
        try scratch.write(Data([1, 2, 3]), to: ".a_SUPPORT/_EXTERNAL_DATA/\(uuid)")
        #expect(scratch.export("a.sqlite", "--inline-limit", "50", "--output", "out", "--force") == 0)
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)")
    }
}
