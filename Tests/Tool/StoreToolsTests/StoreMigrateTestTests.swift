import Foundation
import Testing

@testable import StoreTools

/// `modelc store migrate-test`.
@Suite struct StoreMigrateTestTests {
    /// Versions with all kinds of properties, renamed and changed in steps.
    private static let versions = [
        SampleModel.entities,
        SampleModel.entities.replacingOccurrences(
            of: "name=\"text\" optional", with: "name=\"text2\" elementID=\"text\" optional"
        )
        .replacingOccurrences(of: "lowercase:(text)", with: "lowercase:(text2)")
        .replacingOccurrences(
            of: "name=\"int16\" optional=\"YES\" attributeType=\"Integer 16\"",
            with: "name=\"int16\" attributeType=\"Integer 64\" defaultValueString=\"4\""),
        SampleModel.entities.replacingOccurrences(
            of: "name=\"text\" optional", with: "name=\"text3\" elementID=\"text2\" optional"
        )
        .replacingOccurrences(of: "lowercase:(text)", with: "lowercase:(text3)")
        .replacingOccurrences(
            of: "name=\"int16\" optional=\"YES\" attributeType=\"Integer 16\"",
            with: "name=\"int16\" attributeType=\"Double\" defaultValueString=\"4\""),
    ]

