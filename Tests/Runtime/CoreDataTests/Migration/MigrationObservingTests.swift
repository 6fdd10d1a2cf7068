import CoreData
import Testing

/// Observing the progress of a migration by key path, as libraries do to show it.
@Suite struct MigrationObservingTests {
    @Test func progressIsReportedUntilTheObservationEnds() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        var values: [Float] = []
        var isInStep = true
        let observation = manager.observe(\.migrationProgress, options: [.old, .new, .initial]) { manager, change in
            values.append(change.newValue ?? -1)
            isInStep = isInStep && manager.migrationProgress == change.newValue
            if values.count > 1 { isInStep = isInStep && change.oldValue == values[values.count - 2] }
        }
        _ = try fixture.migrate(old, fixture.mapping(), manager: manager)
        #expect(values.first == 0 && values.last == 1 && values.count > 3 && isInStep)
        #expect(values == values.sorted() && Set(values).count == values.count)
        observation.invalidate()
        let count = values.count
        _ = try fixture.migrate(old, fixture.mapping(), to: "Again", manager: manager)
        #expect(values.count == count)
    }

    @Test func otherPropertiesAreNotReported() throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        var count = 0
        let observation = manager.observe(\.usesStoreSpecificMigrationManager) { _, _ in count += 1 }
        _ = try fixture.migrate(old, fixture.mapping(), manager: manager)
        #expect(count == 0)
        withExtendedLifetime(observation) {}
    }
}
