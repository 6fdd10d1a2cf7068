import Diagnostics
import ModelSchema
import Testing

@testable import CompiledModel

/// Damaged or malicious archives: they must only yield an error that names the object and the key.
@Suite struct HostileArchiveTests {
    private func error(_ bytes: [UInt8]) -> ModelArchiveError? {
        do {
            _ = try DecodedModel(bytes, name: "M")
            return nil
        } catch { return error }
    }

    @Test func filesThatAreNotArchivesAreRejected() {
        #expect(error([])?.kind == .propertyList(.isSomethingElse))
        #expect(error(Array("<?xml version=\"1.0\"?><plist/>".utf8))?.kind == .propertyList(.isXML))
        #expect(error(PropertyListValue.array([]).binaryBytes())?.kind == .notAnArchive)
        #expect(error(PropertyListValue.dictionary([.init("a", .integer(1))]).binaryBytes())?.kind == .notAnArchive)
        let other = PropertyListValue.dictionary([.init("$archiver", .string("NRKeyedArchiver"))])
        #expect(error(other.binaryBytes())?.message.contains("NRKeyedArchiver") == true)
        let empty = PropertyListValue.dictionary([
            .init("$archiver", .string("NSKeyedArchiver")), .init("$objects", .array([])),
            .init("$top", .dictionary([.init("root", .uid(1))])),
        ])
        #expect(error(empty.binaryBytes())?.kind == .notAnArchive)
    }

