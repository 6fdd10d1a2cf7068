import CoreData
import Testing

/// The files of a SQLite store after its stack was released, and the destruction of stores that are open.
@Suite struct RemainingLogTests {
    private func write(_ store: TestStore, _ options: [AnyHashable: Any]? = nil) throws {
        let context = try store.open(options)
        _ = context.make("Book")
        try context.save()
        try TestStore.close(context)
    }

    @Test func theLogAndItsIndexRemain() throws {
        let store = try TestStore()
        for _ in 0..<2 {
            try write(store)
            #expect(try store.files() == ["Store.sqlite", "Store.sqlite-shm", "Store.sqlite-wal"])
            // All rows are in the file: it can be copied alone.
            #expect(try Data(contentsOf: URL(fileURLWithPath: store.url.path + "-wal")).isEmpty)
        }
        let copy = try TestStore()
        try FileManager.default.copyItem(at: store.url, to: copy.url)
        #expect(try copy.open().all("Book").count == 2)
    }

    @Test func anOptionRemovesThem() throws {
        let store = try TestStore()
        try write(store)
        try write(store, [NSSQLiteRemovesLogOption: true])
        #expect(try store.files() == ["Store.sqlite"])
    }

    @Test func otherJournalModesLeaveNoFiles() throws {
        let store = try TestStore()
        try write(store, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        #expect(try store.files() == ["Store.sqlite"])
    }

    // MARK: Open stores

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func anOpenStoreIsDestroyedAndAddedAgain(type: String) throws {
        let store = try TestStore()
        if type != NSSQLiteStoreType { store.isSound = false }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        let old = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: store.url)
        let context = try Library.context(coordinator)
        _ = context.make("Book")
        try context.save()
        try coordinator.destroyPersistentStore(at: store.url, ofType: type)
        #expect(coordinator.persistentStores.isEmpty)
        // Some programs remove it afterwards.
        try coordinator.remove(old)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: store.url)
        #expect(coordinator.persistentStores.count == 1)
        context.reset()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
        _ = context.make("Book")
        try context.save()
        #expect(try Library.context(coordinator).all("Book").count == 1)
    }

    @Test func aStoreThatCannotBeDestroyedStays() throws {
        let store = try TestStore()
        store.isSound = false
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
        let other = store.folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) {
            try coordinator.destroyPersistentStore(at: other, ofType: NSSQLiteStoreType)
        }
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test func aMissingFileIsCreated() throws {
        let store = try TestStore()
        store.isSound = false
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"] && Data(contentsOf: store.url).isEmpty)
        // Not its folder.
        let inner = store.folder.appendingPathComponent("missing/Store.sqlite")
        try coordinator.destroyPersistentStore(at: inner, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"])
    }
}
