import CoreData
import TestSupport
import Testing

@testable import CoreData

/// All kinds of saves to a store, with external files and history, and the content of the store after each.
struct CrashWorkload {
    /// The journal mode and synchronization of the store.
    struct Mode: CustomTestStringConvertible {
        var journal: String
        var synchronous: String
        /// Whether another coordinator reads old states of the store meanwhile, so that checkpoints cannot empty the
        /// log.
        var hasReader = false

        var testDescription: String { "\(journal), synchronous = \(synchronous)\(hasReader ? ", with a reader" : "")" }

        var options: [AnyHashable: Any] {
            [
                NSPersistentHistoryTrackingKey: true,
                // Checkpoints happen within a few saves.
                NSSQLitePragmasOption: [
                    "journal_mode": journal, "synchronous": synchronous, "wal_autocheckpoint": "24",
                ],
            ]
        }
    }

    private(set) var operations: [CrashDisk.Operation] = []
    /// The content of the store after each save, starting with the empty store.
    private(set) var states: [[String]] = []

    /// Performs a number of random saves.
    init(_ mode: Mode, seed: UInt64, saves: Int, omitting omission: CrashRecorder.Omission = .nothing) throws {
        var random = SeededGenerator(seed: seed)
        let store = try TestStore(Self.model())
        let recorder = CrashRecorder(store.folder, omitting: omission)
        let vfs = try #require(CrashVFS(recorder))
        var options = mode.options
        options[SQLiteOptions.vfsOption] = vfs.name
        options[SQLiteOptions.diskOption] = recorder
        var context = try store.open(options)
        // From now on, there is at least an empty store.
        states.append(try Self.state(context, store))
        let reader = mode.hasReader ? Reader(context: try store.open(options)) : nil
        for number in 1...saves {
            if random.chance(8) {
                try TestStore.close(context)
                context = try store.open(options)
            }
            try context.performAndWait {
                context.reset()
                recorder.record(.begin(number))
                try Self.change(context, number, &random)
                recorder.record(.acknowledge(number))
            }
            states.append(try Self.state(context, store))
            try reader?.read(&random)
        }
        try TestStore.close(context)
        if let reader { try TestStore.close(reader.context) }
        operations = recorder.operations
        withExtendedLifetime(vfs) {}
    }

    /// A context that reads one state of the store for several saves.
    private final class Reader {
        let context: NSManagedObjectContext
        private var count: Int?

        init(context: NSManagedObjectContext) {
            self.context = context
        }

        /// Checks that the state is the same as before, and sometimes goes on to the newest.
        func read(_ random: inout SeededGenerator) throws {
            let moves = random.chance(4)
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                if let count { #expect(try context.count(for: request) == count) }
                guard moves || count == nil else { return }
                try context.setQueryGenerationFrom(.current)
                count = try context.count(for: request)
            }
        }
    }

    static func model() -> NSManagedObjectModel {
        func relate(
            _ first: (NSEntityDescription, String, Int), _ second: (NSEntityDescription, String, Int)
        ) -> [NSRelationshipDescription] {
            let ends = [(first, second), (second, first)].map { end, other in
                let relationship = NSRelationshipDescription()
                relationship.name = end.1
                relationship.destinationEntity = other.0
                relationship.maxCount = end.2
                relationship.deleteRule = .nullifyDeleteRule
                return relationship
            }
            ends[0].inverseRelationship = ends[1]
            ends[1].inverseRelationship = ends[0]
            first.0.properties.append(ends[0])
            second.0.properties.append(ends[1])
            return ends
        }
        let (group, item, tag) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (group.name, item.name, tag.name) = ("Group", "Item", "Tag")
        let content = attribute("content", .binaryDataAttributeType)
        content.allowsExternalBinaryDataStorage = true
        group.properties = [attribute("number", .integer64AttributeType)]
        item.properties = [attribute("number", .integer64AttributeType), content]
        tag.properties = [attribute("number", .integer64AttributeType)]
        let items = relate((group, "items", 0), (item, "group", 1))[0]
        items.isOrdered = true
        items.deleteRule = .cascadeDeleteRule
        _ = relate((item, "tags", 0), (tag, "items", 0))
        let model = NSManagedObjectModel()
        model.entities = [group, item, tag]
        return model
    }

