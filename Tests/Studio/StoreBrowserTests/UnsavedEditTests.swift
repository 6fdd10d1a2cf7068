import CoreData
import Foundation
import ModelcDriver
import TestSupport
import Testing

@testable import StoreBrowser

/// Lists, journals and exports while there are edits that are not saved.
@Suite struct UnsavedEditTests {
    private func service(_ store: BookStore, isWritable: Bool = true) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: store.folder.path + "/cache", isWritable: isWritable,
            isReadOnly: false, files: POSIXFileSystem())
    }

    private func page(_ service: StoreService, _ query: ListQuery, limit: Int = 100) throws -> RowPage {
        try #require(service.reply(to: .rows(query: query, offset: 0, limit: limit)).page)
    }

    private func create(_ service: StoreService, entity: String, name: String) throws -> String {
        try #require(service.reply(to: .edit(.create(entity: entity, name: name))).created)
    }

    // MARK: Lists

    @Test func unsavedObjectsAreOnlyInTheListsThatTheyBelongTo() throws {
        let store = try BookStore(books: 6)
        let service = service(store)
        let author = try page(service, ListQuery(entity: "Author")).rows[0].uri
        let before = try page(service, ListQuery(entity: "Book", scope: .init(object: author, relationship: "books")))
        let new = try create(service, entity: "Author", name: "author")
        let book = try create(service, entity: "Book", name: "book")
        _ = service.reply(to: .edit(.set(uri: book, key: "title", text: "New")))
        // The list of one object.
        #expect(try page(service, ListQuery(entity: "Author", object: author)).rows.map(\.uri) == [author])
        let single = try page(service, ListQuery(entity: "Author", object: new))
        #expect(single.rows.map(\.uri) == [new] && single.total == 1 && single.rows[0].isMissing == nil)
        // The destinations of a relationship.
        let scope = ListQuery(entity: "Book", scope: .init(object: author, relationship: "books"))
        #expect(try page(service, scope).rows.map(\.uri) == before.rows.map(\.uri))
        _ = service.reply(to: .edit(.addMember(uri: author, key: "books", destination: book)))
        #expect(try page(service, scope).rows.map(\.uri) == [book] + before.rows.map(\.uri))
        #expect(try page(service, scope).total == before.total + 1)
        // A predicate.
        let filtered = ListQuery(entity: "Book", predicate: "title == 'Book 3'")
        #expect(try page(service, filtered).total == 1)
        let uris = service.reply(to: .uris(query: filtered, offset: 0, limit: 10)).uris
        #expect(uris?.count == 1 && uris?.contains(book) == false)
        #expect(try page(service, ListQuery(entity: "Book", predicate: "title == 'New'")).rows.map(\.uri) == [book])
        // All of them.
        #expect(try page(service, ListQuery(entity: "Book")).rows.first?.uri == book)
        #expect(try page(service, ListQuery(entity: "Novel")).total == 1)
    }

    @Test func anOrderedRelationshipListsEachObjectOnce() throws {
        let store = try BookStore(books: 6, isOrdered: true)
        let service = service(store)
        let author = try page(service, ListQuery(entity: "Author")).rows[0].uri
        let scope = ListQuery(entity: "Book", scope: .init(object: author, relationship: "books"))
        let before = try page(service, scope)
        let book = try create(service, entity: "Book", name: "book")
        _ = service.reply(to: .edit(.addMember(uri: author, key: "books", destination: book)))
        let after = try page(service, scope)
        #expect(after.rows.map(\.uri) == before.rows.map(\.uri) + [book])
        #expect(after.total == before.total + 1 && after.rows.allSatisfy { $0.isMissing == nil })
        let sorted = ListQuery(
            entity: "Book", sort: [.init("title")], scope: .init(object: author, relationship: "books"))
        #expect(try Set(page(service, sorted).rows.map(\.uri)) == Set(after.rows.map(\.uri)))
        #expect(try page(service, sorted).total == after.total)
    }

    /// Counts and members are those that the objects themselves tell.
    @Test(arguments: [false, true])
    func countsFollowEdits(isOrdered: Bool) throws {
        let store = try BookStore(books: 30, isOrdered: isOrdered)
        let service = service(store)
        let author = try page(service, ListQuery(entity: "Author")).rows[0].uri
        let other = try create(service, entity: "Author", name: "other")
        let books = try page(service, ListQuery(entity: "Book")).rows.map(\.uri)
        var seed = Seeds.first(1)
        let start = seed
        func random(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        for step in 0..<60 {
            let owner = random(2) == 0 ? author : other
            let book = books[random(books.count)]
            let edit: StoreEdit =
                switch random(6) {
                case 0: .addMember(uri: owner, key: "books", destination: book)
                case 1: .removeMember(uri: owner, key: "books", destination: book)
                case 2: .link(uri: book, key: "author", destination: random(3) == 0 ? nil : owner)
                case 3: .delete(uri: book)
                case 4: .set(uri: book, key: "title", text: "step \(step)")
                default:
                    .link(
                        uri: try create(service, entity: "Book", name: "step\(step)"), key: "author", destination: owner
                    )
                }
            _ = service.reply(to: random(5) == 0 ? .undo : .edit(edit))
            let session = try #require(service.session)
            for uri in [author, other] {
                guard let details = service.reply(to: .object(uri: uri)).object else { continue }
                let value = try #require(details.values.first { $0.name == "books" })
                let expected = try session.stack.context.performAndWait {
                    let object = try session.stack.object(uri)
                    let relationship = try #require(object.entity.relationshipsByName["books"])
                    return RowBuilder.destinations(of: object, relationship).map(\.objectID.uriText)
                }
                #expect(value.cell.count == expected.count, "seed \(start), step \(step)")
                let shown = value.members?.compactMap(\.uri) ?? []
                #expect(isOrdered ? shown == expected : Set(shown) == Set(expected), "seed \(start), step \(step)")
                #expect(shown.count == expected.count, "seed \(start), step \(step)")
            }
        }
    }

    /// An unsaved edit must not make lists read the members of relationships.
    @Test func countingReadsNoMembers() throws {
        let store = try BookStore(books: 200)
        let service = service(store)
        let book = try page(service, ListQuery(entity: "Book"), limit: 1).rows[0].uri
        let session = try #require(service.session)
        for edit: StoreEdit in [
            .set(uri: book, key: "pages", text: "1"), .link(uri: book, key: "author", destination: nil),
        ] {
            _ = service.reply(to: .edit(edit))
            let before = session.stack.context.performAndWait { session.stack.context.registeredObjects.count }
            let row = try page(service, ListQuery(entity: "Author")).rows[0]
            #expect(row.cells.last?.count == (edit.isLink ? 67 : 68))
            let after = session.stack.context.performAndWait { session.stack.context.registeredObjects.count }
            #expect(after - before < 5, "\(before), \(after)")
        }
    }

    // MARK: Journal

    @Test func foundEditsAreDecidedFirst() throws {
        let store = try BookStore(books: 1)
        do {
            let service = service(store)
            let uri = try page(service, ListQuery(entity: "Book")).rows[0].uri
            _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5")))
            _ = service.reply(to: .edit(.set(uri: uri, key: "title", text: "kept")))
        }
        let service = service(store)
        let uri = try page(service, ListQuery(entity: "Book")).rows[1].uri
        for request: StoreRequest in [
            .edit(.set(uri: uri, key: "pages", text: "9")), .undo, .redo, .save, .discard, .resolve(keepsEdits: true),
            .importRows(entity: "Author", format: .csv, text: "name\nX\n", skipsInvalidRows: false),
        ] {
            #expect(service.reply(to: request).problem?.message == "the last session ended with unsaved edits")
        }
        #expect(service.reply(to: .open).state?.recoverableCount == 2)
        #expect(service.reply(to: .recover).notice == "Restored 2 edits")
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try page(service, ListQuery(entity: "Book", predicate: "title == 'kept' AND pages == 5")).total == 1)
    }

    /// The undo belongs to the second edit, which cannot be repeated.
    @Test func anEditThatCannotBeRepeatedTakesBackNoOther() throws {
        let store = try BookStore(books: 3)
        do {
            let service = service(store)
            let rows = try page(service, ListQuery(entity: "Book", sort: [.init("title")])).rows
            _ = service.reply(to: .edit(.set(uri: rows[0].uri, key: "pages", text: "77")))
            _ = service.reply(to: .edit(.set(uri: rows[1].uri, key: "title", text: "mistake")))
            _ = service.reply(to: .undo)
            _ = service.reply(to: .edit(.set(uri: rows[2].uri, key: "title", text: "gone")))
        }
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title IN %@", ["Book 0", "Book 1"])
            for book in try context.fetch(request) { context.delete(book) }
        }
        do {
            let service = service(store)
            let notice = service.reply(to: .recover).notice
            #expect(notice?.hasPrefix("1 of 2 edits could not be repeated; they are kept in") == true)
            #expect(try page(service, ListQuery(entity: "Book")).rows.map(\.change) == ["updated", nil])
        }
        // What is left is in the journal.
        let service = service(store)
        #expect(service.reply(to: .recover).notice == "Restored 1 edits")
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try page(service, ListQuery(entity: "Book", predicate: "pages == 77")).total == 1)
    }

    /// Removing a book that the author does not have adds no undo step.
    @Test func anEditWithoutAnEffectTakesNoUndo() throws {
        let store = try BookStore(books: 3)
        func edited(_ service: StoreService) throws -> Int {
            try page(service, ListQuery(entity: "Book")).rows.count { $0.change == "updated" }
        }
        do {
            let service = service(store)
            let rows = try page(service, ListQuery(entity: "Book", sort: [.init("title")])).rows
            _ = service.reply(to: .edit(.set(uri: rows[1].uri, key: "title", text: "edited")))
            let author = try create(service, entity: "Author", name: "author")
            _ = service.reply(to: .edit(.removeMember(uri: author, key: "books", destination: rows[0].uri)))
            _ = service.reply(to: .undo)
            #expect(try edited(service) == 1)
            #expect(try page(service, ListQuery(entity: "Author")).rows.contains { $0.uri == author } == false)
        }
        let service = service(store)
        let authors = try page(service, ListQuery(entity: "Author")).total
        #expect(service.reply(to: .recover).notice == "Restored 1 edits")
        #expect(try edited(service) == 1)
        #expect(try page(service, ListQuery(entity: "Author")).total == authors)
    }

    @Test func restoredObjectsKeepTheirOrder() throws {
        let store = try BookStore(books: 1)
        let titles = (0..<12).map { "New \($0)" }
        do {
            let service = service(store)
            for title in titles {
                let book = try create(service, entity: "Book", name: title)
                _ = service.reply(to: .edit(.set(uri: book, key: "title", text: title)))
            }
        }
        let service = service(store)
        #expect(service.reply(to: .recover).notice == "Restored 24 edits")
        let shown = try page(service, ListQuery(entity: "Book"), limit: 12).rows.map { $0.cells.first?.text }
        #expect(shown == titles.reversed())
    }

    // MARK: Other programs

    /// As while another program replaces it in two steps.
    @Test func aFileThatIsMissingForAMomentIsNotReplaced() throws {
        let store = try BookStore(books: 3)
        let service = service(store)
        let uri = try page(service, ListQuery(entity: "Book")).rows[0].uri
        _ = service.reply(to: .edit(.set(uri: uri, key: "title", text: "kept")))
        let elsewhere = store.folder.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: store.url, to: elsewhere)
        _ = service.reply(to: .poll)
        try FileManager.default.moveItem(at: elsewhere, to: store.url)
        #expect(service.reply(to: .poll).state?.warnings.contains { $0.contains("replaced") } == false)
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try page(service, ListQuery(entity: "Book", predicate: "title == 'kept'")).total == 1)
    }

    @Test(arguments: [nil, StoreRequest.discard, .undo])
    func aStoreThatWasReplacedIsShown(endOfEdits: StoreRequest?) throws {
        let store = try BookStore(books: 3)
        let other = try BookStore(books: 8)
        let service = service(store)
        let uri = try page(service, ListQuery(entity: "Book")).rows[0].uri
        if endOfEdits != nil { _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5"))) }
        try FileManager.default.moveItem(at: store.url, to: store.folder.appendingPathComponent("old"))
        try FileManager.default.moveItem(at: other.url, to: store.url)
        let state = try #require(service.reply(to: .poll).state)
        if let endOfEdits {
            #expect(state.warnings.contains { $0.contains("replaced by another file") })
            #expect(state.isEdited)
            #expect(service.reply(to: .save).problem?.message.contains("was replaced") == true)
            #expect(service.reply(to: endOfEdits).problem == nil)
        }
        #expect(try page(service, ListQuery(entity: "Book")).total == 9)
        let first = try page(service, ListQuery(entity: "Book")).rows[0].uri
        _ = service.reply(to: .edit(.set(uri: first, key: "pages", text: "6")))
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(service.reply(to: .poll).state?.warnings.contains { $0.contains("replaced") } == false)
    }

    @Test func anExportIsOneState() throws {
        let store = try BookStore(books: 1_200)
        let service = service(store)
        let export = try service.export(ListQuery(entity: "Book"), as: .json)
        var (text, starts) = ("", 0)
        try export.write {
            text = ""
            starts += 1
        } _: { part in
            // Another program deletes rows after the first part of the first attempt.
            if text.isEmpty, starts == 1 {
                try store.change { context in
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.fetchLimit = 300
                    for book in try context.fetch(request) { context.delete(book) }
                }
            }
            text += part
        }
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(objects.count == 901)
        #expect(Set(objects.compactMap { $0["objectID"] as? String }).count == 901)
        #expect(starts == 2)
    }

    @Test func anExportHasWhatIsSaved() throws {
        let store = try BookStore(books: 2)
        let service = service(store)
        let before = try service.export(ListQuery(entity: "Book"), as: .csv).text()
        let rows = try page(service, ListQuery(entity: "Book")).rows
        _ = service.reply(to: .edit(.set(uri: rows[0].uri, key: "title", text: "edited")))
        _ = service.reply(to: .edit(.delete(uri: rows[1].uri)))
        _ = try create(service, entity: "Book", name: "new")
        #expect(try service.export(ListQuery(entity: "Book"), as: .csv).text() == before)
    }

    // MARK: Validation

    @Test func aDeniedDeletionIsMarked() throws {
        let store = try BookStore(books: 3, deniesDeletion: true)
        let service = service(store)
        let author = try page(service, ListQuery(entity: "Author")).rows[0].uri
        #expect(service.reply(to: .edit(.delete(uri: author))).invalid?.map(\.uri) == [author])
        #expect(service.reply(to: .save).problem?.help?.hasPrefix("Author 1: ") == true)
        #expect(service.reply(to: .undo).invalid == [])
    }
}

extension StoreEdit {
    fileprivate var isLink: Bool { if case .link = self { true } else { false } }
}