    @Test func everyVersionKeepsItsValues() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions(Self.versions)
        #expect(
            scratch.migrateTest("Books.xcdatamodeld", "--rows", "40") == 0, "\(scratch.output)\(scratch.errorOutput)")
        let lines = scratch.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  passed") })
        #expect(lines[2].contains("in 2 steps"))
        #expect(try scratch.files().keys.allSatisfy { $0.hasPrefix("Books.xcdatamodeld") })
    }

    @Test func migrationsThatNeedAMappingModelDoNotPass() throws {
        let scratch = try StoreScratch()
        func version(_ type: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
        }
        try scratch.writeVersions([version("String"), version("Integer 32"), version("Integer 64")])
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--format", "json") == 1)
        let report = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [String: Any]
        let migrations = try #require(report?["migrations"] as? [[String: Any]])
        #expect(migrations.map { $0["result"] as? String } == ["not possible", "not possible", "passed"])
        #expect(report?["success"] as? Bool == false)
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--format", "junit", "--output", "r.xml") == 1)
        let junit = try String(contentsOf: scratch.url("r.xml"), encoding: .utf8)
        #expect(junit.contains("tests=\"3\" failures=\"2\""))
        #expect(junit.contains("<failure message=\"no mapping model leads there"))
        // The first step uses a mapping model.
        #expect(try scratch.modelc("migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--format", "json") != 2)
        #expect(scratch.output.contains("in 2 steps"))
    }

    @Test func dataThatBreaksANewRuleFails() throws {
        let scratch = try StoreScratch()
        func version(_ type: String) -> String {
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
        }
        try scratch.writeVersions([version("Integer 64"), version("Integer 16")])
        #expect(scratch.migrateTest("Books.xcdatamodeld") == 1)
        #expect(scratch.output.contains("failed"))
        #expect(scratch.output.contains("do not fit its new type"))
    }

    @Test func givenStoresAreMigratedAndStayAsTheyAre() throws {
        let scratch = try StoreScratch()
        try scratch.writeVersions(Self.versions)
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel", rows: 30, to: "one.sqlite") == 0)
        #expect(scratch.make("Books.xcdatamodeld/V3.xcdatamodel", rows: 30, to: "three.sqlite") == 0)
        let before = try scratch.files()
        #expect(
            scratch.migrateTest("Books.xcdatamodeld", "--stores", ".") == 0, "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.output.contains("“three.sqlite”  directly: has the version already"))
        #expect(try scratch.files() == before)
        try scratch.writeModel("<entity name=\"Other\"/>", to: "Other.xcdatamodel")
        #expect(scratch.make("Other.xcdatamodel", to: "other.sqlite") == 0)
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--stores", ".") == 1)
        #expect(scratch.output.contains("has the hashes of the store"))
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--stores", "nowhere") == 2)
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--stores", "Books.xcdatamodeld") == 2)
    }

    /// Several objects have one destination, which only one of them keeps.
    @Test(arguments: [
        ("", ""),
        (
            " inverseName=\"a\" inverseEntity=\"B\"",
            "<relationship name=\"a\" optional=\"YES\" maxCount=\"1\" "
                + "deletionRule=\"Nullify\" destinationEntity=\"A\" inverseName=\"r\" inverseEntity=\"A\"/>"
        ),
    ])
    func linksThatGetLostAreFound(_ inverse: String, _ other: String) throws {
        let scratch = try StoreScratch()
        func version(_ settings: String, _ other: String) -> String {
            """
            <entity name="A"><relationship name="r" optional="YES" \(settings) deletionRule="Nullify" \
            destinationEntity="B"/></entity><entity name="B">\(other)</entity>
            """
        }
        try scratch.writeVersions([version("maxCount=\"1\"", ""), version("toMany=\"YES\"\(inverse)", other)])
        #expect(scratch.migrateTest("Books.xcdatamodeld") == 1, "\(scratch.output)")
        #expect(scratch.output.contains("failed"))
        #expect(scratch.output.contains(".r: {B/"), "\(scratch.output)")
        // Each destination of one object only: no link is lost.
        try scratch.write(Data(), to: "s/empty")
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel", rows: 4, to: "s/one.sqlite") == 0)
        try scratch.execute("UPDATE ZA SET ZR = Z_PK", in: "s/one.sqlite")
        #expect(scratch.migrateTest("Books.xcdatamodeld", "--stores", "s") == 0, "\(scratch.output)")
        let migrate = ["s/one.sqlite", "--to", "Books.xcdatamodeld"]
        try scratch.execute("UPDATE ZA SET ZR = 1", in: "s/one.sqlite")
        #expect(scratch.migrate(migrate) == 1)
        #expect(scratch.errorOutput.contains("would drop 3 values of “A.r”"), "\(scratch.errorOutput)")
        #expect(scratch.migrate(migrate + ["--allow-loss"]) == 0, "\(scratch.errorOutput)")
    }

    /// Elements of composite attributes are compared one by one.
    @Test func changedCompositesAreCompared() throws {
        let scratch = try StoreScratch()
        func version(_ elements: String) -> String {
            """
            <entity name="E"><attribute name="c" optional="YES" attributeType="Composite" composite="C"/></entity>
            <composite name="C">\(elements)</composite>
            """
        }
        func element(_ name: String, _ type: String, _ more: String = "optional=\"YES\"") -> String {
            "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(more)/>"
        }
        try scratch.writeVersions([
            version(element("x", "Integer 16") + element("y", "String") + element("z", "String")),
            version(
                element("x", "Integer 64", "defaultValueString=\"5\"")
                    + element("y2", "String", "optional=\"YES\" elementID=\"y\"")),
        ])
        #expect(scratch.migrateTest("Books.xcdatamodeld") == 0, "\(scratch.output)")
        let names = VersionNames(
            try scratch.indexedModel("Books.xcdatamodeld/V1.xcdatamodel"),
            try scratch.indexedModel("Books.xcdatamodeld/V2.xcdatamodel"), lostValues: .excluded)
        #expect(names.entities.first?.properties.map(\.old) == ["c.x", "c.y"])
        #expect(names.entities.first?.properties.map(\.new) == ["c.x", "c.y2"])
        #expect(scratch.make("Books.xcdatamodeld/V1.xcdatamodel", rows: 9) == 0)
        try scratch.execute("UPDATE ZE SET ZZ = CASE WHEN Z_PK < 5 THEN 'z' END, ZY = 'y'", in: "a.sqlite")
        #expect(scratch.migrate("a.sqlite", "--to", "Books.xcdatamodeld") == 1)
        #expect(scratch.errorOutput.contains("would drop 4 values of “E.c.z”"), "\(scratch.errorOutput)")
        #expect(scratch.migrate("a.sqlite", "--to", "Books.xcdatamodeld", "--allow-loss") == 0)
        try scratch.execute(
            "CREATE TEMP TABLE t (a CHECK (a = 9)); INSERT INTO t SELECT count(*) FROM ZE WHERE ZY2 = 'y'",
            in: "a.sqlite")
    }

    @Test func lostValuesAreFound() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities, to: "Model.xcdatamodel")
        #expect(scratch.make("Model.xcdatamodel", rows: 20, to: "a.sqlite") == 0)
        #expect(scratch.make("Model.xcdatamodel", rows: 20, seed: 2, to: "b.sqlite") == 0)
        let names = VersionNames(
            try scratch.indexedModel(), try scratch.indexedModel(), lostValues: .excluded)
        let check = MigratedValueCheck(names)
        let change = StoreDifference.ValueChange(property: "text", old: "“a”", new: "nil")
        let object = StoreDifference.ObjectChange(
            kind: .changed, entity: "Everything", key: "Everything/1", values: [change])
        #expect(check.reasons(object) == ["Everything/1.text: “a” → nil"])
        #expect(!check.reasons(StoreDifference.ObjectChange(kind: .removed, entity: "Tag", key: "Tag/1")).isEmpty)
        #expect(!check.reasons(StoreDifference.ObjectChange(kind: .added, entity: "Tag", key: "Tag/1")).isEmpty)
    }
}
