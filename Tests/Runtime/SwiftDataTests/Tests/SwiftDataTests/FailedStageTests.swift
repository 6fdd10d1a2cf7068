import Foundation
import SwiftData
import Testing

/// Migration stages whose last block fails.
@Suite(.serialized) struct FailedStageTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    /// Opens one store for both classes, or one for each.
    private func open(
        _ version: any VersionedSchema.Type, divided isDivided: Bool, plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        let url = folder.appendingPathComponent("cards.store")
        let other = folder.appendingPathComponent("boxes.store")
        let configurations =
            isDivided
            ? [
                ModelConfiguration("Cards", schema: Schema([version.models[0]]), url: url),
                ModelConfiguration("Boxes", schema: Schema([version.models[1]]), url: other),
            ] : [ModelConfiguration(url: url)]
        return ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configurations))
    }

    /// What the block has not done is lost otherwise: the store has the new version already.
    @Test(arguments: [false, true])
    func aBlockThatThrewRunsAgainWhenTheStoreIsOpened(divided isDivided: Bool) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try {
            let context = try open(CardsV1.self, divided: isDivided)
            context.insert(CardsV1.Card(name: "Ann Lee"))
            try context.save()
        }()
        (CardsPlan.failures, CardsPlan.starts, CardsPlan.ends) = (2, 0, 0)
        for _ in 0..<2 {
            #expect(throws: (any Error).self) { _ = try open(CardsV2.self, divided: isDivided, plan: CardsPlan.self) }
        }
        for _ in 0..<2 {
            let context = try open(CardsV2.self, divided: isDivided, plan: CardsPlan.self)
            #expect(try context.fetch(FetchDescriptor<CardsV2.Card>()).map(\.initials) == ["AL"])
        }
        #expect(CardsPlan.starts == 1 && CardsPlan.ends == 3)
    }

    /// Opens two stores that have migrated through two stages, of which the last one fails for the second store.
    @Test func aFailureInTheSecondStoreLeavesTheFirstOne() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try {
            let context = try open(ShipsV1.self, divided: true)
            context.insert(ShipsV1.Hull())
            context.insert(ShipsV1.Sail())
            try context.save()
        }()
        (ShipsPlan.failures, ShipsPlan.seen) = (1, [])
        #expect(throws: (any Error).self) { _ = try open(ShipsV3.self, divided: true, plan: ShipsPlan.self) }
        #expect(ShipsPlan.seen == ["will 1 0", "did 1 0", "will 0 1", "did 0 1"])
        let first = ModelContext(
            try ModelContainer(
                for: Schema([ShipsV3.Hull.self]),
                configurations: [ModelConfiguration(url: folder.appendingPathComponent("cards.store"))]))
        #expect(try first.fetch(FetchDescriptor<ShipsV3.Hull>()).map(\.label) == ["hull 2"])
        for _ in 0..<2 {
            let context = try open(ShipsV3.self, divided: true, plan: ShipsPlan.self)
            #expect(try context.fetch(FetchDescriptor<ShipsV3.Hull>()).map(\.label) == ["hull 2"])
            #expect(try context.fetch(FetchDescriptor<ShipsV3.Sail>()).map(\.label) == ["sail 3"])
        }
        #expect(ShipsPlan.seen.dropFirst(4) == ["did 0 1"])
    }
}

enum CardsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Card.self, Box.self] }

    @Model final class Card {
        var name: String
        init(name: String) { self.name = name }
    }

    @Model final class Box {
        var size: Int = 1
        init() {}
    }
}

enum CardsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Card.self, Box.self] }

    @Model final class Card {
        var name: String
        var initials: String = ""
        init(name: String) { self.name = name }
    }

    @Model final class Box {
        var size: Int = 1
        init() {}
    }
}

enum CardsPlan: SchemaMigrationPlan {
    struct Failure: Error {}

    /// How many runs of the last block are still to fail.
    nonisolated(unsafe) static var failures = 0
    /// How often the blocks ran.
    nonisolated(unsafe) static var starts = 0
    nonisolated(unsafe) static var ends = 0

    static var schemas: [any VersionedSchema.Type] { [CardsV1.self, CardsV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: CardsV1.self, toVersion: CardsV2.self, willMigrate: { _ in starts += 1 },
                didMigrate: { context in
                    ends += 1
                    if failures > 0 {
                        failures -= 1
                        throw Failure()
                    }
                    for card in try context.fetch(FetchDescriptor<CardsV2.Card>()) {
                        card.initials = String(card.name.split(separator: " ").compactMap(\.first))
                    }
                    try context.save()
                })
        ]
    }
}

enum ShipsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Hull.self, Sail.self] }

    @Model final class Hull {
        init() {}
    }

    @Model final class Sail {
        init() {}
    }
}

enum ShipsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Hull.self, Sail.self] }

    @Model final class Hull {
        var number = 2
        init() {}
    }

    @Model final class Sail {
        var number = 3
        init() {}
    }
}

enum ShipsV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Hull.self, Sail.self] }

    @Model final class Hull {
        var number = 2
        var label = ""
        init() {}
    }

    @Model final class Sail {
        var number = 3
        var label = ""
        init() {}
    }
}

enum ShipsPlan: SchemaMigrationPlan {
    struct Failure: Error {}

    /// How many runs of the last block for the second store are still to fail.
    nonisolated(unsafe) static var failures = 0
    /// The blocks that ran, with the numbers of hulls and sails in their contexts.
    nonisolated(unsafe) static var seen: [String] = []

    static var schemas: [any VersionedSchema.Type] { [ShipsV1.self, ShipsV2.self, ShipsV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: ShipsV1.self, toVersion: ShipsV2.self),
            .custom(
                fromVersion: ShipsV2.self, toVersion: ShipsV3.self,
                willMigrate: { context in
                    let hulls = try context.fetchCount(FetchDescriptor<ShipsV2.Hull>())
                    seen.append("will \(hulls) \(try context.fetchCount(FetchDescriptor<ShipsV2.Sail>()))")
                },
                didMigrate: { context in
                    let hulls = try context.fetch(FetchDescriptor<ShipsV3.Hull>())
                    let sails = try context.fetch(FetchDescriptor<ShipsV3.Sail>())
                    seen.append("did \(hulls.count) \(sails.count)")
                    for hull in hulls { hull.label = "hull \(hull.number)" }
                    for sail in sails { sail.label = "sail \(sail.number)" }
                    if !sails.isEmpty, failures > 0 {
                        failures -= 1
                        throw Failure()
                    }
                    try context.save()
                }),
        ]
    }
}
