import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Editing a store through the service.
@Suite struct EditingTests {
    private func service(_ store: BookStore, isReadOnly: Bool = false) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: store.folder.path + "/cache", isWritable: !isReadOnly,
            isReadOnly: isReadOnly, files: POSIXFileSystem())
    }

    private func books(_ service: StoreService) throws -> [ListRow] {
        try #require(service.reply(to: .rows(query: ListQuery(entity: "Book"), offset: 0, limit: 50)).page).rows
    }

    private func pages(_ store: BookStore) throws -> [Int] {
        let context = try store.stack()
        return try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).map {
                ($0.value(forKey: "pages") as? NSNumber)?.intValue ?? -1
            }
        }
    }

    @Test func editsAreSavedTogetherAndUndone() throws {
        let store = try BookStore()
        let service = service(store)
        let uri = try books(service)[0].uri
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5"))).problem == nil)
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "6"))).state?.isEdited == true)
        #expect(try books(service)[0].change == "updated")
        _ = service.reply(to: .undo)
        #expect(try pages(store) == [387])
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try pages(store) == [5])
        _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "7")))
        #expect(service.reply(to: .discard).state?.isEdited == false)
        #expect(service.reply(to: .save).problem == nil)
        #expect(try pages(store) == [5])
    }

    @Test func objectsAreCreatedLinkedAndDeleted() throws {
        let store = try BookStore()
        let service = service(store)
        let author = try #require(
            service.reply(to: .rows(query: ListQuery(entity: "Author"), offset: 0, limit: 1)).page?.rows.first?.uri)
        let old = try books(service)[0].uri
        let new = try #require(service.reply(to: .edit(.create(entity: "Book", name: "one"))).created)
        #expect(service.reply(to: .save).invalid?.map(\.key) == ["title"])
        _ = service.reply(to: .edit(.set(uri: new, key: "title", text: "New")))
        _ = service.reply(to: .edit(.addMember(uri: author, key: "books", destination: new)))
        _ = service.reply(to: .edit(.delete(uri: old)))
        #expect(try books(service).map(\.change) == ["inserted", "deleted"])
        #expect(service.reply(to: .save).notice == "Saved")
        let rows = try books(service)
        #expect(rows.count == 1 && rows[0].cells.contains { $0.text == "Author 1 · Ursula" })
    }

    @Test func valuesThatAreNotValidAreRejected() throws {
        let store = try BookStore()
        let service = service(store)
        let uri = try books(service)[0].uri
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "many"))).problem != nil)
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "99999999999"))).problem != nil)
        #expect(service.reply(to: .edit(.set(uri: uri, key: "tags", text: "x"))).problem != nil)
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "-1"))).invalid?.map(\.key) == ["pages"])
        #expect(service.reply(to: .save).problem != nil)
        #expect(try pages(store) == [387])
    }

    @Test(arguments: [true, false])
    func conflictsAreResolved(keepsEdits: Bool) throws {
        let store = try BookStore()
        let service = service(store)
        let uri = try books(service)[0].uri
        _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5")))
        try store.change { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first?.setValue(9, forKey: "pages")
        }
        _ = service.reply(to: .poll)
        let conflict = try #require(service.reply(to: .save).conflicts?.first)
        #expect(conflict.properties.map(\.name) == ["pages"])
        #expect(conflict.properties.map(\.mine) == ["5"] && conflict.properties.map(\.theirs) == ["9"])
        #expect(try pages(store) == [9])
        #expect(service.reply(to: .resolve(keepsEdits: keepsEdits)).notice == "Saved")
        #expect(try pages(store) == [keepsEdits ? 5 : 9])
    }

    @Test func undoneEditsShowWhatAnotherProgramHasWritten() throws {
        let store = try BookStore(books: 1)
        let service = service(store)
        let uris = try books(service).map(\.uri)
        func shown() throws -> [String?] {
            try uris.map { uri in
                let details = try #require(service.reply(to: .object(uri: uri)).object)
                return details.values.first { $0.name == "pages" }?.cell.text
            }
        }
        for uri in uris { _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5"))) }
        try store.change { context in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue(9, forKey: "pages")
            }
        }
        #expect(service.reply(to: .poll).state?.isEdited == true)
        #expect(try shown() == ["5", "5"])
        #expect(service.reply(to: .undo).state?.isEdited == true)
        #expect(try shown() == ["5", "9"])
        #expect(service.reply(to: .undo).state?.isEdited == false)
        #expect(try shown() == ["9", "9"])
        #expect(service.reply(to: .redo).state?.isEdited == true)
        #expect(try shown() == ["5", "9"])
        #expect(service.reply(to: .undo).state?.isEdited == false)
        #expect(try shown() == ["9", "9"])
        // No conflict: the edit is of what the other program has written.
        _ = service.reply(to: .edit(.set(uri: uris[0], key: "pages", text: "6")))
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try pages(store).sorted() == [6, 9])
    }

    @Test func aDeletionIsSavedAfterAnotherProgramHasWritten() throws {
        let store = try BookStore(books: 1)
        let service = service(store)
        let rows = try books(service)
        _ = service.reply(to: .edit(.delete(uri: rows[0].uri)))
        try store.change { context in
            let author = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first
            author?.setValue("Changed", forKey: "name")
        }
        #expect(service.reply(to: .poll).state?.isEdited == true)
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try books(service).map(\.uri) == [rows[1].uri])
    }

    @Test func unsavedEditsSurviveTheServer() throws {
        let store = try BookStore()
        do {
            let service = service(store)
            let uri = try books(service)[0].uri
            _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5")))
            let new = try #require(service.reply(to: .edit(.create(entity: "Book", name: "one"))).created)
            _ = service.reply(to: .edit(.set(uri: new, key: "title", text: "New")))
        }
        let service = service(store)
        #expect(service.reply(to: .open).state?.recoverableCount == 3)
        #expect(service.reply(to: .recover).notice == "Restored 3 edits")
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try pages(store).sorted() == [0, 5] || pages(store).sorted() == [-1, 5])
        #expect(service.reply(to: .open).state?.recoverableCount == 0)
    }

    @Test func twoStudiosDoNotEditOneStore() throws {
        let store = try BookStore()
        let first = service(store)
        let second = service(store)
        #expect(first.reply(to: .open).state?.isEditable == true)
        #expect(second.reply(to: .open).state?.isEditable == false)
        #expect(second.reply(to: .enableEditing).problem != nil)
        #expect(try books(second).count == 1)
    }

    private func bookKeys(_ store: BookStore) throws -> [String] {
        let context = try store.stack()
        return try context.performAndWait {
            let author = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first
            return try #require(author).mutableOrderedSetValue(forKey: "books").map {
                ($0 as? NSManagedObject)?.objectID.uriRepresentation().lastPathComponent ?? ""
            }
        }
    }

    @Test func membersAreMovedWithinTheirOrder() throws {
        let store = try BookStore(books: 9, isOrdered: true)
        let before = try bookKeys(store)
        let service = service(store)
        let author = try #require(
            service.reply(to: .rows(query: ListQuery(entity: "Author"), offset: 0, limit: 1)).page?.rows.first?.uri)
        let scope = ListQuery(entity: "Book", scope: .init(object: author, relationship: "books"))
        func shown() throws -> [String] {
            try #require(service.reply(to: .rows(query: scope, offset: 0, limit: 50)).page).rows.map { "p" + $0.key }
        }
        func move(_ key: String, _ distance: Int) -> StoreReply {
            let uri = author.replacingOccurrences(of: "/Author/p1", with: "/Book/\(key)")
            return service.reply(
                to: .edit(.moveMember(uri: author, key: "books", destination: uri, distance: distance)))
        }
        #expect(try before.count == 4 && shown() == before)
        #expect(move(before[0], 2).problem == nil)
        #expect(try shown() == [before[1], before[2], before[0], before[3]])
        // Neither beyond the ends nor over the largest number.
        #expect(move(before[0], .max).problem == nil)
        #expect(try shown() == [before[1], before[2], before[3], before[0]])
        #expect(move(before[3], .min).problem == nil)
        #expect(try shown() == [before[3], before[1], before[2], before[0]])
        #expect(move(before[3], -1).state?.canRedo == false)
        _ = service.reply(to: .undo)
        #expect(try shown() == [before[1], before[2], before[3], before[0]])
        #expect(move("p3", 1).problem != nil)
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try bookKeys(store) == [before[1], before[2], before[3], before[0]])
    }

    @Test func membersWithoutAnOrderAreNotMoved() throws {
        let store = try BookStore(books: 3)
        let service = service(store)
        let author = try #require(
            service.reply(to: .rows(query: ListQuery(entity: "Author"), offset: 0, limit: 1)).page?.rows.first?.uri)
        let book = try books(service)[0].uri
        let reply = service.reply(to: .edit(.moveMember(uri: author, key: "books", destination: book, distance: 1)))
        #expect(reply.problem?.message == "the relationship “books” has no order")
    }

    @Test func bytesAreReplacedAsAnEdit() throws {
        let store = try BookStore()
        let service = service(store)
        let uri = try books(service)[0].uri
        func replace(_ key: String, _ bytes: [UInt8]) throws -> StoreReply {
            try JSONDecoder().decode(StoreReply.self, from: Data(service.replaceBytes(uri: uri, key: key, with: bytes)))
        }
        #expect(try replace("cover", [1, 2, 3]).problem == nil)
        #expect(try service.blob(uri: uri, key: "cover")?.bytes == [1, 2, 3])
        _ = service.reply(to: .undo)
        #expect(try service.blob(uri: uri, key: "cover")?.bytes == [UInt8](BookStore.png))
        for key in ["title", "tags", "author", "nothing", "cover.x", ""] {
            #expect(try replace(key, [1]).problem?.message.contains("not a binary attribute") == true, "\(key)")
        }
        let large = [UInt8](repeating: 0, count: StoreService.byteLimit + 1)
        #expect(try replace("cover", large).problem?.message == "the file is larger than 32 MB")
        #expect(service.reply(to: .open).state?.isEdited == false)
    }

    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func aFileThatIsWrittenAsAWholeIsNotReplacedUnasked(type: String) throws {
        let store = try BookStore(type)
        let session = try StoreSession(
            url: store.url, kind: type == NSXMLStoreType ? .xml : .binary,
            model: StoreModel(model: store.model, configuration: nil, origin: "", isFallback: false))
        let editor = StoreEditor(session, journalFolder: nil, POSIXFileSystem())
        func perform(_ request: StoreRequest) throws -> StoreReply {
            var reply = StoreReply()
            session.refresh()
            try session.stack.context.performAndWait { try editor.perform(request, isReadOnly: false, &reply) }
            return reply
        }
        func pages(_ context: NSManagedObjectContext) throws -> [Int?] {
            try context.performAndWait {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).map {
                    ($0.value(forKey: "pages") as? NSNumber)?.intValue
                }
            }
        }
        func edit(_ value: Int) throws {
            let uri = try session.stack.context.performAndWait {
                try session.stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0].objectID.uriText
            }
            _ = try perform(.edit(.set(uri: uri, key: "pages", text: "\(value)")))
        }
        func changeElsewhere(_ value: Int) throws {
            try store.change(type) { context in
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first?.setValue(
                    value, forKey: "pages")
            }
        }
        _ = try perform(.enableEditing)
        try edit(5)
        try changeElsewhere(1234)
        #expect(try perform(.save).conflicts?.map(\.replacesFile) == [true])
        #expect(try pages(store.stack(type)) == [1234])
        _ = try perform(.resolve(keepsEdits: false))
        #expect(try pages(session.stack.context) == [1234])
        try edit(6)
        try changeElsewhere(12345)
        #expect(try perform(.save).conflicts != nil)
        #expect(try perform(.resolve(keepsEdits: true)).notice == "Saved")
        #expect(try pages(store.stack(type)) == [6])
        try edit(7)
        try changeElsewhere(123)
        _ = try perform(.undo)
        #expect(!session.isOutdated)
        #expect(try pages(session.stack.context) == [123])
        // Without unsaved edits, what other programs write is shown.
        try changeElsewhere(77)
        #expect(try perform(.undo).conflicts == nil)
        #expect(try pages(session.stack.context) == [77])
    }

    @Test func readOnlyRejectsEverything() throws {
        let store = try BookStore()
        let service = service(store, isReadOnly: true)
        let uri = try books(service)[0].uri
        for request: StoreRequest in [
            .enableEditing, .edit(.delete(uri: uri)), .save, .undo, .recover, .discard, .resolve(keepsEdits: true),
        ] {
            #expect(service.reply(to: request).problem != nil)
        }
        #expect(try pages(store) == [387])
    }
}
