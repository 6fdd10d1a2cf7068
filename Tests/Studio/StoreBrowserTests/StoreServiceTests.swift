import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Browsing a store through the service.
@Suite struct StoreServiceTests {
    private func service(_ path: String, isWritable: Bool = false) -> StoreService {
        StoreService(
            path: path, modelPath: nil, journalFolder: nil, isWritable: isWritable, isReadOnly: false,
            files: POSIXFileSystem())
    }

    private func rows(_ service: StoreService, _ query: ListQuery, from offset: Int = 0, limit: Int = 10) throws
        -> [ListRow]
    {
        let reply = service.reply(to: .rows(query: query, offset: offset, limit: limit))
        #expect(reply.problem == nil)
        return try #require(reply.page).rows
    }

    private func names(_ service: StoreService, _ entity: String) throws -> [String] {
        let state = try #require(service.reply(to: .open).state)
        return try #require(state.entities.first { $0.name == entity }).properties.map(\.name)
    }

    @Test func theModelInTheStoreTellsTheEntities() throws {
        let store = try BookStore(books: 5)
        let service = service(store.url.path)
        let state = try #require(service.reply(to: .open).state)
        #expect(state.problem == nil)
        #expect(state.entities.map(\.name) == ["Author", "Book", "Novel"])
        #expect(state.entities[2].parent == "Book" && state.entities[1].hasSubentities)
        #expect(service.reply(to: .counts).counts == ["Author": 1, "Book": 6, "Novel": 1])
    }

    @Test func valuesKeepTheirExactForm() throws {
        let store = try BookStore()
        let service = service(store.url.path)
        let row = try #require(try rows(service, ListQuery(entity: "Book")).first)
        let cells = Dictionary(uniqueKeysWithValues: zip(try names(service, "Book"), row.cells))
        #expect(row.entity == "Novel" && row.key == "1")
        #expect(cells["price"]?.text == "1234567890.12345")
        #expect(cells["published"]?.text == "0.25" && cells["published"]?.kind == "date")
        #expect(cells["code"]?.text == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect(cells["cover"]?.media == "image/png")
        #expect(cells["title"]?.text == "<b>The Dispossessed</b>")
        #expect(cells["author"]?.text == "Author 1 · Ursula")
    }

    /// The store has no column that a predicate could compare.
    @Test func membersOfARelationshipWithATransientInverseAreCounted() throws {
        let store = try BookStore(books: 5, hasTransientInverse: true)
        let service = service(store.url.path)
        let row = try #require(try rows(service, ListQuery(entity: "Author")).first)
        let cells = Dictionary(uniqueKeysWithValues: zip(try names(service, "Author"), row.cells))
        #expect(cells["name"]?.text == "Ursula")
        #expect(cells["books"]?.count != nil)
        let members = ListQuery(
            entity: "Book", scope: ListQuery.Scope(object: row.uri, relationship: "books"))
        #expect(service.reply(to: .rows(query: members, offset: 0, limit: 10)).problem == nil)
        #expect(service.reply(to: .object(uri: row.uri)).problem == nil)
    }

    @Test func objectsAreFoundByTheirKey() throws {
        let store = try BookStore(books: 5)
        let service = service(store.url.path)
        func keys(_ entity: String, key: String, predicate: String? = nil) throws -> [String] {
            try rows(service, ListQuery(entity: entity, predicate: predicate, key: key)).map {
                "\($0.entity) \($0.key)"
            }
        }
        #expect(try keys("Book", key: "3") == ["Book 3"])
        // The object of a subentity too.
        #expect(try keys("Book", key: "1") == ["Novel 1"])
        #expect(try keys("Novel", key: "3") == [])
        for none in ["p3", "03", "-1", "99", "x", "3 OR TRUEPREDICATE", "/", "é"] {
            #expect(try keys("Book", key: none) == [])
        }
        #expect(try keys("Book", key: "3", predicate: "title CONTAINS 'Dispossessed'") == ["Novel 1", "Book 3"])
    }

    @Test func archivesAreShownAsTreesWithoutTheirClasses() throws {
        let store = try BookStore()
        let service = service(store.url.path)
        let row = try #require(try rows(service, ListQuery(entity: "Book")).first)
        let value = try #require(service.reply(to: .value(uri: row.uri, key: "tags")).value)
        #expect(value.title == "keyed archive")
        #expect(value.tree?.children?.map(\.text) == ["a", "b"])
        #expect(service.reply(to: .value(uri: row.uri, key: "title")).problem != nil)
    }

