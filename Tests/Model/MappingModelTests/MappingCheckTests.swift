import Diagnostics
import MappingModel
import ModelSchema
import PredicateSyntax
import Testing

/// The lint rules for mapping models (Documentation/Formats/MappingModel.md, 2.7).
@Suite struct MappingCheckTests {
    private func rules(
        _ fixture: MappingSourceFixture, from first: Model = Library.first, to second: Model = Library.second
    ) -> [RuleID] {
        let mapping = MappingCompiler.compile(fixture.source, source: first, destination: second).mapping
        return MappingCheck.findings(in: fixture.source).map(\.rule)
            + MappingCheck.findings(in: mapping, source: first, destination: second).map(\.rule)
    }

    @Test func mappingModelsOfXcodeHaveNoFindings() {
        #expect(rules(MappingSourceFixture()).isEmpty)
    }

    @Test func unknownEntitiesAreFound() {
        var fixture = MappingSourceFixture()
        fixture.book.sourceName = "Volume"
        #expect(rules(fixture).contains(.unknownMappedEntity))
        fixture = MappingSourceFixture()
        fixture.book.sourceName = nil
        fixture.book.destinationName = nil
        #expect(rules(fixture).contains(.unknownMappedEntity))
    }

    @Test func duplicateNamesAndNumbersAreFound() {
        var fixture = MappingSourceFixture()
        fixture.book.name = "AuthorToAuthor"
        #expect(rules(fixture) == [.duplicateMapping])
        fixture = MappingSourceFixture()
        fixture.book.number = 1
        #expect(rules(fixture) == [.duplicateMapping])
    }

    @Test func propertiesWithoutMappingAreFound() {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings.removeFirst()
        #expect(rules(fixture) == [.unmappedProperty])
        // A default counts as a value, and a policy may set one.
        var destination = Library.second
        destination.entities[1].attributes[0].defaultValue = "Untitled"
        #expect(rules(fixture, to: destination).isEmpty)
        fixture.book.policyClassName = "Policy"
        #expect(rules(fixture).isEmpty)
    }

    @Test func aRequiredAttributeNeedsAValue() {
        var destination = Library.second
        destination.entities[1].attributes[2].isOptional = false
        #expect(rules(MappingSourceFixture(), to: destination) == [.unmappedProperty])
    }

    @Test func mappingsOfUnknownPropertiesAreFound() {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings.append(MappingSource.PropertyMapping(name: "weight"))
        // A relationship is not an attribute.
        fixture.book.relationshipMappings.append(MappingSource.PropertyMapping(name: "isbn"))
        #expect(rules(fixture) == [.unknownMappedProperty, .unknownMappedProperty])
    }

    @Test func relationshipsWithoutExpressionAreFound() {
        var fixture = MappingSourceFixture()
        var destination = Library.second
        destination.entities[1].name = "Volume"
        destination.entities[0].relationships[0].destinationName = "Work"
        destination.entities.append(Entity(name: "Work"))
        fixture.book.destinationName = "Volume"
        #expect(rules(fixture, to: destination) == [.mappingWithoutExpression])
    }

    @Test func expressionsWithUnknownMappingsAreFound() throws {
        var fixture = MappingSourceFixture()
        fixture.author.relationshipMappings[0].value = .tree(
            try PredicateParser.parseExpression(
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"Gone\", $source.books)"
            ))
        #expect(rules(fixture) == [.unknownMappingName])
    }

    @Test(arguments: [("importDate", true), ("SELF.importDate", true), ("$source.importDate", false), ("now()", false)])
    func keyPathsWithoutVariableAreFound(text: String, isFound: Bool) throws {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings[0].value = .tree(try PredicateParser.parseExpression(text))
        #expect(rules(fixture) == (isFound ? [.bareMappingKeyPath] : []))
    }

    @Test(arguments: [
        ("REPLACE_AT_RUNTIME.Policy", true), ("$(PRODUCT_MODULE_NAME).Policy", true), (".Policy", true),
        ("App.Policy", false), ("Policy", false), ("my_app.Policy", false), ("IO.Policy", false),
    ])
    func placeholdersOfPoliciesAreFound(name: String, isFound: Bool) {
        var fixture = MappingSourceFixture()
        fixture.book.policyClassName = name
        #expect(rules(fixture) == (isFound ? [.policyClassPlaceholder] : []))
    }

    @Test func staleCopiesAreFound() throws {
        #expect(MappingCheck.staleCopy(Library.first, of: Library.first, path: "x", at: nil) == nil)
        let finding = try #require(MappingCheck.staleCopy(Library.first, of: Library.second, path: "x", at: nil))
        #expect(finding.rule == .staleModelCopy)
        #expect(finding.message == "the copy of “x” is out of date: “Book” has changed")
    }

    @Test func withoutModelsOnlyTheMappingModelIsChecked() {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings.removeAll()
        #expect(MappingCheck.findings(in: fixture.compiled(), source: nil, destination: nil).isEmpty)
    }
}
