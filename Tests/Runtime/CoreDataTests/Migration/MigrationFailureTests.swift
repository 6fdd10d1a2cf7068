import CoreData
import Testing

/// Errors in a mapping model, a policy or the data are reported with the entity, the property and the fix, and no files
/// are left behind.
@Suite struct MigrationFailureTests {
    /// Migrates a store and returns the error. Checks that the source is unchanged and no destination is left.
    private func failure(_ fixture: MappingFixture, _ mapping: NSMappingModel) throws -> NSError {
        let old = try fixture.makeStore()
        let before = try fixture.bytes("Old")
        let error = try #require(nsError { _ = try fixture.migrate(old, mapping) })
        #expect(try fixture.bytes("Old") == before)
        #expect(try fixture.bytes("New").isEmpty)
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.userInfo["reason"] is String)
        return error
    }

    private static let expressions: [(String, String)] = [
        ("$source.nothing", "has no property “nothing”"),
        ("$source.pets.owner.nothing", "has no property “nothing”"),
        ("$other", "there is no variable $other"),
        ("nothing", "has no property “nothing”"),
        ("$manager.nothing", "has no property “nothing”"),
        ("$entityMapping.nothing", "has no property “nothing”"),
        ("FUNCTION($manager, \"nothing:\", 1)", "no method “nothing:”"),
        (
            "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"None\", $source.pets)",
            "no entity mapping “None”"
        ),
    ]

    @Test(arguments: expressions)
    func invalidExpressionsAreRejected(format: String, message: String) throws {
        let fixture = try MappingFixture()
        let error = try failure(fixture, fixture.mapping(fullName: format))
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("“Person.fullName”"))
        #expect(error.localizedDescription.contains(message), "\(error.localizedDescription)")
        #expect(error.userInfo["entity"] as? String == "Person")
        #expect(error.userInfo["property"] as? String == "fullName")
    }

    @Test func unknownSelectorsExplainHowToRegisterThem() throws {
        let fixture = try MappingFixture()
        let error = try failure(
            fixture,
            fixture.mapping(policy: "HelpingPolicy", fullName: "FUNCTION($entityPolicy, \"unknown:\", $source.name)"))
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(error.localizedDescription.contains("no registered method “unknown:”"), "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains("call(selector:arguments:)"))
    }

    @Test func missingPoliciesAreErrors() throws {
        let fixture = try MappingFixture()
        let error = try failure(fixture, fixture.mapping(policy: "Nowhere.NoPolicy"))
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(error.localizedDescription.contains("“Nowhere.NoPolicy”"))
    }

    @Test func errorsOfPoliciesArePassedOn() throws {
        let fixture = try MappingFixture()
        let error = try failure(fixture, fixture.mapping(policy: "ThrowingPolicy"))
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(error.localizedDescription.contains("ThrowingPolicy"))
        #expect(error.localizedDescription.contains("not this one"))
        #expect(error.userInfo[NSUnderlyingErrorKey] is ThrowingPolicy.Refusal)
    }

    @Test func staleMappingModelsAreErrors() throws {
        let fixture = try MappingFixture()
        let mapping = fixture.mapping()
        mapping.entityMappings[0].sourceEntityVersionHash = Data(repeating: 1, count: 32)
        let error = try failure(fixture, mapping)
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("the version hashes differ"))
        mapping.entityMappings[0].sourceEntityName = "Gone"
        #expect(try failure(fixture, mapping).localizedDescription.contains("no entity “Gone”"))
    }

    @Test func missingMappingModelsAreErrors() throws {
        let fixture = try MappingFixture()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        let error = try #require(
            nsError {
                try manager.migrateStore(
                    from: fixture.url("Old"), sourceType: NSSQLiteStoreType, with: nil,
                    toDestinationURL: fixture.url("New"), destinationType: NSSQLiteStoreType)
            })
        #expect(error.code == NSMigrationMissingMappingModelError)
    }

    @Test func missingSourceStoresAreErrors() throws {
        let fixture = try MappingFixture()
        let error = try #require(nsError { _ = try fixture.migrate(fixture.url("None"), fixture.mapping()) })
        #expect(error.code == NSMigrationManagerSourceStoreError)
    }

    @Test func missingRequiredValuesAreErrors() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.properties.append(
                MappingFixture.attribute("email", .stringAttributeType, optional: false))
        }
        let error = try failure(fixture, fixture.mapping())
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("“Person.email” is required"), "\(error.localizedDescription)")
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError).map { [1560, 1570].contains($0.code) } == true)
    }

    @Test func valuesThatDoNotFitTheNewTypeAreErrors() throws {
        let fixture = try MappingFixture()
        let mapping = fixture.mapping()
        mapping.entityMappings[0].attributeMappings?[2].valueExpression = NSExpression(format: "$source.age * 10000")
        let error = try failure(fixture, mapping)
        #expect(error.localizedDescription.contains("“Person.rank”"))
        #expect(
            error.localizedDescription.contains("200000 does not fit an Integer 16"), "\(error.localizedDescription)")
        mapping.entityMappings[0].attributeMappings?[2].valueExpression = NSExpression(format: "$source.name")
        #expect(
            try failure(fixture, mapping).localizedDescription.contains(
                "a value of the type String is not an Integer 16"))
    }

    @Test func valuesRejectedByTheNewValidationAreErrors() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.attributesByName["age"]?.setValidationPredicates(
                [NSPredicate(format: "SELF < 22")], withValidationWarnings: [NSNumber(value: 1610)])
        }
        let error = try failure(fixture, fixture.mapping())
        #expect(error.code == NSMigrationError)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSValidationNumberTooLargeError)
        #expect(error.userInfo["property"] as? String == "age")
    }

    @Test func uniquenessViolationsAreErrors() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.uniquenessConstraints = [["fullName"]]
        }
        let error = try failure(fixture, fixture.mapping(fullName: "\"Everybody\""))
        #expect(error.code == NSMigrationConstraintViolationError)
    }

    @Test func relationshipsToObjectsOfAnotherEntityAreErrors() throws {
        let fixture = try MappingFixture()
        let mapping = fixture.mapping()
        mapping.entityMappings[1].relationshipMappings?[0].valueExpression = NSExpression(format: "$source.owner")
        #expect(
            try failure(fixture, mapping).localizedDescription.contains("a source object where a destination object"))
        mapping.entityMappings[1].relationshipMappings?[0].valueExpression = NSExpression(
            format:
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"PetToPet\", $source)"
        )
        let error = try failure(fixture, mapping)
        #expect(error.localizedDescription.contains("“Pet.owner”"))
        #expect(
            error.localizedDescription.contains(
                "an object of the entity “Pet”, and the relationship has the destination “Person”")
        )
    }

    @Test func mappingsOfMissingPropertiesAreErrors() throws {
        let fixture = try MappingFixture()
        let mapping = fixture.mapping()
        mapping.entityMappings[0].attributeMappings?.append(MappingFixture.property("gone", "1"))
        #expect(try failure(fixture, mapping).localizedDescription.contains("no attribute “gone”"))
    }
}

/// A policy that evaluates expressions without a registered method.
final class HelpingPolicy: NSEntityMigrationPolicy {
    override func call(selector: String, arguments: [Any?]) throws -> Any? {
        switch selector {
        case "shout:": (arguments.first as? String)?.uppercased()
        case "refuse": throw CocoaError(.featureUnsupported)
        default: try super.call(selector: selector, arguments: arguments)
        }
    }
}
