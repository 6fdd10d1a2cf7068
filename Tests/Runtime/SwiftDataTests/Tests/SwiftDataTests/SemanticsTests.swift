import SwiftData
import Testing

/// The facts about contexts and models that Apple documents or that apps rely on.
@Suite struct SemanticsTests {
    private let context: ModelContext

    init() throws { context = try makeContext() }

    @Test func isDeletedUntilTheDeletionIsSaved() throws {
        let item = Item(timestamp: .now)
        context.insert(item)
        #expect(!item.isDeleted && item.hasChanges)
        try context.save()
        #expect(!item.hasChanges)
        context.delete(item)
        #expect(item.isDeleted && item.modelContext === context)
        #expect(try context.fetch(FetchDescriptor<Item>()).isEmpty)
        try context.save()
        #expect(!item.isDeleted && item.modelContext == nil)
    }

    @Test func loadedValuesOutliveADeletion() throws {
        let item = Item(timestamp: .now, name: "x")
        context.insert(item)
        try context.save()
        context.delete(item)
        try context.save()
        #expect(item.name == "x")
        // Nothing stores the value of a deleted model.
        item.name = "y"
        #expect(item.name == "x" && !context.hasChanges)
    }

    @Test func missingRowsTrapWithTheirName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try makeContext()
            let item = Item(timestamp: .now)
            context.insert(item)
            try context.save()
            let id = item.persistentModelID
            context.delete(item)
            try context.save()
            let fault = try #require(ModelContext(context.container).model(for: id) as? Item)
            _ = fault.timestamp
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in ["Item", "invalidated", "“timestamp”", "x-coredata://"] {
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test func readOnlyStoresRejectSaves() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("x.store")
        do {
            let context = ModelContext(
                try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url)))
            context.insert(Item(timestamp: .now, name: "kept"))
            try context.save()
        }
        let readOnly = ModelContext(
            try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: url, allowsSave: false)))
        let item = try #require(try readOnly.fetch(FetchDescriptor<Item>()).first)
        item.name = "changed"
        #expect(throws: (any Error).self) { try readOnly.save() }
        readOnly.rollback()
        #expect(item.name == "kept")
    }

    @Test func lastWriterWinsByProperty() throws {
        let item = Item(timestamp: .now, name: "a", count: 1)
        context.insert(item)
        try context.save()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Item>()).first)
        same.name = "other"
        item.count = 5
        try other.save()
        try context.save()
        let found = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Item>()).first)
        #expect(found.name == "other" && found.count == 5)
    }

    @Test func transactionsThatThrowKeepTheirChanges() throws {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try context.transaction {
                context.insert(Item(timestamp: .now))
                throw Failure()
            }
        }
        #expect(context.hasChanges)
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Item>()) == 0)
    }

    @Test func notificationsOfASave() throws {
        let (author, book) = (Author(name: "A"), Book(title: "B"))
        context.insert(author)
        context.insert(book)
        try context.save()
        nonisolated(unsafe) var updated: [PersistentIdentifier] = []
        nonisolated(unsafe) var posted: [Notification.Name] = []
        let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
                posted.append(note.name)
                updated = note.userInfo?["updatedIdentifiers"] as? [PersistentIdentifier] ?? []
                if name == ModelContext.willSave, note.userInfo != nil { posted.append(.init("userInfo")) }
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        author.books = [book]
        try context.save()
        #expect(posted == [ModelContext.willSave, ModelContext.didSave])
        #expect(Set(updated) == [author.persistentModelID, book.persistentModelID])
    }

    @Test func savesMakeIdentifiersPermanent() throws {
        let item = Item(timestamp: .now)
        let before = item.persistentModelID
        #expect(item.persistentModelID == before && before.storeIdentifier == nil && before.entityName == "Item")
        context.insert(item)
        #expect(context.insertedModelsArray.map(\.persistentModelID) == [item.persistentModelID])
        try context.save()
        #expect(item.persistentModelID.storeIdentifier != nil)
        let registered: Item? = context.registeredModel(for: item.persistentModelID)
        #expect(registered === item)
        #expect(ModelContext(context.container).registeredModel(for: item.persistentModelID) as Item? == nil)
    }

    @Test func fetchesAreLimitedAndSorted() throws {
        for number in 0..<5 { context.insert(Item(timestamp: .now, name: "\(number)", count: number)) }
        var descriptor = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.count, order: .reverse)])
        descriptor.fetchLimit = 2
        #expect(try context.fetch(descriptor).map(\.count) == [4, 3])
        #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
            try context.fetchIdentifiers(descriptor)
        }
        try context.save()
        #expect(try context.fetchIdentifiers(descriptor).count == 2)
        descriptor.includePendingChanges = false
        #expect(try context.fetchIdentifiers(descriptor, batchSize: 1).map(\.entityName) == ["Item", "Item"])
        descriptor.fetchOffset = 4
        #expect(try context.fetch(descriptor).map(\.count) == [0])
        #expect(try context.fetchCount(descriptor) == 1)
    }

    @MainActor @Test func onlyTheMainContextAutosavesByDefault() throws {
        #expect(!context.autosaveEnabled)
        #expect(context.container.mainContext.autosaveEnabled)
    }

    @MainActor @Test func mainContextSavesByItself() async throws {
        let container = try makeContainer(Item.self)
        container.mainContext.insert(Item(timestamp: .now))
        for _ in 0..<1200 where container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 1)
    }

    /// The check has a later deadline than a save one second after the last change, on the same queue.
    @MainActor @Test func autosaveComesOneSecondAfterTheLastChange() async throws {
        let context = try makeContainer(Item.self).mainContext
        context.insert(Item(timestamp: .now))
        let isUnsaved = await withCheckedContinuation { continuation in
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) {
                MainActor.assumeIsolated { context.insert(Item(timestamp: .now)) }
                DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) {
                    continuation.resume(returning: MainActor.assumeIsolated { context.hasChanges })
                }
            }
        }
        #expect(!isUnsaved)
    }

    @MainActor @Test func autosaveIncludesUndoAndRedo() async throws {
        let context = try makeContainer(Item.self).mainContext
        let item = Item(timestamp: .now, name: "old")
        context.insert(item)
        try context.save()
        let manager = UndoManager()
        context.undoManager = manager
        manager.beginUndoGrouping()
        item.name = "new"
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        for (name, step) in [("old", manager.undo), ("new", manager.redo)] {
            step()
            #expect(context.hasChanges && item.name == name)
            for _ in 0..<1200 where context.hasChanges { try await Task.sleep(for: .milliseconds(50)) }
            #expect(try ModelContext(context.container).fetch(FetchDescriptor<Item>()).map(\.name) == [name])
        }
    }

    @Test func compositeAttributesHaveParts() throws {
        let book = try #require(context.container.schema.entitiesByName["Book"])
        let format = try #require(book.attributesByName["format"] as? Schema.CompositeAttribute)
        #expect(format.properties.map(\.name) == ["width", "height", "unit", "sizes"])
        #expect(format.properties[2].isOptional && !format.properties[0].isOptional)
    }

    @Test func contextsPassTheCheckOfQueues() async throws {
        await #expect(processExitsWith: .success) {
            setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
            let context = try makeContext()
            context.insert(Item(timestamp: .now, name: "x"))
            try context.save()
            let item = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Item>()).first)
            #expect(item.name == "x")
        }
    }
}
