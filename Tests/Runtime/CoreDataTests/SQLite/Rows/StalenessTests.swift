import CoreData
import Testing

/// `stalenessInterval`: the maximum age of cached values used by a fault.
@Suite struct StalenessTests {
    private let store: TestStore
    private let reader: NSManagedObjectContext
    /// Another coordinator behaves like another process: the reader is not notified of its saves.
    private let writer: NSManagedObjectContext

    init() throws {
        store = try TestStore()
        reader = try store.open()
        writer = try store.open()
        try writer.performAndWait { [writer] in
            _ = writer.make("Author", ["name": "old", "age": 1])
            try writer.save()
        }
    }

    private func write(_ name: String) throws {
        try writer.performAndWait {
            try #require(try writer.all("Author").first).setValue(name, forKey: "name")
            try writer.save()
        }
    }

    private func name(_ object: NSManagedObject) -> String? { object.value(forKey: "name") as? String }

    @Test func cachedValuesNeverExpireByDefault() throws {
        try reader.performAndWait {
            #expect(reader.stalenessInterval == -1)
            let author = try #require(try reader.all("Author").first)
            #expect(name(author) == "old")
            try write("new")
            reader.refresh(author, mergeChanges: false)
            #expect(name(author) == "old")
        }
    }

    @Test(arguments: [true, false]) func zeroReadsTheStoreForEachFault(merges: Bool) throws {
        try reader.performAndWait {
            reader.stalenessInterval = 0
            let author = try #require(try reader.all("Author").first)
            #expect(name(author) == "old")
            try write("new")
            // Values in memory do not change on their own.
            #expect(name(author) == "old")
            author.setValue(2, forKey: "age")
            reader.refresh(author, mergeChanges: merges)
            #expect(name(author) == "new" && author.value(forKey: "age") as? Int == (merges ? 2 : 1))
            try write("newest")
            reader.refreshAllObjects()
            #expect(name(author) == "newest")
        }
    }

    /// The interval applies to faults from a fetch, whose values the fetch has already read.
    @Test func zeroReadsTheStoreForFetchedFaults() throws {
        try reader.performAndWait {
            reader.stalenessInterval = 0
            let author = try #require(try reader.all("Author").first)
            #expect(author.isFault)
            try write("new")
            #expect(name(author) == "new")
        }
    }

    @Test func zeroFindsDeletedObjects() throws {
        try reader.performAndWait {
            reader.stalenessInterval = 0
            let author = try #require(try reader.all("Author").first)
            #expect(name(author) == "old")
            try writer.performAndWait {
                writer.delete(try #require(try writer.all("Author").first))
                try writer.save()
            }
            reader.refresh(author, mergeChanges: false)
            let error = nsError { _ = try reader.existingObject(with: author.objectID) }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test func positiveIntervalsLetCachedValuesExpire() throws {
        try reader.performAndWait {
            reader.stalenessInterval = 0.2
            let author = try #require(try reader.all("Author").first)
            #expect(name(author) == "old")
            reader.stalenessInterval = 600
            try write("new")
            reader.refresh(author, mergeChanges: false)
            #expect(name(author) == "old")
            reader.stalenessInterval = 0.2
            Thread.sleep(forTimeInterval: 0.3)
            reader.refresh(author, mergeChanges: false)
            #expect(name(author) == "new")
        }
    }

    @Test func aChildsIntervalAppliesToTheStore() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = reader
        try child.performAndWait {
            child.stalenessInterval = 0
            let author = try #require(try child.all("Author").first)
            #expect(name(author) == "old")
            try write("new")
            reader.performAndWait { reader.refreshAllObjects() }
            child.refresh(author, mergeChanges: false)
            #expect(name(author) == "new")
        }
    }

    @Test func aParentsIntervalAppliesToItsChildren() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = reader
        try child.performAndWait {
            reader.performAndWait { reader.stalenessInterval = 0 }
            let author = try #require(try child.all("Author").first)
            #expect(name(author) == "old")
            try write("new")
            reader.performAndWait { reader.refreshAllObjects() }
            child.refresh(author, mergeChanges: false)
            #expect(name(author) == "new")
        }
    }

    // MARK: Merges between coordinators

    private func saved(_ change: () throws -> Void) throws -> Notification {
        let notes = try writer.notes {
            try writer.performAndWait {
                try change()
                try writer.save()
            }
        }
        return try #require(notes.first)
    }

    @Test func aMergeReadsWhatAnotherCoordinatorHasSaved() throws {
        try reader.performAndWait {
            let author = try #require(try reader.all("Author").first)
            #expect(name(author) == "old")
            let note = try saved {
                try #require(try writer.all("Author").first).setValue("new", forKey: "name")
                _ = writer.make("Author", ["name": "second"])
            }
            reader.mergeChanges(fromContextDidSave: note)
            #expect(name(author) == "new" && !reader.hasChanges)
            let inserted = try #require((note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.first)
            let copy = try #require(try reader.all("Author").first { $0.objectID == inserted.objectID })
            #expect(copy.objectID.persistentStore === reader.persistentStoreCoordinator?.persistentStores.first)
            #expect(name(copy) == "second")
            copy.setValue("third", forKey: "name")
            try reader.save()
            // The writer's objects are outdated now.
            writer.performAndWait { writer.reset() }
            let deletion = try saved { for object in try writer.all("Author") { writer.delete(object) } }
            reader.mergeChanges(fromContextDidSave: deletion)
            #expect(author.isDeleted && copy.isDeleted && !reader.hasChanges)
            #expect(try reader.all("Author").isEmpty)
        }
    }

    @Test func aRemoteMergeReadsWhatAnotherCoordinatorHasSaved() throws {
        let author = try reader.performAndWait { try #require(try reader.all("Author").first) }
        reader.performAndWait { #expect(name(author) == "old") }
        try write("new")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [author.objectID.uriRepresentation()]], into: [reader])
        reader.performAndWait { #expect(name(author) == "new") }
    }
}
