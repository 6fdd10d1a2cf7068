import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import StoreFile
import TestSupport
import Testing

@testable import CoreData

/// PostgreSQL stores that are not open: metadata, deletion and copies; and copies of SQLite stores.
@Suite(.needsPostgreSQL) struct PostgreSQLClosedStoreTests {
    /// Fills a store with objects of all kinds and relationships.
    private func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let authors = (0..<3).map { (number: Int) in context.make("Author", ["name": "a\(number)", "age": number]) }
            let tags = (0..<3).map { context.make("Tag", ["name": "t\($0)"]) }
            let shelf = context.make("Shelf", ["name": "s"])
            let books = (0..<6).map { number in
                let book = context.make(
                    number % 2 == 0 ? "Book" : "Novel",
                    [
                        "title": "b\(number)", "pages": number, "price": 0.1 * Double(number),
                        "date": Date(timeIntervalSinceReferenceDate: 0.1 + Double(number)), "uuid": UUID(),
                        "data": Data([0, 1, 255]), "cost": NSDecimalNumber(string: "1234.5678"),
                        "link": URL(string: "https://example.org/\(number)"), "extra": ["x": number] as NSDictionary,
                        "author": authors[number % 3],
                    ])
                book.setValue(NSSet(array: [tags[number % 3], tags[0]]), forKey: "tags")
                return book
            }
            shelf.setValue(NSOrderedSet(array: [books[4], books[1], books[3]]), forKey: "volumes")
            books[0].setValue(books[5], forKey: "sequel")
            try context.save()
        }
    }

    @Test func metadataIsReadAndWritten() throws {
        let stack = try PostgreSQLStack()
        let read = {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSPostgreSQLStoreType, at: stack.url)
        }
        #expect(try #require(nsError { _ = try read() }).code == CocoaError.Code.persistentStoreOpen.rawValue)
        let coordinator = try stack.coordinator()
        let store = try #require(coordinator.persistentStores.first)
        var metadata = try read()
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(metadata[NSStoreTypeKey] as? String == NSPostgreSQLStoreType)
        #expect(stack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        try coordinator.remove(store)
        metadata["app"] = "x"
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: NSPostgreSQLStoreType, at: stack.url)
        #expect(try read()["app"] as? String == "x")
        let again = try stack.coordinator()
        #expect(again.persistentStores.first?.metadata["app"] as? String == "x")
        #expect(again.persistentStores.first?.identifier == store.identifier)
    }

    @Test func coordinatorsThatSetDifferentKeysKeepBoth() throws {
        let stack = try PostgreSQLStack()
        let contexts = try [stack.context(), stack.context()]
        let stores = try contexts.map { try #require($0.postgreSQL) }
        for (number, store) in stores.enumerated() { store.metadata["key\(number)"] = "\(number)" }
        for context in contexts { try context.performAndWait { try context.save() } }
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSPostgreSQLStoreType, at: stack.url)
        #expect(stored["key0"] as? String == "0" && stored["key1"] as? String == "1")
        #expect(stores[1].metadata["key0"] as? String == "0")
        #expect(stored[NSStoreUUIDKey] as? String == stores[0].identifier)
        #expect(stack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: stored))
    }

    @Test func destroyingLeavesUnrelatedTables() throws {
        let stack = try PostgreSQLStack()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
        func destroy(_ options: [AnyHashable: Any] = [:]) throws {
            try coordinator.destroyPersistentStore(at: stack.url, ofType: NSPostgreSQLStoreType, options: options)
        }
        try destroy()
        let options: [AnyHashable: Any] = [NSPostgreSQLSchemaOption: "My \"Store\""]
        for store in [try stack.coordinator(HistoryStack.tracking), try stack.coordinator(options)] {
            try fill(stack.context(store))
            try store.remove(#require(store.persistentStores.first))
        }
        try stack.run("CREATE TABLE coredata.mine (a int8)", "INSERT INTO coredata.mine VALUES (7)")
        try destroy()
        #expect(try stack.text("SELECT a::text FROM coredata.mine") == "7")
        #expect(
            try stack.text(
                "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = 'coredata'::regnamespace") == "mine"
        )
        #expect(try stack.text("SELECT count(*)::text FROM \"My \"\"Store\"\"\".\"Author\"") == "3")
        try destroy(options)
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname LIKE 'My%'") == "0")
        // The schema can be reused.
        try stack.run("DROP TABLE coredata.mine")
        try fill(stack.context(stack.coordinator()))
    }

    @Test func replacingCopiesAStore() throws {
        let stack = try PostgreSQLStack()
        let original = try stack.coordinator(HistoryStack.tracking)
        try fill(stack.context(original))
        let other = try PostgreSQLStack()
        let old = try other.coordinator()
        try fill(other.context(old))
        try old.remove(#require(old.persistentStores.first))
        let options: [AnyHashable: Any] = [NSPostgreSQLSchemaOption: "coredata"]
        try old.replacePersistentStore(
            at: other.url, destinationOptions: options, withPersistentStoreFrom: stack.url, sourceOptions: options,
            ofType: NSPostgreSQLStoreType)
        let copy = try other.coordinator(HistoryStack.tracking)
        #expect(copy.persistentStores.first?.identifier == original.persistentStores.first?.identifier)
        #expect(try StoreComparison.text(of: copy) == StoreComparison.text(of: original))
        let context = try other.context(copy)
        try context.performAndWait {
            #expect(try context.history().count == 1)
            // New keys differ from the copied ones.
            _ = context.make("Author")
            try context.save()
            #expect(try context.all("Author").count == 4)
        }
        #expect(
            try #require(
                nsError {
                    try old.replacePersistentStore(
                        at: other.url, destinationOptions: options, withPersistentStoreFrom: stack.url,
                        sourceOptions: [NSPostgreSQLSchemaOption: "none"], ofType: NSPostgreSQLStoreType)
                }
            ).localizedDescription.contains("none"))
        #expect(try context.performAndWait { try context.all("Author").count } == 4)
    }

    @Test func migratingCopiesSQLiteFilesToPostgreSQLAndBack() throws {
        let stack = try PostgreSQLStack()
        let files = try HistoryStack()
        let coordinator = try files.coordinator([:])
        try fill(files.context(coordinator))
        try expectEqualCopies(coordinator, stack, files.folder)
    }

    /// The number of the entity is part of a reference to a hierarchy.
    @Test func referencesToSubentitiesAreCopied() throws {
        let model = try MigrationFixture.model(
            """
            <entity name="Owner"><attribute name="name" optional="YES" attributeType="String"/></entity>\
            <entity name="Pet"><relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner"/></entity>\
            <entity name="VIP" parentEntity="Owner"/>
            """)
        let stack = try PostgreSQLStack(model)
        let files = try HistoryStack(model)
        let coordinator = try files.coordinator([:])
        let context = try files.context(coordinator)
        try context.performAndWait {
            for entity in ["Owner", "VIP"] {
                _ = context.make("Pet", ["owner": context.make(entity, ["name": entity])])
            }
            _ = context.make("Pet", [:])
            try context.save()
        }
        try expectEqualCopies(coordinator, stack, files.folder)
    }

    /// Copies a store to PostgreSQL and from there into another file, and compares all three.
    private func expectEqualCopies(
        _ coordinator: NSPersistentStoreCoordinator, _ stack: PostgreSQLStack, _ folder: URL, schema: String = "copy"
    ) throws {
        let before = try StoreComparison.text(of: coordinator)
        let copy = try coordinator.migratePersistentStore(
            #require(coordinator.persistentStores.first), to: stack.url, options: [NSPostgreSQLSchemaOption: schema],
            withType: NSPostgreSQLStoreType)
        #expect(copy.type == NSPostgreSQLStoreType)
        #expect(try StoreComparison.text(of: coordinator) == before)
        let back = try coordinator.migratePersistentStore(
            copy, to: folder.appendingPathComponent("back-\(UUID().uuidString).sqlite"), withType: NSSQLiteStoreType)
        #expect(back.type == NSSQLiteStoreType)
        #expect(try StoreComparison.text(of: coordinator) == before)
    }

    /// Copies the stores of the corpus whose models are in the stores or in the corpus.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil)) func corpusStoresAreCopied() throws
    {
        let corpus = try #require(ProcessInfo.processInfo.environment["MODELC_CORPUS"])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stack = try PostgreSQLStack()
        let fixture = try CompiledFixture()
        let stores = URL(fileURLWithPath: corpus).appendingPathComponent("stores")
        var (found, copied) = (0, 0)
        let names = FileManager.default.enumerator(atPath: stores.path)?.compactMap { $0 as? String } ?? []
        for name in names.sorted() where [".sqlite", ".store", ".db"].contains(where: name.hasSuffix) {
            let url = stores.appendingPathComponent(name)
            let file = folder.appendingPathComponent("\(found).sqlite")
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
                try FileManager.default.copyItem(atPath: url.path + suffix, toPath: file.path + suffix)
                let writable: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
                try FileManager.default.setAttributes(writable, ofItemAtPath: file.path + suffix)
            }
            found += 1
            do {
                let models = try StoreCorpusTests.models(of: StoreFile(path: file.path), fixture)
                let model = try #require(models.first, "\(name): no model of the corpus has its version hashes")
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: file,
                    options: [NSPersistentHistoryTrackingKey: true])
                try expectEqualCopies(coordinator, stack, folder, schema: "s\(found)")
                copied += 1
            } catch {
                Issue.record(error, "\(name)")
            }
        }
        print("copied \(copied) of \(found) stores of the corpus")
        #expect(copied > 0)
    }
}

