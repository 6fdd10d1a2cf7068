import CSQLite3
import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Pages of histories and of relationships, and sorting by other objects.
@Suite struct LargeListTests {
    private func service(_ store: BookStore, isWritable: Bool = false) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: isWritable, isReadOnly: false,
            files: POSIXFileSystem())
    }

    private func execute(_ statement: String, _ store: BookStore) {
        var database: OpaquePointer?
        #expect(sqlite3_open(store.url.path, &database) == SQLITE_OK)
        #expect(
            sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(database)))")
        sqlite3_close(database)
    }

    /// Adds transactions with a change of an object each; one of them has many changes.
    private func extendHistory(_ store: BookStore, to count: Int, changes: Int) {
        execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHORTS)
            SELECT i, Z_ENT, 1, ZTIMESTAMP + i, ZAUTHORTS FROM n, ATRANSACTION t WHERE t.Z_PK = 1;
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 100 + i, c.Z_ENT, 1, 1, c.ZENTITY, i, i FROM n, (SELECT * FROM ACHANGE ORDER BY Z_PK LIMIT 1) c;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(changes - 1))
            INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 1000000 + i, c.Z_ENT, 1, 1, c.ZENTITY, i, \(count - 1) FROM n, (SELECT * FROM ACHANGE ORDER BY Z_PK LIMIT 1) c;
            """, store)
    }

    @Test func aLongHistoryIsReadInPages() throws {
        let store = try BookStore(tracksHistory: true)
        extendHistory(store, to: 20_000, changes: 5000)
        let service = service(store)
        var numbers: [Int64] = []
        var before: Int64?
        for _ in 0..<5 {
            let page = try #require(service.reply(to: .history(before: before, limit: 50)).history)
            #expect(page.transactions.count == 50 && page.hasMore && page.note == nil)
            numbers += page.transactions.map(\.number)
            before = numbers.last
            if numbers.count == 50 {
                #expect(page.transactions[1].changeCount == 5000 && page.transactions[1].changes.count == 200)
                #expect(page.transactions[0].changes.count == 1 && page.transactions[0].author == "the app")
                #expect(page.transactions[0].changes[0].exists == false)
            }
        }
        #expect(numbers == Array((19_751...20_000).reversed()))
        let last = try #require(service.reply(to: .history(before: 3, limit: 50)).history)
        #expect(last.transactions.map(\.number) == [2, 1] && !last.hasMore)
        let exist = last.transactions[1].changes.map(\.exists)
        #expect(!exist.contains(false))
    }

    @Test func aPageOfTheHistoryReadsOnlyItsRows() throws {
        let store = try BookStore(tracksHistory: true)
        extendHistory(store, to: 20_000, changes: 2)
        // Whatever reads all transactions or changes finds the damage.
        for table in ["ATRANSACTION", "ACHANGE"] { try damageMiddle(of: table, store) }
        let service = service(store)
        let page = try #require(service.reply(to: .history(before: nil, limit: 50)).history)
        #expect(page.transactions.map(\.number) == Array((19_951...20_000).reversed()))
        let context = try store.stack(tracksHistory: true)
        #expect(throws: (any Error).self) {
            try context.performAndWait {
                _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            }
        }
    }

    /// Overwrites a page with rows of a table.
    private func damageMiddle(of table: String, _ store: BookStore) throws {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        #expect(sqlite3_open(store.url.path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let query =
            "SELECT pgoffset FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 20"
        try #require(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        let file = try FileHandle(forWritingTo: store.url)
        try file.seek(toOffset: UInt64(sqlite3_column_int64(statement, 0)))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
    }

    @Test func aStoreWithoutHistorySaysSo() throws {
        let store = try BookStore()
        let page = try #require(service(store).reply(to: .history(before: nil, limit: 10)).history)
        #expect(page.transactions.isEmpty && page.note?.contains("no history") == true)
    }

    // MARK: Destinations

    private func author(_ service: StoreService) throws -> String {
        try #require(
            service.reply(to: .rows(query: ListQuery(entity: "Author"), offset: 0, limit: 1)).page?.rows.first?.uri)
    }

    private func members(_ service: StoreService, from offset: Int) throws -> (titles: [String], offset: Int?) {
        let details = try #require(
            service.reply(to: .object(uri: try author(service), members: ["books": offset])).object)
        let books = try #require(details.values.first { $0.name == "books" })
        return (try #require(books.members).compactMap(\.text), books.memberOffset)
    }

    @Test(arguments: [true, false])
    func destinationsAreReadInPages(isOrdered: Bool) throws {
        let store = try BookStore(books: 750, isOrdered: isOrdered)
        let service = service(store)
        var all: [String] = []
        for offset in [0, 100, 200] {
            let page = try members(service, from: offset)
            #expect(page.offset == offset)
            all += page.titles
        }
        // Every third of the books, and the novel.
        #expect(all.count == 251 && Set(all).count == 251)
        #expect(try members(service, from: 5000).offset == 200)
        #expect(try members(service, from: 150).offset == 100)
        #expect(try members(service, from: -3).offset == 0)
    }

    @Test func aDestinationIsMovedAnywhere() throws {
        let store = try BookStore(books: 750, isOrdered: true)
        let service = service(store, isWritable: true)
        let author = try author(service)
        let details = try #require(service.reply(to: .object(uri: author, members: ["books": 200])).object)
        let moved = try #require(details.values.first { $0.name == "books" }?.members?[30])
        func move(by distance: Int) throws -> Int {
            let reply = service.reply(
                to: .edit(
                    .moveMember(uri: author, key: "books", destination: try #require(moved.uri), distance: distance)))
            return try #require(reply.position)
        }
        #expect(try move(by: -125) == 105)
        #expect(try members(service, from: 100).titles[5] == moved.text)
        #expect(try move(by: -1000) == 0)
        #expect(try move(by: .max) == 250)
        _ = service.reply(to: .undo)
        #expect(try members(service, from: 0).titles[0] == moved.text)
        #expect(service.reply(to: .save).notice == "Saved")
        let other = self.service(store)
        #expect(try members(other, from: 0).titles[0] == moved.text)
    }

    // MARK: Sorting

    @Test func objectsAreSortedByTheTitleOfADestination() throws {
        let store = try BookStore(books: 30)
        try store.change { context in
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            for (number, book) in books.enumerated() where number % 3 == 1 {
                let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                author.setValue("Name \((number * 7) % 30)", forKey: "name")
                book.setValue(author, forKey: "author")
            }
        }
        let service = service(store)
        let state = try #require(service.reply(to: .open).state)
        let book = try #require(state.entities.first { $0.name == "Book" })
        let column = try #require(book.properties.firstIndex { $0.name == "author" })
        #expect(book.properties[column].isSortable && book.properties[column].sortNote == "author.name")
        for isDescending in [false, true] {
            let query = ListQuery(entity: "Book", sort: [.init("author", isDescending: isDescending)])
            let rows = try #require(service.reply(to: .rows(query: query, offset: 0, limit: 100)).page).rows
            // Objects without a destination come first.
            let names = rows.map { $0.cells[column].text.map { $0.components(separatedBy: " · ")[1] } ?? "" }
            #expect(names == (isDescending ? names.sorted(by: >) : names.sorted()))
            #expect(Set(names).count > 5)
            #expect(service.reply(to: .explain(query: query)).sql?.text?.contains("ZNAME") == true)
        }
    }
}
