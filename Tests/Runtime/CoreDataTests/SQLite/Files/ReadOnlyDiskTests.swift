import CoreData
import Testing

/// Stores on read-only disks, not opened as read-only stores.
@Suite(.enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"))
struct ReadOnlyDiskTests {
    /// A store that was closed can be read; saving fails with an error and loses nothing.
    @Test func closedStoresAreRead() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let store = try TestStore(in: disk.folder)
        let first = try store.open()
        try first.performAndWait {
            for index in 0..<100 { _ = first.make("Author", ["name": "\(index)", "age": index]) }
            try first.save()
        }
        try TestStore.close(first)
        try disk.lock()
        let before = try Data(contentsOf: store.url)

        let context = try store.open()
        #expect(context.persistentStoreCoordinator?.persistentStores.first?.isReadOnly == true)
        try context.performAndWait {
            let authors = try context.all("Author", by: "age")
            #expect(authors.map { $0.value(forKey: "age") as? Int } == Array(0..<100))
            authors[0].setValue("changed", forKey: "name")
            let new = context.make("Author", ["name": "new"])
            let error = nsError { try context.save() }
            #expect(
                error?.domain == NSCocoaErrorDomain && error?.code == NSFileWriteNoPermissionError, "\(error as Any)")
            #expect(new.isInserted && authors[0].isUpdated)
            let insertion = NSBatchInsertRequest(entityName: "Author", objects: [["name": "new"]])
            let other = nsError { try context.execute(insertion) }
            #expect(other?.domain == NSCocoaErrorDomain)
        }
        try TestStore.close(context)
        #expect(try Data(contentsOf: store.url) == before)
        let gone = nsError {
            try context.persistentStoreCoordinator?.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        }
        #expect(gone?.domain == NSCocoaErrorDomain)
    }

    /// A store that is part of a program, in a read-only folder, can be copied to a writable location.
    @Test func copiesAreWritable() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let (store, copy) = (try TestStore(in: disk.folder), try TestStore())
        let first = try store.open()
        try first.performAndWait {
            _ = first.make("Author", ["name": "one"])
            try first.save()
        }
        try TestStore.close(first)
        try disk.lock()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.replacePersistentStore(
            at: copy.url, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        let context = try copy.open()
        try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            #expect(author.value(forKey: "name") as? String == "one")
            author.setValue("two", forKey: "name")
            try context.save()
        }
    }

    /// The log left by a killed program is either read or opening fails with an error: outdated values would be wrong.
    @Test(arguments: [false, true])
    func openStoresAreRead(hasLostIndex: Bool) throws {
        let disk = try SmallDisk(bytes: 64 << 20)
        let store = try TestStore(in: disk.folder)
        let writer = try WriterProcess("fill", store.url.path, "\(1 << 20)")
        let last = try #require(writer.lines(until: "failed").dropLast().last.flatMap { Int($0) })
        _ = writer.kill(after: 0)
        let model = try WriterProcess.model(of: store.url, in: FileManager.default.temporaryDirectory)
        if hasLostIndex { try FileManager.default.removeItem(atPath: store.url.path + "-shm") }
        try disk.lock()
        do {
            let context = try store.open(model: model)
            let count = try context.performAndWait { try context.all("Group").count }
            #expect(count == last)
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain, "\(error)")
            #expect(hasLostIndex, "\(error)")
        }
    }
}
