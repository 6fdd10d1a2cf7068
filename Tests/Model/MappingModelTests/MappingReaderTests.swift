import Diagnostics
import MappingModel
import PredicateSyntax
import Testing

/// Reading `xcmapping.xml` (Documentation/Formats/MappingModel.md, 1.1 and 1.2).
@Suite struct MappingReaderTests {
    private func rules(_ store: StoreXML) throws -> [RuleID] { try store.document().diagnostics.map(\.rule) }

    @Test func readsEveryValue() throws {
        let document = try StoreXML.simple().document()
        #expect(document.diagnostics.isEmpty)
        let source = document.source
        #expect(source.sourceModel.path == "App/Library.xcdatamodeld/Library.xcdatamodel")
        #expect(source.destinationModel.path == "App/Library.xcdatamodeld/Library 2.xcdatamodel")
        let mapping = try #require(source.entityMappings.first)
        #expect(mapping.name == nil)
        #expect(mapping.effectiveName == "BookToBook")
        #expect(mapping.number == 1)
        #expect(mapping.sourceFilter == "pages < 10000")
        #expect(mapping.policyClassName == nil)
        #expect(mapping.attributeMappings.map(\.name) == ["title"])
        let value = try #require(mapping.attributeMappings.first?.value)
        #expect(value == .tree(.keyPath(KeyPathExpression("name", of: .variable("source")))))
        #expect(value.text == "$source.name")
        #expect(mapping.relationshipMappings.map(\.sourceKeyPath) == ["$source.author"])
        #expect(mapping.relationshipMappings.map(\.sourceMappingName) == [nil])
    }

    @Test func userInfoIsRead() throws {
        var archive = HandArchive()
        let info = archive.dictionary([("modelVersion", archive.add("2"))])
        var store = StoreXML()
        store.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z2"])
        store.add(
            "XDDEVENTITYMAPPING", "z2",
            [
                "destinationname:string": "Book", "userinfodata:binary": StoreXML.base64(archive.bytes(root: info)),
                "mappingmodel>XDDEVMAPPINGMODEL": "z1",
            ])
        let mapping = try #require(try store.document().source.entityMappings.first)
        #expect(mapping.userInfo?.map(\.key) == ["modelVersion"])
        #expect(mapping.userInfo?.map(\.value) == ["2"])
        #expect(mapping.effectiveName == "Book")
    }

    @Test func expressionsWithoutFormatStringAreKept() throws {
        let bytes = HandArchive.dateConstant()
        let store = StoreXML.simple { store in
            store.add("XDDEVMAPPINGMODEL", "z200", [:])
        }
        #expect(try rules(store) == [.malformedMapping])
        var other = StoreXML()
        other.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z2"])
        other.add(
            "XDDEVENTITYMAPPING", "z2",
            [
                "sourcename:string": "Book", "destinationname:string": "Book", "mappingmodel>XDDEVMAPPINGMODEL": "z1",
                "attributemappings>XDDEVATTRIBUTEMAPPING": "z3",
            ])
        other.add(
            "XDDEVATTRIBUTEMAPPING", "z3",
            [
                "name:string": "date", "valueexpressiondata:binary": StoreXML.base64(bytes),
                "entitymapping>XDDEVENTITYMAPPING": "z2",
            ])
        let document = try other.document()
        #expect(document.diagnostics.map(\.severity) == [.note])
        guard case .archived? = document.source.entityMappings.first?.attributeMappings.first?.value else {
            Issue.record("the expression is lost")
            return
        }
    }

    @Test func leftoversOfDeletedMappingsAreNotedAndIgnored() throws {
        let store = StoreXML.simple { store in
            store.add("XDDEVENTITYMAPPING", "z106", ["sourcename:string": "Old", "destinationname:string": "Old"])
            store.add("XDDEVATTRIBUTEMAPPING", "z107", ["entitymapping>XDDEVENTITYMAPPING": "z106"])
        }
        let document = try store.document()
        #expect(document.source.entityMappings.count == 1)
        #expect(document.diagnostics.map(\.rule) == [.orphanedMapping])
        #expect(document.diagnostics.map(\.severity) == [.note])
    }

    @Test func unknownIdentifiersAreReportedAtTheirLocation() throws {
        var store = StoreXML()
        store.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z9"])
        let diagnostic = try #require(try store.document().diagnostics.first)
        #expect(diagnostic.rule == .malformedMapping)
        #expect(diagnostic.message == "“entitymappings” refers to the object “z9”, which does not exist")
        #expect(diagnostic.range?.start.line == 10)
    }

    @Test func cyclesAreRejected() throws {
        var store = StoreXML()
        store.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z1 z2"])
        store.add(
            "XDDEVENTITYMAPPING", "z2",
            [
                "destinationname:string": "Book", "mappingmodel>XDDEVMAPPINGMODEL": "z1",
                "attributemappings>XDDEVATTRIBUTEMAPPING": "z2",
            ])
        let document = try store.document()
        #expect(document.diagnostics.map(\.rule) == [.malformedMapping, .malformedMapping])
        #expect(document.source.entityMappings.map(\.destinationName) == ["Book"])
    }

    @Test func aMappingInTwoListsIsReadOnce() throws {
        var store = StoreXML()
        store.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z2 z2"])
        store.add(
            "XDDEVENTITYMAPPING", "z2", ["destinationname:string": "Book", "mappingmodel>XDDEVMAPPINGMODEL": "z1"])
        let document = try store.document()
        #expect(document.source.entityMappings.count == 1)
        #expect(document.diagnostics.map(\.severity) == [.error])
    }

    @Test(arguments: [
        ("mappingnumber:int16", "one"), ("mappingnumber:int16", "40000"), ("mappingnumber:string", "1"),
        ("name:binary", "AAAA"), ("userinfodata:binary", "?"), ("userinfodata:binary", "AAAA"),
    ])
    func valuesOfTheWrongTypeAreErrors(key: String, value: String) throws {
        var store = StoreXML()
        store.add("XDDEVMAPPINGMODEL", "z1", ["entitymappings>XDDEVENTITYMAPPING": "z2"])
        store.add(
            "XDDEVENTITYMAPPING", "z2",
            ["destinationname:string": "Book", "mappingmodel>XDDEVMAPPINGMODEL": "z1", key: value])
        let document = try store.document()
        #expect(document.diagnostics.map(\.rule) == [.malformedMapping])
        #expect(document.source.entityMappings.map(\.destinationName) == ["Book"])
    }

    @Test func unknownNamesAreNoted() throws {
        let store = StoreXML.simple { store in
            store.add("XDDEVSOMETHING", "z200", [:])
        }
        #expect(try rules(store) == [.unknownXML])
    }

    @Test(arguments: ["", "bplist00", "no XML", "<model/>", "<database></database>", "<!-- -->"])
    func otherFilesAreErrors(text: String) {
        #expect(throws: MappingDocument.NotAMappingModel.self) {
            try MappingDocument(bytes: Array(text.utf8), path: "x", name: "x")
        }
    }

    @Test func aTruncatedFileIsReadUpToItsEnd() throws {
        let text = StoreXML.simple().text
        let cut = try #require(text.range(of: "    <object type=\"XDDEVATTRIBUTEMAPPING\""))
        let document = try MappingDocument(
            bytes: Array(text[..<cut.lowerBound].utf8), path: "x", name: "x")
        #expect(document.source.entityMappings.map(\.sourceName) == ["Book"])
        #expect(document.diagnostics.contains { $0.rule == .truncated })
    }
}
