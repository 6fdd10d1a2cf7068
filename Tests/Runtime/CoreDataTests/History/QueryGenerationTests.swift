import CoreData
import Testing

/// Contexts pinned to a state of the stores, as described in Apple's documentation of query generations.
@Suite struct QueryGenerationTests {
    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Author", by: "name").compactMap { $0.value(forKey: "name") as? String }
    }

    @Test(.overDatabases) func pinnedContextsReadTheirGeneration() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator([:])
        let (writer, reader, free) = (
            try stack.context(coordinator), try stack.context(coordinator), try stack.context(coordinator)
        )
        let author = writer.make("Author", ["name": "a", "age": 1])
        let gone = writer.make("Author", ["name": "b", "age": 2])
        try writer.save()
        #expect(reader.queryGenerationToken == nil)
        try reader.setQueryGenerationFrom(.current)
        #expect(reader.queryGenerationToken == .current)
        #expect(try names(reader) == ["a", "b"])
        let token = try #require(reader.queryGenerationToken)
        #expect(token != .current)

        author.setValue("z", forKey: "name")
        writer.delete(gone)
        _ = writer.make("Author", ["name": "c"])
        _ = writer.make("Book", ["author": author])
        try writer.save()
        #expect(try names(writer) == ["c", "z"])
        #expect(try names(free) == ["c", "z"])
        reader.refreshAllObjects()
        #expect(try names(reader) == ["a", "b"])
        #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
        // Faults and relationships are read from the same state.
        let first = try #require(try reader.all("Author", by: "name").first)
        reader.refresh(first, mergeChanges: false)
        #expect(first.value(forKey: "age") as? Int == 1 && first.names("books").isEmpty)
        #expect(try reader.existingObject(with: gone.objectID).value(forKey: "age") as? Int == 2)
        // Another context can read the same state.
        let other = try stack.context(coordinator)
        try other.setQueryGenerationFrom(token)
        #expect(try names(other) == ["a", "b"] && other.queryGenerationToken == token)
        // Batch requests do not advance it.
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": 50]
        try reader.execute(update)
        reader.refreshAllObjects()
        #expect(first.value(forKey: "age") as? Int == 1)

        try reader.setQueryGenerationFrom(.current)
        reader.refreshAllObjects()
        #expect(try names(reader) == ["c", "z"])
        try reader.setQueryGenerationFrom(nil)
        #expect(reader.queryGenerationToken == nil)
        #expect(try names(other) == ["a", "b"])
    }

    @Test(.overDatabases) func savesResetsAndMergesAdvanceTheGeneration() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator([:])
        let (writer, reader) = (try stack.context(coordinator), try stack.context(coordinator))
        _ = writer.make("Author", ["name": "a"])
        try writer.save()
        func pin() throws {
            try reader.setQueryGenerationFrom(.current)
            _ = try names(reader)
            #expect(reader.queryGenerationToken != .current && reader.queryGenerationToken != nil)
        }
        try pin()
        _ = writer.make("Author", ["name": "b"])
        try writer.save()
        #expect(try names(reader) == ["a"])
        _ = reader.make("Author", ["name": "c"])
        try reader.save()
        #expect(reader.queryGenerationToken == .current)
        #expect(try names(reader) == ["a", "b", "c"])
        try pin()
        reader.reset()
        #expect(reader.queryGenerationToken == .current)
        try pin()
        _ = writer.make("Author", ["name": "d"])
        let saves = try writer.notes { try writer.save() }
        #expect(try names(reader) == ["a", "b", "c"])
        reader.mergeChanges(fromContextDidSave: try #require(saves.first))
        #expect(reader.queryGenerationToken == .current)
        #expect(try names(reader) == ["a", "b", "c", "d"])
    }

    /// A save compares with the current state of the store.
    @Test func savingAPinnedContextDetectsConflicts() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator([:])
        let (writer, reader) = (try stack.context(coordinator), try stack.context(coordinator))
        let author = writer.make("Author", ["age": 1])
        try writer.save()
        try reader.setQueryGenerationFrom(.current)
        let copy = try #require(try reader.all("Author").first)
        author.setValue(2, forKey: "age")
        try writer.save()
        copy.setValue(3, forKey: "age")
        #expect(throws: (any Error).self) { try reader.save() }
        reader.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try reader.save()
        #expect(try stack.rows("SELECT ZAGE FROM ZAUTHOR") == [["3"]])
    }

    @Test func storesWithoutGenerationsAreReadUnpinned() throws {
        let coordinator = try Library.coordinator()
        let (writer, reader) = (try Library.context(coordinator), try Library.context(coordinator))
        try reader.setQueryGenerationFrom(.current)
        #expect(try names(reader).isEmpty)
        _ = writer.make("Author", ["name": "a"])
        try writer.save()
        #expect(try names(reader) == ["a"])
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = reader
        #expect(child.queryGenerationToken == nil)
        let foreign = try stackToken()
        #expect(throws: (any Error).self) { try reader.setQueryGenerationFrom(foreign) }
    }

    /// Returns a token of another coordinator.
    private func stackToken() throws -> NSQueryGenerationToken? {
        let stack = try HistoryStack()
        let context = try stack.context()
        try context.setQueryGenerationFrom(.current)
        _ = try names(context)
        return context.queryGenerationToken
    }

    @Test(.overDatabases) func childContextsAreNotPinned() async throws {
        await #expect(processExitsWith: .failure) {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = try Library.context()
            try child.setQueryGenerationFrom(.current)
        }
    }

    /// External files of a past state exist as long as a context reads it.
    @Test func externalFilesLastAsLongAsTheirGeneration() throws {
        let model = Library.model()
        try #require(model.entitiesByName["Book"]?.attributesByName["data"]).allowsExternalBinaryDataStorage = true
        let stack = try HistoryStack(model)
        let coordinator = try stack.coordinator([:])
        let (writer, reader) = (try stack.context(coordinator), try stack.context(coordinator))
        let data = Data(repeating: 7, count: 300_000)
        let book = writer.make("Book", ["data": data])
        try writer.save()
        try reader.setQueryGenerationFrom(.current)
        let copy = try #require(try reader.all("Book").first)
        writer.delete(book)
        try writer.save()
        reader.refresh(copy, mergeChanges: false)
        #expect(copy.value(forKey: "data") as? Data == data)
        let folder = stack.folder.appendingPathComponent(".history_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        try reader.setQueryGenerationFrom(nil)
        reader.reset()
        _ = writer.make("Book")
        try writer.save()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
