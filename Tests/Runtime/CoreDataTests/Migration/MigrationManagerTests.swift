import CoreData
import Testing

/// Migrations using `NSMigrationManager` with mapping models created in code.
@Suite struct MigrationManagerTests {
    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    @Test(arguments: types, types)
    func storesOfEveryTypeMigrateToEveryType(source: String, destination: String) throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore("Old", type: source)
        let before = try fixture.bytes("Old")
        let new = try fixture.migrate(old, type: source, fixture.mapping(), to: "New", as: destination)
        #expect(try fixture.lines(new, type: destination) == MappingFixture.migrated)
        #expect(try fixture.bytes("Old") == before)
    }

    /// Each coordinator has a new in-memory store.
    @Test func inMemoryStoresAreEmptySourcesAndTransientDestinations() throws {
        let fixture = try MappingFixture()
        let memory = fixture.url("Memory")
        let new = try fixture.migrate(memory, type: NSInMemoryStoreType, fixture.mapping())
        #expect(try fixture.lines(new) == [])
        let old = try fixture.makeStore()
        _ = try fixture.migrate(old, fixture.mapping(), to: "Memory", as: NSInMemoryStoreType)
        #expect(!FileManager.default.fileExists(atPath: memory.path))
        // A store does not need migration when added.
        let context = try MappingFixture.open(
            memory, fixture.second, type: NSInMemoryStoreType,
            options: [NSMigratePersistentStoresAutomaticallyOption: true])
        try MappingFixture.close(context)
    }

    @Test func objectsAreAddedToAnExistingDestination() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let new = try fixture.migrate(old, fixture.mapping())
        _ = try fixture.migrate(old, fixture.mapping())
        let twice = MappingFixture.migrated.flatMap { [$0, $0] }
        #expect(try fixture.lines(new) == twice)
    }

    @Test func aFailureAddsNothingToAnExistingDestination() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let new = try fixture.migrate(old, fixture.mapping())
        let mapping = fixture.mapping(policy: "CoreDataTests.ThrowingPolicy")
        let error = try #require(nsError { _ = try fixture.migrate(old, mapping) })
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(try fixture.lines(new) == MappingFixture.migrated)
    }

    /// The other objects keep their relationships.
    @Test func aPolicyMayDeleteANewObject() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let mapping = fixture.mapping()
        let pets = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Pet" })
        pets.mappingType = .customEntityMappingType
        pets.entityMigrationPolicyClassName = "CoreDataTests.DeletingPolicy"
        let new = try fixture.migrate(old, mapping)
        #expect(try fixture.lines(new) == MappingFixture.migrated.filter { !$0.hasPrefix("Pet Pet 3") })
    }

    @Test func progressAndCurrentMappingFollowThreePasses() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        #expect(manager.migrationProgress == 0)
        HookRecorder.calls = []
        let mapping = fixture.mapping(policy: "HookRecorder")
        for entity in mapping.entityMappings {
            entity.mappingType = .customEntityMappingType
            entity.entityMigrationPolicyClassName = "HookRecorder"
        }
        let progress = Progress(totalUnitCount: 1)
        progress.becomeCurrent(withPendingUnitCount: 1)
        _ = try fixture.migrate(old, mapping, manager: manager)
        progress.resignCurrent()
        #expect(progress.fractionCompleted == 1)
        #expect(manager.migrationProgress == 1)
        #expect(
            HookRecorder.calls == [
                "begin PersonToPerson", "create", "create", "create", "endCreation", "begin PetToPet", "create",
                "create",
                "create", "endCreation", "begin CatToCat", "create", "endCreation", "relate", "relate", "relate",
                "endRelating",
                "relate", "relate", "relate", "endRelating", "relate", "endRelating", "validate", "end PersonToPerson",
                "validate", "end PetToPet", "validate", "end CatToCat",
            ])
        #expect(HookRecorder.progress == HookRecorder.progress.sorted())
        #expect(HookRecorder.classes == ["NSManagedObject"])
    }

    @Test func cancellationThrowsTheGivenErrorAndRemovesTheDestination() throws {
        struct Enough: Error {}
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        CancelingPolicy.error = Enough()
        #expect(throws: Enough.self) {
            _ = try fixture.migrate(old, fixture.mapping(policy: "CancelingPolicy"), manager: manager)
        }
        #expect(try fixture.bytes("New").isEmpty)
        CancelingPolicy.error = CocoaError(.migrationCancelled)
        let error = try #require(
            nsError { _ = try fixture.migrate(old, fixture.mapping(policy: "CancelingPolicy"), manager: manager) })
        #expect(error.code == NSMigrationCancelledError)
    }

    @Test func aCanceledProgressCancels() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        progress.becomeCurrent(withPendingUnitCount: 1)
        defer { progress.resignCurrent() }
        let error = try #require(nsError { _ = try fixture.migrate(old, fixture.mapping()) })
        #expect(error.code == NSMigrationCancelledError)
    }

    @Test func theSourceCanBeFilteredByAnExpression() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let mapping = fixture.mapping()
        mapping.entityMappings[0].sourceExpression = NSExpression(
            format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Person\", "
                + "\"age > 20\"), $manager.sourceContext, NO)")
        let new = try fixture.migrate(old, mapping)
        let people = try fixture.lines(new).filter { $0.hasPrefix("Person") }
        #expect(people.map { $0.prefix(8) } == ["Person 1", "Person 2"])
    }

    @Test func relationshipsCrossBatches() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore(people: 2500)
        let new = try fixture.migrate(old, fixture.mapping())
        let context = try MappingFixture.open(new, fixture.second)
        try context.performAndWait {
            let people = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(people == 2500)
            let owned = NSFetchRequest<NSManagedObject>(entityName: "Pet")
            owned.predicate = NSPredicate(format: "owner.fullName == %@", "Person 0")
            let count = try context.count(for: owned)
            #expect(count == 2)
        }
        try MappingFixture.close(context)
    }
}

