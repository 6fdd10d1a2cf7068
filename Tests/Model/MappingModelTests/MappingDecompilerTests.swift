import MappingModel
import ModelSchema
import PredicateSyntax
import Testing

/// Decompiling mapping models, and writing `xcmapping.xml` (Documentation/Formats/MappingModel.md, 1 and 2.7).
@Suite struct MappingDecompilerTests {
    private let models = (
        source: MappingDecompiler.NamedModel(path: "Library.xcdatamodeld/Library.xcdatamodel", model: Library.first),
        destination: MappingDecompiler.NamedModel(
            path: "Library.xcdatamodeld/Library 2.xcdatamodel", model: Library.second)
    )

    private func read(_ source: MappingSource) throws -> MappingSource {
        let document = try MappingDocument(bytes: source.xmlBytes(), path: "x", name: source.name)
        #expect(document.diagnostics.isEmpty)
        return document.source
    }

    @Test func automaticExpressionsAndNamesAreOmitted() {
        let result = MappingDecompiler.decompile(
            MappingSourceFixture().compiled(), name: "LibraryToLibrary2", models: models)
        #expect(result.findings.isEmpty)
        #expect(result.source.sourceModel.path == "Library.xcdatamodeld/Library.xcdatamodel")
        for mapping in result.source.entityMappings {
            #expect(mapping.name == nil)
            #expect(mapping.sourceFilter == nil)
            #expect(mapping.sourceExpression == nil)
            #expect((mapping.attributeMappings + mapping.relationshipMappings).allSatisfy { $0.value == nil })
        }
    }

    @Test func customExpressionsAndNamesAreWritten() throws {
        var fixture = MappingSourceFixture()
        fixture.book.name = "Books"
        fixture.book.sourceFilter = "pages < 100 && title != \"<&>\""
        fixture.book.policyClassName = "App.Policy"
        fixture.book.userInfo = [UserInfoEntry(key: "a", value: "b")]
        fixture.book.attributeMappings[0].value = .tree(try PredicateParser.parseExpression("\"unknown\""))
        fixture.author.relationshipMappings[0].value = .tree(try PredicateParser.parseExpression("nil"))
        let compiled = fixture.compiled()
        let source = MappingDecompiler.decompile(compiled, name: "M", models: models).source
        let book = source.entityMappings[1]
        #expect(book.name == "Books")
        #expect(book.sourceFilter == "pages < 100 && title != \"<&>\"")
        #expect(book.attributeMappings.map { $0.value?.text } == [nil, nil, "\"unknown\""])
        let read = try read(source)
        let again = MappingCompiler.compile(read, source: Library.first, destination: Library.second).mapping
        #expect(again.encoded().bytes == compiled.encoded().bytes)
    }

    @Test func theCopiesHaveTheHashesOfTheModels() throws {
        let result = MappingDecompiler.decompile(MappingSourceFixture().compiled(), name: "M", models: models)
        let read = try read(result.source)
        let source = try EditorModel(#require(read.sourceModel.data), name: "a").model
        let destination = try EditorModel(#require(read.destinationModel.data), name: "b").model
        #expect(source.versionHashes().entities == Library.first.versionHashes().entities)
        #expect(destination.versionHashes().entities == Library.second.versionHashes().entities)
    }

    @Test func missingModelsAreNotedInTheSource() throws {
        let compiled = MappingSourceFixture().compiled()
        let result = MappingDecompiler.decompile(compiled, name: "M", models: nil)
        #expect(result.findings.map(\.rule) == [.incompleteMappingSource])
        let read = try read(result.source)
        #expect(read.sourceModel.data == nil)
        // Compiling it again gives the same mapping model.
        let again = MappingCompiler.compile(read, source: Library.first, destination: Library.second).mapping
        #expect(again.encoded().bytes == compiled.encoded().bytes)
    }

    @Test func theFileHasTheFormOfAnXMLStore() {
        let text = String(decoding: MappingSourceFixture().source.xmlBytes(), as: UTF8.self)
        #expect(text.hasPrefix("<?xml version=\"1.0\" standalone=\"yes\"?>\n<!DOCTYPE database SYSTEM "))
        #expect(text.hasSuffix("    </object>\n</database>"))
        #expect(!text.contains("/>"))
        // One object for the mapping model, two entities and six properties, numbered from 102.
        #expect(text.contains("<nextObjectID>110</nextObjectID>"))
        #expect(
            text.contains(
                "<relationship name=\"entitymappings\" type=\"0/0\" destination=\"XDDEVENTITYMAPPING\" idrefs=\"z103 z106\"></relationship>"
            ))
        #expect(text.contains("<attribute name=\"mappingnumber\" type=\"int16\">2</attribute>"))
        #expect(text.contains("<attribute name=\"mappingtypename\" type=\"string\">Undefined</attribute>"))
    }
}
