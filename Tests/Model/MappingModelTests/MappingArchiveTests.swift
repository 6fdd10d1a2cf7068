import CompiledMapping
import CompiledModel
import MappingModel
import ModelSchema
import PredicateSyntax
import Testing

/// The archive of a mapping model (Documentation/Formats/MappingModel.md, 2).
@Suite struct MappingArchiveTests {
    private func open(_ mapping: CompiledMapping) throws -> OpenArchive { try OpenArchive(mapping.encoded().bytes) }

    @Test func theRootListsMappingsInOrderAndByName() throws {
        let archive = try open(MappingSourceFixture().compiled())
        #expect(archive.classes() == ["NSMappingModel", "NSObject"])
        #expect(archive.keys() == ["NSEntityMappings", "NSEntityMappingsByName"])
        #expect(archive.classes("NSEntityMappings") == ["NSArray", "NSObject"])
        #expect(
            archive.classes("NSEntityMappingsByName") == ["NSMutableDictionary", "NSDictionary", "NSObject"])
        #expect(archive.value("NSEntityMappings", "0", "NSMappingName") == .string("AuthorToAuthor"))
        // The dictionary contains the same objects.
        #expect(
            archive.value("NSEntityMappingsByName", "NS.objects")
                == archive.value("NSEntityMappings", "NS.objects"))
    }

    @Test func allKeysOfAnEntityMappingArePresent() throws {
        let archive = try open(MappingSourceFixture().compiled())
        #expect(
            archive.keys("NSEntityMappings", "0") == [
                "NSAttributeMappings", "NSDestinationEntityName", "NSDestinationEntityVersionHash",
                "NSEntityMigrationPolicyClassName", "NSMappingName", "NSMappingType", "NSRelationshipMappings",
                "NSSourceEntityName", "NSSourceEntityVersionHash", "NSSourceExpression", "NSUserInfo",
            ])
        #expect(archive.reference(["NSEntityMappings", "0", "NSMappingType"]) == .integer(4))
        #expect(archive.isNull("NSEntityMappings", "0", "NSUserInfo"))
        #expect(archive.isNull("NSEntityMappings", "0", "NSEntityMigrationPolicyClassName"))
        #expect(archive.classes("NSEntityMappings", "0", "NSAttributeMappings") == ["NSArray", "NSObject"])
        let hash = try #require(Library.first.versionHashes().entities["Author"])
        #expect(archive.value("NSEntityMappings", "0", "NSSourceEntityVersionHash") == .data(hash.bytes))
        #expect(
            archive.keys("NSEntityMappings", "1", "NSAttributeMappings", "0") == [
                "NSDestinationPropertyName", "NSPropertyTransforms", "NSUserInfo", "NSValueExpression",
            ])
        #expect(archive.isNull("NSEntityMappings", "1", "NSAttributeMappings", "0", "NSValueExpression"))
        #expect(archive.isNull("NSEntityMappings", "1", "NSAttributeMappings", "0", "NSPropertyTransforms"))
    }

    @Test func aKeyPathOnAVariableIsAFunctionType() throws {
        let archive = try open(MappingSourceFixture().compiled())
        let path = ["NSEntityMappings", "0", "NSAttributeMappings", "0", "NSValueExpression"]
        #expect(archive.reference(path + ["NSExpressionType"]) == .integer(4))
        #expect(
            archive.classes("NSEntityMappings", "0", "NSAttributeMappings", "0", "NSValueExpression") == [
                "NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject",
            ])
        #expect(
            archive.value("NSEntityMappings", "0", "NSAttributeMappings", "0", "NSValueExpression", "NSSelectorName")
                == .string("valueForKeyPath:"))
        #expect(
            archive.value(
                "NSEntityMappings", "0", "NSAttributeMappings", "0", "NSValueExpression", "NSOperand", "NSVariable")
                == .string("source"))
    }

    @Test func argumentsAreMutableInValuesAndNotInTheFetchRequest() throws {
        let archive = try open(MappingSourceFixture().compiled())
        #expect(
            archive.classes(
                "NSEntityMappings", "0", "NSRelationshipMappings", "0", "NSValueExpression", "NSArguments"
            ).first
                == "NSMutableArray")
        #expect(
            archive.classes("NSEntityMappings", "0", "NSSourceExpression") == [
                "NSFetchRequestExpression", "NSExpression", "NSObject",
            ])
        #expect(archive.reference(["NSEntityMappings", "0", "NSSourceExpression", "NSExpressionType"]) == .integer(50))
        #expect(
            archive.reference(["NSEntityMappings", "0", "NSSourceExpression", "NSCountOnlyFlag"]) == .boolean(false))
        #expect(
            archive.classes("NSEntityMappings", "0", "NSSourceExpression", "NSFRExpression", "NSArguments").first
                == "NSArray")
        #expect(
            archive.value(
                "NSEntityMappings", "0", "NSSourceExpression", "NSFRExpression", "NSArguments", "1", "NSConstantValue")
                == .string("TRUEPREDICATE"))
    }

    @Test func aMappingWithoutSourceHasNulls() throws {
        var fixture = MappingSourceFixture()
        fixture.author.sourceName = nil
        let archive = try open(fixture.compiled())
        for key in ["NSSourceEntityName", "NSSourceEntityVersionHash", "NSSourceExpression"] {
            #expect(archive.reference(["NSEntityMappings", "0", key]) == .uid(0))
        }
    }

    @Test(arguments: [
        "$source.a", "$source.a.b", "0", "-1", "\"3.0.0\"", "TRUE", "nil", "now()", "importDate",
        "FUNCTION($entityPolicy, \"sel:with:\", $source.x, $source.y)", "FUNCTION($entityPolicy, \"sel\")",
        "($source.temperature - 32.0) / 1.8",
        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToB\", $source.r)",
    ])
    func customExpressionsRoundTrip(text: String) throws {
        var fixture = MappingSourceFixture()
        let expression = MappingExpression.tree(try PredicateParser.parseExpression(text))
        fixture.book.attributeMappings[0].value = expression
        let mapping = fixture.compiled()
        let encoded = mapping.encoded()
        #expect(encoded.findings.isEmpty)
        let decoded = try DecodedMapping(encoded.bytes)
        #expect(decoded.findings.isEmpty)
        #expect(decoded.mapping.entityMappings[1].attributeMappings[2].value == expression)
        #expect(decoded.mapping == mapping)
    }

    @Test func expressionsWithoutFormatStringAreCopied() throws {
        var fixture = MappingSourceFixture()
        fixture.book.attributeMappings[0].value = .archived(
            ArchivedExpression(bytes: HandArchive.dateConstant(), reason: ""))
        let encoded = fixture.compiled().encoded()
        #expect(encoded.findings.isEmpty)
        let archive = try OpenArchive(encoded.bytes)
        #expect(
            archive.reference([
                "NSEntityMappings", "1", "NSAttributeMappings", "2", "NSValueExpression", "NSConstantValue", "NS.time",
            ]) == .real(1234.5))
        let again = try DecodedMapping(encoded.bytes).mapping
        guard case .archived? = again.entityMappings[1].attributeMappings[2].value else {
            Issue.record("the expression is lost")
            return
        }
        #expect(again.encoded().bytes == encoded.bytes)
    }

    @Test func userInfoRoundTrips() throws {
        var fixture = MappingSourceFixture()
        fixture.book.userInfo = [UserInfoEntry(key: "a", value: "1"), UserInfoEntry(key: "b", value: "2")]
        fixture.book.policyClassName = "App.Policy"
        let mapping = fixture.compiled()
        #expect(try DecodedMapping(mapping.encoded().bytes).mapping == mapping)
    }

    @Test func encodingIsDeterministic() {
        #expect(MappingSourceFixture().compiled().encoded().bytes == MappingSourceFixture().compiled().encoded().bytes)
    }

    @Test func otherArchivesAreRejected() throws {
        #expect(throws: ModelArchiveError.self) { try DecodedMapping([0]) }
        #expect(throws: ModelArchiveError.self) { try DecodedMapping(HandArchive.dateConstant()) }
        let model = try EncodedModel(Library.first).bytes
        #expect(throws: ModelArchiveError.self) { try DecodedMapping(model) }
    }

    @Test func malformedPartsAreOmitted() throws {
        var archive = HandArchive()
        let broken = archive.add("NSEntityMapping", ["NSMappingName": archive.add("A"), "NSMappingType": .integer(77)])
        let list = archive.list([broken, archive.add("text")], of: "NSArray")
        let root = archive.add("NSMappingModel", ["NSEntityMappings": list])
        let decoded = try DecodedMapping(archive.bytes(root: root))
        #expect(decoded.mapping.entityMappings.map(\.name) == ["A"])
        #expect(decoded.mapping.entityMappings.map(\.type) == [.undefined])
        #expect(decoded.findings.count == 2)
        #expect(decoded.findings.allSatisfy { $0.rule == .malformedArchive })
    }
}
