// swift-format-ignore-file
import Foundation
import SwiftData

// The model layer of a health log: four versions with lightweight and custom stages, renamed and transformed values.

typealias Log = HealthSchemaV4.Log
typealias Measurement_ = HealthSchemaV4.Sample
typealias CurrentSchema = HealthSchemaV4

enum HealthSchemaV1: VersionedSchema {
    static let versionIdentifier: Schema.Version = Schema.Version(1, 0, 0)

    static var models: [any PersistentModel.Type] {
        [Log.self, Sample.self]
    }

    @Model
    final class Log {
        var day: Date
        var text: String
        var mood: Int
        @Relationship(deleteRule: .cascade) var samples: [Sample] = []
        init(day: Date, text: String, mood: Int) {
            self.day = day
            self.text = text
            self.mood = mood
        }
    }

    @Model
    final class Sample {
        var kind: String
        var value: Double
        var log: Log?
        init(kind: String, value: Double) {
            self.kind = kind
            self.value = value
        }
    }
}

enum HealthSchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models: [any PersistentModel.Type] = [Log.self, Sample.self]

    @Model
    final class Log {
        @Attribute(originalName: "day") var date: Date
        var text: String
        var mood: Int
        var isStarred: Bool = false
        @Relationship(deleteRule: .cascade, originalName: "samples", inverse: \Sample.log) var entries: [Sample] = []
        init(date: Date, text: String, mood: Int) {
            self.date = date
            self.text = text
            self.mood = mood
        }
    }

    @Model
    final class Sample {
        var kind: String
        var value: Double
        var unit: String = "count"
        var log: Log?
        init(kind: String, value: Double) {
            self.kind = kind
            self.value = value
        }
    }
}

enum HealthSchemaV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models: [any PersistentModel.Type] = [Log.self, Sample.self, Tag.self]

    @Model
    final class Log {
        #Unique<Log>([\.date])
        var date: Date
        var text: String
        var mood: Int
        var isStarred: Bool = false
        var moodKind: Mood = Mood.neutral
        @Relationship(deleteRule: .cascade, inverse: \Sample.log) var entries: [Sample] = []
        @Relationship(inverse: \Tag.logs) var tags: [Tag] = []
        init(date: Date, text: String, mood: Int = 0) {
            self.date = date
            self.text = text
            self.mood = mood
        }
    }

    enum Mood: String, Codable, Sendable { case bad, neutral, good }

    @Model
    final class Sample {
        var kind: String
        var value: Double
        var unit: String = "count"
        var log: Log?
        init(kind: String, value: Double) {
            self.kind = kind
            self.value = value
        }
    }

    @Model
    final class Tag {
        @Attribute(.unique) var name: String
        var logs: [Log] = []
        init(name: String) { self.name = name }
    }
}

enum HealthSchemaV4: VersionedSchema {
    static var versionIdentifier: Schema.Version { .init(4, 0, 0) }
    static var models: [any PersistentModel.Type] { [Log.self, Sample.self, Tag.self, Goal.self] }

    @Model
    final class Log {
        #Unique<Log>([\.date])
        #Index<Log>([\.date], [\.isStarred, \.date])
        var date: Date
        @Attribute(originalName: "text") var notes: String
        var isStarred: Bool = false
        var moodKind: HealthSchemaV3.Mood = HealthSchemaV3.Mood.neutral
        var weather: Weather?
        @Relationship(deleteRule: .cascade, inverse: \Sample.log) var entries: [Sample] = []
        @Relationship(inverse: \Tag.logs) var tags: [Tag] = []
        init(date: Date, notes: String = "") {
            self.date = date
            self.notes = notes
        }
    }

    struct Weather: Codable, Equatable, Sendable {
        var temperature: Double?
        var sky: Sky?
        enum Sky: String, Codable, Sendable { case clear, cloudy }
    }

    @Model
    final class Sample {
        var kind: String
        var value: Double
        var unit: String = "count"
        var log: Log?
        init(kind: String, value: Double, unit: String = "count") {
            self.kind = kind
            self.value = value
            self.unit = unit
        }
    }

    @Model
    final class Tag {
        @Attribute(.unique) var name: String
        var logs: [Log] = []
        init(name: String) { self.name = name }
    }

