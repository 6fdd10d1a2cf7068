import CoreData
import TestSupport
import Testing

/// Saved data survives, whatever happens to the program, the file or the disk.
@Suite struct DurabilityTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 5

    /// A program killed at any moment leaves a store that contains every completed save as a whole.
    @Test(.randomized) func killedProgramsLeaveWholeSaves() throws {
        var random = Seeds.generator()
        let store = try TestStore()
        var last = 0
        for _ in 0..<Self.kills {
            let writer = try WriterProcess("write", store.url.path)
            let lines = writer.kill(after: .random(in: 0.05...0.6, using: &random))
            last = lines.last.flatMap { Int($0) } ?? last
            // The program may have been killed before the store existed.
            guard FileManager.default.fileExists(atPath: store.url.path), last > 0 else { continue }
            try WriterProcess.check(store, last)
        }
    }

    /// Two programs that change one object at the same time lose no change.
    @Test func concurrentProgramsLoseNoChange() throws {
        let store = try TestStore()
        try WriterProcess.fill(store)
        let model = try WriterProcess.model(of: store.url, in: store.folder)
        let context = try store.open(model: model)
        try context.performAndWait {
            let counter = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context)
            counter.setValue(0, forKey: "value")
            try context.save()
            let writers = try (0..<2).map { _ in try WriterProcess("count", store.url.path, "40") }
            for writer in writers { #expect(writer.finish().code == 0) }
            context.refresh(counter, mergeChanges: false)
            // The cached row is outdated: a fetch reads the file.
            _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Counter"))
            #expect(counter.value(forKey: "value") as? Int == 80)
        }
    }

    // MARK: Damaged files

    private func filled() throws -> TestStore {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            for index in 0..<200 {
                let author = context.make("Author", ["name": "author \(index)", "age": index])
                _ = context.make("Book", ["title": String(repeating: "title ", count: 30), "author": author])
            }
            try context.save()
        }
        try TestStore.close(context)
        return store
    }

    /// Opens a store and uses it in every way; errors must be Core Data errors.
    private func use(_ store: TestStore) {
        store.isSound = false
        let unread = nsError {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store.url)
        }
        if let unread { #expect(unread.domain == NSCocoaErrorDomain, "\(unread)") }
        let error = nsError {
            let context = try store.open([NSPersistentStoreTimeoutOption: 1])
            try context.performAndWait {
                let books = try context.all("Book")
                for book in books.prefix(20) {
                    book.setValue("changed", forKey: "title")
                    _ = (book.value(forKey: "author") as? NSManagedObject)?.names("books")
                }
                if let last = books.last { context.delete(last) }
                _ = context.make("Author", ["name": "new"])
                try context.save()
            }
        }
        if let error { #expect(error.domain == NSCocoaErrorDomain, "\(error)") }
    }

    @Test func truncatedFilesNeverTrap() throws {
        let store = try filled()
        let whole = try Data(contentsOf: store.url)
        for length in [0, 1, 15, 16, 99, 100, 1000, 4096, 4097, 8192, whole.count / 2, whole.count - 1] {
            try whole.prefix(length).write(to: store.url)
            use(store)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + suffix) }
        }
    }

    @Test(.randomized) func flippedBitsNeverTrap() throws {
        let store = try filled()
        let whole = try Data(contentsOf: store.url)
        var random = Seeds.generator()
        let rounds = Seeds.seconds == nil ? 30 : 2000
        for _ in 0..<rounds {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let position = Int.random(in: 0..<damaged.count, using: &random)
                damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            try damaged.write(to: store.url)
            use(store)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + suffix) }
        }
    }

    @Test func filesOfOtherProgramsAreRejected() throws {
        let store = try TestStore()
        try Data("this is not a database, but it is long enough to look like one".utf8).write(to: store.url)
        let damaged = nsError { _ = try store.open() }
        #expect(damaged?.domain == NSCocoaErrorDomain && damaged?.code == CocoaError.fileReadCorruptFile.rawValue)
        try FileManager.default.removeItem(at: store.url)
        try store.database().run("CREATE TABLE notes (id INTEGER)")
        let other = nsError { _ = try store.open() }
        #expect(other?.code == NSPersistentStoreIncompatibleSchemaError)
        // It is unchanged.
        #expect(try store.database().rows("SELECT name FROM sqlite_master") == [["notes"]])
    }

    // MARK: Files that cannot be written

    @Test func lockedFilesAreErrors() throws {
        let store = try filled()
        let context = try store.open([NSPersistentStoreTimeoutOption: 0.2])
        let other = try store.database()
        try other.run("BEGIN IMMEDIATE")
        context.performAndWait {
            let author = context.make("Author", ["name": "waiting"])
            let error = nsError { try context.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreTimeoutError)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
            #expect(author.isInserted && author.objectID.isTemporaryID)
        }
        try other.run("ROLLBACK")
        let again = nsError { try context.performAndWait { try context.save() } }
        #expect(again == nil)
        #expect(try other.rows("SELECT count(*) FROM ZAUTHOR") == [["201"]])
    }

    /// A connection that locks the file exclusively, as some tools do: nothing can be opened, read or saved until it is
    /// closed.
    @Test func exclusivelyLockedFilesAreErrors() throws {
        let store = try filled()
        let context = try store.open([NSPersistentStoreTimeoutOption: 0.1])
        let other = try store.database()
        try other.run("PRAGMA journal_mode = WAL")
        try TestStore.close(context)
        try other.run("PRAGMA locking_mode = EXCLUSIVE")
        try other.run("UPDATE ZAUTHOR SET ZNAME = 'kept' WHERE Z_PK = 1")
        let error = nsError {
            let context = try store.open([NSPersistentStoreTimeoutOption: 0.1])
            try context.performAndWait { _ = try context.all("Author") }
        }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreTimeoutError, "\(error as Any)")
        let metadataError = nsError {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store.url, options: [NSPersistentStoreTimeoutOption: 0.1])
        }
        #expect(metadataError?.domain == NSCocoaErrorDomain)
        try other.run("PRAGMA locking_mode = NORMAL")
        _ = try other.rows("SELECT 1 FROM ZAUTHOR")
        let again = try store.open()
        let count = try again.performAndWait { try again.all("Author").count }
        #expect(count == 200)
    }

    /// A copy of a store in use is a snapshot of the store and the files next to it.
    @Test(.randomized) func copiesOfOpenStoresAreComplete() throws {
        var random = Seeds.generator()
        let (store, copy) = (try TestStore(), try TestStore())
        let writer = try WriterProcess("write", store.url.path)
        defer { _ = writer.kill(after: 0) }
        // The program reports each save.
        #expect(writer.nextLine() != nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        for _ in 0..<Self.kills {
            Thread.sleep(forTimeInterval: .random(in: 0...0.1, using: &random))
            try coordinator.replacePersistentStore(
                at: copy.url, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
            let count = try #require(try copy.database().rows("SELECT count(*) FROM ZGROUP").first?[0])
            try WriterProcess.check(copy, try #require(Int(count)))
            let files = try WriterProcess.externalFiles(copy)
            let lost = files.named.filter { !files.there.contains($0) }
            #expect(lost.isEmpty)
        }
    }

    /// A full disk: nothing is lost, and the save succeeds when there is space again.
    @Test func fullDiskLosesNothing() throws {
        let store = try filled()
        let pages = try #require(try store.database().rows("PRAGMA page_count").first?[0].flatMap { Int($0) })
        let context = try store.open([NSSQLitePragmasOption: ["max_page_count": "\(pages + 2)"]])
        try context.performAndWait {
            for index in 0..<2000 { _ = context.make("Author", ["name": String(repeating: "x", count: 100 + index)]) }
            let error = nsError { try context.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreSaveError)
            #expect(context.insertedObjects.count == 2000)
            #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["200"]])
            for author in Array(context.insertedObjects.dropFirst(3)) { context.delete(author) }
            try context.save()
        }
        #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["203"]])
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func readOnlyStoresRejectChanges() throws {
        let store = try filled()
        let before = try Data(contentsOf: store.url)
        let context = try store.open([NSReadOnlyPersistentStoreOption: true])
        try context.performAndWait {
            let count = try context.all("Author").count
            #expect(count == 200)
            _ = context.make("Author")
            let error = nsError { try context.save() }
            #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
        }
        try TestStore.close(context)
        #expect(try Data(contentsOf: store.url) == before)
        let empty = try TestStore()
        let error = nsError { _ = try empty.open([NSReadOnlyPersistentStoreOption: true]) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreOpenError)
        #expect(try empty.files().isEmpty)
    }
}
