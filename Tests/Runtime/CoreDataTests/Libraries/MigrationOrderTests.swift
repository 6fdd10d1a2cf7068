import CoreData
import Testing

/// The order of a migration's passes, as policies see it in the destination context.
@Suite(.serialized) struct MigrationOrderTests {
    private func run(people: Int) throws -> [RegisteredCounter.Step] {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore(people: people)
        let mapping = fixture.mapping()
        for entity in mapping.entityMappings {
            entity.mappingType = .customEntityMappingType
            entity.entityMigrationPolicyClassName = "CoreDataTests.RegisteredCounter"
        }
        RegisteredCounter.steps = []
        let new = try fixture.migrate(old, mapping)
        #expect(try fixture.lines(new).count == people + 4)
        return RegisteredCounter.steps
    }

    @Test func allObjectsAreCreatedThenRelatedThenValidated() throws {
        let steps = try run(people: 3)
        #expect(
            steps.map(\.hook) == Array(repeating: "created", count: 3) + Array(repeating: "related", count: 3)
                + Array(repeating: "validating", count: 3))
        // Three people, three pets and a cat.
        #expect(steps.map(\.registered) == [3, 6, 7, 7, 7, 7, 7, 7, 7])
        #expect(steps.allSatisfy { $0.unsaved == $0.registered })
    }

    @Test func manyObjectsAreSavedInBetween() throws {
        let steps = try run(people: 5000)
        #expect(steps.count == 9 && steps.allSatisfy { $0.unsaved < 2000 })
    }
}

/// Records how many objects the destination context has.
final class RegisteredCounter: NSEntityMigrationPolicy {
    struct Step {
        var hook: String
        var registered: Int
        var unsaved: Int
    }

    nonisolated(unsafe) static var steps: [Step] = []

    private func record(_ hook: String, _ manager: NSMigrationManager) {
        let context = manager.destinationContext
        Self.steps.append(
            Step(hook: hook, registered: context.registeredObjects.count, unsaved: context.insertedObjects.count))
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("created", manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("related", manager)
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("validating", manager)
    }
}
