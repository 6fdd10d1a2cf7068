import CoreData
import Testing

/// Custom stores that keep all objects in memory.
@Suite struct AtomicStoreTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let author = context.make("Author", ["name": "Austen", "age": 41])
        let emma = context.make(
            "Book",
            [
                "title": "Emma", "pages": 300, "price": 9.5, "isNew": false, "cost": NSDecimalNumber(string: "1.25"),
                "date": Date(timeIntervalSinceReferenceDate: 1000), "data": Data([1, 2, 3]), "weight": 0.5,
                "uuid": UUID(uuidString: "00000000-0000-0000-0000-00000000000A"),
                "link": URL(string: "https://example.org/emma"), "author": author,
            ])
        let novel = context.make("Novel", ["title": "Persuasion", "genre": "love", "author": author, "prequel": emma])
        let tags = ["old", "good"].map { context.make("Tag", ["name": $0]) }
        emma.setValue(NSSet(array: tags), forKey: "tags")
        novel.setValue(NSSet(array: [tags[0]]), forKey: "tags")
        let shelf = context.make("Shelf", ["name": "A"])
        shelf.setValue(NSOrderedSet(array: [novel, emma]), forKey: "volumes")
        try context.save()
    }

    @Test func savesAndReadsItsFileAgain() throws {
        let first = try JSONStack()
        defer { first.removeFile() }
        try fill(try first.context())
        let again = try JSONStack(first.url)
        #expect(again.store.identifier == first.store.identifier)
        let context = try again.context()
        let books = try context.all("Book", by: "title")
        #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion"])
        #expect(books.map(\.entity.name) == ["Book", "Novel"])
        let (emma, novel) = (books[0], books[1])
        #expect(emma.value(forKey: "pages") as? Int == 300 && emma.value(forKey: "price") as? Double == 9.5)
        #expect(emma.value(forKey: "isNew") as? Bool == false && emma.value(forKey: "weight") as? Float == 0.5)
        #expect(emma.value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
        #expect(emma.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(emma.value(forKey: "data") as? Data == Data([1, 2, 3]))
        #expect(emma.value(forKey: "uuid") as? UUID == UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        #expect(emma.value(forKey: "link") as? URL == URL(string: "https://example.org/emma"))
        #expect(novel.value(forKey: "genre") as? String == "love")
        #expect(novel.value(forKey: "prequel") as? NSManagedObject === emma)
        #expect(emma.names("tags") == ["good", "old"] && novel.names("tags") == ["old"])
        let author = try #require(emma.value(forKey: "author") as? NSManagedObject)
        #expect(author.names("books") == ["Emma", "Persuasion"])
        #expect(try #require(try context.all("Shelf").first).names("volumes") == ["Persuasion", "Emma"])
    }

    @Test func objectsAreFaultsUntilTheyAreUsed() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        try fill(try stack.context())
        let context = try stack.context()
        let book = try #require(try context.all("Novel").first)
        #expect(book.isFault && !book.objectID.isTemporaryID && book.objectID.persistentStore === stack.store)
        #expect(book.value(forKey: "title") as? String == "Persuasion" && !book.isFault)
        let author = try #require(book.value(forKey: "author") as? NSManagedObject)
        #expect(author.isFault && author.hasFault(forRelationshipNamed: "books"))
        let uri = book.objectID.uriRepresentation()
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
    }

    /// A store's method reads all values of an object, but what the context has not loaded stays unloaded.
    @Test func savesLeaveRelationshipsAsFaults() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        try fill(try stack.context())
        let (context, other) = (try stack.context(), try stack.context())
        let book = try #require(try context.all("Book", by: "title").first)
        book.setValue("Emma, again", forKey: "title")
        try context.save()
        #expect(book.hasFault(forRelationshipNamed: "tags"))
        let same = other.object(with: book.objectID)
        same.mutableSetValue(forKey: "tags").removeAllObjects()
        try other.save()
        #expect(book.names("tags").isEmpty)
    }

    @Test func changesAndDeletionsReachTheFile() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let context = try stack.context()
        try fill(context)
        let books = try context.all("Book", by: "title")
        books[0].setValue("Emma, again", forKey: "title")
        books[0].setValue(nil, forKey: "author")
        context.delete(books[1])
        try context.save()
        let other = try JSONStack(stack.url).context()
        let book = try #require(try other.all("Book").first)
        #expect(try other.all("Book").count == 1 && book.value(forKey: "title") as? String == "Emma, again")
        #expect(book.value(forKey: "author") == nil && book.names("tags") == ["good", "old"])
        #expect(try #require(try other.all("Author").first).names("books").isEmpty)
        #expect(try #require(try other.all("Shelf").first).names("volumes") == ["Emma, again"])
    }

    @Test func concurrentChangesConflict() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let (first, second) = (try stack.context(), try stack.context())
        let one = first.make("Author", ["name": "old"])
        try first.save()
        let other = second.object(with: one.objectID)
        other.setValue("second", forKey: "name")
        one.setValue("first", forKey: "name")
        try first.save()
        #expect {
            try second.save()
        } throws: { error in
            let list = (error as NSError).userInfo["conflictList"] as? [NSMergeConflict]
            return (error as NSError).code == NSManagedObjectMergeError && list?.first?.sourceObject === other
        }
        second.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try second.save()
        first.refreshAllObjects()
        #expect(one.value(forKey: "name") as? String == "second")
        one.setValue("third", forKey: "name")
        try first.save()
    }

    /// The to-many side of a relationship follows from the other side, so that two contexts do not interfere with each
    /// other.
    @Test func membersAddedByAnotherContextAreKept() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let (first, second) = (try stack.context(), try stack.context())
        let author = first.make("Author", ["name": "a"])
        try first.save()
        let known = second.object(with: author.objectID)
        #expect(known.names("books").isEmpty)
        _ = first.make("Book", ["title": "1", "author": author])
        try first.save()
        _ = second.make("Book", ["title": "2", "author": known])
        known.setValue("b", forKey: "name")
        try second.save()
        let context = try JSONStack(stack.url).context()
        #expect(try #require(try context.all("Author").first).names("books") == ["1", "2"])
        #expect(try context.all("Author").first?.value(forKey: "name") as? String == "b")
    }

    @Test func aFailedSaveChangesNothing() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let context = try stack.context()
        try fill(context)
        let books = try context.all("Book", by: "title")
        JSONStore.refusesToSave.withLock { _ = $0.insert(stack.url) }
        defer { JSONStore.refusesToSave.withLock { _ = $0.remove(stack.url) } }
        books[0].setValue("changed", forKey: "title")
        context.delete(books[1])
        let new = context.make("Book", ["title": "new"])
        #expect(throws: CocoaError(.fileWriteOutOfSpace)) { try context.save() }
        #expect(context.hasChanges && new.isInserted && books[1].isDeleted && new.objectID.isTemporaryID)
        let other = try stack.context()
        let saved = try other.all("Book", by: "title")
        #expect(saved.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion"])
        #expect(saved[1].names("tags") == ["old"] && saved[1].value(forKey: "genre") as? String == "love")
        JSONStore.refusesToSave.withLock { _ = $0.remove(stack.url) }
        try context.save()
        let titles = try JSONStack(stack.url).context().all("Book", by: "title").map {
            $0.value(forKey: "title") as? String
        }
        #expect(titles == ["changed", "new"])
    }

    @Test func metadataIsSaved() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let context = try stack.context()
        #expect(stack.coordinator.metadata(for: stack.store)[NSStoreModelVersionHashesKey] != nil)
        stack.coordinator.setMetadata(["app": "mine", NSStoreUUIDKey: "other"], for: stack.store)
        // A save without changes also writes the metadata.
        try context.save()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: JSONStore.storeType, at: stack.url, options: nil)
        #expect(read["app"] as? String == "mine" && read[NSStoreUUIDKey] as? String == stack.store.identifier)
        #expect(read[NSStoreTypeKey] as? String == JSONStore.storeType)
        try NSPersistentStoreCoordinator.setMetadata(
            [NSStoreUUIDKey: "U", NSStoreTypeKey: JSONStore.storeType],
            forPersistentStoreOfType: JSONStore.storeType, at: stack.url, options: nil)
        #expect(try JSONStack(stack.url).store.identifier == "U")
    }

    @Test func incompatibleModelsAreRejected() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        try fill(try stack.context())
        let model = Library.model()
        model.entitiesByName["Tag"]?.properties.append(NSAttributeDescription(name: "colour"))
        #expect {
            _ = try JSONStack(stack.url, model)
        } throws: { error in
            (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError
        }
    }

    @Test func aFileThatCannotBeReadIsNotAdded() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("broken-\(UUID()).json")
        try Data("{".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let coordinator = try JSONStack().coordinator
        #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(
                ofType: JSONStore.storeType, configurationName: nil, at: url, options: nil)
        }
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test func referenceObjectsMapToIDs() throws {
        let stack = try JSONStack()
        let store = try #require(stack.store as? JSONStore)
        let tag = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
        let id = store.objectID(for: tag, withReferenceObject: 7)
        #expect(id == store.objectID(for: tag, withReferenceObject: 7) && store.referenceObject(for: id) as? Int == 7)
        let node = NSAtomicStoreCacheNode(objectID: id)
        node.setValue("x", forKey: "name")
        store.addCacheNodes([node])
        #expect(store.cacheNode(for: id) === node && store.cacheNodes() == [node])
        #expect(node.propertyCache?["name"] as? String == "x" && node.value(forKey: "name") as? String == "x")
        let context = try stack.context()
        #expect(try context.existingObject(with: id).value(forKey: "name") as? String == "x")
    }

    @Test func nodesThatReferToEachOtherAreFreed() throws {
        weak var node: NSAtomicStoreCacheNode?
        weak var store: NSPersistentStore?
        try {
            let stack = try JSONStack()
            defer { stack.removeFile() }
            try fill(try stack.context())
            store = stack.store
            node = (stack.store as? JSONStore)?.cacheNodes().first
            #expect(node != nil)
        }()
        #expect(node == nil && store == nil)
    }

    @Test func largeToManyRelationshipsAreSaved() throws {
        let stack = try JSONStack()
        defer { stack.removeFile() }
        let context = try stack.context()
        let author = context.make("Author", ["name": "a"])
        let count = 1000
        for number in 0..<count { context.make("Book", ["pages": number]).setValue(author, forKey: "author") }
        try context.save()
        let again = try JSONStack(stack.url).context()
        let set = try #require(try again.all("Author").first?.value(forKey: "books") as? NSSet)
        #expect(set.count == count)
    }

    /// Methods that a subclass must override trap.
    @Test func abstractMethodsTrap() async {
        await #expect(processExitsWith: .failure) {
            final class Lazy: NSAtomicStore, @unchecked Sendable {}
            NSPersistentStoreCoordinator.registerStoreClass(Lazy.self, forStoreType: "Lazy")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            try coordinator.addPersistentStore(ofType: "Lazy", configurationName: nil, at: nil, options: nil)
        }
    }
}

extension NSAttributeDescription {
    /// Creates a string attribute.
    fileprivate convenience init(name: String) {
        self.init()
        self.name = name
        attributeType = .stringAttributeType
    }
}