    @Test func pagesFitTogetherInEveryOrder() throws {
        let store = try BookStore(books: 2500)
        let service = service(store.url.path)
        for query in [
            ListQuery(entity: "Book"), ListQuery(entity: "Book", sort: [.init("pages")]),
            ListQuery(entity: "Book", sort: [.init("pages", isDescending: true)]),
            ListQuery(entity: "Book", predicate: "pages < 500", sort: [.init("title")]),
        ] {
            var uris: [String] = []
            var values: [Int] = []
            let total = try #require(service.reply(to: .rows(query: query, offset: 0, limit: 1)).page).total
            let pages = try #require(try names(service, "Book").firstIndex(of: "pages"))
            for offset in stride(from: 0, to: total, by: 300) {
                let page = try rows(service, query, from: offset, limit: 300)
                uris += page.map(\.uri)
                values += page.compactMap { Int($0.cells[pages].text ?? "") }
            }
            #expect(Set(uris).count == total && uris.count == total)
            if let sort = query.sort?.first, sort.key == "pages" {
                #expect(values == (sort.isDescending == true ? values.sorted(by: >) : values.sorted()))
            }
            // A jump reads the same rows as paging does.
            #expect(try rows(service, query, from: total - 3, limit: 3).map(\.uri) == Array(uris.suffix(3)))
        }
    }