    @Model
    final class Goal {
        var title: String
        var target: Double = 10_000
        var progress: [Double] = []
        @Attribute(.transformable(by: "HealthColorTransformer")) var color: HealthColor?
        init(title: String) { self.title = title }
    }
}

final class HealthColor: NSObject, @unchecked Sendable {
    let hex: String
    init(hex: String) { self.hex = hex }
}

final class HealthColorTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? HealthColor).map { Data($0.hex.utf8) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { HealthColor(hex: String(decoding: $0, as: UTF8.self)) }
    }
    static func register() {
        ValueTransformer.setValueTransformer(HealthColorTransformer(), forName: NSValueTransformerName("HealthColorTransformer"))
    }
}

enum HealthMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [HealthSchemaV1.self, HealthSchemaV2.self, HealthSchemaV3.self, HealthSchemaV4.self]
    }

    static var stages: [MigrationStage] { [v1ToV2, v2ToV3, v3ToV4] }

    static let v1ToV2 = MigrationStage.lightweight(fromVersion: HealthSchemaV1.self, toVersion: HealthSchemaV2.self)

    nonisolated(unsafe) static var moods: [Date: Int] = [:]

    static let v2ToV3 = MigrationStage.custom(
        fromVersion: HealthSchemaV2.self,
        toVersion: HealthSchemaV3.self,
        willMigrate: { context in
            // Keeps one log per day.
            let logs = try context.fetch(FetchDescriptor<HealthSchemaV2.Log>(sortBy: [SortDescriptor(\.date)]))
            var seen = Set<Date>()
            for log in logs {
                if seen.contains(log.date) { context.delete(log) } else { seen.insert(log.date) }
            }
            try context.save()
        },
        didMigrate: { context in
            let tag = HealthSchemaV3.Tag(name: "migrated")
            context.insert(tag)
            for log in try context.fetch(FetchDescriptor<HealthSchemaV3.Log>()) {
                log.moodKind = log.mood > 0 ? .good : log.mood < 0 ? .bad : .neutral
                log.tags.append(tag)
            }
            try context.save()
        }
    )

    static let v3ToV4 = MigrationStage.custom(
        fromVersion: HealthSchemaV3.self, toVersion: HealthSchemaV4.self,
        willMigrate: { context in
            moods = Dictionary(try context.fetch(FetchDescriptor<HealthSchemaV3.Log>()).map { ($0.date, $0.mood) }) { $1 }
        },
        didMigrate: { context in
            for log in try context.fetch(FetchDescriptor<HealthSchemaV4.Log>()) where moods[log.date] == 5 {
                log.isStarred = true
                log.weather = .init(temperature: 21, sky: .clear)
            }
            try context.save()
        })
}

actor HealthStore {
    let container: ModelContainer

    static func make(at url: URL) throws -> HealthStore {
        let schema = Schema(versionedSchema: CurrentSchema.self)
        let configuration = ModelConfiguration("Health", schema: schema, url: url, allowsSave: true, cloudKitDatabase: .none)
        do {
            return HealthStore(container: try ModelContainer(for: schema, migrationPlan: HealthMigrationPlan.self, configurations: configuration))
        } catch SwiftDataError.loadIssueModelContainer {
            throw CocoaError(.fileReadCorruptFile)
        }
    }

    private init(container: ModelContainer) { self.container = container }

    private lazy var context = ModelContext(container)

    func log(on date: Date, _ notes: String, samples: KeyValuePairs<String, Double> = [:]) throws {
        let log = Log(date: date, notes: notes)
        context.insert(log)
        log.entries = samples.map { Measurement_(kind: $0.key, value: $0.value) }
        try context.save()
    }

    func average(of kind: String, in range: ClosedRange<Date>) throws -> Double? {
        let (start, end) = (range.lowerBound, range.upperBound)
        let samples = try context.fetch(FetchDescriptor<Measurement_>(predicate: #Predicate { sample in
            if let log = sample.log {
                sample.kind == kind && log.date >= start && log.date <= end
            } else {
                false
            }
        }))
        return samples.isEmpty ? nil : samples.map(\.value).reduce(0, +) / Double(samples.count)
    }

    func notes() throws -> [String] {
        try context.fetch(FetchDescriptor<Log>(sortBy: [.init(\.date, order: .forward)])).map(\.notes)
    }
}
