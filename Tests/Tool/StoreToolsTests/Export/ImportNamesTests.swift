import Foundation
import Testing

@testable import StoreTools

/// `modelc store import` of exports of other versions, of parts, and of lines without a description.
@Suite struct ImportNamesTests {
    private static let versions = [
        """
        <entity name="Book" syncable="YES">
            <attribute name="Title" optional="YES" attributeType="String"/>
            <attribute name="title" optional="YES" attributeType="String"/>
        </entity>
        """,
        """
        <entity name="Book" syncable="YES">
            <attribute name="headline" optional="YES" attributeType="String" elementID="title"/>
            <attribute name="title" optional="YES" attributeType="String" elementID="Title"/>
        </entity>
        """,
        """
        <entity name="Book" syncable="YES">
            <attribute name="both" optional="YES" attributeType="String" elementID="title"/>
        </entity>
        <entity name="Volume" elementID="Book" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String" elementID="title"/>
        </entity>
        """,
    ]
    private static let lines = #"{"_id":"Book/1","Title":"old","title":"new"}"#
    private static let model = ["--model", "Books.xcdatamodeld", "--version"]

    private func scratch() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeVersions(Self.versions)
        try scratch.write(Data(Self.lines.utf8), to: "v1.jsonl")
        return scratch
    }

    private func restore(_ scratch: StoreScratch, _ source: String, _ version: String, to path: String) -> Int32 {
        scratch.importStore([source] + Self.model + [version, "--force", "--output", path])
    }

    private func headlines(_ scratch: StoreScratch, _ path: String) throws -> [String] {
        try SeedDatabase(scratch.url(path).path).texts("SELECT ZHEADLINE || ',' || ZTITLE FROM ZBOOK")
    }

    @Test func namesUsedAgainByRenamingKeepTheirValues() throws {
        let scratch = try scratch()
        // The members show of which version the lines are.
        #expect(restore(scratch, "v1.jsonl", "V2", to: "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try headlines(scratch, "b.sqlite") == ["new,old"])
        // The same version, with the names of the export's own model.
        #expect(scratch.export("b.sqlite", "--output", "v2") == 0)
        #expect(restore(scratch, "v2", "V2", to: "c.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try headlines(scratch, "c.sqlite") == ["new,old"])
        #expect(scratch.export("b.sqlite", "--columns", "title", "--output", "part") == 0)
        #expect(restore(scratch, "part", "V2", to: "c.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("c.sqlite").path).texts("SELECT ZTITLE FROM ZBOOK") == ["old"])
        // An earlier version, which has no description of its own but its model.
        #expect(restore(scratch, "v1.jsonl", "V1", to: "a.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--columns", "title", "--output", "v1") == 0)
        #expect(restore(scratch, "v1", "V2", to: "d.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("d.sqlite").path).texts("SELECT ZHEADLINE FROM ZBOOK") == ["new"])
    }

    @Test func ambiguousNamesAreRefused() throws {
        let scratch = try scratch()
        try scratch.write(Data(#"{"_id":"Book/1","title":"?"}"#.utf8), to: "part.jsonl")
        #expect(restore(scratch, "part.jsonl", "V2", to: "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("“Book.title” can be two things"), "\(scratch.errorOutput)")
        #expect(restore(scratch, "part.jsonl", "V3", to: "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("“Book” can be two things"), "\(scratch.errorOutput)")
        try scratch.write(
            Data(#"{"_id":"Book/1","Title":"a","title":"b","headline":"c"}"#.utf8), to: "three.jsonl")
        #expect(restore(scratch, "three.jsonl", "V2", to: "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("would become the same property"), "\(scratch.errorOutput)")
        try scratch.writeModel(
            """
            <entity name="Paper" elementID="Book" syncable="YES">
                <attribute name="title" optional="YES" attributeType="String"/>
            </entity>
            """)
        try scratch.write(
            Data("{\"_id\":\"Book/1\",\"title\":\"a\"}\n{\"_id\":\"Paper/2\",\"title\":\"b\"}".utf8), to: "two.jsonl")
        #expect(scratch.importStore("two.jsonl", "--model", "Model.xcdatamodel", "--output", "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("would both be objects of “Paper”"), "\(scratch.errorOutput)")
        #expect(try scratch.files()["b.sqlite"] == nil)
    }

    // MARK: Dates

    @Test func datesOfUnknownOriginAreRefused() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Book" syncable="YES">
                <attribute name="added" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            </entity>
            """)
        #expect(scratch.make(rows: 0) == 0)
        try scratch.execute(
            "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZADDED) VALUES (1, 1, 1, 0.001), (2, 1, 1, 1e15)", in: "a.sqlite")
        let model = ["--model", "Model.xcdatamodel", "--force", "--output", "b.sqlite"]
        for dates in ["unix", "seconds"] {
            #expect(scratch.export("a.sqlite", "--dates", dates, "--output", "-") == 0)
            try scratch.write(Data(scratch.output.utf8), to: "rows.jsonl")
            #expect(scratch.importStore(["rows.jsonl"] + model) == 2)
            #expect(scratch.errorOutput.contains("whose origin is unknown"), "\(scratch.errorOutput)")
        }
        #expect(scratch.export("a.sqlite", "--dates", "unix", "--output", "unix") == 0)
        #expect(scratch.importStore(["unix"] + model) == 2)
        #expect(scratch.errorOutput.contains("dates in seconds since 1970"), "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--dates", "seconds", "--output", "seconds") == 0)
        #expect(scratch.importStore(["seconds"] + model) == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)")
        #expect(scratch.export("a.sqlite", "--output", "-") == 0)
        #expect(scratch.output.contains(#""added":{"$real":1000000000000000.0}"#), "\(scratch.output)")
        try scratch.write(Data(scratch.output.utf8), to: "rows.jsonl")
        #expect(scratch.importStore(["rows.jsonl"] + model) == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)")
    }

    // MARK: References

    private static let pages = """
        <entity name="Book" syncable="YES">
            <relationship name="pages" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Page" \
        inverseName="book" inverseEntity="Page"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
        inverseName="books" inverseEntity="Node"/>
        </entity>
        <entity name="Node" syncable="YES">
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="tags" inverseEntity="Book"/>
        </entity>
        <entity name="Page" parentEntity="Node" syncable="YES">
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="pages" inverseEntity="Book"/>
            <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Node"/>
        </entity>
        """

    private static let rows = """
        {"_id":"Book/1","pages":["Page/2"],"tags":["Node/1","Page/2"]}
        {"_id":"Node/1"}
        {"_id":"Page/2","book":"Book/1","next":"Node/1"}
        """

    private func pageStore() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.pages)
        try scratch.write(Data(Self.rows.utf8), to: "rows.jsonl")
        let code = scratch.importStore("rows.jsonl", "--model", "Model.xcdatamodel", "--output", "a.sqlite")
        #expect(code == 0, "\(scratch.errorOutput)")
        return scratch
    }

    @Test func referencesThatAPartLacksAreSaid() throws {
        let scratch = try pageStore()
        #expect(scratch.export("a.sqlite", "--entity", "Book", "--output", "books") == 0)
        #expect(scratch.importStore("books", "--output", "b.sqlite") == 1)
        #expect(
            scratch.errorOutput.contains(
                "1 value of “Book.pages” refers to an object that the export does not contain\nmodelc: books: 2 values of “Book.tags”"
            ),
            "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--entity", "Node", "--output", "nodes") == 0)
        #expect(scratch.importStore("nodes", "--output", "c.sqlite") == 1)
        #expect(scratch.errorOutput.contains("1 value of “Page.book” refers to"), "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--output", "all") == 0)
        #expect(scratch.importStore("all", "--output", "d.sqlite") == 0, "\(scratch.errorOutput)")
    }

    @Test func membersOfSkippedEntitiesAreSkipped() throws {
        let scratch = try pageStore()
        try scratch.writeModel(
            """
            <entity name="Book" syncable="YES">
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
            inverseName="books" inverseEntity="Node"/>
            </entity>
            <entity name="Node" syncable="YES">
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
            inverseName="tags" inverseEntity="Book"/>
            </entity>
            """, to: "Small.xcdatamodel")
        let arguments = ["rows.jsonl", "--model", "Small.xcdatamodel", "--output", "b.sqlite"]
        #expect(scratch.importStore(arguments) == 2)
        #expect(scratch.importStore(arguments + ["--ignore-unknown"]) == 0, "\(scratch.errorOutput)")
        #expect(scratch.export("b.sqlite", "--entity", "Book", "--output", "-") == 0)
        #expect(scratch.output.contains(#""tags":["Node/1"]"#), "\(scratch.output)")
    }

    @Test func referencesToUnknownEntitiesAreSaid() throws {
        let scratch = try pageStore()
        let columns = try SeedDatabase(scratch.url("a.sqlite").path).texts(
            "SELECT name FROM pragma_table_info('ZNODE')")
        let column = try #require(columns.first { $0.hasPrefix("Z") && $0.hasSuffix("_NEXT") })
        try scratch.execute("UPDATE ZNODE SET \(column) = 77 WHERE Z_PK = 2", in: "a.sqlite")
        for format in ["jsonl", "csv", "sqlite"] {
            #expect(scratch.export("a.sqlite", "--format", format, "--output", format) == 1)
            #expect(
                scratch.errorOutput.contains(
                    "1 value of “Page.next” refers to an entity that the model does not have, and is not exported"),
                "\(scratch.errorOutput)")
        }
        #expect(try scratch.text("jsonl/Page.jsonl").contains(#""next":null"#))
        #expect(scratch.importStore("jsonl", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
    }

    /// Lines of a program need not have all members.
    @Test func anyCombinationOfMembersIsRead() throws {
        let scratch = try StoreScratch()
        var attributes = ""
        for index in 0..<11 {
            attributes +=
                "<attribute name=\"a\(index)\" optional=\"YES\" attributeType=\"Integer 64\" usesScalarValueType=\"NO\"/>"
        }
        try scratch.writeModel("<entity name=\"Book\" syncable=\"YES\">\(attributes)</entity>")
        var lines: [String] = []
        var expected: Int64 = 0
        for key in 1...1200 {
            var members = ""
            for index in 0..<11 where key >> index & 1 == 1 { members += ",\"a\(index)\":\(key)" }
            lines.append("{\"_id\":\"Book/\(key)\"\(members)}\n")
            if key >> 3 & 1 == 1 { expected += Int64(key) }
        }
        try scratch.write(Data(lines.joined().utf8), to: "rows.jsonl")
        let code = scratch.importStore("rows.jsonl", "--model", "Model.xcdatamodel", "--output", "a.sqlite")
        #expect(code == 0, "\(scratch.errorOutput)")
        let sum = try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT sum(ZA3) FROM ZBOOK")
        #expect(sum == expected)
    }

    // MARK: Names

    @Test func unusualNamesAreWrittenCorrectly() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="A,B" syncable="YES">
                <attribute name="count" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="Name" optional="YES" attributeType="String"/>
                <relationship name="other" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A,B"/>
            </entity>
            <entity name="Book" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
            </entity>
            <entity name="ZBOOK" syncable="YES">
                <attribute name="title" optional="YES" attributeType="String"/>
            </entity>
            """)
        let line = #"{"_id":"A,B/1","count":{"$text":"=1+1"},"name":"a","Name":"b","other":"A,B/1"}"#
        let book = "\n{\"_id\":\"Book/1\",\"name\":\"book\"}"
        try scratch.write(Data((line + book).utf8), to: "rows.jsonl")
        let code = scratch.importStore("rows.jsonl", "--model", "Model.xcdatamodel", "--output", "a.sqlite")
        #expect(code == 0, "\(scratch.errorOutput)")
        let arguments = ["a.sqlite", "--entity", "A,B", "--format", "csv", "--escape-formulas", "--output"]
        #expect(scratch.export(arguments + ["-"]) == 0, "\(scratch.errorOutput)")
        let row = try #require(scratch.output.split(separator: "\r\n").last)
        #expect(row.hasPrefix("\"A,B/1\",\"A,B\","), "\(row)")
        #expect(row.hasSuffix(",\"A,B/1\"") && row.contains(",'=1+1,"), "\(row)")
        #expect(scratch.export(arguments + ["out"]) == 0)
        try scratch.execute(try scratch.text("out/schema.sql"), in: "empty.sqlite", creates: true)
        // A view can have the name of another entity's table.
        #expect(scratch.export("a.sqlite", "--format", "views", "--output", "-") == 0)
        let script = scratch.output
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        try database.execute(script)
        #expect(try database.texts("SELECT name FROM Book") == ["book"], "\(script)")
    }
}
