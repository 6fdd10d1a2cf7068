import CoreData
import Testing

/// Values that a store has and a program cannot read: they are nil to the program, and stay in the store.
@Suite(.serialized) struct UnreadableValueTests {
    /// A transformer that stores a text with a prefix.
    private final class PrefixTransformer: ValueTransformer {
        static let name = NSValueTransformerName("UnreadableValueTests.Prefix")

        override class func allowsReverseTransformation() -> Bool { true }

        override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data("p\($0)".utf8) } }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            guard let data = value as? Data, data.first == UInt8(ascii: "p") else { return nil }
            return String(decoding: data.dropFirst(), as: UTF8.self)
        }
    }

    private static func model(external: Bool = false) -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Item",
                [
                    SmallModel.attribute("title", .stringAttributeType),
                    SmallModel.attribute("payload", .transformableAttributeType) {
                        $0.valueTransformerName = PrefixTransformer.name.rawValue
                    },
                    SmallModel.attribute("data", .binaryDataAttributeType) {
                        $0.allowsExternalBinaryDataStorage = external
                    },
                ])
        ])
    }

    private func register(_ exists: Bool) {
        ValueTransformer.setValueTransformer(exists ? PrefixTransformer() : nil, forName: PrefixTransformer.name)
    }

    private func open(
        _ url: URL, _ type: String, _ model: NSManagedObjectModel = model()
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        return try Library.context(coordinator)
    }

    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    @Test(arguments: types) func savesKeepValuesThatCannotBeRead(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Items.store")
        register(true)
        defer { register(false) }
        let first = try open(url, type)
        try first.performAndWait {
            _ = first.make("Item", ["title": "a", "payload": "hello"])
            _ = first.make("Item", ["title": "b", "payload": "world"])
            try first.save()
        }
        register(false)
        let second = try open(url, type)
        try second.performAndWait {
            let items = try second.all("Item").sorted {
                "\($0.value(forKey: "title")!)" < "\($1.value(forKey: "title")!)"
            }
            #expect(items.map { $0.value(forKey: "payload") as? String } == [nil, nil])
            // Only the title of one object changes.
            items[0].setValue("c", forKey: "title")
            #expect(items[0].changedValues().keys.sorted() == ["title"])
            try second.save()
            // Nil is a value like any other.
            items[1].setValue(nil, forKey: "payload")
            try second.save()
        }
        register(true)
        // The store looks for the transformer each time.
        try second.performAndWait {
            second.reset()
            let values = try second.all("Item").map { $0.value(forKey: "payload") as? String }
            #expect(values.contains("hello") && values.contains(nil))
        }
        let third = try open(url, type)
        try third.performAndWait {
            let values = try third.all("Item").reduce(into: [String: String?]()) {
                $0["\($1.value(forKey: "title")!)"] = .some($1.value(forKey: "payload") as? String)
            }
            #expect(values == ["c": "hello", "b": nil])
        }
    }

    private static func modelWithComposite() -> NSManagedObjectModel {
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.isOptional = true
        address.elements = [
            SmallModel.attribute("street", .stringAttributeType),
            SmallModel.attribute("photo", .transformableAttributeType) {
                $0.valueTransformerName = PrefixTransformer.name.rawValue
            },
        ]
        return SmallModel.model([
            SmallModel.entity("Item", [SmallModel.attribute("title", .stringAttributeType), address])
        ])
    }

    /// - Parameter street: Whether the attribute has another element with a value.
    @Test(arguments: types, [true, false])
    func savesKeepElementsThatCannotBeRead(_ type: String, street: Bool) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Items.store")
        register(true)
        defer { register(false) }
        var address: [String: Any] = ["photo": "sun"]
        if street { address["street"] = "Main" }
        let first = try open(url, type, Self.modelWithComposite())
        try first.performAndWait {
            _ = first.make("Item", ["title": "a", "address": address])
            try first.save()
        }
        register(false)
        let second = try open(url, type, Self.modelWithComposite())
        try second.performAndWait {
            let item = try #require(try second.all("Item").first)
            let known = item.value(forKey: "address") as? [String: Any]
            #expect(known?.keys.sorted() == (street ? ["street"] : nil))
            item.setValue("b", forKey: "title")
            if type != NSSQLiteStoreType {
                // A save that fails leaves the store in memory as it was.
                let hidden = folder.url.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
                try FileManager.default.moveItem(at: folder.url, to: hidden)
                #expect(nsError { try second.save() } != nil)
                try FileManager.default.moveItem(at: hidden, to: folder.url)
            }
            try second.save()
        }
        register(true)
        let third = try open(url, type, Self.modelWithComposite())
        try third.performAndWait {
            let item = try #require(try third.all("Item").first)
            let value = try #require(item.value(forKey: "address") as? [String: Any])
            #expect(value["photo"] as? String == "sun" && value["street"] as? String == (street ? "Main" : nil))
            #expect(item.value(forKey: "title") as? String == "b")
        }
    }

    @Test(arguments: types) func copiesOfValuesThatCannotBeReadFail(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Items.store")
        register(true)
        defer { register(false) }
        let first = try open(url, type)
        try first.performAndWait {
            _ = first.make("Item", ["title": "a", "payload": "hello"])
            try first.save()
        }
        register(false)
        let coordinator = try #require(try open(url, type).persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let target = folder.url.appendingPathComponent("Copy.store")
        let error = nsError {
            _ = try coordinator.migratePersistentStore(store, to: target, options: nil, withType: NSSQLiteStoreType)
        }
        #expect(error?.localizedDescription.contains("“Item.payload”") == true, "\(error as Any)")
        #expect(coordinator.persistentStores == [store])
        let deep = folder.url.appendingPathComponent("a/b/Copy.store")
        #expect(
            nsError {
                _ = try coordinator.migratePersistentStore(store, to: deep, options: nil, withType: NSXMLStoreType)
            } != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.allSatisfy { $0.hasPrefix("Items.store") }, "\(names)")
        register(true)
        let copy = try coordinator.migratePersistentStore(
            store, to: folder.url.appendingPathComponent("Second.store"), options: nil, withType: NSXMLStoreType)
        #expect(coordinator.persistentStores == [copy])
        let context = try Library.context(coordinator)
        #expect(
            try context.performAndWait { try context.all("Item")[0].value(forKey: "payload") as? String } == "hello")
    }

    /// A migration must not put nil in the place of what it cannot read: not where an expression computes a value, nor
    /// where an attribute changes its type, nor where a policy does either (nil).
    @Test(
        arguments: types,
        ["$source.payload", "uppercase($source.payload)", "TERNARY($source.payload == nil, nil, \"p\")", nil])
    func migrationsThatComputeWithValuesThatCannotBeReadFail(_ type: String, _ expression: String?) throws {
        let folder = try TestFolder()
        let (url, new) = (
            folder.url.appendingPathComponent("Old.store"), folder.url.appendingPathComponent("New.store")
        )
        register(true)
        defer { register(false) }
        let first = try open(url, type)
        try first.performAndWait {
            _ = first.make("Item", ["title": "a", "payload": "hello"])
            try first.save()
            try MappingFixture.close(first)
        }
        let second = SmallModel.model([
            SmallModel.entity("Item", [SmallModel.attribute("text", .stringAttributeType)])
        ])
        let mapping = NSMappingModel()
        mapping.entityMappings = [
            MappingFixture.entity(
                "Item", attributes: expression.map { [("text", $0)] } ?? [],
                policy: expression == nil ? "PayloadPolicy" : nil)
        ]
        func migrate() throws {
            try NSMigrationManager(sourceModel: Self.model(), destinationModel: second).migrateStore(
                from: url, sourceType: type, with: mapping, toDestinationURL: new, destinationType: type)
        }
        register(false)
        let bytes = try Data(contentsOf: url)
        let error = nsError { try migrate() }
        let place = expression == nil ? "“PayloadPolicy” failed in createDestinationInstances" : "“Item.text”"
        #expect(error?.localizedDescription.contains(place) == true, "\(error as Any)")
        #expect(try Data(contentsOf: url) == bytes)
        #expect(!FileManager.default.fileExists(atPath: new.path))
        register(true)
        try migrate()
        let migrated = try open(new, type, second)
        let text = try migrated.performAndWait { try migrated.all("Item").first?.value(forKey: "text") as? String }
        let texts = [nil: "hello", "$source.payload": "hello", "uppercase($source.payload)": "HELLO"]
        #expect(text == texts[expression] ?? "p")
    }

    @Test func valuesInUnreadableFilesAreKept() throws {
        let model = Self.model(external: true)
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            let item = context.make("Item", ["title": "a", "data": Data(repeating: 1, count: 150_000)])
            try context.save()
            let name = try #require(try store.files().first { $0.contains("_EXTERNAL_DATA/") })
            let file = store.folder.appendingPathComponent(name)
            let hidden = store.folder.appendingPathComponent("hidden")
            context.reset()
            try FileManager.default.moveItem(at: file, to: hidden)
            let again = try #require(try context.all("Item").first)
            #expect(again.value(forKey: "data") == nil && !again.hasChanges)
            again.setValue("b", forKey: "title")
            try context.save()
            let coordinator = try #require(context.persistentStoreCoordinator)
            let target = store.folder.appendingPathComponent("Copy.sqlite")
            let error = nsError {
                _ = try coordinator.migratePersistentStore(
                    coordinator.persistentStores[0], to: target, options: nil, withType: NSSQLiteStoreType)
            }
            #expect(error?.localizedDescription.contains("“Item.data”") == true, "\(error as Any)")
            try FileManager.default.moveItem(at: hidden, to: file)
            context.reset()
            let back = try #require(try context.all("Item").first)
            #expect(back.value(forKey: "data") as? Data == Data(repeating: 1, count: 150_000))
            #expect(back.value(forKey: "title") as? String == "b")
            _ = item
        }
    }

    /// A value in a file that another context has replaced since the row was read is the new one, not nil.
    @Test func replacedFilesAreReadAgain() throws {
        let store = try TestStore(Self.model(external: true))
        let (one, two) = (try store.open(), try store.open())
        try one.performAndWait {
            _ = one.make("Item", ["title": "a", "data": Data(repeating: 1, count: 150_000)])
            try one.save()
        }
        try two.performAndWait {
            let item = try #require(try two.all("Item").first)
            #expect(item.value(forKey: "title") as? String == "a")
            let names = try store.files().filter { $0.contains("_EXTERNAL_DATA/") }
            try one.performAndWait {
                try one.all("Item")[0].setValue(Data(repeating: 2, count: 150_000), forKey: "data")
                try one.save()
            }
            let now = try store.files().filter { $0.contains("_EXTERNAL_DATA/") }
            #expect(now.count == 1 && now != names)
            let data = item.value(forKey: "data") as? Data
            #expect(data?.count == 150_000 && !item.hasChanges)
        }
    }
}

