import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Edits of a session that was killed, while other programs have written, or after its save.
@Suite struct StoreRecoveryTests {
    private func service(_ store: BookStore) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: store.folder.path + "/cache", isWritable: true,
            isReadOnly: false, files: POSIXFileSystem())
    }

    private func rows(_ service: StoreService, _ predicate: String? = nil, _ entity: String = "Book") throws
        -> [ListRow]
    {
        let query = ListQuery(entity: entity, predicate: predicate)
        return try #require(service.reply(to: .rows(query: query, offset: 0, limit: 100)).page).rows
    }

    private func journal(_ store: BookStore) throws -> URL {
        let folder = store.folder.appendingPathComponent("cache")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".journal") }
        return folder.appendingPathComponent(try #require(names.first))
    }

    /// Changes a book like another program.
    private func change(_ store: BookStore, _ title: String, _ values: [String: Any]) throws {
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", title)
            let book = try #require(try context.fetch(request).first)
            for (key, value) in values { book.setValue(value, forKey: key) }
        }
    }

    // MARK: After the save

    /// Performs edits and saves them, and leaves what a kill leaves between the save and the end of the journal.
    private func saveAndKill(_ store: BookStore, _ edits: (StoreService) throws -> [StoreEdit]) throws {
        let left = Left()
        do {
            let service = service(store)
            for edit in try edits(service) { #expect(service.reply(to: .edit(edit)).problem == nil) }
            let file = try journal(store)
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: try #require(service.session).stack.context, queue: nil
            ) { _ in left.journal = try? Data(contentsOf: file) }
            defer { NotificationCenter.default.removeObserver(observer) }
            #expect(service.reply(to: .save).notice == "Saved")
        }
        try #require(left.journal).write(to: try journal(store))
    }

    /// What a kill leaves. Used on one thread.
    private final class Left: @unchecked Sendable {
        var journal: Data?
    }

    @Test func newObjectsThatWereSavedAreNotRestored() throws {
        let store = try BookStore(books: 3)
        try saveAndKill(store) { service in
            let uri = try rows(service)[0].uri
            return [
                .create(entity: "Book", name: "new"), .set(uri: "new:new", key: "title", text: "New"),
                .set(uri: uri, key: "pages", text: "5"),
            ]
        }
        let service = service(store)
        #expect(service.reply(to: .open).state?.recoverableCount == 3)
        let reply = service.reply(to: .recover)
        #expect(reply.notice == "The edits of the last session are in the store" && reply.conflicts == nil)
        #expect(reply.state?.isEdited == false && reply.state?.recoverableCount == 0)
        #expect(try rows(service, "title == 'New'").count == 1)
        #expect(try Data(contentsOf: journal(store)).isEmpty)
    }

    /// A save that was not completed leaves its mark, which names an object whose number another program may get later.
    @Test func theMarkOfAnIncompleteSaveIsRemoved() throws {
        let store = try BookStore(books: 3)
        try saveAndKill(store) { _ in
            [.create(entity: "Book", name: "new"), .set(uri: "new:new", key: "title", text: "New")]
        }
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == 'New'")
            context.delete(try #require(try context.fetch(request).first))
        }
        let marked = try String(decoding: Data(contentsOf: journal(store)), as: UTF8.self)
        #expect(marked.contains("saving"))
        #expect(service(store).reply(to: .recover).notice == "Restored 2 edits")
        // The journal is continued: what it begins with is replaced.
        let continued = try String(decoding: Data(contentsOf: journal(store)), as: UTF8.self)
        let restored = continued.dropFirst(marked.count)
        #expect(continued.hasPrefix(marked) && restored.contains("create") && !restored.contains("saving"))
    }

    /// They change nothing, so that the newer versions of their objects are no conflicts.
    @Test func savedChangesDoNotConflict() throws {
        let store = try BookStore(books: 3)
        try saveAndKill(store) { service in
            let books = try rows(service).map(\.uri)
            let author = try rows(service, nil, "Author")[0].uri
            return [
                .set(uri: books[0], key: "title", text: "Saved"),
                .link(uri: books[2], key: "author", destination: author),
                .group([.set(uri: books[1], key: "pages", text: "77")]),
                .addMember(uri: author, key: "books", destination: books[3]),
            ]
        }
        let service = service(store)
        let reply = service.reply(to: .recover)
        #expect(reply.notice == "Restored 4 edits" && reply.conflicts == nil)
        #expect(service.reply(to: .save).problem == nil)
        #expect(try rows(service, "title == 'Saved' OR pages == 77").count == 2)
        #expect(try rows(service, "author != nil").count == 4)
    }

    /// The journal has the beginning of a save that a conflict has stopped.
    @Test func aSaveThatFailedIsRestored() throws {
        let store = try BookStore(books: 3)
        do {
            let service = service(store)
            _ = service.reply(to: .edit(.create(entity: "Book", name: "new")))
            _ = service.reply(to: .edit(.set(uri: "new:new", key: "title", text: "New")))
            let uri = try rows(service, "title == 'Book 1'")[0].uri
            _ = service.reply(to: .edit(.set(uri: uri, key: "pages", text: "5")))
            try change(store, "Book 1", ["pages": 6])
            #expect(service.reply(to: .save).conflicts?.count == 1)
            #expect(try String(contentsOf: journal(store), encoding: .utf8).contains("saving"))
        }
        let service = service(store)
        #expect(service.reply(to: .recover).conflicts?.count == 1)
        #expect(service.reply(to: .resolve(keepsEdits: true)).notice == "Restored 3 edits")
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try rows(service, "title == 'New'").count == 1)
        #expect(try rows(service, "title == 'Book 1' AND pages == 5").count == 1)
    }

    // MARK: Changes of other programs

    @Test(arguments: [true, false])
    func aChangeOfAnotherProgramIsNotOverwrittenSilently(keepsEdits: Bool) throws {
        let store = try BookStore(books: 3)
        do {
            let service = service(store)
            let uris = try (0..<3).map { try rows(service, "title == 'Book \($0)'")[0].uri }
            _ = service.reply(to: .edit(.set(uri: uris[0], key: "title", text: "mine")))
            _ = service.reply(to: .edit(.group(uris.map { .set(uri: $0, key: "pages", text: "7") })))
            _ = service.reply(to: .edit(.delete(uri: uris[2])))
        }
        try change(store, "Book 0", ["title": "theirs"])
        try change(store, "Book 2", ["pages": 99])
        let service = service(store)
        let asked = service.reply(to: .recover)
        let conflicts = try #require(asked.conflicts)
        #expect(conflicts.count == 2 && asked.state?.isEdited == false && asked.state?.recoverableCount == 3)
        let title = conflicts.flatMap(\.properties).first { $0.name == "title" }
        #expect(title?.mine == "mine" && title?.theirs == "theirs")
        #expect(conflicts.contains { $0.message.contains("is deleted by an unsaved edit") })
        // Nothing else is answered until it is decided.
        let uri = try rows(service, "title == 'theirs'")[0].uri
        #expect(service.reply(to: .edit(.set(uri: uri, key: "pages", text: "1"))).problem != nil)
        let reply = service.reply(to: .resolve(keepsEdits: keepsEdits))
        #expect(reply.notice == (keepsEdits ? "Restored 3 edits" : "Restored 1 edits"))
        #expect(reply.state?.recoverableCount == 0)
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try rows(service, "title == 'mine'").count == (keepsEdits ? 1 : 0))
        #expect(try rows(service, "title == 'theirs'").count == (keepsEdits ? 0 : 1))
        #expect(try rows(service, "pages == 99").count == (keepsEdits ? 0 : 1))
        #expect(try rows(service, "title == 'Book 1' AND pages == 7").count == 1)
    }

    @Test func theJournalHasWhatIsLeftOfADecision() throws {
        let store = try BookStore(books: 3)
        do {
            let service = service(store)
            for (number, title) in ["mine", "kept"].enumerated() {
                let uri = try rows(service, "title == 'Book \(number)'")[0].uri
                _ = service.reply(to: .edit(.set(uri: uri, key: "title", text: title)))
            }
        }
        try change(store, "Book 0", ["title": "theirs"])
        do {
            let service = service(store)
            _ = service.reply(to: .recover)
            _ = service.reply(to: .resolve(keepsEdits: false))
        }
        let service = service(store)
        #expect(service.reply(to: .recover).notice == "Restored 1 edits")
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try rows(service, "title IN {'theirs', 'kept'}").count == 2)
    }

    @Test func editsThatCannotBeRepeatedAreKeptInACopy() throws {
        let store = try BookStore(books: 3)
        do {
            let service = service(store)
            for number in 0..<2 {
                let uri = try rows(service, "title == 'Book \(number)'")[0].uri
                _ = service.reply(to: .edit(.set(uri: uri, key: "title", text: "edited \(number)")))
            }
        }
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == 'Book 0'")
            for book in try context.fetch(request) { context.delete(book) }
        }
        let notice = try #require(service(store).reply(to: .recover).notice)
        #expect(notice.hasPrefix("1 of 2 edits could not be repeated; they are kept in “"), "\(notice)")
        let path = try #require(notice.split(separator: "“").last?.dropLast())
        #expect(try String(contentsOfFile: String(path), encoding: .utf8).contains("edited 0"))
    }
}
