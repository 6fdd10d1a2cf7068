import CoreData
import Testing

/// Both sides of relationships, and delete rules.
@Suite(.overAllStores) struct RelationshipTests {
    @Test func settingOneSideUpdatesTheOther() throws {
        let context = try Library.context()
        let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
        let book = context.make("Book", ["title": "t", "author": a])
        #expect(a.names("books") == ["t"])
        book.setValue(b, forKey: "author")
        #expect(a.names("books").isEmpty && b.names("books") == ["t"])
        b.setValue(NSSet(), forKey: "books")
        #expect(book.value(forKey: "author") == nil)
        a.mutableSetValue(forKey: "books").add(book)
        #expect(book.value(forKey: "author") as? NSManagedObject === a)
        a.mutableSetValue(forKey: "books").remove(book)
        #expect(book.value(forKey: "author") == nil)
        let set: Set<NSManagedObject> = [book]
        b.setValue(set, forKey: "books")
        #expect(book.value(forKey: "author") as? NSManagedObject === b)
        #expect(b.value(forKey: "books") as? Set<Book> == (book as? Book).map { [$0] })
    }

    /// Both the old and the new owner are changed.
    @Test func movingAnObjectChangesBothOwners() throws {
        let context = try Library.context()
        let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
        let books = "tu".map { context.make("Book", ["title": "\($0)", "author": a]) }
        try context.save()
        context.refreshAllObjects()
        books[0].setValue(b, forKey: "author")
        #expect(context.updatedObjects == [a, b, books[0]])
        #expect(a.committedValues(forKeys: ["books"])["books"] as? NSSet == NSSet(array: books))
        context.rollback()
        context.refreshAllObjects()
        b.mutableSetValue(forKey: "books").add(books[1])
        #expect(context.updatedObjects == [a, b, books[1]])
        #expect(a.names("books") == ["t"] && b.names("books") == ["u"])
        #expect(a.committedValues(forKeys: ["books"])["books"] as? NSSet == NSSet(array: books))
    }

    @Test func manyToManyUpdatesBothSides() throws {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let (x, y) = (context.make("Tag", ["name": "x"]), context.make("Tag", ["name": "y"]))
        let book = context.make("Book", ["title": "t", "tags": NSSet(array: [x, y])])
        #expect(x.names("books") == ["t"] && y.names("books") == ["t"])
        try context.save()
        let other = try Library.context(coordinator)
        let found = try #require(try other.all("Book").first)
        #expect(found.names("tags") == ["x", "y"])
        x.mutableSetValue(forKey: "books").remove(book)
        try context.save()
        let third = try Library.context(coordinator)
        #expect(try third.all("Book").first?.names("tags") == ["y"])
        #expect(try third.all("Tag", by: "name").map { $0.names("books") } == [[], ["t"]])
    }

    @Test func oneToOneUpdatesBothSides() throws {
        let context = try Library.context()
        let books = (0..<4).map { context.make("Book", ["title": "\($0)"]) }
        books[0].setValue(books[1], forKey: "sequel")
        books[2].setValue(books[3], forKey: "sequel")
        // Book 2 takes over the sequel of book 0, and releases its own.
        books[2].setValue(books[1], forKey: "sequel")
        #expect(books[0].value(forKey: "sequel") == nil)
        #expect(books[1].value(forKey: "prequel") as? NSManagedObject === books[2])
        #expect(books[3].value(forKey: "prequel") == nil)
    }

