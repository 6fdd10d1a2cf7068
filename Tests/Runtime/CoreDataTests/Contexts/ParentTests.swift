import CoreData
import Testing

/// Contexts that save to another context.
@Suite(.overAllStores) struct ParentTests {
    private func contexts() throws -> (parent: NSManagedObjectContext, child: NSManagedObjectContext) {
        let parent = try Library.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return (parent, child)
    }

    /// A child still has an object whose insertion the parent has rolled back. Success would lose its changes.
    @Test func savingAChildOfARolledBackParentFails() throws {
        let parent = try Library.context()
        let child = GraphFuzzTests.child(of: parent)
        let author = child.make("Author", ["name": "a"])
        try child.save()
        parent.rollback()
        author.setValue("b", forKey: "name")
        let book = child.make("Book", ["title": "t", "author": author])
        #expect(nsError { try child.save() }?.code == NSManagedObjectReferentialIntegrityError)
        #expect(!parent.hasChanges && child.insertedObjects == [book] && child.updatedObjects == [author])
        book.setValue(nil, forKey: "author")
        child.refresh(author, mergeChanges: false)
        try child.save()
        try parent.save()
        let fresh = try Library.context(parent.persistentStoreCoordinator)
        #expect(try fresh.all("Author").isEmpty && fresh.all("Book").count == 1)
    }

    /// An object whose deletion was saved is a new one when it is inserted again.
    @Test func deletedObjectsCanBeInsertedAgain() throws {
        let (parent, child) = try contexts()
        let author = child.make("Author", ["name": "a"])
        try child.save()
        try parent.save()
        child.delete(author)
        try child.save()
        child.insert(author)
        author.setValue("b", forKey: "name")
        try child.save()
        try parent.save()
        let id = author.objectID
        parent.delete(parent.object(with: id))
        try parent.save()
        let fault = parent.object(with: id)
        let other = parent.make("Author", ["name": "c"])
        try parent.save()
        parent.delete(other)
        try parent.save()
        let another = parent.object(with: other.objectID)
        parent.insert(other)
        #expect(other.objectID.isTemporaryID && another !== other && fault !== other)
        try parent.save()
        let fresh = try Library.context(parent.persistentStoreCoordinator)
        #expect(try fresh.all("Author").map { $0.value(forKey: "name") as? String } == ["c"])
    }

    /// A child that learns of permanent IDs and reads a relationship in one request finds its members.
    @Test func relationshipsAreReadByNewIDs() throws {
        let (parent, child) = try contexts()
        let authors = (0..<1100).map { child.make("Author", ["name": "\($0)"]) }
        try child.save()
        try parent.save()
        let other = try Library.context(parent.persistentStoreCoordinator)
        let author = try #require(try other.all("Author").first { $0.value(forKey: "name") as? String == "0" })
        _ = other.make("Book", ["title": "t", "author": author])
        try other.save()
        child.refresh(authors[0], mergeChanges: false)
        #expect((authors[0].value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
    }

    @Test func childrenSeeTheParentsChanges() throws {
        let (parent, child) = try contexts()
        let author = parent.make("Author", ["name": "a"])
        let book = parent.make("Book", ["title": "t", "author": author])
        let seen = try #require(try child.all("Author").first)
        #expect(seen.value(forKey: "name") as? String == "a")
        #expect(seen.names("books") == ["t"])
        #expect(child.persistentStoreCoordinator === parent.persistentStoreCoordinator)
        parent.delete(book)
        #expect(try child.all("Book").isEmpty)
    }

    @Test func savesGoOneLevelUp() throws {
        let (parent, child) = try contexts()
        let author = child.make("Author", ["name": "a"])
        let book = child.make("Book", ["title": "t", "author": author])
        #expect(try parent.all("Author").isEmpty)
        try child.save()
        #expect(!child.hasChanges && parent.hasChanges)
        let found = try #require(try parent.all("Author").first)
        #expect(found.objectID == author.objectID && found !== author && found.names("books") == ["t"])
        try parent.save()
        let coordinator = try #require(parent.persistentStoreCoordinator)
        let other = try Library.context(coordinator)
        #expect(try other.all("Book").first?.value(forKeyPath: "author.name") as? String == "a")
        _ = book
    }

    @Test func updatesAndDeletionsReachTheParent() throws {
        let (parent, child) = try contexts()
        let author = parent.make("Author", ["name": "a"])
        let book = parent.make("Book", ["title": "t", "author": author])
        try parent.save()
        let (same, copy) = (child.object(with: author.objectID), child.object(with: book.objectID))
        same.setValue("b", forKey: "name")
        child.delete(copy)
        #expect(author.value(forKey: "name") as? String == "a")
        try child.save()
        #expect(author.value(forKey: "name") as? String == "b" && author.isUpdated)
        #expect(book.isDeleted && author.names("books").isEmpty)
        try parent.save()
        #expect(try parent.all("Book").isEmpty)
    }

