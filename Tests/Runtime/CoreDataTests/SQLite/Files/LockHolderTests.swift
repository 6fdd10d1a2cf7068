import Testing

@testable import CoreData

/// Stores that another connection locks.
@Suite struct LockHolderTests {
    /// What could not be read is read again, and does not count as empty when it is saved.
    @Test func membersThatCouldNotBeReadAreReadAgain() throws {
        let store = try TestStore()
        let context = try store.open([
            NSPersistentStoreTimeoutOption: 0.1, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
        ])
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for title in ["x", "y"] { _ = context.make("Book", ["title": title, "author": author]) }
            try context.save()
            context.refreshAllObjects()
            _ = author.value(forKey: "name")
            let added = context.make("Book", ["title": "z"])
            func titles() -> [String] {
                let books = author.value(forKey: "books") as? Set<NSManagedObject> ?? []
                return books.compactMap { $0.value(forKey: "title") as? String }.sorted()
            }
            let lock = try store.database()
            try lock.run("BEGIN EXCLUSIVE")
            #expect(titles() == [])
            added.setValue(author, forKey: "author")
            #expect(titles() == ["z"])
            try lock.run("ROLLBACK")
            #expect(titles() == ["x", "y", "z"])
            try context.save()
            context.reset()
            let books = try context.all("Book")
            #expect(books.count == 3 && books.allSatisfy { $0.value(forKey: "author") != nil })
        }
    }

    /// A child context does not take a relationship that its parent cannot read for an empty one.
    @Test func childrenReadAgainWhatTheirParentCouldNotRead() throws {
        let store = try TestStore()
        let context = try store.open([
            NSPersistentStoreTimeoutOption: 0.1, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
        ])
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for title in ["x", "y"] { _ = context.make("Book", ["title": title, "author": author]) }
            try context.save()
            context.refreshAllObjects()
            _ = author.value(forKey: "name")
            let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            child.parent = context
            let same = child.object(with: author.objectID)
            _ = same.value(forKey: "name")
            let lock = try store.database()
            try lock.run("BEGIN EXCLUSIVE")
            #expect((same.value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == true)
            try lock.run("ROLLBACK")
            #expect((same.value(forKey: "books") as? Set<NSManagedObject>)?.count == 2)
        }
    }

    /// Changes of an object that could not be read are reported by the save, even if it could be read in between.
    @Test func changesOfUnreadableObjectsAreNotDropped() throws {
        let store = try TestStore()
        let writer = try store.open()
        try writer.performAndWait {
            let author = writer.make("Author", ["name": "a"])
            for title in ["x", "y"] { _ = writer.make("Book", ["title": title, "author": author]) }
            try writer.save()
        }
        try TestStore.close(writer)
        let context = try store.open([
            NSPersistentStoreTimeoutOption: 0.1, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
        ])
        try context.performAndWait {
            let books = try context.all("Book")
            let author = try #require(books[0].value(forKey: "author") as? NSManagedObject)
            let lock = try store.database()
            try lock.run("BEGIN EXCLUSIVE")
            author.setValue("b", forKey: "name")
            try lock.run("ROLLBACK")
            _ = books[1].value(forKey: "author")
            let error = nsError { try context.save() }
            #expect(error?.localizedDescription.contains("could not be read") == true, "\(error as Any)")
            context.rollback()
            #expect(try context.all("Author").map { $0.value(forKey: "name") as? String } == ["a"])
        }
    }

    @Test func writersAreNamed() {
        let table = """
            1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 1073741825 1073741825
            1: -> POSIX  ADVISORY  WRITE 99 fd:00:2531452 1073741825 1073741825
            2: POSIX  ADVISORY  READ  4000 fd:00:2531452 1073741826 1073742335
            3: POSIX  ADVISORY  WRITE 3568 fd:00:11 120 120
            4: FLOCK  ADVISORY  WRITE 5000 fd:00:12 0 EOF
            5: OFDLCK ADVISORY  READ  -1 fd:00:2531452 128 128
            malformed
            """
        #expect(LockHolders(table: table, inodes: [2_531_452, 11]).processes == [3568])
        #expect(LockHolders(table: table, inodes: [7]).processes.isEmpty)
        #expect(LockHolders(table: table, inodes: []).summary == nil)
    }

    @Test func readersAreNamedWithoutAWriter() {
        let table = """
            2: POSIX  ADVISORY  READ  4000 fd:00:10 1073741826 1073742335
            3: POSIX  ADVISORY  READ  4001 fd:00:11 128 128
            """
        #expect(LockHolders(table: table, inodes: [10, 11]).processes == [4000])
    }

    @Test func theDefaultTimeoutIsAFewSeconds() {
        #expect(SQLiteOptions([:]).timeout == 5)
        #expect(SQLiteOptions([NSPersistentStoreTimeoutOption: 0.5]).timeout == 0.5)
        #expect(NSPersistentStoreDescription(url: URL(fileURLWithPath: "/x")).timeout == 240)
        #expect(NSPersistentStoreDescription().options[NSPersistentStoreTimeoutOption] == nil)
    }

    /// The error of a save, an opening or a removal names the process that locks the store.
    @Test(arguments: ["WAL", "DELETE"])
    func errorsNameTheHolder(_ mode: String) throws {
        let store = try TestStore()
        let options: [AnyHashable: Any] = [
            NSPersistentStoreTimeoutOption: 0.1, NSSQLitePragmasOption: ["journal_mode": mode],
        ]
        let context = try store.open(options)
        let other = try WriterProcess("lock", store.url.path)
        #expect(other.lines(until: "locked") == ["locked"])
        defer { _ = other.kill(after: 0) }
        try context.performAndWait {
            _ = context.make("Author")
            let error = try #require(nsError { try context.save() })
            #expect(error.code == NSPersistentStoreTimeoutError)
            #expect(error.localizedDescription.contains("it is locked by process "), "\(error)")
            #expect(error.localizedDescription.hasSuffix("(StoreWriter)"), "\(error)")
            #expect(error.localizedRecoverySuggestion?.contains("NSPersistentStoreTimeoutOption") == true)
        }
    }

    @Test func connectionsOfThisProcessAreMarked() throws {
        let store = try TestStore()
        let context = try store.open([NSPersistentStoreTimeoutOption: 0.1])
        let other = try store.database()
        try other.run("BEGIN IMMEDIATE")
        try context.performAndWait {
            _ = context.make("Author")
            let error = try #require(nsError { try context.save() })
            #expect(
                error.localizedDescription.hasSuffix("it is locked by another connection of this process"), "\(error)")
        }
        try other.run("ROLLBACK")
    }
}
