import CoreData
import Testing

/// An object that counts how often its hook is called.
final class AwakeningTag: NSManagedObject {
    static let awakened = Recorder<String>()

    override func awakeFromInsert() {
        super.awakeFromInsert()
        Self.awakened.values.append("tag")
    }
}

/// Copying, destroying and replacing stores.
@Suite struct StoreMigrationTests {
    private func temporaryURL() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID()).json")
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        let author = context.make("Author", ["name": "Austen"])
        let emma = context.make("Book", ["title": "Emma", "pages": 300, "author": author])
        let novel = context.make("Novel", ["title": "Persuasion", "author": author, "prequel": emma])
        let tag = context.make("Tag", ["name": "old"])
        tag.setValue(NSSet(array: [emma, novel]), forKey: "books")
        let shelf = context.make("Shelf")
        shelf.setValue(NSOrderedSet(array: [novel, emma]), forKey: "volumes")
        try context.save()
    }

    private func expectAll(_ context: NSManagedObjectContext) throws {
        let books = try context.all("Book", by: "title")
        #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion"])
        #expect(books.map(\.entity.name) == ["Book", "Novel"])
        #expect(books.first?.value(forKey: "pages") as? Int == 300)
        #expect(books.last?.value(forKey: "prequel") as? NSManagedObject === books.first)
        #expect(try #require(try context.all("Author").first).names("books") == ["Emma", "Persuasion"])
        #expect(try #require(try context.all("Tag").first).names("books") == ["Emma", "Persuasion"])
        #expect(try #require(try context.all("Shelf").first).names("volumes") == ["Persuasion", "Emma"])
    }

    @Test func copiesDoNotAwakeAsNewObjects() throws {
        let model = Library.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(AwakeningTag.self)
        let coordinator = try Library.coordinator(model)
        let context = try Library.context(coordinator)
        for number in 0..<3 { _ = context.make("Tag", ["name": "\(number)"]) }
        try context.save()
        #expect(AwakeningTag.awakened.values.count == 3)
        _ = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: URL(fileURLWithPath: "/dev/null"), options: nil, type: .inMemory)
        let other = try Library.context(coordinator)
        let copies = try other.all("Tag", by: "name")
        withExtendedLifetime(other) {
            #expect(copies.map { $0.value(forKey: "name") as? String } == ["0", "1", "2"])
        }
        #expect(copies.allSatisfy { $0 is AwakeningTag } && AwakeningTag.awakened.values.count == 3)
    }

    /// What only its owner may read stays so in a copy.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType], [true, false])
    func copiesHaveTheModesOfTheirSource(_ type: String, _ isMoved: Bool) throws {
        let folder = try TestFolder()
        let (url, copy) = (folder.url.appendingPathComponent("a.store"), folder.url.appendingPathComponent("b.store"))
        let model = SmallModel.model([
            SmallModel.entity(
                "Photo",
                [SmallModel.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true }])
        ])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]))
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Photo", ["data": Data(repeating: 1, count: 200_000)])
            try context.save()
        }
        if isMoved {
            _ = try coordinator.migratePersistentStore(store, to: copy, options: nil, withType: type)
        } else {
            try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, ofType: type)
        }
        let names = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        #expect(names.count >= (type == NSSQLiteStoreType ? 8 : 2))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.url.appendingPathComponent(name).path)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
            #expect(mode == (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o700 : 0o600), "\(name)")
        }
    }

    /// Copies are made in the order of the originals, whose IDs may be spread over a hash table.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func copiesKeepTheOrderOfTheOriginals(_ type: String) throws {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let names = (0..<50).map { "\($0)" }
        for name in names {
            _ = context.make("Tag", ["name": name])
            try context.save()
        }
        let folder = try TestFolder()
        _ = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: folder.url.appendingPathComponent("Copy.store"), options: nil,
            withType: type)
        let other = try Library.context(coordinator)
        let keys = try other.all("Tag").map { copy in
            (
                Int(copy.objectID.uriRepresentation().lastPathComponent.drop { !$0.isNumber }) ?? 0,
                copy.value(forKey: "name") as? String
            )
        }
        #expect(keys.sorted { $0.0 < $1.0 }.map(\.1) == names)
        withExtendedLifetime(other) {}
    }

    @Test func storesMigrateFromMemoryToAFileAndBack() throws {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
        let coordinator = try Library.coordinator()
        let memory = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata(["app": "mine"], for: memory)
        let first = try Library.context(coordinator)
        try fill(first)
        let old = try #require(try first.all("Author").first)
        let url = temporaryURL()
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try coordinator.migratePersistentStore(memory, to: url, options: nil, withType: JSONStore.storeType)
        #expect(coordinator.persistentStores.count == 1 && coordinator.persistentStores.first === file)
        #expect(file.type == JSONStore.storeType && file.url == url && memory.persistentStoreCoordinator == nil)
        #expect(coordinator.metadata(for: file)["app"] as? String == "mine")
        #expect(coordinator.managedObjectID(forURIRepresentation: old.objectID.uriRepresentation()) == nil)
        try expectAll(try Library.context(coordinator))
        try expectAll(try JSONStack(url).context())
        let back = try coordinator.migratePersistentStore(
            file, to: URL(fileURLWithPath: "/dev/null"), options: nil, type: .inMemory)
        #expect(back.type == NSInMemoryStoreType && FileManager.default.fileExists(atPath: url.path))
        let context = try Library.context(coordinator)
        try expectAll(context)
        // The copy can be changed and saved.
        context.delete(try #require(try context.all("Author").first))
        _ = context.make("Author")
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
    }

    @Test func incrementalStoresMigrate() throws {
        let server = try ServerStack()
        try fill(try server.context())
        let memory = try server.coordinator.migratePersistentStore(
            server.store, to: URL(fileURLWithPath: "/dev/null"), options: nil, withType: NSInMemoryStoreType)
        try expectAll(try server.context())
        let other = Server()
        try server.coordinator.migratePersistentStore(
            memory, to: URL(fileURLWithPath: "/other"), options: [DictionaryStore.serverOption: other],
            withType: "DictionaryStore")
        try expectAll(try server.context())
        #expect(other.records.count == 5)
    }

    /// Observers learn about the removal before the copy is made, so what they save is copied.
    @Test func savesBeforeTheRemovalAreCopied() throws {
        let folder = try TestFolder()
        let coordinator = try Library.coordinator()
        let store = coordinator.persistentStores[0]
        let context = try Library.context(coordinator)
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
        ) { _ in
            context.performAndWait {
                _ = context.make("Tag", ["name": "late"])
                #expect(throws: Never.self) { try context.save() }
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try coordinator.migratePersistentStore(
            store, to: folder.url.appendingPathComponent("Copy.sqlite"), options: nil, withType: NSSQLiteStoreType)
        let other = try Library.context(coordinator)
        #expect(try other.all("Tag").map { $0.value(forKey: "name") as? String } == ["late"])
    }

    @Test func anExistingFileIsReplaced() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let context = try stack.context()
        _ = context.make("Author", ["name": "another"])
        try context.save()
        let coordinator = try Library.coordinator()
        try fill(try Library.context(coordinator))
        try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: stack.url, options: nil, withType: JSONStore.storeType)
        try expectAll(try JSONStack(stack.url).context())
        #expect(try JSONStack(stack.url).context().all("Author").count == 1)
    }

    @Test func aFailedMigrationChangesNothing() throws {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
        let coordinator = try Library.coordinator()
        let memory = coordinator.persistentStores[0]
        try fill(try Library.context(coordinator))
        let url = temporaryURL()
        JSONStore.refusesToSave.withLock { _ = $0.insert(url) }
        defer { JSONStore.refusesToSave.withLock { _ = $0.remove(url) } }
        #expect(throws: CocoaError(.fileWriteOutOfSpace)) {
            try coordinator.migratePersistentStore(memory, to: url, options: nil, withType: JSONStore.storeType)
        }
        #expect(coordinator.persistentStores.first === memory && !FileManager.default.fileExists(atPath: url.path))
        try expectAll(try Library.context(coordinator))
        #expect {
            try coordinator.migratePersistentStore(memory, to: url, options: nil, withType: "unknown")
        } throws: { ($0 as NSError).code == NSPersistentStoreInvalidTypeError }
        let foreign = try Library.coordinator().persistentStores[0]
        #expect {
            try coordinator.migratePersistentStore(foreign, to: url, options: nil, withType: NSInMemoryStoreType)
        } throws: { ($0 as NSError).code == NSPersistentStoreOperationError }
    }

    @Test func destroyingRemovesTheFile() throws {
        let stack = try JSONStack()
        try fill(try stack.context())
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        for _ in 0..<2 {
            try coordinator.destroyPersistentStore(at: stack.url, ofType: JSONStore.storeType, options: nil)
            #expect(!FileManager.default.fileExists(atPath: stack.url.path))
        }
        try coordinator.destroyPersistentStore(at: stack.url, type: .inMemory)
        try coordinator.destroyPersistentStore(at: URL(fileURLWithPath: "/dev/null"), type: .sqlite)
        _ = try ServerStack()
        for (type, code) in [
            ("unknown", NSPersistentStoreInvalidTypeError), ("DictionaryStore", NSPersistentStoreOperationError),
        ] {
            #expect {
                try coordinator.destroyPersistentStore(at: stack.url, ofType: type, options: nil)
            } throws: { ($0 as NSError).code == code }
        }
    }

    @Test func replacingCopiesTheFile() throws {
        let (one, other) = (try JSONStack(), try JSONStack())
        defer {
            one.removeFile()
            other.removeFile()
        }
        try fill(try one.context())
        let context = try other.context()
        _ = context.make("Author")
        try context.save()
        func replace(_ destination: URL, _ source: URL, _ type: String = JSONStore.storeType) throws {
            try other.coordinator.replacePersistentStore(
                at: destination, destinationOptions: nil, withPersistentStoreFrom: source, sourceOptions: nil,
                ofType: type)
        }
        let isOperationError = { (error: any Error) in (error as NSError).code == NSPersistentStoreOperationError }
        #expect { try replace(other.url, one.url) } throws: { isOperationError($0) }
        try other.coordinator.remove(other.store)
        #expect { try replace(other.url, temporaryURL()) } throws: { isOperationError($0) }
        #expect { try replace(other.url, one.url, NSInMemoryStoreType) } throws: { isOperationError($0) }
        #expect(try JSONStack(other.url).context().all("Author").count == 1)
        try replace(other.url, one.url)
        try expectAll(try JSONStack(other.url).context())
        try expectAll(try JSONStack(one.url).context())
    }
}
