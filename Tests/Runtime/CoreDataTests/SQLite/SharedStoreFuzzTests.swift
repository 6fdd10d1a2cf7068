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

    @Test func programsShareAStore() throws {
        let seed = Self.seed ?? UInt64.random(in: 0...99_999)
        var random = SeededGenerator(seed: seed)
        let store = try TestStore(Self.model())
        ValueTransformer.setValueTransformer(Payload(), forName: Payload.name)
        defer { ValueTransformer.setValueTransformer(nil, forName: Payload.name) }
        let actors = [try Actor(store.url), try Actor(store.url)]
        let writer = try WriterProcess("edit", store.url.path)
        var expected = Expected()
        var (next, isReadable) = (1, true)
        for round in 1...Self.rounds {
            let actor = actors[Int.random(in: 0..<2, using: &random)]
            let context = actor.context
            let number = expected.photos.keys.sorted().randomElement(using: &random)
            let byte = UInt8.random(in: 1...255, using: &random)
            let value = Int.random(in: 1...1000, using: &random)
            let kind = Int.random(in: 0..<14, using: &random)
            let position = "MODELC_STORE_SEED=\(seed), round \(round), kind \(kind)"
            do {
                switch (kind, number) {
                case (0...1, _), (_, nil):
                    try context.performAndWait {
                        let payload = isReadable ? "payload \(next)" : nil
                        let photo = context.make("Photo", ["number": next, "value": value, "data": Self.data(byte)])
                        photo.setValue(payload, forKey: "payload")
                        try context.save()
                        expected.photos[next] = Expected.Photo(value: value, byte: byte, payload: payload)
                    }
                    next += 1
                case (2, _):
                    writer.send("insert \(next) \(value) \(byte)")
                    #expect(writer.nextLine() == "ok", "\(position)")
                    expected.photos[next] = Expected.Photo(value: value, byte: byte)
                    next += 1
                case (3...4, let number?):
                    // Also with objects that others have changed since they were read.
                    try context.performAndWait {
                        if Bool.random(using: &random) { context.reset() }
                        let photo = try Self.photo(number, context)
                        photo.setValue(value, forKey: "value")
                        try context.save()
                    }
                    expected.photos[number]?.value = value
                case (5...6, let number?):
                    try context.performAndWait {
                        let photo = try Self.photo(number, context)
                        photo.setValue(Self.data(byte), forKey: "data")
                        try context.save()
                    }
                    expected.photos[number]?.byte = byte
                case (7, let number?):
                    let isValue = Bool.random(using: &random)
                    writer.send(isValue ? "value \(number) \(value)" : "data \(number) \(byte)")
                    #expect(writer.nextLine() == "ok", "\(position)")
                    if isValue { expected.photos[number]?.value = value } else { expected.photos[number]?.byte = byte }
                case (8, let number?):
                    if Bool.random(using: &random) {
                        writer.send("delete \(number)")
                        #expect(writer.nextLine() == "ok", "\(position)")
                    } else {
                        try context.performAndWait {
                            context.reset()
                            context.delete(try Self.photo(number, context))
                            try context.save()
                        }
                    }
                    expected.photos[number] = nil
                case (9, _):
                    let key = "key\(Int.random(in: 0..<3, using: &random))"
                    if Bool.random(using: &random) {
                        writer.send("metadata \(key) r\(round)")
                        #expect(writer.nextLine() == "ok", "\(position)")
                    } else {
                        var metadata = actor.coordinator.metadata(for: actor.store)
                        metadata[key] = "r\(round)"
                        actor.coordinator.setMetadata(metadata, for: actor.store)
                        try context.performAndWait { try context.save() }
                    }
                    let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType, at: store.url)
                    expected.metadata[key] = "r\(round)"
                    for (key, text) in expected.metadata { #expect(stored[key] as? String == text, "\(position)") }
                case (10, _): try actor.addAgain()
                case (11, _):
                    let pinned = try Library.context(actor.coordinator)
                    try pinned.performAndWait {
                        try pinned.setQueryGenerationFrom(.current)
                        _ = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo"))
                    }
                    actor.pinned = (pinned, expected.photos)
                case (12, _):
                    isReadable.toggle()
                    ValueTransformer.setValueTransformer(isReadable ? Payload() : nil, forName: Payload.name)
                case (_, let number?):
                    // A save that fails for a lock changes nothing, and can be repeated. Without a new value it has
                    // nothing to write.
                    let other = expected.photos[number]?.value == value ? value + 1 : value
                    let lock = try store.database()
                    try lock.run("BEGIN IMMEDIATE")
                    try context.performAndWait {
                        context.reset()
                        try Self.photo(number, context).setValue(other, forKey: "value")
                        #expect(nsError { try context.save() } != nil, "\(position)")
                        try lock.run("ROLLBACK")
                        try context.save()
                    }
                    expected.photos[number]?.value = other
                }
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
                #expect(try Self.photos(reader.context) == readable, "\(position)")
                if isReadable, let pinned = reader.pinned {
                    #expect(try Self.photos(pinned.context) == pinned.expected, "\(position), pinned")
                }
            } catch {
                Issue.record("\(position): \(error)")
                return
            }
        }
        writer.close()
        #expect(writer.finish().code == 0)
        ValueTransformer.setValueTransformer(Payload(), forName: Payload.name)
        for actor in actors { actor.pinned = nil }
        let version = Self.model(rates: true)
        let file = store.folder.appendingPathComponent("Next.mom")
        try MappingArchive.model(version).write(to: file)
        #expect(try WriterProcess("migrate", store.url.path, file.path).finish().lines.last == "migrated")
        for actor in actors {
            // The open stores notice it, and write nothing.
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
        #expect(try Self.photos(last.context) == expected.photos, "MODELC_STORE_SEED=\(seed)")
        let files = try store.files().filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }
        #expect(files.count == expected.photos.count, "MODELC_STORE_SEED=\(seed)")
    }
}
