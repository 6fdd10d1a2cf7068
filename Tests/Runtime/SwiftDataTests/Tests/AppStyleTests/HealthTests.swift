// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@Suite struct HealthTests {
    private func withStore(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "health-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        HealthColorTransformer.register()
        try await body(folder.appending(component: "health.store"))
    }

    private func date(_ day: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(day) * 86400) }

    private func writeV1(_ url: URL) throws {
        let schema = Schema(versionedSchema: HealthSchemaV1.self)
        let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration("Health", schema: schema, url: url)))
        for (day, mood) in [(1, 5), (1, 0), (2, -3), (3, 0)] {
            let log = HealthSchemaV1.Log(day: date(day), text: "day \(day)", mood: mood)
            context.insert(log)
            log.samples = [HealthSchemaV1.Sample(kind: "steps", value: Double(day) * 100)]
        }
        try context.save()
    }

    @Test func aStoreOfTheFirstVersionPassesAllStages() async throws {
        try await withStore { url in
            try writeV1(url)
            let store = try HealthStore.make(at: url)
            #expect(try await store.notes() == ["day 1", "day 2", "day 3"])
            let context = ModelContext(store.container)
            let logs = try context.fetch(FetchDescriptor<Log>(sortBy: [SortDescriptor(\.date)]))
            #expect(logs.map(\.moodKind).sorted { $0.rawValue < $1.rawValue }.count == 3)
            #expect(logs[1].moodKind == .bad && logs[2].moodKind == .neutral)
            #expect(logs.allSatisfy { $0.tags.map(\.name) == ["migrated"] && $0.entries.count == 1 })
            #expect(try context.fetchCount(FetchDescriptor<Measurement_>()) == 3)
            #expect(logs.flatMap(\.entries).allSatisfy { $0.unit == "count" })
            #expect(try await store.average(of: "steps", in: date(2)...date(3)) == 250)
            #expect(try await store.average(of: "pulse", in: date(2)...date(3)) == nil)
            #expect(store.container.schema.version == .init(4, 0, 0) && store.container.migrationPlan != nil)
        }
    }

    @Test func starredByMood() async throws {
        try await withStore { url in
            let schema = Schema(versionedSchema: HealthSchemaV3.self)
            let context = ModelContext(try ModelContainer(for: schema, configurations: [ModelConfiguration("Health", schema: schema, url: url)]))
            context.insert(HealthSchemaV3.Log(date: date(1), text: "a", mood: 5))
            context.insert(HealthSchemaV3.Log(date: date(2), text: "b", mood: 1))
            try context.save()
            let store = try HealthStore.make(at: url)
            let starred = try ModelContext(store.container).fetch(FetchDescriptor<Log>(predicate: #Predicate { $0.isStarred }))
            #expect(starred.map(\.notes) == ["a"] && starred.first?.weather == .init(temperature: 21, sky: .clear))
        }
    }

    @Test func aNewStoreNeedsNoMigration() async throws {
        try await withStore { url in
            let store = try HealthStore.make(at: url)
            try await store.log(on: date(1), "one", samples: ["steps": 1, "pulse": 2])
            try await store.log(on: date(1), "one again", samples: ["steps": 3])
            try await store.log(on: date(2), "two")
            #expect(try await store.notes() == ["one again", "two"])
            #expect(try await store.average(of: "steps", in: date(0)...date(1)) == 2)
            let context = ModelContext(store.container)
            let goal = HealthSchemaV4.Goal(title: "walk")
            goal.color = HealthColor(hex: "ff0000")
            goal.progress = [1, 2.5]
            context.insert(goal)
            try context.save()
            let again = try ModelContext(try HealthStore.make(at: url).container).fetch(FetchDescriptor<HealthSchemaV4.Goal>()).first
            #expect(again?.color?.hex == "ff0000" && again?.progress == [1, 2.5] && again?.target == 10_000)
        }
    }

    @Test func aDamagedStoreIsAnError() async throws {
        try await withStore { url in
            try Data("not a database, but long enough to be taken for one".utf8).write(to: url)
            #expect(throws: CocoaError.self) { try HealthStore.make(at: url) }
        }
    }

    @Test func aStageThatThrowsLeavesTheStoreUnchanged() async throws {
        struct Stop: Error {}
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [HealthSchemaV1.self, HealthSchemaV2.self] }
            static let stages: [MigrationStage] = [
                .custom(fromVersion: HealthSchemaV1.self, toVersion: HealthSchemaV2.self, willMigrate: { _ in throw Stop() }, didMigrate: nil)
            ]
        }
        try await withStore { url in
            try writeV1(url)
            #expect(throws: (any Error).self) {
                try ModelContainer(for: HealthSchemaV2.Log.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: url))
            }
            let schema = Schema(versionedSchema: HealthSchemaV1.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: url)))
            #expect(try old.fetchCount(FetchDescriptor<HealthSchemaV1.Log>()) == 4)
        }
    }
}
