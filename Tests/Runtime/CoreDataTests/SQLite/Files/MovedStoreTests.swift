import CoreData
import Testing

/// Saving to a store whose files were moved or removed while open.
@Suite struct MovedStoreTests {
    /// The changes made to files of an open store.
    enum Change: CaseIterable {
        case deleteStore, renameStore, replaceStore, truncateAndReplaceStore, renameFolder, deleteLog, replaceLog

        func apply(to store: TestStore) throws {
            let manager = FileManager.default
            let log = URL(fileURLWithPath: store.url.path + "-wal")
            let other = store.folder.appendingPathComponent("Other")
            switch self {
            case .deleteStore: try manager.removeItem(at: store.url)
            case .renameStore: try manager.moveItem(at: store.url, to: other)
            case .replaceStore:
                try manager.copyItem(at: store.url, to: other)
                guard rename(other.path, store.url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            case .truncateAndReplaceStore:
                try manager.removeItem(at: store.url)
                try Data().write(to: store.url)
            case .renameFolder: try manager.moveItem(at: store.folder, to: Self.newFolder(store))
            case .deleteLog: try manager.removeItem(at: log)
            case .replaceLog:
                try manager.removeItem(at: log)
                try Data().write(to: log)
            }
        }

        static func newFolder(_ store: TestStore) -> URL {
            store.folder.deletingLastPathComponent().appendingPathComponent(store.folder.lastPathComponent + "-moved")
        }
    }

    private func isMoved(_ error: NSError?) -> Bool {
        error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreSaveError
            && error?.localizedDescription.contains("was moved, deleted or replaced") == true
    }

    @Test(arguments: Change.allCases)
    func savingAMovedStoreIsAnError(_ change: Change) throws {
        let store = try TestStore()
        defer { try? FileManager.default.removeItem(at: Change.newFolder(store)) }
        let context = try store.open()
        try context.performAndWait {
            let author = context.make("Author", ["name": "before"])
            try context.save()
            try change.apply(to: store)
            author.setValue("after", forKey: "name")
            let update = nsError { try context.save() }
            #expect(isMoved(update), "\(update as Any)")
            #expect(context.hasChanges && author.isUpdated)
            context.rollback()
            let new = context.make("Author", ["name": "new"])
            let insertion = nsError { try context.save() }
            #expect(isMoved(insertion), "\(insertion as Any)")
            #expect(new.isInserted)
            context.rollback()
            let batch = NSBatchUpdateRequest(entityName: "Author")
            batch.propertiesToUpdate = ["name": "batch"]
            let batchError = nsError { _ = try context.execute(batch) }
            #expect(batchError?.domain == NSCocoaErrorDomain, "\(batchError as Any)")
            // Cached values can still be read.
            #expect(author.value(forKey: "name") as? String == "before")
        }
    }

    /// A failed save leaves neither external files nor a folder for them at the store's old location.
    @Test func noExternalFilesAreWritten() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Book")
            try context.save()
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: store.url.path + suffix) }
            _ = context.make("Book", ["data": Data(count: 200_000)])
            #expect(isMoved(nsError { try context.save() }))
            #expect(try store.files().isEmpty)
        }
    }

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func everyJournalModeDetectsTheMove(_ mode: String) throws {
        let store = try TestStore()
        let context = try store.open([NSSQLitePragmasOption: ["journal_mode": mode]])
        try context.performAndWait {
            _ = context.make("Author")
            try context.save()
            try FileManager.default.removeItem(at: store.url)
            _ = context.make("Author")
            #expect(isMoved(nsError { try context.save() }))
        }
    }

    /// If another coordinator destroys the store and creates a new one, saves to the old store do not reach it.
    @Test func savesDoNotReachARecreatedStore() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Author")
            try context.save()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
            try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
            let other = try store.open()
            _ = context.make("Author")
            #expect(isMoved(nsError { try context.save() }))
            #expect(try other.performAndWait { try other.all("Author").count } == 0)
        }
    }

    /// `setURL` sets the new location of an open store.
    @Test func movedStoresAreUsedAtTheirNewLocation() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        let (store, target, other) = (try TestStore(model), try TestStore(model), try TestStore(model))
        try TestStore.close(other.open())
        let context = try store.open()
        try context.performAndWait {
            let book = context.make("Book", ["title": "a", "data": Data(repeating: 1, count: 200_000)])
            try context.save()
            let coordinator = try #require(context.persistentStoreCoordinator)
            let opened = try #require(coordinator.persistentStores.first)
            for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.path) {
                try FileManager.default.moveItem(
                    at: store.folder.appendingPathComponent(name), to: target.folder.appendingPathComponent(name))
            }
            book.setValue("b", forKey: "title")
            #expect(isMoved(nsError { try context.save() }))
            #expect(!coordinator.setURL(other.url, for: opened))
            #expect(!coordinator.setURL(store.folder.appendingPathComponent("Missing.sqlite"), for: opened))
            #expect(opened.url == store.url)
            #expect(coordinator.setURL(target.url, for: opened))
            try context.save()
            context.reset()
            let books = try context.all("Book")
            #expect(books.map { $0.value(forKey: "title") as? String } == ["b"])
            #expect(books.first?.value(forKey: "data") as? Data == Data(repeating: 1, count: 200_000))
        }
        #expect(try store.files().isEmpty)
        try TestStore.close(context)
        let again = try target.open()
        #expect(try again.performAndWait { try again.all("Book").first?.value(forKey: "title") as? String } == "b")
    }
}
