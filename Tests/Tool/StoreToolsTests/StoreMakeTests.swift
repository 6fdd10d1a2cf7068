import CoreData
import Foundation
import ModelSchema
import StoreFile
import Testing

@testable import StoreTools

@Suite struct StoreMakeTests {
    private func sample(rows: Int = 50) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: rows) == 0, "\(scratch.errorOutput)")
        return scratch
    }

    // MARK: Legal

    @Test func everyObjectOfAMadeStoreValidates() throws {
        let scratch = try sample()
        let (context, objects) = try scratch.objects(of: "a.sqlite")
        context.performAndWait {
            for (entity, list) in objects {
                #expect(list.count == 50, "\(entity)")
                for object in list {
                    // A transient value is not in the store.
                    if entity == "Everything" { object.setValue("x", forKey: "transientText") }
                    do { try object.validateForUpdate() } catch { Issue.record("\(entity): \(error)") }
                }
            }
        }
    }

    @Test func aMadeStoreHasTheHashesOfTheModelAndNoLog() throws {
        let scratch = try sample(rows: 3)
        let store = try StoreFile(path: scratch.url("a.sqlite").path)
        let model = try #require(try scratch.model())
        #expect(store.hashes == model.versionHashes().entities)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(Set(names) == ["Model.xcdatamodel", "a.sqlite"])
    }

    @Test func edgeCasesOfEveryTypeAreStored() throws {
        let scratch = try sample()
        let (context, objects) = try scratch.objects(of: "a.sqlite")
        let everything = try #require(objects["Everything"])
        context.performAndWait {
            func values<Value>(_ key: String, as type: Value.Type = Value.self) -> [Value] {
                everything.compactMap { $0.value(forKey: key) as? Value }
            }
            let integers: [(String, Int64, Int64)] = [
                ("int16", -32_768, 32_767), ("int32", -2_147_483_648, 2_147_483_647), ("int64", .min, .max),
            ]
            for (key, low, high) in integers {
                let numbers = values(key, as: NSNumber.self).map(\.int64Value)
                #expect(numbers.contains(low) && numbers.contains(high) && numbers.contains(0), "\(key)")
            }
            #expect(values("double", as: NSNumber.self).contains { $0.doubleValue == .greatestFiniteMagnitude })
            #expect(values("double", as: NSNumber.self).contains { $0.doubleValue == .leastNonzeroMagnitude })
            #expect(values("float", as: NSNumber.self).contains { $0.floatValue == .greatestFiniteMagnitude })
            #expect(values("date", as: Date.self).contains(.distantPast))
            #expect(values("date", as: Date.self).contains(.distantFuture))
            let texts = values("text", as: String.self)
            #expect(texts.contains("") && texts.contains { $0.utf16.count == 10_000 })
            #expect(texts.contains { $0.unicodeScalars.contains("\u{308}") } && texts.contains { $0.contains("👩‍👩‍👧‍👦") })
            #expect(texts.contains { $0.unicodeScalars.contains { (0x590...0x5FF).contains($0.value) } })
            #expect(!texts.contains { $0.unicodeScalars.contains("\0") })
            #expect(values("bytes", as: Data.self).contains(Data()))
            #expect(values("file", as: Data.self).contains { $0.count > 100 * 1024 })
            #expect(Set(values("flag", as: NSNumber.self).map(\.boolValue)).count == 2)
            #expect(Set(values("level", as: NSNumber.self).map(\.intValue)).isSuperset(of: [3, 5, 9]))
            #expect(values("decimal", as: NSDecimalNumber.self).contains(NSDecimalNumber(string: "999999999999999")))
            #expect(values("link", as: URL.self).count > 30)
            #expect(values("object", as: NSArray.self).count > 30)
            #expect(Set(values("unique", as: String.self)).count == 50)
            for key in ["bytes", "date", "text", "id", "link", "object", "int64"] {
                #expect(everything.contains { $0.value(forKey: key) == nil }, "\(key)")
            }
        }
        #expect(
            try !FileManager.default.contentsOfDirectory(
                atPath: scratch.url(".a_SUPPORT/_EXTERNAL_DATA").path
            ).isEmpty)
    }

    @Test func derivedAttributesAreComputed() throws {
        let scratch = try sample()
        let (context, objects) = try scratch.objects(of: "a.sqlite")
        context.performAndWait {
            for object in objects["Everything"] ?? [] {
                #expect(
                    object.value(forKey: "folded") as? String == (object.value(forKey: "text") as? String)?.lowercased()
                )
            }
            for folder in objects["Folder"] ?? [] {
                let children = folder.value(forKey: "children") as? NSOrderedSet
                #expect((folder.value(forKey: "total") as? NSNumber)?.intValue == children?.count)
            }
            #expect(Set((objects["Everything"] ?? []).compactMap { $0.value(forKey: "saved") as? Date }).count == 1)
        }
    }

    // MARK: Reproducible

    /// Uses separate processes, because the order of Swift's sets differs between processes.
    @Test func theSameSeedGivesTheSameBytes() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        for name in ["1", "2"] {
            try FileManager.default.createDirectory(at: scratch.url(name), withIntermediateDirectories: true)
            let result = try ToolProcess.run(
                "modelc-store", ["make", "Model.xcdatamodel", "--seed", "42", "--output", "\(name)/a.sqlite"],
                in: scratch.folder)
            #expect(result.code == 0, "\(result.errorOutput)")
        }
        let files = try scratch.files()
        let first = files.filter { $0.key.hasPrefix("1/") }
        #expect(first.count > 1)
        for (path, bytes) in first { #expect(files["2/" + path.dropFirst(2)] == bytes, "\(path)") }
        #expect(first.count == files.count { $0.key.hasPrefix("2/") })
    }

    @Test func anotherSeedGivesOtherValues() throws {
        let scratch = try sample()
        #expect(scratch.make(seed: 2, to: "b.sqlite") == 0)
        #expect(scratch.diff() == 1)
    }

    // MARK: Impossible

    @Test func aModelWithoutLegalObjectsIsRejectedAtItsLocation() throws {
        let cases = [
            (
                """
                <entity name="A"><attribute name="x" attributeType="Integer 16" minValueString="5" maxValueString="2"/></entity>
                """, "“x” has no legal value"
            ),
            (
                """
                <entity name="A"><attribute name="x" attributeType="String" regularExpressionString="(?=a)b"/></entity>
                """, "“x” has no legal value"
            ),
            (
                """
                <entity name="A"><relationship name="b" maxCount="1" destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>
                <entity name="B" isAbstract="YES"><relationship name="a" optional="YES" maxCount="1" destinationEntity="A" \
                inverseName="b" inverseEntity="A"/></entity>
                """, "“A.b” cannot be satisfied"
            ),
            (
                """
                <entity name="A"><attribute name="x" attributeType="Boolean"/><uniquenessConstraints><uniquenessConstraint>\
                <constraint value="x"/></uniquenessConstraint></uniquenessConstraints></entity>
                """, "only 2 have different values"
            ),
        ]
        for (entities, message) in cases {
            let scratch = try StoreScratch()
            try scratch.writeModel(entities)
            let before = try scratch.files()
            #expect(scratch.make() == 1)
            #expect(scratch.errorOutput.contains(message), "\(scratch.errorOutput)")
            #expect(scratch.errorOutput.hasPrefix("Model.xcdatamodel/contents:"), "\(scratch.errorOutput)")
            #expect(try scratch.files() == before)
        }
    }

    /// A change for one constraint must not break another, and every combination is found.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func constraintsMayShareAnAttribute(seed: UInt64) throws {
        let scratch = try StoreScratch()
        let attributes = ["kind", "c", "b"].map {
            "<attribute name=\"\($0)\" attributeType=\"Integer 16\" minValueString=\"0\" maxValueString=\"3\"/>"
        }
        let constraints = [["kind", "c"], ["c", "b"]].map { names in
            "<uniquenessConstraint>\(names.map { "<constraint value=\"\($0)\"/>" }.joined())</uniquenessConstraint>"
        }
        try scratch.writeModel(
            "<entity name=\"A\">\(attributes.joined())<uniquenessConstraints>\(constraints.joined())"
                + "</uniquenessConstraints></entity>")
        #expect(scratch.make(rows: 16, seed: seed) == 0, "seed \(seed): \(scratch.errorOutput)")
        #expect(scratch.make(rows: 17, seed: seed, to: "b.sqlite") == 1)
        #expect(scratch.errorOutput.contains("“A” cannot have 17 objects"), "\(scratch.errorOutput)")
    }

    @Test func requiredOneToOneRelationshipsLimitTheNumberOfRows() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            <entity name="A1" parentEntity="A"/>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="b" inverseEntity="A"/></entity>
            <entity name="B1" parentEntity="B"/>
            <entity name="B2" parentEntity="B"/>
            """.replacingOccurrences(
                of: "</entity>\n<entity name=\"A1\"",
                with:
                    "<relationship name=\"b\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"a\" "
                    + "inverseEntity=\"B\"/></entity>\n<entity name=\"A1\""))
        #expect(scratch.make(rows: 30) == 0, "\(scratch.errorOutput)")
        let (context, objects) = try scratch.objects(of: "a.sqlite")
        #expect((objects["B"]?.count ?? 0) + (objects["B1"]?.count ?? 0) + (objects["B2"]?.count ?? 0) == 60)
        context.performAndWait {
            for object in ["B", "B1", "B2"].flatMap({ objects[$0] ?? [] }) { #expect(object.value(forKey: "a") != nil) }
        }
        #expect(scratch.errorOutput.contains("allows no more"))
    }

    // MARK: Places

    @Test func onlyAStoreIsReplacedAndOnlyWithForce() throws {
        let scratch = try sample(rows: 3)
        let first = try scratch.files()
        #expect(scratch.make(rows: 4) == 2)
        #expect(try scratch.files() == first)
        #expect(scratch.make(rows: 40, replaces: true) == 0, "\(scratch.errorOutput)")
        #expect(try scratch.files() != first)
        try scratch.write(Data("notes".utf8), to: "notes.txt")
        try scratch.execute("CREATE TABLE x(y)", in: "foreign.sqlite", creates: true)
        try scratch.write(Data(), to: "empty")
        try FileManager.default.createSymbolicLink(atPath: scratch.url("link").path, withDestinationPath: "a.sqlite")
        let before = try scratch.files()
        for name in [
            "notes.txt", "foreign.sqlite", "empty", "link", "Model.xcdatamodel", "missing/a.sqlite", "/dev/null", "",
        ] {
            #expect(scratch.make(rows: 4, to: name, replaces: true) == 2, "\(name)")
            #expect(try scratch.files() == before, "\(name)")
        }
    }

    @Test func aStoreInUseIsNotReplaced() throws {
        let scratch = try sample(rows: 3)
        try scratch.write(Data("frames".utf8), to: "a.sqlite-wal")
        let before = try scratch.files()
        #expect(scratch.make(rows: 4, replaces: true) == 2)
        #expect(scratch.errorOutput.contains("a.sqlite"))
        #expect(try scratch.files() == before)
    }

    @Test func externalDataOfAReplacedStoreGoesWithIt() throws {
        let scratch = try sample()
        let old = try FileManager.default.contentsOfDirectory(atPath: scratch.url(".a_SUPPORT/_EXTERNAL_DATA").path)
        #expect(scratch.make(seed: 9, replaces: true) == 0)
        let new = try FileManager.default.contentsOfDirectory(atPath: scratch.url(".a_SUPPORT/_EXTERNAL_DATA").path)
        #expect(!old.isEmpty && !new.isEmpty && Set(old).isDisjoint(with: new))
    }
}
