import SwiftData
import Testing

/// What the history keeps of deleted models.
@Suite struct TombstoneTests {
    private func deletion<T: PersistentModel>(of type: T.Type, in context: ModelContext) throws -> HistoryTombstone<T> {
        let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        guard case .delete(let deletion as DefaultHistoryDelete<T>)? = history.last?.changes.first else {
            throw CocoaError(.coderValueNotFound)
        }
        return deletion.tombstone
    }

    private func deleted<T: PersistentModel>(_ model: T) throws -> HistoryTombstone<T> {
        let context = ModelContext(try makeContainer(T.self))
        context.insert(model)
        try context.save()
        context.delete(model)
        try context.save()
        return try deletion(of: T.self, in: context)
    }

    @Test func valuesOfAllTypesAreKept() throws {
        let consignment = Consignment()
        consignment.link = URL(string: "https://example.com/a")
        consignment.weight = 1.5
        consignment.stops = ["a", "b"]
        consignment.label = Format(width: 3, height: 4, unit: nil)
        consignment.list = ["x", 1] as NSArray
        let key = consignment.key
        let tombstone = try deleted(consignment)
        #expect(tombstone[\.key] as? UUID == key)
        #expect(tombstone[\.link] as? URL == URL(string: "https://example.com/a"))
        #expect(tombstone[\.weight] as? Double == 1.5)
        #expect(tombstone[\.price] as? Decimal == Decimal(string: "1.25"))
        #expect(tombstone[\.stops] as? [String] == ["a", "b"])
        #expect(tombstone[\.label] as? Format == Format(width: 3, height: 4, unit: nil))
        #expect(tombstone[\.list] as? NSArray == ["x", 1])
        // The columns of composite attributes are not kept.
        #expect(tombstone[\.genre] == nil)
        #expect(Array(tombstone).count == 7)
    }

    @Test func attributesWithoutValueHaveNoEntry() throws {
        let tombstone = try deleted(Consignment())
        #expect(tombstone[\.link] == nil)
        #expect(tombstone[\.weight] == nil)
        #expect(tombstone[\.list] == nil)
        #expect(tombstone[\.stops] as? [String] == [])
    }

    /// Only attributes in one column have a column for deleted models.
    @Test func valuesMoveWithTheirAttributesInAMigration() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).store")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        try {
            let context = ModelContext(
                try ModelContainer(for: Schema([BadgesV1.Badge.self]), configurations: [ModelConfiguration(url: url)]))
            let badge = BadgesV1.Badge()
            context.insert(badge)
            try context.save()
            context.delete(badge)
            try context.save()
            #expect(try deletion(of: BadgesV1.Badge.self, in: context)[\.number] as? Int == 7)
        }()
        let context = ModelContext(
            try ModelContainer(for: Schema([BadgesV2.Badge.self]), configurations: [ModelConfiguration(url: url)]))
        #expect(try deletion(of: BadgesV2.Badge.self, in: context)[\.number] as? Int == 7)
    }
}

@Model final class Consignment {
    @Attribute(.preserveValueOnDeletion) var key = UUID()
    @Attribute(.preserveValueOnDeletion) var link: URL?
    @Attribute(.preserveValueOnDeletion) var weight: Double?
    @Attribute(.preserveValueOnDeletion) var price = Decimal(125) / 100
    @Attribute(.preserveValueOnDeletion) var stops: [String] = []
    @Attribute(.codable, .preserveValueOnDeletion) var label = Format(width: 1, height: 2, unit: "cm")
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData"), .preserveValueOnDeletion) var list: NSArray?
    @Attribute(.preserveValueOnDeletion) var genre = Genre.poetry

    init() {}
}

enum BadgesV1 {
    @Model final class Badge {
        @Attribute(.preserveValueOnDeletion) var genre = Genre.poetry
        @Attribute(.preserveValueOnDeletion) var number = 7

        init() {}
    }
}

enum BadgesV2 {
    @Model final class Badge {
        @Attribute(.preserveValueOnDeletion) var number = 7

        init() {}
    }
}