/// Decoded values of transformable attributes.
@Suite struct DecodedValueTests {
    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    private static func model() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Item",
                [
                    SmallModel.attribute("title", .stringAttributeType),
                    SmallModel.attribute("list", .transformableAttributeType),
                ])
        ])
    }

    private func list(_ object: NSManagedObject?) -> [String]? {
        (object?.value(forKey: "list") as? NSArray)?.compactMap { $0 as? String }
    }

    @Test(arguments: types) func contextsShareNoObjects(_ type: String) throws {
        let folder = try TestFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.url.appendingPathComponent("Items.store"), options: nil)
        let (one, two) = (try Library.context(coordinator), try Library.context(coordinator))
        try one.performAndWait {
            let value = NSMutableArray(array: ["a"])
            let item = one.make("Item", ["list": value])
            try one.save()
            // An unsaved change in place is seen by this context alone.
            value.add("b")
            #expect(list(item) == ["a", "b"])
            try two.performAndWait {
                let other = try two.all("Item").first
                #expect(list(other) == ["a"])
                let own = other?.value(forKey: "list") as? NSMutableArray
                #expect(own !== value && own === other?.value(forKey: "list") as? NSMutableArray)
                own?.add("c")
                two.reset()
                #expect(list(try two.all("Item").first) == ["a"])
            }
            one.refresh(item, mergeChanges: false)
            #expect(list(item) == ["a"])
        }
    }

    /// Reading a value does not count as a change, but setting an object that was changed in place does.
    @Test func changesInPlaceAreSavedWhenTheyAreSet() throws {
        let type = NSSQLiteStoreType
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Items.store")
        func open() throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
            return try Library.context(coordinator)
        }
        let context = try open()
        try context.performAndWait {
            _ = context.make("Item", ["list": NSMutableArray(array: ["a"])])
            try context.save()
            context.reset()
            let item = try #require(try context.all("Item").first)
            let value = try #require(item.value(forKey: "list") as? NSMutableArray)
            item.setValue("t", forKey: "title")
            #expect(item.changedValues().keys.sorted() == ["title"])
            value.add("b")
            item.setValue(value, forKey: "list")
            #expect(item.changedValues().keys.sorted() == ["list", "title"])
            try context.save()
            #expect(!item.hasPersistentChangedValues)
        }
        let other = try open()
        #expect(try other.performAndWait { list(try other.all("Item").first) } == ["a", "b"])
    }
}

/// A temporary folder, which is removed with this object.
final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// A policy that copies the payload.
final class PayloadPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let copy = NSEntityDescription.insertNewObject(forEntityName: "Item", into: manager.destinationContext)
        copy.setValue(source.value(forKey: "payload"), forKey: "text")
        manager.associate(sourceInstance: source, withDestinationInstance: copy, for: mapping)
    }
}
