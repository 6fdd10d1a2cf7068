import CoreData
import TestSupport
import Testing

/// A full disk causes an error and has no effect on the store.
@Suite struct FullDiskTests {
    private static let isLong = Seeds.seconds != nil

    /// Lets a writer continue until a save fails, and checks that all previous saves are complete.
    ///
    /// - Parameters:
    ///   - makeRoom: A function called when the save has failed; the writer then retries the save.
    /// - Returns: The numbers of the last group before the failure and of the one after it.
    @discardableResult
    private func fill(
        _ store: TestStore, limit: Int? = nil, last: Int = 0, makeRoom: () throws -> Void
    ) throws -> (before: Int, after: Int) {
        let writer = try WriterProcess("fill", store.url.path, limit.map { "\($0)" } ?? "")
        let lines = writer.lines(until: "failed")
        let before = lines.dropLast().last.flatMap { Int($0) } ?? last
        // The error must be a Core Data error, and the context must be unchanged.
        let failures = [NSPersistentStoreSaveError, NSPersistentStoreOpenError].map {
            "failed \(NSCocoaErrorDomain) \($0) kept"
        }
        #expect(lines.last.map(failures.contains) == true, "\(lines)")
        if lines.last == failures[0] {
            // The disk is still full: saved data can be read, and no file of the failed save is left.
            try check(store, before)
        } else {
            // There was not even space for the index of the log, without which nothing can be read.
            #expect(nsError { _ = try store.open() }?.domain == NSCocoaErrorDomain)
        }
        try makeRoom()
        writer.goOn()
        let (code, rest) = writer.finish()
        let after = rest.last.flatMap { Int($0) } ?? 0
        #expect(code == 0 && after == before + 1, "\(code), \(lines), \(rest)")
        try check(store, after)
        return (before, after)
    }

    /// Checks the number of saved groups, and that rows and files match.
    private func check(_ store: TestStore, _ last: Int) throws {
        guard last > 0 else { return }
        try WriterProcess.check(store, last)
        #expect(try store.database().rows("SELECT count(*) FROM ZGROUP") == [["\(last)"]])
        let files = try WriterProcess.externalFiles(store)
        #expect(files.named == files.there)
    }

    /// A disk with less and less space, so that different writes fail: those to the log, its index, the database, and
    /// files next to it.
    @Test(.randomized, .enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"))
    func fullFileSystemsLoseNothing() throws {
        var random = Seeds.generator()
        let disk = try SmallDisk(bytes: 24 << 20)
        let store = try TestStore(in: disk.folder)
        var last = 0
        let rounds = Self.isLong ? 60 : 6
        for round in 0..<rounds {
            try disk.leaveRoom(
                last == 0 ? 600_000 : Int.random(in: 0...(round % 2 == 0 ? 40_000 : 600_000), using: &random))
            last = try fill(store, last: last) { try disk.makeRoom() }.after
        }
    }

    /// Files that must not grow, for systems on which nothing can be mounted: SQLite treats this like a broken disk.
    @Test(arguments: [100_000, 200_000, 400_000])
    func fileSizeLimitsLoseNothing(bytes: Int) throws {
        let store = try TestStore()
        // The writer raises its own limit.
        let (before, after) = try fill(store, limit: bytes) {}
        #expect(before > 0 && after == before + 1)
    }

    /// A store that cannot be created for lack of space can be created at the same path later.
    @Test(.enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"))
    func failedCreationCanBeRepeated() throws {
        let disk = try SmallDisk(bytes: 1 << 20)
        for room in [0, 4096, 8192, 20_000, 40_000, 70_000] {
            let store = try TestStore(in: disk.folder)
            try disk.leaveRoom(room)
            let error = nsError {
                let context = try store.open()
                try context.performAndWait {
                    for _ in 0..<200 { _ = context.make("Author", ["name": String(repeating: "n", count: 1000)]) }
                    try context.save()
                }
            }
            #expect(error?.domain == NSCocoaErrorDomain, "\(room): \(String(describing: error))")
            try disk.makeRoom()
            let context = try store.open()
            try context.performAndWait {
                let count = try context.all("Author").count
                #expect(count == 0)
                _ = context.make("Author", ["name": "later"])
                try context.save()
            }
            try TestStore.close(context)
            #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
        }
    }

    /// Batches are all-or-nothing, too.
    @Test(.enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"))
    func batchesAreAllOrNothing() throws {
        let disk = try SmallDisk(bytes: 2 << 20)
        let store = try TestStore(in: disk.folder)
        let context = try store.open()
        try context.performAndWait {
            for index in 0..<100 { _ = context.make("Author", ["name": "\(index)", "age": index]) }
            try context.save()
            try disk.leaveRoom(50_000)
            let many = (0..<5000).map { ["name": String(repeating: "n", count: 1000 + $0 % 10)] }
            let inserted = nsError { try context.execute(NSBatchInsertRequest(entityName: "Author", objects: many)) }
            #expect(inserted?.domain == NSCocoaErrorDomain)
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["name": String(repeating: "x", count: 5000)]
            let updated = nsError { try context.execute(update) }
            #expect(updated?.domain == NSCocoaErrorDomain)
            let rows = try store.database().rows(
                "SELECT count(*), count(DISTINCT ZNAME), max(length(ZNAME)) FROM ZAUTHOR")
            #expect(rows == [["100", "100", "2"]])
            try disk.makeRoom()
            try context.execute(update)
        }
        #expect(try store.database().rows("SELECT DISTINCT length(ZNAME) FROM ZAUTHOR") == [["5000"]])
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
    }

    /// A store that cannot be replaced for lack of space is unchanged.
    @Test(.enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"))
    func failedReplacementsChangeNothing() throws {
        let disk = try SmallDisk(bytes: 2 << 20)
        let (store, source) = (try TestStore(in: disk.folder), try TestStore())
        for (store, count) in [(store, 10), (source, 3000)] {
            let context = try store.open()
            try context.performAndWait {
                for index in 0..<count { _ = context.make("Author", ["name": "the author \(index)"]) }
                try context.save()
            }
            try TestStore.close(context)
        }
        try disk.leaveRoom(100_000)
        let before = try store.files()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        func replace() throws {
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: source.url, ofType: NSSQLiteStoreType)
        }
        let error = nsError { try replace() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(try store.files() == before)
        #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["10"]])
        try disk.makeRoom()
        try replace()
        #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["3000"]])
    }
}
