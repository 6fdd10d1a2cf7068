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

    @Test func observersAreCalledByKeyPath() throws {
        final class Observer: NSObject, KeyValueObserver {
            var values: [Float] = []

            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                values.append(change?[.newKey] as? Float ?? -1)
            }
        }
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        let observer = Observer()
        manager.addObserver(observer, forKeyPath: "migrationProgress", options: .new, context: nil)
        manager.addObserver(observer, forKeyPath: "userInfo", options: .new, context: nil)
        _ = try fixture.migrate(old, fixture.mapping(), manager: manager)
        #expect(observer.values.last == 1 && observer.values.count > 3 && observer.values == observer.values.sorted())
        manager.removeObserver(observer, forKeyPath: "migrationProgress", context: nil)
        let count = observer.values.count
        _ = try fixture.migrate(old, fixture.mapping(), to: "Again", manager: manager)
        #expect(observer.values.count == count)
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