/// A policy that records the calls of a migration.
final class HookRecorder: NSEntityMigrationPolicy {
    nonisolated(unsafe) static var calls: [String] = []
    nonisolated(unsafe) static var progress: [Float] = []
    nonisolated(unsafe) static var classes: Set<String> = []

    private func record(_ call: String, _ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
        Self.calls.append(call)
        Self.progress.append(manager.migrationProgress)
        #expect(manager.currentEntityMapping === mapping)
        #expect(manager.destinationEntity(for: mapping)?.name == mapping.destinationEntityName)
        #expect(manager.sourceEntity(for: mapping)?.name == mapping.sourceEntityName)
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        record("begin \(mapping.name ?? "")", mapping, manager)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        record("create", mapping, manager)
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        #expect(made.count == 1)
        #expect(manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: made) == [sInstance])
        Self.classes.formUnion(["\(type(of: sInstance))", "\(type(of: made[0]))"])
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("endCreation", mapping, manager)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        record("relate", mapping, manager)
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("endRelating", mapping, manager)
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("validate", mapping, manager)
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        record("end \(mapping.name ?? "")", mapping, manager)
    }
}

/// A policy that cancels at the second object.
final class CancelingPolicy: NSEntityMigrationPolicy {
    nonisolated(unsafe) static var error: any Error = CocoaError(.migrationCancelled)
    private var count = 0

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        count += 1
        if count == 2 { manager.cancelMigrationWithError(Self.error) }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

/// A policy class that is found by its module and name.
final class DeletingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard sInstance.value(forKey: "name") as? String == "Pet 3" else { return }
        for object in manager.destinationInstances(
            forEntityMappingName: mapping.name ?? "", sourceInstances: [sInstance])
        {
            manager.destinationContext.delete(object)
        }
    }
}

final class ThrowingPolicy: NSEntityMigrationPolicy {
    struct Refusal: LocalizedError {
        var errorDescription: String? { "not this one" }
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        throw Refusal()
    }
}