    @Test func severalColumnsAreSortedBy() throws {
        let store = try BookStore(books: 40)
        try store.change { context in
            for (number, book) in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).enumerated() {
                book.setValue(number % 4, forKey: "pages")
            }
        }
        let service = service(store.url.path)
        let columns = try names(service, "Book")
        let (title, pages) = (
            try #require(columns.firstIndex(of: "title")), try #require(columns.firstIndex(of: "pages"))
        )
        let found = try rows(
            service, ListQuery(entity: "Book", sort: [.init("pages", isDescending: true), .init("title")]), limit: 100
        ).map { row in (pages: Int(row.cells[pages].text ?? "") ?? -1, title: row.cells[title].text ?? "") }
        #expect(found.count == 41)
        for (one, next) in zip(found, found.dropFirst()) {
            #expect(one.pages > next.pages || one.pages == next.pages && one.title <= next.title)
        }
        let unknown = ListQuery(entity: "Book", sort: [.init("pages"), .init("tags")])
        #expect(
            service.reply(to: .rows(query: unknown, offset: 0, limit: 1)).problem?.message
                == "“Book” cannot be sorted by “tags”")
    }

    @Test func aStoreThatAppearsLaterIsOpened() throws {
        let store = try BookStore()
        let hidden = store.folder.appendingPathComponent("hidden")
        try FileManager.default.moveItem(at: store.url, to: hidden)
        let service = service(store.url.path)
        #expect(service.reply(to: .open).state?.problem != nil)
        try FileManager.default.moveItem(at: hidden, to: store.url)
        #expect(service.reply(to: .open).state?.problem == nil)
        #expect(service.reply(to: .counts).counts?["Author"] == 1)
    }

    @Test func aStoreThatCannotBeReadAgainIsShownAsItWas() throws {
        let store = try BookStore()
        let service = service(store.url.path)
        let original = try Data(contentsOf: store.url)
        try Data("not a store any more".utf8).write(to: store.url)
        let warnings = try #require(service.reply(to: .poll).state).warnings
        #expect(warnings.first?.contains("cannot be read now") == true)
        try original.write(to: store.url)
        #expect(service.reply(to: .poll).state?.warnings == [])
    }

    @Test func relationshipsLeadBothWays() throws {
        let store = try BookStore(books: 9)
        let service = service(store.url.path)
        let author = try #require(try rows(service, ListQuery(entity: "Author")).first)
        #expect(author.cells.last?.count == 4)
        let books = try rows(
            service, ListQuery(entity: "Book", scope: .init(object: author.uri, relationship: "books")))
        #expect(books.map(\.key) == ["1", "2", "5", "8"])
        let details = try #require(service.reply(to: .object(uri: author.uri)).object)
        #expect(details.values.last?.members?.count == 4)
        #expect(try rows(service, ListQuery(entity: "Book", object: books[0].uri)).map(\.uri) == [books[0].uri])
    }

    @Test func browsingLeavesNoTrace() throws {
        let store = try BookStore(books: 20)
        let before = try store.files()
        do {
            let service = service(store.url.path)
            _ = service.reply(to: .open)
            _ = service.reply(to: .counts)
            _ = try rows(service, ListQuery(entity: "Book", predicate: "title CONTAINS \"1\"", sort: [.init("title")]))
            _ = service.reply(to: .history(before: nil, limit: 10))
            #expect(service.reply(to: .edit(.create(entity: "Author", name: "x"))).problem != nil)
        }
        #expect(try store.files() == before)
    }

    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func otherFormatsNeedTheModel(type: String) throws {
        let store = try BookStore(type)
        let state = try #require(service(store.url.path).reply(to: .open).state)
        #expect(state.problem?.message.contains("do not contain their model") == true)
    }

    @Test func damagedForeignAndMissingFilesAreExplained() throws {
        let store = try BookStore()
        let damaged = store.folder.appendingPathComponent("damaged.sqlite")
        var bytes = try Data(contentsOf: store.url)
        bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
        try bytes.write(to: damaged)
        let encrypted = store.folder.appendingPathComponent("encrypted.sqlite")
        try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }).write(to: encrypted)
        let before = try store.files()
        for path in [damaged.path, encrypted.path, store.folder.path + "/missing.sqlite", store.folder.path] {
            let state = try #require(service(path).reply(to: .open).state)
            #expect(state.problem != nil && state.entities.isEmpty, "\(path)")
            #expect(
                service(path).reply(to: .rows(query: ListQuery(entity: "Book"), offset: 0, limit: 1)).state?.problem
                    != nil)
        }
        #expect(try store.files() == before)
    }

    @Test func exportsFollowFilterAndSort() throws {
        let store = try BookStore(books: 30)
        let service = service(store.url.path)
        let query = ListQuery(entity: "Book", predicate: "pages > 300", sort: [.init("pages")])
        let text = try service.export(query, as: .json).text()
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let pages = objects.compactMap { ($0["pages"] as? NSNumber)?.intValue }
        #expect(pages.count == objects.count && pages == pages.sorted() && pages.allSatisfy { $0 > 300 })
        let csv = try service.export(ListQuery(entity: "Author"), as: .csv).text()
        #expect(csv.hasPrefix("entity,objectID,name,books\r\nAuthor,1,Ursula,Book/2 Book/5 "))
        let none = ListQuery(entity: "Book", predicate: "pages > 100000")
        #expect(try service.export(none, as: .json).text() == "[\n]\n")
    }

    @Test func formulasAreEscapedIfThatIsWanted() throws {
        let store = try BookStore(books: 6)
        let texts = ["=1+1", "+1", "-1", "@SUM(A1)", "plain", "\rx"]
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title BEGINSWITH 'Book'")
            for (book, text) in zip(try context.fetch(request), texts) {
                book.setValue(text, forKey: "title")
                book.setValue(NSDecimalNumber(string: "-5"), forKey: "price")
            }
        }
        for isSafe in [false, true] {
            let service = StoreService(
                path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: false, isReadOnly: true,
                escapesFormulas: isSafe, files: POSIXFileSystem())
            let csv = try service.export(ListQuery(entity: "Book"), as: .csv).text()
            for text in texts {
                let written = isSafe && text != "plain" ? "'" + text : text
                #expect(csv.contains(",\(written),") || csv.contains(",\"\(written)\","), "\(written)")
            }
            #expect(csv.contains(",-5,"))
        }
    }

    @Test func historyTellsWhoChangedWhat() throws {
        let store = try BookStore(tracksHistory: true)
        try store.change(tracksHistory: true) { context in
            context.transactionAuthor = "the widget"
            let book = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
            book.setValue(1, forKey: "pages")
        }
        let page = try #require(service(store.url.path).reply(to: .history(before: nil, limit: 10)).history)
        #expect(page.transactions.map(\.author) == ["the widget", "the app"])
        #expect(page.transactions[0].changes.map(\.properties) == [["pages"]])
        #expect(page.transactions[1].changes.count == 2 && page.transactions[1].changes.allSatisfy(\.exists))
    }
}
