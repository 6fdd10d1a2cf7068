import CompiledMapping
import MappingModel
import ModelSchema
import PredicateSyntax
import Testing

/// Compiling mapping models (Documentation/Formats/MappingModel.md, 2.2 to 2.5).
@Suite struct MappingCompilerTests {
    private func compile(
        _ source: MappingSource, from first: Model = Library.first, to second: Model = Library.second
    ) -> CompiledMapping {
        MappingCompiler.compile(source, source: first, destination: second).mapping
    }

    private func values(_ mappings: [CompiledMapping.PropertyMapping]?) -> [String: String?] {
        Dictionary(uniqueKeysWithValues: (mappings ?? []).map { ($0.name, $0.value?.text) })
    }

    // MARK: Names and order

    @Test func defaultNamesCombineTheEntities() {
        func name(_ source: String?, _ destination: String?) -> String {
            MappingSource.EntityMapping(number: 1, sourceName: source, destinationName: destination).effectiveName
        }
        #expect(name("A", "B") == "AToB")
        #expect(name(nil, "B") == "B")
        #expect(name(nil, nil) == "Mapping")
        var named = MappingSource.EntityMapping(number: 1, sourceName: "A", destinationName: "B")
        named.name = "Mine"
        #expect(named.effectiveName == "Mine")
    }

    @Test func numbersDetermineTheOrder() {
        var fixture = MappingSourceFixture()
        fixture.author.number = 5
        #expect(compile(fixture.source).entityMappings.map(\.name) == ["BookToBook", "AuthorToAuthor"])
        fixture.author.number = 2
        #expect(compile(fixture.source).entityMappings.map(\.name) == ["AuthorToAuthor", "BookToBook"])
    }

    @Test func propertiesAreSortedByCodePoints() {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings = ["b", "a", "Z", "é", "z"].map { MappingSource.PropertyMapping(name: $0) }
        #expect(compile(fixture.source).entityMappings[1].attributeMappings.map(\.name) == ["Z", "a", "b", "z", "é"])
    }

    // MARK: Types

    @Test func theTypeFollowsFromTheEntities() {
        var fixture = MappingSourceFixture()
        func types() -> [CompiledMapping.MappingType] { compile(fixture.source).entityMappings.map(\.type) }
        // `Book.pages` has another type.
        #expect(types() == [.copy, .transform])
        fixture.author.policyClassName = "Policy"
        #expect(types() == [.custom, .transform])
        fixture.author.sourceName = nil
        #expect(types() == [.add, .transform])
        fixture.author.destinationName = nil
        #expect(types() == [.undefined, .transform])
        fixture.author.sourceName = "Author"
        #expect(types() == [.remove, .transform])
    }