    // MARK: Saves

    private static func content(_ number: Int, _ random: inout SeededGenerator) -> Data {
        let size = random.chance(5) ? ExternalStorage.threshold + 1 : Int.random(in: 0...3000, using: &random)
        return Data(repeating: UInt8(truncatingIfNeeded: number), count: size)
    }

    private static func add(_ context: NSManagedObjectContext, _ number: Int, _ random: inout SeededGenerator) {
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue(number, forKey: "number")
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue(number, forKey: "number")
        for index in 0..<Int.random(in: 1...4, using: &random) {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(number * 10 + index, forKey: "number")
            item.setValue(content(number, &random), forKey: "content")
            item.setValue(group, forKey: "group")
            item.setValue(NSSet(object: tag), forKey: "tags")
        }
    }

    private static func change(
        _ context: NSManagedObjectContext, _ number: Int, _ random: inout SeededGenerator
    ) throws {
        let items = try context.all("Item", by: "number")
        let groups = try context.all("Group", by: "number")
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where number > 3:
            let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            _ = try context.execute(request)
            return
        case 1 where items.count > 2:
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            let limit = items[items.count / 2].value(forKey: "number") as? Int ?? 0
            request.predicate = NSPredicate(format: "number <= %d AND number > %d", limit, limit - 15)
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            return
        case 2...3 where !groups.isEmpty:
            context.delete(groups[Int.random(in: 0..<groups.count, using: &random)])
        case 4...6 where !items.isEmpty:
            for item in items.shuffled(using: &random).prefix(3) {
                item.setValue(content(number, &random), forKey: "content")
            }
        case 7 where groups.count > 1 && !items.isEmpty:
            // Move items between groups and to other positions, and change their tags.
            for item in items.shuffled(using: &random).prefix(2) {
                groups.randomElement(using: &random)?.mutableOrderedSetValue(forKey: "items").insert(item, at: 0)
                item.setValue(NSSet(array: try context.all("Tag")), forKey: "tags")
            }
        default: break
        }
        if !context.hasChanges || random.chance(2) { add(context, number, &random) }
        try context.save()
    }

    // MARK: States

    /// Describes a content, which is one repeated byte.
    private static func describe(_ content: Data?) -> String {
        guard let content, let byte = content.first else { return content == nil ? "nil" : "empty" }
        return content == Data(repeating: byte, count: content.count) ? "\(content.count) × \(byte)" : "mixed"
    }

    /// Returns the content of a store as text. Throws an error if something cannot be read.
    static func state(_ context: NSManagedObjectContext, _ store: TestStore) throws -> [String] {
        func numbers(_ objects: [Any]) -> [Int] {
            objects.map { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int ?? -1 }
        }
        return try context.performAndWait {
            context.reset()
            var lines: [String] = []
            for group in try context.all("Group", by: "number") {
                let items = (group.value(forKey: "items") as? NSOrderedSet)?.array ?? []
                lines.append("group \(numbers([group])) \(numbers(items))")
            }
            for item in try context.all("Item", by: "number") {
                let content = item.value(forKey: "content") as? Data
                let tags = (item.value(forKey: "tags") as? NSSet)?.allObjects ?? []
                let group = item.value(forKey: "group").map { [$0] } ?? []
                lines.append(
                    "item \(numbers([item])) \(describe(content)) \(numbers(tags).sorted()) \(numbers(group))")
            }
            lines.append("tags \(numbers(try context.all("Tag", by: "number")))")
            let counts = try store.database().rows(
                "SELECT (SELECT count(*) FROM ATRANSACTION), (SELECT count(*) FROM ACHANGE)")
            lines.append("history \(counts)")
            return lines
        }
    }
}