    /// A context has one object for an ID, even if the ID becomes permanent in the parent.
    @Test func permanentIDsReachTheChild() throws {
        let (parent, child) = try contexts()
        let author = child.make("Author", ["name": "a"])
        let book = child.make("Book", ["title": "t", "author": author])
        try child.save()
        let new = parent.make("Tag", ["name": "x"])
        let tag = try #require(try child.all("Tag").first)
        try parent.save()
        #expect(try child.all("Author").first === author && child.all("Tag").first === tag)
        #expect(!author.objectID.isTemporaryID && tag.objectID == new.objectID)
        child.refresh(author, mergeChanges: false)
        #expect(author.names("books") == ["t"] && author.value(forKey: "name") as? String == "a")
        author.setValue("b", forKey: "name")
        child.delete(tag)
        #expect(book.changedValues().isEmpty)
        try child.save()
        #expect(try parent.all("Author").first?.value(forKey: "name") as? String == "b")
        #expect(try parent.all("Tag").isEmpty)
    }

    /// A save pushes only the child's changes (Documentation/Formats/RuntimeBehavior.md, 4.7), not values that it has
    /// only read.
    @Test func savesPushOnlyChanges() throws {
        let (parent, child) = try contexts()
        let author = parent.make("Author", ["name": "a", "age": 1])
        let tag = parent.make("Tag", ["name": "x"])
        let book = parent.make("Book", ["title": "t", "tags": NSSet(object: tag)])
        try parent.save()
        let same = try #require(try child.all("Author").first)
        let copy = try #require(try child.all("Book").first)
        #expect(same.value(forKey: "age") as? Int == 1 && copy.names("tags") == ["x"] && same.names("books").isEmpty)
        author.setValue(2, forKey: "age")
        book.mutableSetValue(forKey: "tags").add(parent.make("Tag", ["name": "y"]))
        _ = parent.make("Book", ["title": "u", "author": author])
        same.setValue("b", forKey: "name")
        copy.mutableSetValue(forKey: "tags").add(child.make("Tag", ["name": "z"]))
        copy.setValue(same, forKey: "author")
        try child.save()
        #expect(author.value(forKey: "age") as? Int == 2 && author.value(forKey: "name") as? String == "b")
        #expect(book.names("tags") == ["x", "y", "z"])
        #expect(author.names("books") == ["t", "u"])
    }

    @Test func grandchildrenSaveThroughTheirParents() throws {
        let (root, middle) = try contexts()
        let leaf = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        leaf.parent = middle
        let author = leaf.make("Author", ["name": "a"])
        let book = leaf.make("Book", ["title": "t", "author": author])
        try leaf.save()
        try middle.save()
        #expect(!middle.hasChanges && root.insertedObjects.count == 2)
        try root.save()
        // Permanent IDs propagate down two levels.
        middle.refreshAllObjects()
        #expect(try middle.all("Author").map { $0.names("books") } == [["t"]])
        leaf.refreshAllObjects()
        #expect(author.names("books") == ["t"] && book.value(forKey: "author") as? NSManagedObject === author)
        #expect(try leaf.all("Author") == [author] && !author.objectID.isTemporaryID)
        leaf.delete(book)
        author.setValue("b", forKey: "name")
        try leaf.save()
        try middle.save()
        try root.save()
        let fresh = try Library.context(root.persistentStoreCoordinator)
        #expect(try fresh.all("Author").map { $0.value(forKey: "name") as? String } == ["b"])
        #expect(try fresh.all("Book").isEmpty)
    }

    @Test func rollingBackAChildKeepsTheParentsChanges() throws {
        let (parent, child) = try contexts()
        let author = parent.make("Author", ["name": "a"])
        let same = child.object(with: author.objectID)
        same.setValue("b", forKey: "name")
        child.rollback()
        #expect(same.value(forKey: "name") as? String == "a" && !child.hasChanges)
    }

    @Test func savesAreMergedAutomatically() async throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        other.automaticallyMergesChangesFromParent = true
        let id = try await one.perform {
            let author = one.make("Author", ["name": "a"])
            try one.save()
            return author.objectID
        }
        let name = await other.perform { other.object(with: id).value(forKey: "name") as? String }
        #expect(name == "a")
        let kept = await other.perform { UncheckedBox(other.object(with: id)) }
        try await one.perform {
            one.object(with: id).setValue("b", forKey: "name")
            try one.save()
        }
        let after = await other.perform(schedule: .enqueued) { kept.value.value(forKey: "name") as? String }
        #expect(after == "b")
    }
}

struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
