import CompiledModel
import Foundation
import TestSupport
import Testing

@testable import StoreTools

/// `modelc store import`, and that a store, its export and its copy are equal.
@Suite struct StoreImportTests {
    private func expectRoundTrip(_ scratch: StoreScratch, _ arguments: String...) throws {
        #expect(scratch.export(["a.sqlite", "--force", "--output", "out"] + arguments) == 0, "\(scratch.errorOutput)")
        #expect(scratch.importStore("out", "--force", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.export("b.sqlite", "--force", "--output", "again") == 0)
        let files = try scratch.files()
        for (name, bytes) in files where name.hasPrefix("out/") && name.hasSuffix(".jsonl") && arguments.isEmpty {
            #expect(files["again/" + name.dropFirst(4)] == bytes, "\(name)")
        }
    }

    @Test func everyKindOfPropertyIsRestored() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 30) == 0, "\(scratch.errorOutput)")
        try expectRoundTrip(scratch)
        #expect(scratch.check("b.sqlite", "--notes", "--strict") == 0, "\(scratch.output)")
        try expectRoundTrip(scratch, "--inline-limit", "0")
        try expectRoundTrip(scratch, "--relationships", "nested", "--dates", "seconds", "--bigint-as-string")
        // A stream has no files.
        #expect(scratch.export("a.sqlite", "--output", "-") == 0)
        try scratch.write(Data(scratch.output.utf8), to: "all.jsonl")
        #expect(scratch.importStore("all.jsonl", "--model", "Model.xcdatamodel", "--output", "c.sqlite") == 0)
        #expect(scratch.diff("a.sqlite", "c.sqlite") == 0, "\(scratch.output)")
    }

    @Test(.randomized) func randomStoresAreRestored() throws {
        var generator = Seeds.generator()
        var made = 0
        for _ in 0..<15 {
            let scratch = try StoreScratch()
            try scratch.write(Data(try EncodedModel(RandomStoreModel.make(using: &generator)).bytes), to: "M.mom")
            guard scratch.make("M.mom", rows: Int.random(in: 0...20, using: &generator)) == 0 else { continue }
            made += 1
            try expectRoundTrip(scratch)
        }
        #expect(made > 3)
    }

    /// Properties of different kinds with one renaming identifier, which Core Data accepts.
    @Test func propertiesWithTheSameRenamingIdentifierAreRestored() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Book" elementID="Old" syncable="YES">
                <attribute name="title" optional="YES" attributeType="String" elementID="Old"/>
                <attribute name="year" optional="YES" attributeType="Integer 16" elementID="Old"/>
                <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
            inverseName="next" inverseEntity="Book" elementID="Old"/>
            </entity>
            """)
        #expect(scratch.make(rows: 10) == 0, "\(scratch.errorOutput)")
        try expectRoundTrip(scratch)
    }

    /// An export of three books and two comics, which have one table.
    private func shelf() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Book" syncable="YES"><attribute name="title" optional="YES" attributeType="String"/></entity>
            <entity name="Comic" parentEntity="Book" syncable="YES"/>
            """)
        #expect(scratch.make(rows: 0) == 0, "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--output", "out") == 0)
        try scratch.write(Data("{\"_id\":\"Book/1\"}\n{\"_id\":\"Book/3\"}\n".utf8), to: "out/Book.jsonl")
        try scratch.write(Data("{\"_id\":\"Comic/2\"}\n".utf8), to: "out/Comic.jsonl")
        return scratch
    }

    @Test func keysThatOccurTwiceAreNamed() throws {
        let scratch = try shelf()
        try scratch.write(
            Data("{\"_id\":\"Book/1\"}\n{\"_id\":\"Book/3\"}\n{\"_id\":\"Book/1\"}\n".utf8), to: "out/Book.jsonl")
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 2)
        #expect(
            scratch.errorOutput.contains("out/Book.jsonl:3:1: error: “Book/1” occurs twice"), "\(scratch.errorOutput)")
        try scratch.write(Data("{\"_id\":\"Book/1\"}\n".utf8), to: "out/Book.jsonl")
        try scratch.write(Data("{\"_id\":\"Comic/1\"}\n".utf8), to: "out/Comic.jsonl")
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 2)
        #expect(
            scratch.errorOutput.contains(
                "out/Comic.jsonl:1:1: error: “Comic/1” and “Book/1” have the same number in one hierarchy"),
            "\(scratch.errorOutput)")
    }

    @Test func aByteOrderMarkIsIgnored() throws {
        let scratch = try shelf()
        try scratch.write(
            Data([0xEF, 0xBB, 0xBF] + "{\"_id\":\"Book/1\",\"title\":\"\u{FEFF}A\"}\r\n".utf8), to: "out/Book.jsonl")
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.export("b.sqlite", "--output", "again") == 0)
        let line = try #require(try scratch.files()["again/Book.jsonl"])
        #expect(line == Data("{\"_id\":\"Book/1\",\"_entity\":\"Book\",\"title\":\"\u{FEFF}A\"}\n".utf8))
        // Only at the beginning of the file.
        try scratch.write(
            Data("{\"_id\":\"Book/1\"}\n".utf8) + Data([0xEF, 0xBB, 0xBF]) + Data("{\"_id\":\"Book/3\"}\n".utf8),
            to: "out/Book.jsonl")
        #expect(scratch.importStore("out", "--output", "c.sqlite") == 2)
    }

    @Test(arguments: ["entity", "root"]) func missingFilesAreReported(inheritance: String) throws {
        let scratch = try shelf()
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.export("b.sqlite", "--inheritance", inheritance, "--output", "whole") == 0)
        #expect(scratch.importStore("whole", "--output", "c.sqlite") == 0, "\(scratch.errorOutput)")
        try FileManager.default.removeItem(at: scratch.url("whole/Book.jsonl"))
        #expect(scratch.importStore("whole", "--output", "d.sqlite") == 1)
        #expect(
            scratch.errorOutput.contains(
                "modelc: whole: 2 objects of “Book” are not imported, because the export lacks their file\n"),
            "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("of “Comic”") == (inheritance == "root"), "\(scratch.errorOutput)")
    }

    private static let book = """
        <entity name="Book" syncable="YES">
            <attribute name="cover" optional="YES" attributeType="Binary"/>
            <attribute name="date" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="decimal" optional="YES" attributeType="Decimal"/>
            <attribute name="double" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            <attribute name="flag" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
            <attribute name="float" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
            <attribute name="number" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
            <attribute name="object" optional="YES" attributeType="Transformable" \
        valueTransformerName="NSSecureUnarchiveFromDataTransformer"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <attribute name="uuid" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
        </entity>
        """

    private func bookStore() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.book)
        #expect(scratch.make(rows: 0) == 0)
        return scratch
    }

    /// Values that no app writes, but that stores have, are restored as they are stored.
    @Test(arguments: [
        ("text", "CAST(x'61ff62' AS TEXT)"), ("text", "'a' || char(0) || 'b'"), ("text", "''"), ("text", "x'0102'"),
        ("cover", "'text'"), ("cover", "x''"), ("uuid", "x'0102'"), ("uuid", "'E621E1F8'"), ("flag", "2"),
        ("flag", "1.5"), ("number", "100000"), ("number", "'many'"), ("decimal", "'NaN'"), ("decimal", "'abc'"),
        ("decimal", "1e20"), ("decimal", "-0.000012345678901234"), ("decimal", "9007199254740993"), ("double", "9e999"),
        ("double", "-9e999"), ("double", "-0.0"), ("double", "4.9e-324"), ("double", "1.7976931348623157e308"),
        ("float", "0.1"), ("float", "3.4e39"), ("float", "9e999"), ("date", "-63114076800"),
        ("date", "123456789012345"),
        ("date", "0.1"), ("date", "-0.3"), ("date", "1e-9"), ("date", "694224000.123456789"), ("date", "'now'"),
        ("date", "-14182980.000000002"), ("object", "'text'"), ("object", "x'62706c6973743030'"), ("object", "3"),
    ])
    func unusualValuesAreRestored(_ column: String, _ value: String) throws {
        let scratch = try bookStore()
        try scratch.execute(
            "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, Z\(column.uppercased())) VALUES (7, 1, 1, \(value))", in: "a.sqlite")
        try expectRoundTrip(scratch)
        let stored = "SELECT typeof(Z\(column.uppercased())) || quote(Z\(column.uppercased())) FROM ZBOOK"
        let (old, new) = (
            try SeedDatabase(scratch.url("a.sqlite").path).texts(stored),
            try SeedDatabase(scratch.url("b.sqlite").path).texts(stored)
        )
        #expect(old == new)
        // The other formats have a form for every value, too.
        for format in ["csv", "sqlite", "views"] {
            #expect(scratch.export("a.sqlite", "--format", format, "--output", "other.\(format)") != 2)
        }
    }

    @Test(.randomized) func datesReadBackBitByBit() throws {
        let scratch = try bookStore()
        var generator = Seeds.generator()
        var statement = "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZDATE) VALUES "
        statement += (1...3000).map { (key: Int) -> String in
            let magnitudes: [Double] = [1, 1e3, 1e6, 1e9, 6e10]
            let magnitude = magnitudes.randomElement(using: &generator) ?? 1
            return "(\(key), 1, 1, \(Double.random(in: -magnitude...magnitude, using: &generator)))"
        }.joined(separator: ", ")
        try scratch.execute(statement, in: "a.sqlite")
        try expectRoundTrip(scratch)
    }

    @Test(arguments: [
        (#"{"_id":"Book/1","number":"many"}"#, "“many” is not a value of “Book.number”, which has the type integer16"),
        (#"{"_id":"Book/1","number":40000}"#, "40000 is not a value of “Book.number”"),
        (#"{"_id":"Book/1","number":1.5}"#, "1.5 is not a value of “Book.number”"),
        (#"{"_id":"Book/1","flag":1}"#, "1 is not a value of “Book.flag”, which has the type boolean"),
        (#"{"_id":"Book/1","text":true}"#, "a Boolean is not a value of “Book.text”"),
        (#"{"_id":"Book/1","text":["a"]}"#, "an array is not a value of “Book.text”"),
        (#"{"_id":"Book/1","date":"2026-02-30"}"#, "“2026-02-30” is not a value of “Book.date”"),
        (#"{"_id":"Book/1","decimal":"0x10"}"#, "“0x10” is not a value of “Book.decimal”"),
        (#"{"_id":"Book/1","double":1e999}"#, "1e999 is not a value of “Book.double”"),
        (#"{"_id":"Book/1","uuid":"E621"}"#, "“E621” is not a value of “Book.uuid”"),
        (#"{"_id":"Book/1","cover":"abc"}"#, "“abc” is not a value of “Book.cover”"),
        (#"{"_id":"Book/1","object":"abc"}"#, "“abc” is not a value of “Book.object”"),
        (#"{"_id":"Book/1","cover":{"$file":"files/../../a.sqlite"}}"#, "cannot be read"),
        (#"{"_id":"Book/1","cover":{"$other":1}}"#, "“$other” is not a form of a value"),
        (#"{"_id":"Book/1","cover":{}}"#, "has neither “$archive” nor “$bytes”"),
        (#"{"_id":"Book/1","titel":"a"}"#, "the model has no stored property “Book.titel”"),
        (#"{"_id":"Bok/1"}"#, "the model has no entity “Bok”"),
        (#"{"_id":"Book/x"}"#, "“_id” is missing or invalid"),
        (#"{"_id":"Book/0"}"#, "0 is not a valid primary key"),
        (#"{"_id":"Book/-9223372036854775808"}"#, "is not a valid primary key"),
        (#"{"_id":"Book/1","_entity":"Page"}"#, "name different entities"),
        (#"{"_id":"Book/1","text":"a","text":"b"}"#, "“Book.text” occurs twice"),
        (#"["Book/1"]"#, "the line is an array, not an object"),
        (#"{"_id":"Book/1""#, "a comma or closing brace is missing"),
        (#"{"_id":"Book/1","text":"\ud800"}"#, "surrogate pair"),
        (#"{"_id":"Book/1"} {}"#, "text follows the JSON value"),
        (String(repeating: "[", count: 5000), "JSON nested too deeply"),
        ("{\"_id\":\"Book/7\"}\n{\"_id\":\"Book/7\"}", "“Book/7” occurs twice"),
    ])
    func invalidLinesAreExplained(_ line: String, _ message: String) throws {
        let scratch = try bookStore()
        try scratch.write(Data(("{\"_id\":\"Book/2\"}\n" + line + "\n").utf8), to: "rows.jsonl")
        try scratch.write(Data(("{\"_id\":\"Book/2\"}\n" + line + "\n").utf8), to: "out/rows.jsonl")
        let before = try scratch.files()
        for source in ["rows.jsonl", "out"] {
            #expect(scratch.importStore(source, "--model", "Model.xcdatamodel", "--output", "b.sqlite") == 2)
            #expect(
                scratch.errorOutput.contains("rows.jsonl:\(line.contains("\n") ? 3 : 2):1: error:"),
                "\(scratch.errorOutput)")
            #expect(
                scratch.errorOutput.contains(message) || message == "cannot be read" && source == "rows.jsonl",
                "\(scratch.errorOutput)")
        }
        #expect(try scratch.files() == before)
    }

    @Test(.randomized) func mutatedLinesNeverTrap() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 3) == 0)
        #expect(scratch.export("a.sqlite", "--output", "-") == 0)
        let bytes = [UInt8](scratch.output.utf8)
        var generator = Seeds.generator()
        for _ in 0..<60 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<mutated.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: mutated[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutated.remove(at: index)
                default:
                    mutated.insert(contentsOf: Array("\"{[0,\\".utf8).shuffled(using: &generator).prefix(2), at: index)
                }
            }
            try scratch.write(Data(mutated), to: "rows.jsonl")
            let code = scratch.importStore(
                "rows.jsonl", "--model", "Model.xcdatamodel", "--force", "--output", "b.sqlite")
            #expect(code == 0 || [1, 2].contains(code) && !scratch.errorOutput.isEmpty)
        }
    }

    @Test func anotherVersionMatchesByRenamingIdentifier() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions([
            """
            <entity name="Book" syncable="YES">
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" \
            inverseName="book" inverseEntity="Page"/>
            </entity>
            <entity name="Page" syncable="YES">
                <attribute name="number" attributeType="Integer 16"/>
                <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
            inverseName="pages" inverseEntity="Book"/>
            </entity>
            """,
            """
            <entity name="Volume" elementID="Book" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String" elementID="title"/>
                <attribute name="state" attributeType="String" defaultValueString="new"/>
                <relationship name="sheets" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
            destinationEntity="Page" inverseName="volume" inverseEntity="Page" elementID="pages"/>
            </entity>
            <entity name="Page" syncable="YES">
                <attribute name="number" attributeType="Integer 16"/>
                <relationship name="volume" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Volume" \
            inverseName="sheets" inverseEntity="Volume" elementID="book"/>
            </entity>
            """,
            "<entity name=\"Page\" syncable=\"YES\"><attribute name=\"number\" attributeType=\"Integer 16\"/></entity>",
        ])
        let make = try ToolProcess.run(
            "modelc-store", ["make", "Books.xcdatamodeld", "--version", "V1", "--rows", "20", "-o", "a.sqlite"],
            in: scratch.folder)
        #expect(make.code == 0, "\(make.errorOutput)")
        #expect(scratch.export("a.sqlite", "--output", "out") == 0)
        let model = ["--model", "Books.xcdatamodeld"]
        #expect(
            scratch.importStore("out", model[0], model[1], "--version", "V2", "--output", "b.sqlite") == 0,
            "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)")
        #expect(scratch.check("b.sqlite", "--notes", "--strict") == 0, "\(scratch.output)")
        let states = try SeedDatabase(scratch.url("b.sqlite").path).texts("SELECT DISTINCT ZSTATE FROM ZVOLUME")
        #expect(states == ["new"])
        #expect(scratch.importStore("out", model[0], model[1], "--output", "c.sqlite") == 2)
        #expect(scratch.errorOutput.contains("the model has no entity “Book”"), "\(scratch.errorOutput)")
        #expect(
            scratch.importStore("out", model[0], model[1], "--ignore-unknown", "--output", "c.sqlite") == 0,
            "\(scratch.errorOutput)")
    }

    /// Lines that people write may state a relationship on either side.
    @Test func relationshipsOfEitherSideAreRestored() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Book" syncable="YES">
                <relationship name="pages" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
            destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
            </entity>
            <entity name="Page" syncable="YES">
                <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
            inverseName="pages" inverseEntity="Book"/>
            </entity>
            """)
        let lines = """
            {"_id":"Book/1","pages":["Page/3","Page/2"]}
            {"_id":"Page/2"}
            {"_id":"Page/3"}
            {"_id":"Page/9","book":"Book/1"}
            """
        try scratch.write(Data(lines.utf8), to: "rows.jsonl")
        #expect(
            scratch.importStore("rows.jsonl", "--model", "Model.xcdatamodel", "--output", "a.sqlite") == 0,
            "\(scratch.errorOutput)")
        #expect(scratch.check("a.sqlite", "--notes", "--strict") == 0, "\(scratch.output)")
        #expect(scratch.export("a.sqlite", "--entity", "Book", "--output", "-") == 0)
        #expect(scratch.output.contains(#""pages":["Page/3","Page/2","Page/9"]"#), "\(scratch.output)")
    }

    @Test func otherInputsAreRefused() throws {
        let scratch = try bookStore()
        #expect(scratch.importStore("none", "--output", "b.sqlite") == 2)
        try scratch.write(Data(), to: "empty/a.txt")
        #expect(scratch.importStore("empty", "--output", "b.sqlite") == 2)
        #expect(scratch.errorOutput.contains("the folder has no files in JSON Lines"))
        #expect(scratch.export("a.sqlite", "--format", "csv", "--output", "tables") == 0)
        #expect(scratch.importStore("tables", "--output", "b.sqlite") == 2)
        #expect(
            scratch.errorOutput.contains("the export has the format csv, which loses types"), "\(scratch.errorOutput)")
        #expect(scratch.export("a.sqlite", "--output", "out") == 0)
        #expect(scratch.importStore("out", "--output", "a.sqlite") == 2)
        #expect(scratch.errorOutput.contains("the file exists"), "\(scratch.errorOutput)")
    }
}