    @Test func orderedRelationshipsKeepTheirOrder() throws {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let shelf = context.make("Shelf")
        let books = "abcd".map { context.make("Book", ["title": "\($0)"]) }
        shelf.setValue(NSOrderedSet(array: [books[2], books[0]]), forKey: "volumes")
        books[3].setValue(shelf, forKey: "shelf")
        #expect(shelf.names("volumes") == ["c", "a", "d"])
        let proxy = shelf.mutableOrderedSetValue(forKey: "volumes")
        proxy.insert(books[1], at: 1)
        #expect(shelf.names("volumes") == ["c", "b", "a", "d"])
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.all("Shelf").first)
        #expect(same.names("volumes") == ["c", "b", "a", "d"])
        same.setValue(
            NSOrderedSet(array: same.mutableOrderedSetValue(forKey: "volumes").array.reversed()), forKey: "volumes")
        #expect(same.names("volumes") == ["d", "a", "b", "c"])
        try other.save()
        let third = try Library.context(coordinator)
        #expect(try third.all("Shelf").first?.names("volumes") == ["d", "a", "b", "c"])
    }

    @Test func additionsOfBothContextsAreKept() throws {
        let coordinator = try Library.coordinator()
        let (one, other) = (try Library.context(coordinator), try Library.context(coordinator))
        let author = one.make("Author", ["name": "a"])
        try one.save()
        _ = one.make("Book", ["title": "1", "author": author])
        let same = other.object(with: author.objectID)
        _ = other.make("Book", ["title": "2", "author": same])
        try one.save()
        // Another book by the same author is not a conflict.
        try other.save()
        let third = try Library.context(coordinator)
        #expect(try third.all("Author").first?.names("books") == ["1", "2"])
    }

    // MARK: Delete rules

    private func deleteAuthor(_ rule: NSDeleteRule) throws -> (NSManagedObjectContext, NSManagedObject, NSManagedObject)
    {
        let context = try Library.context(Library.coordinator(Library.model(booksRule: rule)))
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book", ["author": author])
        try context.save()
        context.delete(author)
        return (context, author, book)
    }

    @Test func nullifyClearsTheInverse() throws {
        let (context, _, book) = try deleteAuthor(.nullifyDeleteRule)
        context.processPendingChanges()
        #expect(book.value(forKey: "author") == nil && book.isUpdated)
        try context.save()
        #expect(try context.all("Book").count == 1)
    }

    /// The rule also applies to relationships that are only fetched for it.
    @Test func nullifyRemovesManyToManyMembers() throws {
        let coordinator = try Library.coordinator(Library.model(booksRule: .cascadeDeleteRule))
        let context = try Library.context(coordinator)
        let author = context.make("Author")
        let tag = context.make("Tag", ["name": "x"])
        _ = context.make("Book", ["author": author, "tags": NSSet(object: tag)])
        try context.save()
        context.refreshAllObjects()
        context.delete(author)
        try context.save()
        #expect(tag.names("books").isEmpty)
        let fresh = try Library.context(coordinator)
        #expect(try fresh.all("Tag").map { $0.names("books") } == [[]])
    }

    @Test func cascadeDeletesTheMembers() throws {
        let (context, _, book) = try deleteAuthor(.cascadeDeleteRule)
        #expect(!book.isDeleted)
        context.processPendingChanges()
        #expect(book.isDeleted)
        try context.save()
        #expect(try context.all("Book").isEmpty && context.all("Author").isEmpty)
    }

    @Test func denyRejectsTheDeletion() throws {
        let (context, author, book) = try deleteAuthor(.denyDeleteRule)
        #expect {
            try context.save()
        } throws: { error in
            let error = error as NSError
            return error.code == NSValidationRelationshipDeniedDeleteError
                && error.userInfo[NSValidationKeyErrorKey] as? String == "books"
                && error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author
        }
        context.delete(book)
        try context.save()
        #expect(try context.all("Author").isEmpty)
    }

    @Test func noActionLeavesTheMembers() throws {
        let (context, _, book) = try deleteAuthor(.noActionDeleteRule)
        try context.save()
        #expect(!book.isDeleted)
        context.refresh(book, mergeChanges: false)
        let author = try #require(book.value(forKey: "author") as? NSManagedObject)
        #expect(author.value(forKey: "name") == nil)
    }
}