    @Test func removedPropertiesTurnACopyIntoATransform() {
        var destination = Library.first
        destination.entities[1].attributes.append(Attribute(name: "new", type: .string))
        #expect(compile(MappingSourceFixture().source, to: destination).entityMappings.map(\.type) == [.copy, .copy])
        destination.entities[1].attributes.removeFirst()
        #expect(
            compile(MappingSourceFixture().source, to: destination).entityMappings.map(\.type) == [.copy, .transform])
    }

    @Test func inheritedPropertiesCount() {
        var source = Library.first
        source.entities[1].parentName = "Thing"
        var thing = Entity(name: "Thing")
        thing.attributes = [Attribute(name: "weight", type: .double)]
        source.entities.append(thing)
        // The destination lacks `weight`, which `Book` inherits.
        #expect(
            compile(MappingSourceFixture().source, from: source, to: Library.first).entityMappings[1].type == .transform
        )
        var destination = Library.first
        destination.entities[1].attributes.append(Attribute(name: "weight", type: .double))
        #expect(compile(MappingSourceFixture().source, from: source, to: destination).entityMappings[1].type == .copy)
    }

    @Test func hashesComeFromTheModels() {
        let mapping = MappingSourceFixture().compiled().entityMappings[1]
        #expect(mapping.sourceEntityHash == Library.first.versionHashes().entities["Book"])
        #expect(mapping.destinationEntityHash == Library.second.versionHashes().entities["Book"])
        #expect(mapping.sourceEntityHash != mapping.destinationEntityHash)
    }

    // MARK: Expressions

    @Test func automaticExpressionsMatchNames() {
        let mappings = MappingSourceFixture().compiled().entityMappings
        #expect(values(mappings[0].attributeMappings) == ["name": "$source.name"])
        #expect(
            values(mappings[0].relationshipMappings) == [
                "books":
                    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , \"BookToBook\", $source.books)"
            ])
        #expect(
            values(mappings[1].attributeMappings) == [
                "isbn": nil, "pages": "$source.pages", "title": "$source.title",
            ])
        #expect(
            mappings[1].sourceExpression?.text
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"Book\", \"TRUEPREDICATE\"), "
                + "$manager.sourceContext, NO)")
    }

    @Test func attributesMapOnlyToAttributes() {
        var fixture = MappingSourceFixture()
        // `Author.books` is a relationship in the source.
        fixture.author.attributeMappings = [MappingSource.PropertyMapping(name: "books")]
        fixture.author.relationshipMappings = [MappingSource.PropertyMapping(name: "name")]
        let mapping = compile(fixture.source).entityMappings[0]
        #expect(values(mapping.attributeMappings) == ["books": nil])
        #expect(values(mapping.relationshipMappings) == ["name": nil])
    }

    @Test func relationshipsRequireAMappingOfTheirDestination() {
        var source = MappingSourceFixture().source
        source.entityMappings.removeLast()
        #expect(values(compile(source).entityMappings[0].relationshipMappings) == ["books": nil])
    }

    @Test func mappedSubentitiesAreFoundByRelationship() {
        var destination = Library.second
        var novel = Entity(name: "Novel")
        novel.parentName = "Book"
        destination.entities.append(novel)
        var fixture = MappingSourceFixture()
        let usual =
            "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , \"BookToBook\", $source.books)"
        #expect(
            values(compile(fixture.source, to: destination).entityMappings[0].relationshipMappings) == ["books": usual])
        var source = fixture.source
        source.entityMappings.append(
            MappingSource.EntityMapping(number: 3, sourceName: nil, destinationName: "Novel"))
        let bySubentity =
            "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\" , \"books\", $source.books)"
        #expect(
            values(compile(source, to: destination).entityMappings[0].relationshipMappings) == ["books": bySubentity])
        fixture.book.destinationName = "Novel"
        #expect(
            values(compile(fixture.source, to: destination).entityMappings[0].relationshipMappings)
                == ["books": bySubentity])
    }

    @Test func aMappingWithoutSourceHasNoExpressions() {
        var fixture = MappingSourceFixture()
        fixture.book.sourceName = nil
        let mapping = compile(fixture.source).entityMappings[1]
        #expect(mapping.sourceExpression == nil)
        #expect(mapping.sourceEntityHash == nil)
        #expect(mapping.attributeMappings.allSatisfy { $0.value == nil })
        #expect(mapping.relationshipMappings.allSatisfy { $0.value == nil })
    }

    @Test func customExpressionsWin() throws {
        var fixture = MappingSourceFixture()
        let expression = try PredicateParser.parseExpression("FUNCTION($entityPolicy, \"title:\", $source.name)")
        fixture.book.attributeMappings[0].value = .tree(expression)
        #expect(compile(fixture.source).entityMappings[1].attributeMappings[2].value == .tree(expression))
        // It does not change the type.
        #expect(compile(fixture.source, to: Library.first).entityMappings[1].type == .copy)
    }

    @Test func theEditorsKeyPathAndMappingNameAreUsed() {
        var fixture = MappingSourceFixture()
        fixture.author.relationshipMappings[0].sourceMappingName = "BookToBook"
        fixture.author.relationshipMappings[0].sourceKeyPath = "$source.books.sequel"
        let result = MappingCompiler.compile(fixture.source, source: Library.first, destination: Library.second)
        #expect(
            values(result.mapping.entityMappings[0].relationshipMappings) == [
                "books":
                    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , \"BookToBook\", $source.books.sequel)"
            ])
        #expect(result.findings.map(\.rule) == [.unprovenArchiveForm])
    }

    @Test func theSourceFilterIsThePredicate() {
        var fixture = MappingSourceFixture()
        fixture.book.sourceFilter = "pages < 100"
        let mapping = compile(fixture.source).entityMappings[1]
        #expect(mapping.sourceExpression?.text.contains("\"Book\", \"pages < 100\")") == true)
        fixture.book.sourceFilter = "pages <"
        let result = MappingCompiler.compile(fixture.source, source: Library.first, destination: Library.second)
        #expect(result.findings.map(\.rule) == [.invalidPredicate])
    }
}
