import CoreData
import Testing

/// `obtainPermanentIDs(for:)`: objects get their permanent IDs before they are saved to a store, including in child
/// contexts.
@Suite(.overAllStores) struct PermanentIDTests {
    private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return child
    }

    @Test func obtainingPermanentIDsKeepsObjectsInserted() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let temporary = author.objectID
        #expect(temporary.isTemporaryID)
        try context.obtainPermanentIDs(for: [author])
        let permanent = author.objectID
        #expect(!permanent.isTemporaryID && author.isInserted)
        #expect(context.object(with: permanent) === author && context.registeredObject(for: temporary) === author)
        try context.save()
        #expect(author.objectID == permanent)
        // This is a no-op for objects that have permanent IDs.
        try context.obtainPermanentIDs(for: [author])
        #expect(author.objectID == permanent)
    }

    @Test func obtainingPermanentIDsInAChildBeforeItIsSaved() throws {
        let parent = try Library.context()
        let child = child(of: parent)
        let author = child.make("Author", ["name": "a"])
        try child.obtainPermanentIDs(for: [author])
        let permanent = author.objectID
        #expect(!permanent.isTemporaryID && author.isInserted)
        try child.save()
        let counterpart = try #require(parent.registeredObject(for: permanent))
        #expect(counterpart.isInserted && counterpart.value(forKey: "name") as? String == "a")
        try parent.save()
        #expect(author.objectID == permanent && counterpart.objectID == permanent)
        let fresh = try Library.context(parent.persistentStoreCoordinator)
        #expect(try fresh.existingObject(with: permanent).value(forKey: "name") as? String == "a")
    }

    @Test func obtainingPermanentIDsInAChildAfterItWasSaved() throws {
        let parent = try Library.context()
        let child = child(of: parent)
        let author = child.make("Author", ["name": "a"])
        let book = child.make("Book", ["title": "t", "author": author])
        let temporary = author.objectID
        try child.save()
        #expect(temporary.isTemporaryID && author.objectID == temporary)
        try child.obtainPermanentIDs(for: [author, book])
        let permanent = author.objectID
        #expect(!permanent.isTemporaryID && !book.objectID.isTemporaryID)
        // The object is the same in both contexts, by either ID.
        #expect(child.object(with: permanent) === author && child.object(with: temporary) === author)
        let counterpart = try #require(parent.registeredObject(for: permanent))
        #expect(parent.object(with: temporary) === counterpart && counterpart.isInserted)
        #expect(try parent.all("Author") == [counterpart] && child.all("Author") == [author])
        #expect(!child.hasChanges && author.names("books") == ["t"])
        try parent.save()
        #expect(author.objectID == permanent && counterpart.objectID == permanent && !parent.hasChanges)
        let fresh = try Library.context(parent.persistentStoreCoordinator)
        #expect(try fresh.existingObject(with: permanent).names("books") == ["t"])
    }

    @Test func obtainingPermanentIDsAfterTheParentWasSavedToo() throws {
        let parent = try Library.context()
        let child = child(of: parent)
        let author = child.make("Author", ["name": "a"])
        try child.save()
        let counterpart = try #require(try parent.all("Author").first)
        try parent.save()
        try child.obtainPermanentIDs(for: [author])
        #expect(!author.objectID.isTemporaryID && author.objectID == counterpart.objectID)
        #expect(try child.all("Author") == [author])
    }

    @Test(arguments: [1, 2]) func obtainingPermanentIDsInAGrandchild(saves: Int) throws {
        let root = try Library.context()
        let middle = child(of: root)
        let leaf = child(of: middle)
        let author = leaf.make("Author", ["name": "a"])
        let temporary = author.objectID
        try leaf.save()
        if saves == 2 { try middle.save() }
        try leaf.obtainPermanentIDs(for: [author])
        let permanent = author.objectID
        #expect(!permanent.isTemporaryID)
        let counterpart = middle.object(with: permanent)
        #expect(middle.object(with: temporary) === counterpart && counterpart.objectID == permanent)
        if saves == 1 { try middle.save() }
        try root.save()
        #expect(author.objectID == permanent && root.object(with: permanent).objectID == permanent)
        #expect(try root.all("Author").count == 1 && middle.all("Author") == [counterpart])
        #expect(try leaf.all("Author") == [author])
    }

    @Test func siblingsKeepOneObjectForBothIDs() throws {
        let parent = try Library.context()
        let (one, other) = (child(of: parent), child(of: parent))
        let author = one.make("Author", ["name": "a"])
        try one.save()
        let copy = try #require(try other.all("Author").first)
        let temporary = copy.objectID
        #expect(temporary.isTemporaryID && temporary == author.objectID)
        try one.obtainPermanentIDs(for: [author])
        #expect(other.registeredObject(for: author.objectID) === copy)
        #expect(other.object(with: author.objectID) === copy && other.object(with: temporary) === copy)
        #expect(try other.existingObject(with: author.objectID) === copy)
        copy.setValue("b", forKey: "name")
        try other.save()
        #expect(copy.objectID == author.objectID)
        try parent.save()
        #expect(try parent.all("Author").map { $0.value(forKey: "name") as? String } == ["b"])
    }

    @Test func objectsInsertedInTheParentGetPermanentIDsThroughTheChild() throws {
        let parent = try Library.context()
        let child = child(of: parent)
        let author = parent.make("Author", ["name": "a"])
        let copy = try #require(try child.all("Author").first)
        try child.obtainPermanentIDs(for: [copy])
        #expect(!copy.objectID.isTemporaryID && author.objectID == copy.objectID && author.isInserted)
    }

    @Test func childrenPassOnAssignedStores() throws {
        let coordinator = try Library.coordinator()
        let second = try StoreKind.add(to: coordinator)
        let parent = try Library.context(coordinator)
        let child = child(of: parent)
        let author = child.make("Author", ["name": "a"])
        child.assign(author, to: second)
        try child.save()
        try parent.save()
        let saved = try #require(try parent.all("Author").first)
        #expect(saved.objectID.persistentStore === second)
    }
}