    @Test func archivesThatAreNotModelsAreRejected() {
        var fixture = ArchiveFixture()
        let root = fixture.add("NSMappingModel", [:])
        #expect(error(fixture.bytes(root: root))?.kind == .notAModel)
        #expect(
            error(fixture.bytes(root: root))?.message
                == "the archive is not a model: its root is object 1 (NSMappingModel)")
        let empty = fixture.add("NSManagedObjectModel", ["NSEntities": ArchiveFixture.null])
        #expect(error(fixture.bytes(root: empty))?.kind == .notAModel)
        let wrong = fixture.add("NSManagedObjectModel", ["NSEntities": fixture.list([])])
        #expect(
            error(fixture.bytes(root: wrong))?.message.hasSuffix(
                "(NSManagedObjectModel): NSEntities is not a dictionary") == true)
        #expect(error(fixture.bytes(root: .uid(0)))?.kind == .notAModel)
        #expect(error(fixture.bytes(root: .uid(9999)))?.kind == .notAnArchive)
    }

    @Test func invalidPartsAreErrorsAndTheRestIsRead() throws {
        var fixture = ArchiveFixture()
        let good = fixture.attribute("good", type: 700)
        let wrong = fixture.add(
            "NSAttributeDescription",
            [
                "NSPropertyName": fixture.add(.integer(3)), "NSAttributeType": .string("x"),
                "NSIsOptional": .string("YES"), "NSUserInfo": .uid(100_000), "NSDefaultValue": .boolean(true),
                "NSValidationPredicates": fixture.add(.integer(1)),
            ])
        let list = fixture.list([])
        let unknownType = fixture.attribute("odd", type: 4711)
        let entity = fixture.entity("E", properties: ["good": good, "wrong": wrong, "list": list, "odd": unknownType])
        let decoded = try DecodedModel(fixture.model(["E": entity, "F": list]), name: "M")
        let attributes = try #require(decoded.model.entities.first?.attributes)
        #expect(attributes.map(\.name) == ["good", "odd", "wrong"])
        #expect(attributes[1].unknownType == "4711")
        let messages = decoded.findings.filter { $0.severity == .error }.map(\.message)
        for part in [
            "NSPropertyName is not a string", "NSAttributeType is not a whole number",
            "NSIsOptional is not a truth value",
            "NSUserInfo refers to object 100000", "NSDefaultValue is not a reference",
            "NSValidationPredicates is not a list",
            "the property “E.list” is object", "has the unknown type 4711", "the entity “F” is object",
        ] { #expect(messages.contains { $0.contains(part) }, "\(part)\n\(messages.joined(separator: "\n"))") }
        #expect(messages.count == 9)
        #expect(messages.allSatisfy { $0.contains("object ") })
    }

    @Test func inheritanceCyclesAreErrors() throws {
        var fixture = ArchiveFixture()
        let entity = fixture.add(.boolean(false))
        let name = fixture.add(.string("E"))
        fixture.define(entity, "NSEntityDescription", ["NSEntityName": name, "NSSuperentity": entity])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.model.entities.first?.parentName == "E")
        #expect(decoded.model.versionHashes().findings.map(\.rule) == [.inheritanceCycle])
    }

    @Test func cyclicPredicatesAreErrors() throws {
        var fixture = ArchiveFixture()
        let predicate = fixture.add(.boolean(false))
        fixture.define(
            predicate, "NSCompoundPredicate",
            ["NSCompoundPredicateType": .integer(0), "NSSubpredicates": fixture.list([predicate])])
        let attribute = fixture.add(
            "NSAttributeDescription",
            ["NSPropertyName": fixture.add(.string("a")), "NSValidationPredicates": fixture.list([predicate])])
        let entity = fixture.entity("E", properties: ["a": attribute])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.first?.message.contains("is nested too deeply, or contains itself") == true)
    }

    @Test func cyclicClassesAreErrors() throws {
        var fixture = ArchiveFixture()
        let object = fixture.add(.boolean(false))
        guard case .uid(let number) = object else { return }
        fixture.objects[number] = .dictionary([.init("$class", object), .init("$classname", .integer(1))])
        #expect(error(fixture.bytes(root: object))?.kind == .notAModel)
    }

    @Test func cyclicCompositesAreErrors() throws {
        var fixture = ArchiveFixture()
        let attribute = fixture.add(.boolean(false))
        let elements = fixture.list([attribute])
        fixture.define(
            attribute, "NSCompositeAttributeDescription",
            [
                "NSPropertyName": fixture.add(.string("c")), "NSAttributeType": .integer(2100),
                "NSCompositeElements": elements,
            ])
        let entity = fixture.entity("E", properties: ["c": attribute])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.contains { $0.message.contains("are nested too deeply") })
    }

    @Test func expansionOfSharedContainersIsLimited() throws {
        var fixture = ArchiveFixture()
        let attributes = (0..<500).map { fixture.attribute("a\($0)", type: 700) }
        let keys = attributes.indices.map { fixture.add(.string("a\($0)")) }
        let properties = fixture.add("NSDictionary", ["NS.keys": .array(keys), "NS.objects": .array(attributes)])
        let names = (0..<3000).map { "E\($0)" }
        let entities = names.map {
            fixture.add("NSEntityDescription", ["NSEntityName": fixture.add(.string($0)), "NSProperties": properties])
        }
        let list = fixture.add(
            "NSDictionary", ["NS.keys": .array(names.map { fixture.add(.string($0)) }), "NS.objects": .array(entities)])
        let root = fixture.add("NSManagedObjectModel", ["NSEntities": list])
        let decoded = try DecodedModel(fixture.bytes(root: root), name: "M")
        #expect(decoded.findings.contains { $0.message.contains("is shared so often") })
        #expect(decoded.model.entities.reduce(0) { $0 + $1.attributes.count } < 500_000)
    }

    @Test func findingsAreLimited() throws {
        var fixture = ArchiveFixture()
        let wrong = (0..<1000).map { number in
            fixture.add("NSAttributeDescription", ["NSPropertyName": fixture.add(.integer(Int64(number)))])
        }
        let keys = wrong.indices.map { fixture.add(.string("a\($0)")) }
        let properties = fixture.add("NSDictionary", ["NS.keys": .array(keys), "NS.objects": .array(wrong)])
        let entity = fixture.add("NSEntityDescription", ["NSProperties": properties])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.count < 300)
    }

    @Test func dictionariesWithUnequalKeysAndValuesAreErrors() throws {
        var fixture = ArchiveFixture()
        let list = fixture.add(
            "NSDictionary", ["NS.keys": .array([fixture.add(.string("a"))]), "NS.objects": .array([])])
        let entity = fixture.add("NSEntityDescription", ["NSProperties": list])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.map(\.message).contains { $0.hasSuffix("(NSDictionary) has 1 keys and 0 values") })
    }
}
