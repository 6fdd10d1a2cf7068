import Testing

@testable import CoreData

/// Objects whose rows cannot be read for a while. That does not mean that they were deleted.
@Suite struct UnreadableObjectTests {
    private let store: TestStore
    private let context: NSManagedObjectContext
    private let author: NSManagedObject

    /// Saves an author with two books, and opens the store again with nothing cached.
    init() throws {
        store = try TestStore()
        let writer = try store.open()
        try writer.performAndWait {
            let author = writer.make("Author", ["name": "a"])
            let tag = writer.make("Tag", ["name": "t"])
            for title in ["x", "y"] {
                _ = writer.make("Book", ["title": title, "author": author, "tags": NSSet(object: tag)])
            }
            try writer.save()
        }
        try TestStore.close(writer)
        let context = try store.open([
            NSPersistentStoreTimeoutOption: 0.1, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
        ])
        self.context = context
        author = try context.performAndWait {
            try #require(try context.all("Book")[0].value(forKey: "author") as? NSManagedObject)
        }
    }

    /// Calls a function while every read fails.
    private func whileLocked(_ body: () throws -> Void) throws {
        let lock = try store.database()
        try lock.run("BEGIN EXCLUSIVE")
        try body()
        try lock.run("ROLLBACK")
    }

    private func expectUnread(_ error: NSError?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            error?.localizedDescription.contains("could not be read") == true, "\(error as Any)",
            sourceLocation: sourceLocation)
    }

    private func savedAuthors() throws -> [String?] {
        let reader = try store.open()
        defer { try? TestStore.close(reader) }
        return try reader.performAndWait { try reader.all("Author").map { $0.value(forKey: "name") as? String } }
    }

    private func makeChild() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        return child
    }

    @Test func deletionsAreReportedOrTakePlace() throws {
        try context.performAndWait {
            try whileLocked { context.delete(author) }
            context.delete(author)
            expectUnread(nsError { try context.save() })
            #expect(context.hasChanges)
            context.rollback()
            #expect(try savedAuthors() == ["a"])
            try whileLocked { #expect(author.value(forKey: "name") == nil) }
            context.delete(author)
            try context.save()
        }
        #expect(try savedAuthors() == [])
    }

    @Test func changesOfAChildAreNoDeletions() throws {
        try context.performAndWait {
            let child = makeChild()
            try child.performAndWait {
                let object = child.object(with: author.objectID)
                try whileLocked { object.setValue("b", forKey: "name") }
                expectUnread(nsError { try child.save() })
            }
            #expect(!context.hasChanges)
            try context.save()
        }
        #expect(try savedAuthors() == ["a"])
    }

    @Test func aChildReadsAgainWhatItsParentCouldNotRead() throws {
        try context.performAndWait {
            try whileLocked { #expect(author.value(forKey: "name") == nil) }
            let child = makeChild()
            try child.performAndWait {
                let object = child.object(with: author.objectID)
                #expect(object.value(forKey: "name") as? String == "a")
                object.setValue("b", forKey: "name")
                try child.save()
            }
            try context.save()
        }
        #expect(try savedAuthors() == ["b"])
    }

    @Test func deletionsOfAChildAreReported() throws {
        try context.performAndWait {
            let child = makeChild()
            try child.performAndWait {
                let object = child.object(with: author.objectID)
                _ = object.value(forKey: "name")
                context.refreshAllObjects()
                try TestStore.close(context)
                child.delete(object)
                _ = child.make("Tag", ["name": "new"])
                #expect(nsError { try child.save() } != nil)
                #expect(child.hasChanges)
            }
            #expect(!context.hasChanges)
        }
        #expect(try savedAuthors() == ["a"])
    }

    @Test func refreshesKeepTheReport() throws {
        try context.performAndWait {
            try whileLocked { author.setValue("b", forKey: "name") }
            context.refreshAllObjects()
            context.refresh(author, mergeChanges: true)
            expectUnread(nsError { _ = try context.existingObject(with: author.objectID) })
            expectUnread(nsError { try context.save() })
            context.refresh(author, mergeChanges: false)
            #expect(author.value(forKey: "name") as? String == "a")
            #expect(!context.hasChanges)
            try context.save()
        }
        #expect(try savedAuthors() == ["a"])
    }

    @Test func removalsSurviveAMergeThatCannotRead() throws {
        try context.performAndWait {
            let book = try context.all("Book")[0]
            let tag = try #require(try context.all("Tag").first)
            book.mutableSetValue(forKey: "tags").remove(tag)
            context.processPendingChanges()
            try whileLocked {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSUpdatedObjectsKey: [tag.objectID]], into: [context])
                #expect((book.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 0)
            }
            #expect((book.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 0)
            try context.save()
        }
        let reader = try store.open()
        let counts = try reader.performAndWait {
            try reader.all("Tag").map { ($0.value(forKey: "books") as? Set<NSManagedObject>)?.count }
        }
        #expect(counts == [1])
    }
}
