import CoreData
import Testing

/// The metadata and the identity of stores.
@Suite struct StoreMetadataTests {
    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    private static func model(_ attributes: [String] = ["title"]) -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity("Note", attributes.map { SmallModel.attribute($0, .stringAttributeType) })
        ])
    }

    private func add(
        _ url: URL, _ type: String, _ model: NSManagedObjectModel = model(), migrates: Bool = false
    ) throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: migrates, NSInferMappingModelAutomaticallyOption: migrates,
        ]
        return (
            coordinator,
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        )
    }

    /// IDs of objects would name both stores, and changes be saved to the wrong one.
    @Test(arguments: types) func aStoreDoesNotGetTheUUIDOfAnotherOpenOne(_ type: String) throws {
        let folder = try TestFolder()
        let (coordinator, first) = try add(folder.url.appendingPathComponent("a.store"), type)
        let second = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.url.appendingPathComponent("b.store"))
        let own = second.identifier
        coordinator.setMetadata([NSStoreUUIDKey: first.identifier as Any, "own": 1], for: second)
        #expect(second.identifier == own && second.metadata?["own"] as? Int == 1)
        let context = try Library.context(coordinator)
        try context.performAndWait { try context.save() }
        let url = try #require(second.url)
        let saved = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(saved[NSStoreUUIDKey] as? String == own && saved["own"] as? Int == 1)
        coordinator.setMetadata([NSStoreUUIDKey: "other"], for: second)
        #expect(second.identifier == "other")
    }

    /// The ways to set metadata.
    enum Way: CaseIterable { case coordinator, store, closedStore }

    @Test(arguments: types, Way.allCases)
    func settingMetadataKeepsTheVersionOfTheModel(_ type: String, _ way: Way) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.store")
        let (coordinator, store) = try add(url, type)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Note", ["title": "a"])
            try context.save()
            switch way {
            case .coordinator: coordinator.setMetadata(["own": 1], for: store)
            case .store: store.metadata = ["own": 1]
            case .closedStore: break
            }
            try context.save()
        }
        try coordinator.remove(store)
        if way == .closedStore {
            try NSPersistentStoreCoordinator.setMetadata(["own": 1], forPersistentStoreOfType: type, at: url)
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(metadata["own"] as? Int == 1)
        #expect(Self.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(!Self.model(["title", "text"]).isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        // Another model does not open the store.
        #expect(
            nsError { _ = try add(url, type, Self.model(["title", "text"])) }?.code
                == NSPersistentStoreIncompatibleVersionHashError)
        guard type == NSSQLiteStoreType else { return }
        let (next, _) = try add(url, type, Self.model(["title", "text"]), migrates: true)
        let migrated = try Library.context(next)
        #expect(try migrated.performAndWait { try migrated.all("Note").count } == 1)
    }

    @Test(arguments: types) func coordinatorsThatSetDifferentKeysKeepBoth(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.store")
        let (one, first) = try add(url, type)
        one.setMetadata(["shared": "old"], for: first)
        try Library.context(one).save()
        let (two, second) = try add(url, type)
        var metadata = one.metadata(for: first)
        metadata["one"] = "1"
        metadata["shared"] = "new"
        one.setMetadata(metadata, for: first)
        metadata = two.metadata(for: second)
        metadata["two"] = "2"
        two.setMetadata(metadata, for: second)
        try Library.context(one).save()
        try Library.context(two).save()
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(stored["one"] as? String == "1" && stored["two"] as? String == "2")
        #expect(stored["shared"] as? String == "new")
        #expect(two.metadata(for: second)["one"] as? String == "1")
    }

    @Test(arguments: types, [true, false]) func programsCanSetTheUUID(_ type: String, _ isOpen: Bool) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.store")
        let (coordinator, store) = try add(url, type)
        let context = try Library.context(coordinator)
        let uuid = "11111111-2222-3333-4444-555555555555"
        try context.performAndWait {
            let note = context.make("Note", ["title": "a"])
            try context.save()
            guard isOpen else { return }
            var metadata = coordinator.metadata(for: store)
            metadata[NSStoreUUIDKey] = uuid
            coordinator.setMetadata(metadata, for: store)
            try context.save()
            // The objects stay the same ones.
            #expect(try context.all("Note") == [note])
            #expect(note.objectID.uriRepresentation().host == uuid)
            #expect(
                coordinator.managedObjectID(forURIRepresentation: note.objectID.uriRepresentation()) == note.objectID)
            note.setValue("b", forKey: "title")
            try context.save()
        }
        try coordinator.remove(store)
        if !isOpen {
            try NSPersistentStoreCoordinator.setMetadata(
                [NSStoreUUIDKey: uuid], forPersistentStoreOfType: type, at: url)
        }
        #expect(try add(url, type).1.identifier == uuid)
    }

    // MARK: The same store twice

    @Test(arguments: types) func aStoreIsAddedOnce(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.store")
        let (coordinator, store) = try add(url, type)
        let link = folder.url.appendingPathComponent("Link.store")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        for position in [url, link] {
            let error = nsError {
                _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: position, options: nil)
            }
            #expect(error?.code == 134081 && error?.localizedDescription.contains("same store twice") == true)
        }
        #expect(coordinator.persistentStores == [store])
        // Stores in memory have no place.
        for _ in 0..<2 {
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        }
        #expect(coordinator.persistentStores.count == 3)
    }

    @Test(arguments: types) func copiesNeedADifferentUUID(_ type: String) throws {
        let folder = try TestFolder()
        let (url, copy) = (
            folder.url.appendingPathComponent("Notes.store"), folder.url.appendingPathComponent("Copy.store")
        )
        let (coordinator, _) = try add(url, type)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Note", ["title": "a"])
            try context.save()
        }
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, ofType: type)
        func addCopy() throws {
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: copy, options: nil)
        }
        let error = nsError { try addCopy() }
        #expect(error?.code == 134081 && error?.localizedDescription.contains("NSStoreUUIDKey") == true)
        try NSPersistentStoreCoordinator.setMetadata(
            [NSStoreUUIDKey: UUID().uuidString], forPersistentStoreOfType: type, at: copy)
        try addCopy()
        try context.performAndWait {
            let notes = try context.all("Note")
            #expect(Set(notes.map(\.objectID)).count == 2)
        }
    }

    @Test func containersLoadEachStoreOnce() throws {
        let folder = try TestFolder()
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: Self.model())
        let good = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("Good.sqlite"))
        let bad = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("Bad.sqlite"))
        try Data("no database".utf8).write(to: try #require(bad.url))
        container.persistentStoreDescriptions = [good, bad]
        var failures: [Bool] = []
        container.loadPersistentStores { failures.append($1 != nil) }
        #expect(failures == [false, true])
        try FileManager.default.removeItem(at: try #require(bad.url))
        failures = []
        container.loadPersistentStores { failures.append($1 != nil) }
        #expect(failures == [false])
        container.loadPersistentStores { failures.append($1 != nil) }
        #expect(failures == [false])
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    // MARK: Stores that come back

    @Test(arguments: types) func objectsFindAStoreThatIsAddedAgain(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Library.store")
        let (coordinator, store) = try add(url, type, Library.model())
        let context = try Library.context(coordinator)
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for number in 1...3 { _ = context.make("Book", ["title": "b\(number)", "author": author]) }
            try context.save()
            context.refreshAllObjects()
            let fault = try #require(try context.all("Book").first)
            context.refresh(fault, mergeChanges: false)
            try coordinator.remove(store)
            #expect(author.objectID.persistentStore == nil)
            // Nothing can be read meanwhile, and nothing counts as deleted.
            #expect(nsError { _ = try context.existingObject(with: fault.objectID) } != nil)
            let again = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: url, options: nil)
            #expect(author.objectID.persistentStore === again)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 3)
            author.setValue("x", forKey: "name")
            try context.save()
            #expect(try context.all("Author") == [author])
            #expect(try context.all("Book").count == 3)
        }
    }

    // MARK: Smaller

    @Test(arguments: types) func theFolderOfANewStoreIsCreated(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("a/b/Notes.store")
        _ = try add(url, type)
        #expect(FileManager.default.fileExists(atPath: url.path))
        #expect(
            nsError {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: type, at: folder.url.appendingPathComponent("Missing.store"))
            }?.code == CocoaError.fileReadNoSuchFile.rawValue)
    }

    @Test func pragmasSetThePageSizeOfNewStores() throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["page_size": "8192"]])
        #expect(try TestDatabase(path: url.path).rows("PRAGMA page_size") == [["8192"]])
        #expect(try TestDatabase(path: url.path).rows("PRAGMA journal_mode") == [["wal"]])
    }

    /// Asking for the metadata of an open database as another type leaves its locks alone.
    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType]) func probingTheTypeKeepsLocks(_ type: String) throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.sqlite")
        let (coordinator, _) = try add(url, NSSQLiteStoreType)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Note", ["title": "a"])
            try context.save()
            let inode = try #require(
                try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? NSNumber)
            func locks() throws -> Int {
                try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
                    .filter { $0.contains(":\(inode) ") }.count
            }
            // The system's list may lack entries while others change.
            func settledLocks(_ expected: Int) throws -> Int {
                var count = 0
                for _ in 0..<100 where count < expected { count = max(count, try locks()) }
                return count
            }
            let before = try settledLocks(1)
            #expect(before > 0)
            for use in [
                { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url) },
                { _ = try self.add(url, type) },
                { try coordinator.destroyPersistentStore(at: url, ofType: type) },
                { try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: url, ofType: type) },
            ] as [() throws -> Void] {
                #expect(nsError(use) != nil)
                #expect(try settledLocks(before) >= before)
            }
            _ = context.make("Note", ["title": "b"])
            try context.save()
        }
    }

    /// Rows of a table with one entity are its rows, whatever number a migration has left in them.
    @Test func rowsWithAWrongEntityNumberAreRead() throws {
        let store = try TestStore(Self.model())
        store.isSound = false
        let context = try store.open()
        try context.performAndWait {
            for title in ["a", "b", "c"] { _ = context.make("Note", ["title": title]) }
            try context.save()
            context.reset()
            try store.database().run("UPDATE ZNOTE SET Z_ENT = 7 WHERE ZTITLE = 'b'")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            #expect(try context.count(for: request) == 3)
            #expect(try context.fetch(request).count == 3)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Note")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids).count == 3)
            let note = try #require(try context.fetch(request).first { $0.value(forKey: "title") as? String == "b" })
            note.setValue("B", forKey: "title")
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.propertiesToUpdate = ["title": "x"]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 3)
            let deletion = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note"))
            deletion.resultType = .resultTypeCount
            #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 3)
        }
    }
}