/// The content of a store as text, without keys.
enum StoreComparison {
    /// Returns sorted lines of all objects with their values and relationships. Objects are identified by their values.
    static func text(of coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            var lines: [String] = []
            for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: try #require(entity.name))
                request.includesSubentities = false
                for object in try context.fetch(request) {
                    var line = name(object)
                    for (key, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
                    where !relationship.isTransient {
                        let members = objects(object.value(forKey: key)).map(name)
                        line += " \(key)=\(relationship.isOrdered ? members : members.sorted())"
                    }
                    lines.append(line)
                }
            }
            return lines.sorted()
        }
    }

    private static func objects(_ value: Any?) -> [NSManagedObject] {
        if let object = value as? NSManagedObject { return [object] }
        let all = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? []
        return all.compactMap { $0 as? NSManagedObject }
    }

    /// Returns the values of an object, without derived attributes, which follow from the others.
    private static func name(_ object: NSManagedObject) -> String {
        let values = object.entity.attributesByName.sorted { $0.key < $1.key }.compactMap { key, attribute -> String? in
            guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else { return nil }
            return "\(key)=\(text(object.value(forKey: key)))"
        }
        return "\(object.entity.name ?? "")(\(values.joined(separator: ",")))"
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: "\(data.count):\(data.hashValue)"
        case let number as NSNumber: number.stringValue
        case let dictionary as [String: Any]:
            "\(dictionary.sorted { $0.key < $1.key }.map { "\($0.key):\(text($0.value))" })"
        case let value?: "\(value)"
        case nil: "nil"
        }
    }
}
