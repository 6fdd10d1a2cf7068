import CoreData
import TestSupport
import Testing

/// Random edits of one store by two coordinators and another process, compared with a plain model: objects, values in
/// external files, values that cannot be read, metadata, pinned contexts, failed saves, stores that are removed and
/// added again, and in the end a migration by the other process.
///
/// `MODELC_STORE_ROUNDS` is the number of edits in the long form, `MODELC_STORE_SEED` repeats one run.
@Suite(.serialized) struct SharedStoreFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Whether the runs are random ones: otherwise they are always the same, on any machine.
    private static let isLong = environment["MODELC_STORE_ROUNDS"] != nil
    private static let rounds = Int(environment["MODELC_STORE_ROUNDS"] ?? "") ?? 120
    private static let seed = UInt64(environment["MODELC_STORE_SEED"] ?? "")

    /// Stores a text with a mark.
    private final class Payload: ValueTransformer {
        static let name = NSValueTransformerName("SharedStoreFuzzTests.Payload")

        override class func allowsReverseTransformation() -> Bool { true }

        override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data("p\($0)".utf8) } }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0.dropFirst(), as: UTF8.self) }
        }
    }

    /// - Parameter rates: Whether photos have a rating, as in the next version.
    private static func model(rates: Bool = false) -> NSManagedObjectModel {
        let rating = SmallModel.attribute("rating", .integer64AttributeType) { $0.defaultValue = 5 }
        return SmallModel.model([
            SmallModel.entity(
                "Photo",
                (rates ? [rating] : []) + [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("value", .integer64AttributeType),
                    SmallModel.attribute("data", .binaryDataAttributeType) {
                        $0.allowsExternalBinaryDataStorage = true
                    },
                    SmallModel.attribute("payload", .transformableAttributeType) {
                        $0.valueTransformerName = Payload.name.rawValue
                    },
                ])
        ])
    }

    /// The content that the store should have.
    private struct Expected: Equatable {
        struct Photo: Equatable {
            var value: Int
            var byte: UInt8
            var payload: String?
        }

        var photos: [Int: Photo] = [:]
        var metadata: [String: String] = [:]
    }

    /// A coordinator with a context.
    private final class Actor {
        let coordinator: NSPersistentStoreCoordinator
        let url: URL
        let context: NSManagedObjectContext
        var store: NSPersistentStore
        /// A pinned context, and what it should see.
        var pinned: (context: NSManagedObjectContext, expected: [Int: Expected.Photo])?

        init(_ url: URL, _ model: NSManagedObjectModel = model()) throws {
            self.url = url
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSPersistentStoreTimeoutOption: 0.1])
            context = try Library.context(coordinator)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        }

        func addAgain() throws {
            pinned = nil
            try coordinator.remove(store)
            store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSPersistentStoreTimeoutOption: 0.1])
        }
    }

    private static func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 110_000) }

    private static func photo(_ number: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        request.predicate = NSPredicate(format: "number == %d", number)
        return try #require(try context.fetch(request).first)
    }

    /// Returns the photos as a context sees them.
    private static func photos(_ context: NSManagedObjectContext) throws -> [Int: Expected.Photo] {
        try context.performAndWait {
            var result: [Int: Expected.Photo] = [:]
            for photo in try context.all("Photo") {
                let number = try #require(photo.value(forKey: "number") as? Int)
                let data = photo.value(forKey: "data") as? Data
                #expect(result[number] == nil, "photo \(number) is there twice")
                result[number] = Expected.Photo(
                    value: photo.value(forKey: "value") as? Int ?? -1,
                    byte: data?.count == 110_000 ? data?.first ?? 0 : 0,
                    payload: photo.value(forKey: "payload") as? String)
            }
            return result
        }
    }

    /// A run of edits, with the content that the store should have.
    private final class Run {
        private let seed: UInt64
        private var random: SeededGenerator
        private let store: TestStore
        private let actors: [Actor]
        private let writer: WriterProcess
        private var expected = Expected()
        /// The number of the next photo.
        private var next = 1
        /// Whether payloads can be decoded.
        private var isReadable = true
        /// The current edit in messages.
        private(set) var position = ""

        init(seed: UInt64) throws {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            store = try TestStore(model())
            ValueTransformer.setValueTransformer(Payload(), forName: Payload.name)
            actors = [try Actor(store.url), try Actor(store.url)]
            writer = try WriterProcess("edit", store.url.path)
        }

        /// Makes a random edit, and compares the content.
        func edit(round: Int) throws {
            let actor = actors[Int.random(in: 0..<2, using: &random)]
            let number = expected.photos.keys.sorted().randomElement(using: &random)
            let byte = UInt8.random(in: 1...255, using: &random)
            let value = Int.random(in: 1...1000, using: &random)
            let kind = Int.random(in: 0..<14, using: &random)
            position = "MODELC_STORE_SEED=\(seed), round \(round), kind \(kind)"
            switch (kind, number) {
            case (0...1, _), (_, nil): try insert(actor.context, value: value, byte: byte)
            case (2, _):
                order("insert \(next) \(value) \(byte)")
                expected.photos[next] = Expected.Photo(value: value, byte: byte)
                next += 1
            case (3...4, let number?): try setValue(value, of: number, actor.context)
            case (5...6, let number?): try setData(byte, of: number, actor.context)
            case (7, let number?): setElsewhere(number, value: value, byte: byte)
            case (8, let number?): try delete(number, actor.context)
            case (9, _): try setMetadata("r\(round)", actor)
            case (10, _): try actor.addAgain()
            case (11, _): try pin(actor)
            case (12, _):
                isReadable.toggle()
                ValueTransformer.setValueTransformer(isReadable ? Payload() : nil, forName: Payload.name)
            case (_, let number?): try saveDuringLock(value, of: number, actor.context)
            }
            try compare()
        }

        // MARK: Edits

        private func insert(_ context: NSManagedObjectContext, value: Int, byte: UInt8) throws {
            try context.performAndWait {
                let payload = isReadable ? "payload \(next)" : nil
                let photo = context.make("Photo", ["number": next, "value": value, "data": data(byte)])
                photo.setValue(payload, forKey: "payload")
                try context.save()
                expected.photos[next] = Expected.Photo(value: value, byte: byte, payload: payload)
            }
            next += 1
        }

        /// Lets the other process edit the store.
        private func order(_ line: String) {
            writer.send(line)
            #expect(writer.nextLine() == "ok", "\(position)")
        }

        /// Changes an object that another program may have changed since it was read.
        private func setValue(_ value: Int, of number: Int, _ context: NSManagedObjectContext) throws {
            try context.performAndWait {
                if Bool.random(using: &random) { context.reset() }
                let photo = try photo(number, context)
                photo.setValue(value, forKey: "value")
                try context.save()
            }
            expected.photos[number]?.value = value
        }

        private func setData(_ byte: UInt8, of number: Int, _ context: NSManagedObjectContext) throws {
            try context.performAndWait {
                let photo = try photo(number, context)
                photo.setValue(data(byte), forKey: "data")
                try context.save()
            }
            expected.photos[number]?.byte = byte
        }

        private func setElsewhere(_ number: Int, value: Int, byte: UInt8) {
            let isValue = Bool.random(using: &random)
            order(isValue ? "value \(number) \(value)" : "data \(number) \(byte)")
            if isValue { expected.photos[number]?.value = value } else { expected.photos[number]?.byte = byte }
        }

        private func delete(_ number: Int, _ context: NSManagedObjectContext) throws {
            if Bool.random(using: &random) {
                order("delete \(number)")
            } else {
                try context.performAndWait {
                    context.reset()
                    context.delete(try photo(number, context))
                    try context.save()
                }
            }
            expected.photos[number] = nil
        }

        private func setMetadata(_ text: String, _ actor: Actor) throws {
            let key = "key\(Int.random(in: 0..<3, using: &random))"
            if Bool.random(using: &random) {
                order("metadata \(key) \(text)")
            } else {
                var metadata = actor.coordinator.metadata(for: actor.store)
                metadata[key] = text
                actor.coordinator.setMetadata(metadata, for: actor.store)
                try actor.context.performAndWait { try actor.context.save() }
            }
            let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store.url)
            expected.metadata[key] = text
            for (key, text) in expected.metadata { #expect(stored[key] as? String == text, "\(position)") }
        }

        private func pin(_ actor: Actor) throws {
            let pinned = try Library.context(actor.coordinator)
            try pinned.performAndWait {
                try pinned.setQueryGenerationFrom(.current)
                _ = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo"))
            }
            actor.pinned = (pinned, expected.photos)
        }

        /// A save that fails for a lock changes nothing, and can be repeated.
        private func saveDuringLock(_ value: Int, of number: Int, _ context: NSManagedObjectContext) throws {
            // Without a new value the save has nothing to write.
            let value = expected.photos[number]?.value == value ? value + 1 : value
            let lock = try store.database()
            try lock.run("BEGIN IMMEDIATE")
            try context.performAndWait {
                context.reset()
                try photo(number, context).setValue(value, forKey: "value")
                #expect(nsError { try context.save() } != nil, "\(position)")
                try lock.run("ROLLBACK")
                try context.save()
            }
            expected.photos[number]?.value = value
        }

        // MARK: Comparisons

        private func compare() throws {
            let readable =
                isReadable
                ? expected.photos
                : expected.photos.mapValues { photo in
                    var photo = photo
                    photo.payload = nil
                    return photo
                }
            let reader = actors[Int.random(in: 0..<2, using: &random)]
            reader.context.performAndWait { reader.context.reset() }
            #expect(try photos(reader.context) == readable, "\(position)")
            if isReadable, let pinned = reader.pinned {
                #expect(try photos(pinned.context) == pinned.expected, "\(position), pinned")
            }
        }

        /// Lets the other process migrate the store: the open stores notice it, and write nothing.
        func migrate() throws {
            writer.close()
            #expect(writer.finish().code == 0)
            ValueTransformer.setValueTransformer(Payload(), forName: Payload.name)
            for actor in actors { actor.pinned = nil }
            let version = model(rates: true)
            let file = store.folder.appendingPathComponent("Next.mom")
            try MappingArchive.model(version).write(to: file)
            #expect(try WriterProcess("migrate", store.url.path, file.path).finish().lines.last == "migrated")
            for actor in actors {
                actor.context.performAndWait {
                    _ = actor.context.make("Photo", ["number": 0])
                    let error = nsError { try actor.context.save() }
                    #expect(
                        error?.code == NSPersistentStoreIncompatibleVersionHashError,
                        "MODELC_STORE_SEED=\(seed): \(error as Any)")
                }
                try actor.coordinator.remove(actor.store)
            }
            let last = try Actor(store.url, version)
            try last.context.performAndWait {
                let photos = try last.context.all("Photo")
                #expect(photos.allSatisfy { $0.value(forKey: "rating") as? Int == 5 })
            }
            #expect(try photos(last.context) == expected.photos, "MODELC_STORE_SEED=\(seed)")
            let files = try store.files().filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }
            #expect(files.count == expected.photos.count, "MODELC_STORE_SEED=\(seed)")
        }
    }

    @Test func programsShareAStore() throws {
        defer { ValueTransformer.setValueTransformer(nil, forName: Payload.name) }
        // Comparisons take longer as a store grows.
        for first in stride(from: 1, through: Self.rounds, by: 500) {
            let run = try Run(seed: Self.seed ?? (Self.isLong ? .random(in: 0...99_999) : 1))
            for round in first...min(first + 499, Self.rounds) {
                do {
                    try run.edit(round: round)
                } catch {
                    Issue.record("\(run.position): \(error)")
                    return
                }
            }
            try run.migrate()
        }
    }
}
