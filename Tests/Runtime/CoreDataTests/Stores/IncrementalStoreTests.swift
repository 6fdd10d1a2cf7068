import CoreData
import Testing

/// Custom stores that load and write objects one by one.
@Suite struct IncrementalStoreTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let author = context.make("Author", ["name": "Austen"])
        let emma = context.make("Book", ["title": "Emma", "pages": 300, "author": author])
        let novel = context.make("Novel", ["title": "Persuasion", "genre": "love", "author": author, "prequel": emma])
        let tags = ["old", "good"].map { context.make("Tag", ["name": $0]) }
        emma.setValue(NSSet(array: tags), forKey: "tags")
        novel.setValue(NSSet(array: [tags[0]]), forKey: "tags")
        let shelf = context.make("Shelf", ["name": "A"])
        shelf.setValue(NSOrderedSet(array: [novel, emma]), forKey: "volumes")
        try context.save()
    }

    @Test(arguments: [[:], ["members": true], ["texts": true]])
    func savesAndLoads(_ options: [String: Bool]) throws {
        let stack = try ServerStack(Server(), options)
        try fill(try stack.context())
        let context = try stack.context()
        let books = try context.all("Book", by: "title")
        #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion"])
        #expect(books.map(\.entity.name) == ["Book", "Novel"])
        #expect(books[0].value(forKey: "pages") as? Int == 300)
        #expect(books[1].value(forKey: "prequel") as? NSManagedObject === books[0])
        #expect(books[0].value(forKey: "prequel") == nil)
        #expect(books[0].names("tags") == ["good", "old"] && books[1].names("tags") == ["old"])
        let author = try #require(books[0].value(forKey: "author") as? NSManagedObject)
        #expect(author.names("books") == ["Emma", "Persuasion"])
        #expect(try #require(try context.all("Shelf").first).names("volumes") == ["Persuasion", "Emma"])
        for object in books {
            let uri = object.objectID.uriRepresentation()
            #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == object.objectID)
        }
        let asked = stack.server.log.contains("relationship tags")
        #expect(asked == (options["members"] != true))
    }

    @Test func fetchingFaultsLoadsNoValues() throws {
        let stack = try ServerStack()
        for number in 1...5 { stack.server.add("Author", ["name": "n\(number)", "age": number]) }
        let context = try stack.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "age > 1")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        request.fetchOffset = 1
        request.fetchLimit = 2
        let found = try context.fetch(request)
        #expect(stack.server.log == ["fetch Author 1 2"])
        #expect(found.allSatisfy { $0.isFault })
        #expect(found.map { $0.value(forKey: "name") as? String } == ["n4", "n3"])
        #expect(stack.server.log.count == 3)
    }

    @Test func resultsHaveTheRequestedType() throws {
        let stack = try ServerStack()
        for number in 1...3 { stack.server.add("Author", ["name": "n\(number)"]) }
        let context = try stack.context()
        let objects = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(try context.count(for: objects) == 3)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        #expect(try Set(context.fetch(ids)) == Set(context.fetch(objects).map(\.objectID)))
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Author")
        dictionaries.resultType = .dictionaryResultType
        #expect(try Set(context.fetch(dictionaries).compactMap { $0["name"] as? String }) == ["n1", "n2", "n3"])
        let numbers = NSFetchRequest<NSNumber>(entityName: "Author")
        numbers.resultType = .countResultType
        #expect(try context.fetch(numbers) == [3])
        #expect(!stack.server.log.contains("load Author"))
    }

    @Test func resultsIncludeUnsavedChanges() throws {
        let stack = try ServerStack()
        for number in 1...5 { stack.server.add("Author", ["name": "n\(number)", "age": number]) }
        let context = try stack.context()
        let all = try context.all("Author", by: "name")
        all[0].setValue(9, forKey: "age")
        all[1].setValue(0, forKey: "age")
        context.delete(all[2])
        _ = context.make("Author", ["name": "n0", "age": 7])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "age >= 2")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        func names() throws -> [String?] { try context.fetch(request).map { $0.value(forKey: "name") as? String } }
        #expect(try names() == ["n0", "n1", "n4", "n5"])
        #expect(try context.count(for: request) == 4)
        request.fetchOffset = 1
        request.fetchLimit = 2
        #expect(try names() == ["n1", "n4"])
        // A child sees its own changes, those of its parent, and the store.
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.object(with: all[3].objectID).setValue(1, forKey: "age")
        child.object(with: all[1].objectID).setValue(5, forKey: "age")
        request.fetchOffset = 0
        request.fetchLimit = 0
        #expect(try child.fetch(request).map { $0.value(forKey: "name") as? String } == ["n0", "n1", "n2", "n5"])
        request.includesPendingChanges = false
        #expect(try names() == ["n2", "n3", "n4", "n5"])
    }

    @Test func saveRequestsContainEveryChange() throws {
        let stack = try ServerStack()
        let context = try stack.context()
        let authors = ["a", "b", "c"].map { context.make("Author", ["name": $0]) }
        try context.save()
        authors[0].setValue("x", forKey: "name")
        context.delete(authors[1])
        _ = context.make("Author")
        context.detectConflicts(for: authors[2])
        stack.server.log = []
        try context.save()
        #expect(stack.server.log.contains("save 1 1 1 1"))
        #expect(stack.server.records.count == 3 && !context.hasChanges)
        stack.coordinator.setMetadata(["app": 1], for: stack.store)
        try context.save()
        #expect(stack.server.log.last == "metadata" && stack.server.metadata?["app"] as? Int == 1)
        #expect(stack.store.identifier == "DICTIONARY-server")
        stack.server.log = []
        try context.save()
        #expect(stack.server.log.isEmpty)
    }

    @Test func versionsDetectConflicts() throws {
        let stack = try ServerStack()
        let key = stack.server.add("Author", ["name": "old", "age": 0])
        let context = try stack.context()
        let author = try #require(try context.all("Author").first)
        author.setValue("mine", forKey: "name")
        stack.server.records[key]?.values = ["name": "theirs", "age": 1]
        stack.server.records[key]?.version = 2
        #expect {
            try context.save()
        } throws: { error in
            let conflict = ((error as NSError).userInfo["conflictList"] as? [NSMergeConflict])?.first
            return (error as NSError).code == NSManagedObjectMergeError && conflict?.oldVersionNumber == 1
                && conflict?.newVersionNumber == 2 && conflict?.cachedSnapshot?["name"] as? String == "theirs"
        }
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try context.save()
        #expect(stack.server.records[key]?.values["name"] as? String == "mine")
        #expect(stack.server.records[key]?.values["age"] as? Int == 1 && author.value(forKey: "age") as? Int == 1)
        author.setValue("again", forKey: "name")
        context.mergePolicy = NSErrorMergePolicy
        try context.save()
        #expect(stack.server.records[key]?.version == 4)
    }

    @Test func lockedObjectsDetectConflicts() throws {
        let stack = try ServerStack()
        let key = stack.server.add("Author", ["name": "old"])
        let context = try stack.context()
        let author = try #require(try context.all("Author").first)
        #expect(author.value(forKey: "name") as? String == "old")
        context.detectConflicts(for: author)
        stack.server.records[key]?.version = 2
        #expect(throws: CocoaError.self) { try context.save() }
        context.refresh(author, mergeChanges: false)
        try context.save()
    }

    /// A store that finds conflicts itself.
    final class CarefulStore: DictionaryStore, @unchecked Sendable {
        nonisolated(unsafe) static var refusals = 0

        override func save(_ request: NSSaveChangesRequest) throws {
            guard Self.refusals > 0, let object = request.updatedObjects?.first else { return try super.save(request) }
            Self.refusals -= 1
            let conflict = NSMergeConflict(
                source: object, newVersion: 5, oldVersion: 1, cachedSnapshot: ["name": "theirs"], persistedSnapshot: nil
            )
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveConflictsError,
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: [conflict]])
        }
    }

    @Test func conflictsFoundByTheStoreAreReported() throws {
        let stack = try ServerStack(of: CarefulStore.self)
        let key = stack.server.add("Author", ["name": "old"])
        let context = try stack.context()
        let author = try #require(try context.all("Author").first)
        author.setValue("mine", forKey: "name")
        CarefulStore.refusals = 1
        #expect {
            try context.save()
        } throws: { ($0 as NSError).code == NSManagedObjectMergeError }
        CarefulStore.refusals = 1
        context.mergePolicy = NSOverwriteMergePolicy
        try context.save()
        #expect(stack.server.records[key]?.values["name"] as? String == "mine")
    }

    @Test func anObjectThatCannotBeReadIsNeitherSavedNorDeleted() throws {
        let stack = try ServerStack()
        let key = stack.server.add("Author", ["name": "old"])
        let context = try stack.context()
        let author = try #require(try context.all("Author").first)
        context.refresh(author, mergeChanges: false)
        stack.server.isUnreachable = true
        #expect(author.value(forKey: "name") == nil)
        author.setValue("mine", forKey: "name")
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(stack.server.records[key]?.values["name"] as? String == "old")
        stack.server.isUnreachable = false
        context.refresh(author, mergeChanges: false)
        #expect(!author.isDeleted)
        #expect(author.value(forKey: "name") as? String == "old")
        try context.save()
        #expect(stack.server.records[key]?.values["name"] as? String == "old")
    }

    @Test func resultsKeepObjectsThatCannotBeRead() throws {
        let stack = try ServerStack()
        for name in ["a", "b"] { stack.server.add("Author", ["name": name]) }
        let context = try stack.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.predicate = NSPredicate(format: "name != nil")
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = TableDelegate()
        delegate.label = { "\($0.objectID)" }
        controller.delegate = delegate
        try controller.performFetch()
        delegate.reload(controller)
        let authors = controller.fetchedObjects ?? []
        stack.server.isUnreachable = true
        for author in authors { context.refresh(author, mergeChanges: false) }
        context.processPendingChanges()
        #expect(controller.fetchedObjects == authors && authors.count == 2 && delegate.log.isEmpty)
        stack.server.isUnreachable = false
        for author in authors { context.refresh(author, mergeChanges: false) }
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.map { $0.value(forKey: "name") as? String } == ["a", "b"])
    }

    @Test func missingObjectsAreErrors() throws {
        let stack = try ServerStack()
        let key = stack.server.add("Author", ["name": "a"])
        let context = try stack.context()
        let author = try #require(try context.all("Author").first)
        stack.server.records[key] = nil
        #expect {
            _ = try context.existingObject(with: author.objectID)
        } throws: { ($0 as NSError).code == NSManagedObjectReferentialIntegrityError }
        let again = context.object(with: author.objectID)
        #expect(again.value(forKey: "name") == nil && again.isDeleted)
        #expect(try context.all("Author").isEmpty)
    }

    @Test func storesAreToldWhichObjectsAreInUse() throws {
        let stack = try ServerStack()
        let id = try { () throws -> NSManagedObjectID in
            let context = try stack.context()
            let author = context.make("Author")
            #expect(stack.server.inUse.isEmpty)
            try context.save()
            let other = try stack.context()
            let same = other.object(with: author.objectID)
            #expect(stack.server.inUse == [same.objectID: 2])
            other.reset()
            #expect(stack.server.inUse == [author.objectID: 1])
            return author.objectID
        }()
        #expect(stack.server.inUse.isEmpty)
        let context = try stack.context()
        let author = try context.existingObject(with: id)
        #expect(stack.server.inUse == [id: 1])
        context.delete(author)
        try context.save()
        #expect(stack.server.inUse.isEmpty)
    }

    @Test func deleteRulesAndInversesApply() throws {
        let stack = try ServerStack()
        try fill(try stack.context())
        let context = try stack.context()
        context.delete(try #require(try context.all("Author").first))
        try context.save()
        let other = try stack.context()
        let books = try other.all("Book", by: "title")
        #expect(books.count == 2 && books.allSatisfy { $0.value(forKey: "author") == nil })
        books[0].mutableSetValue(forKey: "tags").removeAllObjects()
        try other.save()
        context.refreshAllObjects()
        let tags = try context.all("Tag", by: "name")
        #expect(tags.map { $0.names("books") } == [[], ["Persuasion"]])
    }

    @Test func nodesKeepValuesAndReferenceObjects() throws {
        let stack = try ServerStack()
        let store = try #require(stack.store as? DictionaryStore)
        let author = try #require(stack.coordinator.managedObjectModel.entitiesByName["Author"])
        let id = store.newObjectID(for: author, referenceObject: "x/1 ä")
        #expect(store.referenceObject(for: id) as? String == "x/1 ä")
        #expect(id == store.newObjectID(for: author, referenceObject: "x/1 ä"))
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        #expect(
            store.newObjectID(for: author, referenceObject: "7") != store.newObjectID(for: author, referenceObject: 7))
        let (name, age) = (try #require(author.attributesByName["name"]), try #require(author.attributesByName["age"]))
        let node = NSIncrementalStoreNode(objectID: id, withValues: ["name": "a"], version: 3)
        #expect(node.objectID == id && node.version == 3)
        #expect(node.value(for: name) as? String == "a" && node.value(for: age) == nil)
        node.update(withValues: ["name": "b", "age": 4], version: 4)
        #expect(node.version == 4 && node.value(for: name) as? String == "b" && node.value(for: age) as? Int == 4)
    }

    @Test func requestsHaveApplesTypes() {
        let save = NSSaveChangesRequest(inserted: [], updated: nil, deleted: nil, locked: nil)
        #expect(save.requestType == .saveRequestType && save.insertedObjects == [] && save.updatedObjects == nil)
        #expect(NSFetchRequest<NSManagedObject>(entityName: "Author").requestType == .fetchRequestType)
        #expect(NSPersistentStoreRequestType.batchDeleteRequestType.rawValue == 7)
    }

    @Test func foreignIDsTrap() async {
        await #expect(processExitsWith: .failure) {
            let stack = try ServerStack()
            let store = try #require(stack.store as? DictionaryStore)
            let other = try ServerStack()
            other.server.add("Author")
            let author = try #require(try other.context().all("Author").first)
            _ = store.referenceObject(for: author.objectID)
        }
    }
}
