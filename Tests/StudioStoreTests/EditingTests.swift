import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StudioStore

/// Editing a store through the service.
@Suite struct EditingTests {
    private func service(_ store: BookStore, isReadOnly: Bool = false) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: store.folder.path + "/cache", isWritable: !isReadOnly,
            isReadOnly: isReadOnly, files: POSIXFileSystem())
    }

    private func books(_ service: StoreService) throws -> [Row] {
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
