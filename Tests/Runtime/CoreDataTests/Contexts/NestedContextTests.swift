import Testing

@testable import CoreData

/// What contexts tell each other: saves of children and their merges, deletions, insertions and IDs at several levels.
@Suite(.overAllStores) struct NestedContextTests {
    private let root: NSManagedObjectContext

    init() throws {
        root = try Library.context()
    }

    private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Author").map { $0.value(forKey: "name") as? String ?? "nil" }.sorted()
    }

    /// Returns the names in the store, as a new context sees them.
    private func savedNames() throws -> [String] { try names(Library.context(root.persistentStoreCoordinator)) }

    /// Merges each save of another context into a context, as apps do that predate automatic merging.
    private func mergingAll<Result>(
        into context: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { note in
            guard let source = note.object as? NSManagedObjectContext, source !== context,
                source.persistentStoreCoordinator === context.persistentStoreCoordinator
            else { return }
            context.mergeChanges(fromContextDidSave: note)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        return try body()
    }

    // MARK: Merges of a child's save

    @Test(arguments: [1, 2])
    func mergingAChildsSaveKeepsTheDeletionsThatTheParentHasNotSaved(levels: Int) throws {
        let (a, b) = (root.make("Author", ["name": "a"]), root.make("Author", ["name": "b"]))
        try root.save()
        let middle = levels == 1 ? root : child(of: root)
        let leaf = child(of: middle)
        try mergingAll(into: middle) {
            leaf.delete(leaf.object(with: a.objectID))
            leaf.object(with: b.objectID).setValue("b2", forKey: "name")
            try leaf.save()
            #expect(middle.deletedObjects.count == 1 && middle.updatedObjects.count == 1)
            try middle.save()
            if levels == 2 { try root.save() }
        }
        #expect(try savedNames() == ["b2"])
    }

    @Test func aDeletionMadeHereIsAnnouncedOnceWhenTheSameDeletionIsMerged() throws {
        let author = root.make("Author")
        try root.save()
        let other = try Library.context(root.persistentStoreCoordinator)
        let copy = other.object(with: author.objectID)
        let announced = Recorder<NSManagedObject>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: other, queue: nil
        ) { announced.values += ($0.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>) ?? [] }
        defer { NotificationCenter.default.removeObserver(token) }
        other.delete(copy)
        other.processPendingChanges()
        root.delete(author)
        for note in try root.notes(during: { try root.save() }) {
            other.mergeChanges(fromContextDidSave: note)
            other.mergeChanges(fromContextDidSave: note)
        }
        #expect(announced.values == [copy] && copy.isDeleted && !other.hasChanges)
        try other.save()
    }

    @Test func aSaveToAnotherContextDoesNotReachAContextThatReadsTheStore() throws {
        let author = root.make("Author", ["name": "a"])
        try root.save()
        let background = try Library.context(root.persistentStoreCoordinator)
        let leaf = child(of: background)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: root, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = TableDelegate()
        delegate.label = { $0.value(forKey: "name") as? String ?? "nil" }
        controller.delegate = delegate
        try controller.performFetch()
        delegate.reload(controller)
        try mergingAll(into: root) {
            _ = leaf.make("Author", ["name": "n"])
            leaf.delete(leaf.object(with: author.objectID))
            try leaf.save()
            #expect(controller.fetchedObjects?.map { $0.value(forKey: "name") as? String } == ["a"])
            #expect(!author.isDeleted && delegate.log.isEmpty)
            try background.save()
            #expect(controller.fetchedObjects?.map { $0.value(forKey: "name") as? String } == ["n"])
        }
        #expect(author.isDeleted)
    }

    // MARK: Insertions

    @Test(arguments: [true, false])
    func anInsertionSavedByAChildReachesAFaultForItsID(isPermanent: Bool) throws {
        let leaf = child(of: root)
        let author = leaf.make("Author", ["name": "a"])
        if isPermanent { try leaf.obtainPermanentIDs(for: [author]) }
        let held = root.object(with: author.objectID)
        let read = child(of: root)
        _ = read.object(with: author.objectID).value(forKey: "name")
        try leaf.save()
        #expect(root.insertedObjects == [held] && held.value(forKey: "name") as? String == "a")
        try root.save()
        #expect(try savedNames() == ["a"])
    }

    /// A fault that was read before its row existed.
    @Test(arguments: ["merge", "fetch", "refresh", "existing"])
    func anObjectWithoutARowIsRevivedOnceItHasOne(way: String) throws {
        let other = try Library.context(root.persistentStoreCoordinator)
        let author = other.make("Author", ["name": "a"])
        try other.obtainPermanentIDs(for: [author])
        let early = root.object(with: author.objectID)
        #expect(early.value(forKey: "name") == nil && early.isDeleted)
        let notes = try other.notes { try other.save() }
        switch way {
        case "merge": for note in notes { root.mergeChanges(fromContextDidSave: note) }
        case "refresh": root.refresh(early, mergeChanges: false)
        case "existing": #expect(try root.existingObject(with: author.objectID) === early)
        default: break
        }
        #expect(try root.all("Author") == [early])
        #expect(try root.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
        #expect(!early.isDeleted && early.value(forKey: "name") as? String == "a")
    }

    @Test func anObjectWithoutARowIsRevivedByARelationship() throws {
        let author = root.make("Author")
        try root.save()
        let other = try Library.context(root.persistentStoreCoordinator)
        let book = other.make("Book", ["author": other.object(with: author.objectID)])
        try other.obtainPermanentIDs(for: [book])
        let early = root.object(with: book.objectID)
        #expect(early.value(forKey: "title") == nil)
        try other.save()
        root.refresh(author, mergeChanges: false)
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [early] && !early.isDeleted)
    }

    // MARK: Saves that fail

    @Test func aFailedSaveTellsChildrenNoIDs() throws {
        let leaf = child(of: root)
        let author = leaf.make("Author", ["name": "first"])
        try leaf.save()
        let bad = root.make("Book")
        bad.setValue(nil, forKey: "title")
        let (policy, saver) = (root.mergePolicy, try Library.context(root.persistentStoreCoordinator))
        defer { root.mergePolicy = policy }
        // A conflict, which only the store finds.
        bad.setValue("t", forKey: "title")
        try root.save()
        let copy = saver.object(with: bad.objectID)
        copy.setValue("theirs", forKey: "title")
        try saver.save()
        bad.setValue("ours", forKey: "title")
        let second = leaf.make("Author", ["name": "second"])
        try leaf.save()
        #expect(nsError { try root.save() }?.code == NSManagedObjectMergeError)
        second.setValue("third", forKey: "name")
        author.setValue("changed", forKey: "name")
        try leaf.save()
        #expect(second.objectID.isTemporaryID)
        root.refresh(bad, mergeChanges: false)
        try root.save()
        #expect(try savedNames() == ["changed", "third"])
        second.setValue("fourth", forKey: "name")
        try leaf.save()
        try root.save()
        #expect(try savedNames() == ["changed", "fourth"] && !second.objectID.isTemporaryID)
    }

    /// The parent has deleted, rolled back or reset an object that the child has changed or refers to.
    @Test(arguments: ["delete", "rollback", "reset"], [true, false])
    func aChildsSaveFailsIfTheParentHasLostTheObject(way: String, isReference: Bool) throws {
        let leaf = child(of: root)
        let author = leaf.make("Author", ["name": "a"])
        let book = leaf.make("Book", ["title": "t", "author": author])
        try leaf.save()
        switch way {
        case "delete": root.delete(root.object(with: author.objectID))
        case "rollback": root.rollback()
        default: root.reset()
        }
        let changed = isReference ? leaf.make("Book", ["title": "n", "author": author]) : author
        if !isReference { author.setValue("b", forKey: "name") }
        let error = nsError { try leaf.save() }
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        let affected = error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []
        #expect(affected.contains(changed) && leaf.hasChanges)
        #expect(root.insertedObjects.count == (way == "delete" ? 1 : 0))
        leaf.rollback()
        if way == "delete" {
            // Moving a book away from the deleted author only withdraws from it.
            book.setValue(leaf.make("Author", ["name": "c"]), forKey: "author")
            try leaf.save()
            try root.save()
            #expect(try savedNames() == ["c"])
        }
    }

    // MARK: Life

    @Test func objectsWhoseDeletionWasMergedOutliveTheirContext() throws {
        let (author, book) = (root.make("Author", ["name": "a"]), root.make("Book"))
        book.setValue(author, forKey: "author")
        try root.save()
        var other: NSManagedObjectContext? = try Library.context(root.persistentStoreCoordinator)
        let kept = try #require(other?.object(with: author.objectID))
        let fault = try #require(other?.object(with: book.objectID))
        #expect(kept.value(forKey: "name") as? String == "a")
        root.delete(author)
        root.delete(book)
        for note in try root.notes(during: { try root.save() }) { other?.mergeChanges(fromContextDidSave: note) }
        #expect(kept.isDeleted && fault.isDeleted && kept.managedObjectContext === other)
        other = nil
        #expect(kept.managedObjectContext == nil && fault.managedObjectContext == nil)
        #expect(kept.value(forKey: "name") as? String == "a" && fault.value(forKey: "author") == nil)
    }

    @Test func aFaultWhoseContextWasReleasedTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context()
            _ = context.make("Author", ["name": "a"])
            try context.save()
            let fault = try Library.context(context.persistentStoreCoordinator).all("Author")[0]
            #expect(fault.managedObjectContext == nil && fault.isFault)
            _ = fault.value(forKey: "name")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("NSObjectInaccessibleException") && text.contains("its context was released"))
    }

    @Test func objectsThatCameAndWentAreForgotten() throws {
        for _ in 0..<10 { root.delete(root.make("Author")) }
        root.processPendingChanges()
        #expect(!root.hasChanges && root.registeredObjects.isEmpty)
        root.undoManager = UndoManager()
        for _ in 0..<10 { root.delete(root.make("Author")) }
        root.processPendingChanges()
        try root.save()
        #expect(root.registeredObjects.isEmpty)
    }

    @Test func renamedIDsOfReleasedObjectsAreForgotten() throws {
        let leaf = child(of: root)
        for _ in 0..<8 {
            for _ in 0..<500 { _ = leaf.make("Tag") }
            try leaf.save()
            try root.save()
            leaf.reset()
            root.reset()
        }
        let kept = leaf.make("Tag", ["name": "t"])
        let temporary = kept.objectID
        try leaf.save()
        try root.save()
        try leaf.obtainPermanentIDs(for: [kept])
        #expect(root.renames.count < 2000 && leaf.renames.count < 2000)
        #expect(leaf.object(with: temporary) === kept && !kept.objectID.isTemporaryID)
    }

    @Test(arguments: [false, true])
    func renamedIDsAreForgottenBesideAnIdleChild(isReset: Bool) throws {
        let leaf = child(of: root)
        for _ in 0..<8 {
            for _ in 0..<500 { _ = root.make("Tag") }
            try root.save()
            root.reset()
            if isReset { leaf.reset() }
        }
        #expect(root.renames.count < 2000)
        let shared = root.make("Tag", ["name": "a"])
        let copy = leaf.object(with: shared.objectID)
        for _ in 0..<2000 { _ = root.make("Tag") }
        try root.save()
        #expect(copy.value(forKey: "name") as? String == "a")
        #expect(try leaf.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 6001)
        #expect(leaf.object(with: shared.objectID) === copy && !copy.objectID.isTemporaryID)
    }

    @Test func longChainsOfObjectsAreReleasedWithoutRecursion() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.context()
            var first: NSManagedObject? = context.make("Book")
            var last = first
            for _ in 0..<40_000 {
                let next = context.make("Book")
                last?.setPrimitiveValue(next, forKey: "sequel")
                last = next
            }
            weak let end = last
            last = nil
            // The objects keep their relationships, as those whose deletion was saved.
            for object in context.insertedObjects { object.leaveContext(.deletion) }
            context.reset()
            first = nil
            #expect(end == nil)
        }
    }

    @Test func contextsWithoutAQueueRejectWorkForOne() async {
        await #expect(processExitsWith: .failure) {
            NSManagedObjectContext().automaticallyMergesChangesFromParent = true
        }
        await #expect(processExitsWith: .failure) { NSManagedObjectContext().perform {} }
    }
}
