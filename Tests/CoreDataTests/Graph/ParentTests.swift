import CoreData
import Testing

/// Contexts that save to another context.
@Suite struct ParentTests {
    private func contexts() throws -> (parent: NSManagedObjectContext, child: NSManagedObjectContext) {
        let parent = try Library.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return (parent, child)
    }

    @Test func childSeesParentsChanges() throws {
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

    @Test func saveGoesOneLevelUp() throws {
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

    @Test func updatesAndDeletions() throws {
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

    @Test func rollbackOfChild() throws {
        let (parent, child) = try contexts()
        let author = parent.make("Author", ["name": "a"])
        let same = child.object(with: author.objectID)
        same.setValue("b", forKey: "name")
        child.rollback()
        #expect(same.value(forKey: "name") as? String == "a" && !child.hasChanges)
    }

    @Test func automaticMerge() async throws {
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
