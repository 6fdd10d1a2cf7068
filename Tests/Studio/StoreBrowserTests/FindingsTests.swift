import CSQLite3
import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser
@testable import StudioServer

/// What `modelc store check` finds, beside the rows of the data browser.
@Suite struct FindingsTests {
    private func service(_ path: String, isWritable: Bool = false) -> StoreService {
        StoreService(
            path: path, modelPath: nil, journalFolder: nil, isWritable: isWritable, isReadOnly: false,
            files: POSIXFileSystem())
    }

    private func execute(_ sql: String, _ store: BookStore) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open(store.url.path, &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw StoreProblem(String(cString: sqlite3_errmsg(handle))) }
    }

    @Test func findingsNameTheObjectsOfRows() throws {
        let store = try BookStore(books: 5)
        let service = service(store.url.path)
        #expect(try #require(service.reply(to: .findings).findings).items.isEmpty)
        try execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE Z_PK IN (2, 3)", store)
        let files = try store.files()
        let findings = try #require(service.reply(to: .findings).findings)
        #expect(findings.note == nil)
        let item = try #require(findings.items.first)
        #expect(findings.items.count == 1)
        #expect(item.rule == "dangling-reference" && item.severity == "error")
        #expect(item.entity == "Book" && item.property == "author" && item.count == 2)
        #expect(item.help?.contains("modelc store repair") == true)
        let rows = try #require(service.reply(to: .rows(query: ListQuery(entity: "Book"), offset: 0, limit: 10)).page)
            .rows
        #expect(item.objects == rows.filter { ["2", "3"].contains($0.key) }.map(\.uri))
        // The store is only read.
        #expect(try store.files() == files)
    }

    /// Unsaved edits are no part of what is checked, and do not keep it from being checked.
    @Test func unsavedEditsAreNotChecked() throws {
        let store = try BookStore(books: 5)
        let service = service(store.url.path, isWritable: true)
        let rows = try #require(service.reply(to: .rows(query: ListQuery(entity: "Book"), offset: 0, limit: 10)).page)
            .rows
        _ = service.reply(to: .edit(.set(uri: rows[1].uri, key: "pages", text: "-1")))
        #expect(try #require(service.reply(to: .findings).findings).items.isEmpty)
        let before = service.check()?.stamp
        #expect(service.check()?.stamp == before)
        try execute("UPDATE ZBOOK SET ZPAGES = -1 WHERE Z_PK = 3", store)
        #expect(service.check()?.stamp != before)
        #expect(service.reply(to: .findings).findings?.items.map(\.rule) == ["validation"])
    }

    @Test func storesWithoutSQLAreNotChecked() throws {
        let store = try BookStore(NSXMLStoreType)
        #expect(service(store.url.path).check() == nil)
    }

    /// The page asks for the findings while it asks for rows.
    @Test func findingsAreAnsweredBesideOtherRequests() async throws {
        let store = try BookStore(books: 5)
        try execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE Z_PK = 2", store)
        let actor = StoreServiceActor(
            path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: false, isReadOnly: true,
            escapesFormulas: false, isRestarted: false, files: POSIXFileSystem())
        let routes = StudioRoutes(
            service: nil, store: StoreRoutes(service: actor), token: "token", invitation: Invitation(secret: "secret"))
        @Sendable func post(_ body: String) async throws -> StoreReply {
            let headers = [
                "Host": "127.0.0.1:80", "Origin": "http://127.0.0.1:80", "Content-Type": "application/json",
                "Content-Length": "\(body.utf8.count)",
            ]
            let request = WebRequest(
                method: "POST", path: "/token/store", query: [], header: { headers[$0] }, body: { Data(body.utf8) },
                discardBody: {})
            let response = await routes.respond(to: request, port: 80)
            guard case .data(let data) = response.body else { throw StoreProblem("no answer") }
            return try JSONDecoder().decode(StoreReply.self, from: data)
        }
        async let first = post("{\"findings\":{}}")
        async let second = post("{\"findings\":{}}")
        async let counts = post("{\"counts\":{}}")
        for reply in try await [first, second] {
            #expect(reply.problem == nil)
            #expect(reply.findings?.items.map(\.rule) == ["dangling-reference"])
        }
        #expect(try await counts.counts?["Book"] == 6)
        // The file has changed since.
        try execute("UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 2", store)
        #expect(try await post("{\"findings\":{}}").findings?.items.isEmpty == true)
    }
}
