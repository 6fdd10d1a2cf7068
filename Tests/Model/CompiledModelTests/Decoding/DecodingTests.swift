import Diagnostics
import ModelSchema
import Testing

@testable import CompiledModel

/// Archives that this library's encoder does not write: those from stores, from code, and from older compilers.
@Suite struct DecodingTests {
    private let string = 700

    @Test func missingKeysHaveDefaults() throws {
        var fixture = ArchiveFixture()
        let title = fixture.attribute("title", type: string)
        let book = fixture.entity("Book", properties: ["title": title])
        let decoded = try DecodedModel(fixture.model(["Book": book]), name: "Old")
        #expect(decoded.findings == [])
        #expect(decoded.model.name == "Old")
        #expect(decoded.model.entities.map(\.name) == ["Book"])
        #expect(decoded.model.entities.first?.attributes.map(\.name) == ["title"])
        #expect(decoded.compilerXcodeVersion == nil)
        #expect(decoded.versionIdentifiers == [])
        #expect(decoded.model.settings.userDefinedModelVersionIdentifier == nil)
    }

    @Test func namesAreSortedAsXcodeSorts() throws {
        var fixture = ArchiveFixture()
        let names = ["b", "C", "a", "B"]
        let attributes = names.map { fixture.attribute($0, type: string) }
        let entity = fixture.add(
            "NSEntityDescription",
            [
                "NSEntityName": fixture.add(.string("E")),
                "NSProperties": fixture.dictionary([
                    "b": attributes[0], "C": attributes[1], "a": attributes[2], "B": attributes[3],
                ]),
            ])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.model.entities.first?.attributes.map(\.name) == ["a", "B", "b", "C"])
    }

    /// The model in a store keeps its entities in an NSKnownKeysDictionary1, with a token in empty slots.
    @Test func dictionariesWithSharedKeySetsAreRead() throws {
        var fixture = ArchiveFixture()
        let first = fixture.entity("A")
        let token = fixture.add(.string("__empty_slot_token_4c24_98dc_ac1e_b773__"))
        let keys = fixture.list([fixture.add(.string("A")), fixture.add(.string("B"))])
        let mapping = fixture.add(
            "NSKnownKeysMappingStrategy1", ["keys": keys, "length": .integer(2), "version": .integer(1)])
        let values = fixture.list([first, token])
        let entities = fixture.add(
            "NSKnownKeysDictionary1",
            ["searchMapping": mapping, "values": values, "emptyToken": token, "version": .integer(1)])
        let root = fixture.add("NSManagedObjectModel", ["NSEntities": entities])
        let decoded = try DecodedModel(fixture.bytes(root: root), name: "M")
        #expect(decoded.model.entities.map(\.name) == ["A"])
        #expect(decoded.findings == [])
    }

    /// The model in a store repeats inherited properties, as copies or proxies.
    @Test func inheritedPropertiesAreOmitted() throws {
        var fixture = ArchiveFixture()
        let name = fixture.attribute("name", type: string)
        let parent = fixture.entity("Parent", properties: ["name": name])
        let copy = fixture.attribute("name", type: string)
        let own = fixture.attribute("own", type: string)
        let child = fixture.entity("Child", parent: parent, properties: ["name": copy, "own": own])
        let proxy = fixture.add("NSPropertyDescriptionProxy", ["NSUnderlyingProperty": name])
        let copyOfOwn = fixture.attribute("own", type: string)
        let grandchild = fixture.entity("Grandchild", parent: child, properties: ["name": proxy, "own": copyOfOwn])
        let model = try DecodedModel(
            fixture.model(["Parent": parent, "Child": child, "Grandchild": grandchild]), name: "M"
        ).model
        #expect(model.entity(named: "Child")?.attributes.map(\.name) == ["own"])
        #expect(model.entity(named: "Grandchild")?.attributes.isEmpty == true)
        #expect(model.entity(named: "Grandchild")?.parentName == "Child")
    }

    @Test func propertyProxiesAreResolved() throws {
        var fixture = ArchiveFixture()
        let name = fixture.attribute("name", type: string)
        let proxy = fixture.add("NSPropertyDescriptionProxy", ["NSUnderlyingProperty": name])
        let entity = fixture.entity("E", properties: ["name": proxy])
        #expect(
            try DecodedModel(fixture.model(["E": entity]), name: "M").model.entities.first?.attributes.map(\.name)
                == ["name"])
    }

    @Test func unknownClassesAreReadAsTheirAncestors() throws {
        var fixture = ArchiveFixture()
        let entity = fixture.add(
            "MyEntityDescription", ["NSEntityName": fixture.add(.string("E"))], ancestors: ["NSEntityDescription"])
        #expect(try DecodedModel(fixture.model(["E": entity]), name: "M").model.entities.map(\.name) == ["E"])
    }

    @Test func mutableStringsAndMissingFlagsAreRead() throws {
        var fixture = ArchiveFixture()
        let name = fixture.add("NSMutableString", ["NS.string": .string("title")])
        let old = fixture.add("NSMutableString", ["NS.string": .string("old")])
        let attribute = fixture.add(
            "NSAttributeDescription",
            [
                "NSPropertyName": name, "NSRenamingIdentifier": old, "NSAttributeType": fixture.add(.integer(700)),
                "_P": .integer(0xF1 | 2 | 8),
            ])
        let entity = fixture.entity("E", properties: ["title": attribute])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M").model.entities.first?.attributes.first
        #expect(decoded?.name == "title")
        #expect(decoded?.renamingIdentifier == "old")
        #expect(decoded?.isOptional == true)
        #expect(decoded?.isTransient == true)
        #expect(decoded?.type == .string)
    }

    @Test(
        arguments: [
            (100, .integer(5), "5"), (800, .boolean(true), "YES"), (800, .boolean(false), "NO"),
            (800, .integer(0), "NO"),
            (800, .integer(1), "YES"), (500, .real(0), "0.0"), (500, .integer(3), "3.0"), (600, .float(0.1), "0.1"),
            (600, .real(0.5), "0.5"), (300, .real(2), "2"), (700, .string("x"), "x"),
        ] as [(Int, PropertyListValue, String)])
    func defaultValuesAreDecoded(type: Int, value: PropertyListValue, text: String) throws {
        var fixture = ArchiveFixture()
        let attribute = fixture.attribute("a", type: type, default: fixture.add(value))
        let entity = fixture.entity("E", properties: ["a": attribute])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.model.entities.first?.attributes.first?.defaultValue == text)
        #expect(decoded.findings == [])
    }

    @Test func decimalsOfEitherByteOrderAreRead() throws {
        for (order, bytes) in [(1, [0x40, 0xE2, 0x01, 0x00]), (2, [0xE2, 0x40, 0x00, 0x01])] as [(Int64, [UInt8])] {
            var fixture = ArchiveFixture()
            let number = fixture.add(
                "NSDecimalNumberPlaceholder",
                [
                    "NS.mantissa": .data(bytes + Array(repeating: 0, count: 12)), "NS.mantissa.bo": .integer(order),
                    "NS.length": .integer(2), "NS.exponent": .integer(-3), "NS.negative": .boolean(true),
                    "NS.compact": .boolean(false),
                ])
            let attribute = fixture.attribute("a", type: 400, default: number)
            let entity = fixture.entity("E", properties: ["a": attribute])
            let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
            #expect(decoded.model.entities.first?.attributes.first?.defaultValue == "-123.456")
        }
    }

    @Test func valuesThatASourceCannotExpressAreWarnings() throws {
        var fixture = ArchiveFixture()
        let cover = fixture.add("Library.Cover", ["text": fixture.add(.string("x"))])
        let attribute = fixture.attribute("cover", type: 1800, default: cover)
        let request = fixture.add(
            "NSFetchRequest", ["NSSortDescriptors": fixture.list([]), "NSFetchRequestFlags": .integer(30)])
        let property = fixture.add(
            "NSFetchedPropertyDescription", ["NSPropertyName": fixture.add(.string("f")), "NSFetchRequest": request])
        let entity = fixture.entity("E", properties: ["cover": attribute, "f": property])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.map(\.severity) == [.warning, .warning])
        #expect(decoded.findings.map(\.rule) == [.unsupportedArchivePart, .unsupportedArchivePart])
        #expect(decoded.findings.first?.message.contains("“E.cover”") == true)
        #expect(decoded.findings.last?.message.contains("NSSortDescriptors") == true)
        #expect(decoded.model.entities.first?.attributes.first?.defaultValue == nil)
    }

    @Test func unknownKeysAreReportedOnce() throws {
        var fixture = ArchiveFixture()
        let attributes = ["a", "b"].map { name in
            fixture.add(
                "NSAttributeDescription",
                ["NSPropertyName": fixture.add(.string(name)), "NSNewInXcode99": .boolean(true)])
        }
        let entity = fixture.entity("E", properties: ["a": attributes[0], "b": attributes[1]])
        let decoded = try DecodedModel(fixture.model(["E": entity]), name: "M")
        #expect(decoded.findings.map(\.severity) == [.note])
        #expect(decoded.findings.first?.message == "NSAttributeDescription has the unknown key NSNewInXcode99")
        #expect(decoded.model.entities.first?.attributes.count == 2)
    }

    @Test func modelsBuiltInCodeHaveUnlimitedCounts() throws {
        for count in [PropertyListValue.integer(-1), .unsigned(.max)] {
            var fixture = ArchiveFixture()
            let relationship = fixture.add(
                "NSRelationshipDescription",
                ["NSPropertyName": fixture.add(.string("r")), "NSMaxCount": count, "NSDeleteRule": .integer(1)])
            let entity = fixture.entity("E", properties: ["r": relationship])
            let model = try DecodedModel(fixture.model(["E": entity]), name: "M").model
            #expect(model.entities.first?.relationships.first?.maximumCount == -1)
            #expect(model.entities.first?.relationships.first?.isToMany == true)
        }
    }
}
