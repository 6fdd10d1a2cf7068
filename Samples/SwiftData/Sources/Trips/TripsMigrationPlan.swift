import Foundation
import SwiftData

/// Migrates the stores of every release.
enum TripsMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }

    static var stages: [MigrationStage] {
        // The values that only the old classes have, until the new ones exist.
        let days = Box<[String: String]>([:])
        return [
            .custom(
                fromVersion: TripsV1.self, toVersion: TripsV2.self,
                willMigrate: { context in
                    for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) { days.value[trip.name] = trip.days }
                },
                didMigrate: { context in
                    for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) {
                        let parts = (days.value[trip.name] ?? "").split(separator: "/").map(String.init)
                        trip.firstDay = parts.first ?? ""
                        trip.lastDay = parts.last ?? ""
                    }
                    try context.save()
                })
        ]
    }

    private final class Box<Value> {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}

extension ModelContainer {
    /// Returns the container of the app's trips, after migrating its store.
    ///
    /// - Parameter url: the file; nil for a store in memory.
    static func trips(at url: URL?) throws -> ModelContainer {
        let schema = Schema(versionedSchema: TripsV2.self)
        let configuration =
            url.map { ModelConfiguration(schema: schema, url: $0) }
            ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
        return try ModelContainer(for: schema, migrationPlan: TripsMigrationPlan.self, configurations: [configuration])
    }
}
