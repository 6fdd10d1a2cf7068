import CoreData
import TestSupport
import Testing

/// Effects of a power failure on the files of a store: the end of the log is missing, or was never written.
@Suite struct DamagedLogTests {
    private static let saves = 12

    /// Returns the files of a store with several saves in its log, as on disk while a program uses it.
    private func files() throws -> (database: Data, log: Data) {
        let store = try TestStore()
        let context = try store.open()
        let (database, log) = try context.performAndWait {
            for save in 1...Self.saves {
                for index in 0..<5 {
                    let author = context.make("Author", ["name": "author \(index)", "age": save])
                    _ = context.make("Book", ["title": String(repeating: "\(save)", count: 500), "author": author])
                }
                try context.save()
            }
            return (
                try Data(contentsOf: store.url), try Data(contentsOf: URL(fileURLWithPath: store.url.path + "-wal"))
            )
        }
        try TestStore.close(context)
        return (database, log)
    }

    /// Checks that exactly the first saves exist, each of them complete, and returns their number.
    private func check(_ database: Data, _ log: Data) throws -> Int {
        let store = try TestStore()
        try database.write(to: store.url)
        try log.write(to: URL(fileURLWithPath: store.url.path + "-wal"))
        let context = try store.open()
        let saves = try context.performAndWait {
            let authors = try context.all("Author", by: "age")
            let ages = authors.compactMap { $0.value(forKey: "age") as? Int }
            let saves = ages.last ?? 0
            #expect(ages == (0..<saves * 5).map { $0 / 5 + 1 })
            for author in authors {
                let books = (author.value(forKey: "books") as? NSSet)?.allObjects as? [NSManagedObject] ?? []
                let text = author.value(forKey: "age").map { String(repeating: "\($0)", count: 500) }
                #expect(books.map { $0.value(forKey: "title") as? String } == [text])
            }
            // The store can still be used.
            _ = context.make("Author", ["name": "after", "age": 1000])
            try context.save()
            return saves
        }
        try TestStore.close(context)
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
        return saves
    }

    @Test func truncatedLogsKeepWholeSaves() throws {
        let (database, log) = try files()
        #expect(try check(database, log) == Self.saves)
        var last = 0
        for length in (0..<40).map({ log.count * $0 / 40 }).sorted() {
            let saves = try check(database, log.prefix(length))
            #expect(saves >= last)
            last = saves
        }
        #expect(last > Self.saves / 2)
    }

    @Test(.randomized) func flippedBitsInLogsNeverTrap() throws {
        var random = Seeds.generator()
        let (database, log) = try files()
        for _ in 0..<(Seeds.seconds == nil ? 15 : 500) {
            var damaged = log
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<damaged.count, using: &random)
                damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            _ = try check(database, damaged)
        }
    }

    // MARK: Files beside the store

    /// If somebody removes a file next to the store, only its value is lost.
    @Test func missingExternalFilesAreErrors() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Book", ["title": "one", "data": Data(repeating: 1, count: 150_000)])
            try context.save()
        }
        try TestStore.close(context)
        for name in try store.files() where name.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") {
            try FileManager.default.removeItem(at: store.folder.appendingPathComponent(name))
        }
        let again = try store.open()
        try again.performAndWait {
            let book = try #require(try again.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "one" && book.value(forKey: "data") == nil)
            book.setValue("two", forKey: "title")
            try again.save()
            let rows = try store.database().rows("SELECT ZTITLE, length(ZDATA) FROM ZBOOK")
            #expect(rows == [["two", "38"]])
            again.delete(book)
            try again.save()
        }
        #expect(try store.database().rows("SELECT count(*) FROM ZBOOK") == [["0"]])
    }
}
