import CSQLite3
import CoreData
import Foundation
import ModelcDriver
import StoreFile
import Testing

@testable import StoreBrowser

/// Stores without their model: raw tables, and the search for a model.
@Suite struct WithoutModelTests {
    private let store: BookStore
    /// The model of the store, compiled.
    private let compiled: [UInt8]

    init() throws {
        store = try BookStore(books: 3)
        compiled = try #require(try StoreFile(path: store.url.path).modelArchive)
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open(store.url.path, &handle) == SQLITE_OK,
            sqlite3_exec(handle, "DELETE FROM Z_MODELCACHE", nil, nil, nil) == SQLITE_OK
        else { throw StoreProblem(String(cString: sqlite3_errmsg(handle))) }
    }

    private func service() -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: false, isReadOnly: false,
            files: POSIXFileSystem())
    }

    @Test func tablesAreReadAsTheyAre() throws {
        let files = try store.files()
        let service = service()
        let state = try #require(service.reply(to: .open).state)
        #expect(state.problem?.needsModel == true && state.entities.isEmpty)
        let tables = try #require(service.reply(to: .tables).tables)
        let books = try #require(tables.first { $0.name == "ZBOOK" })
        #expect(books.columns.starts(with: ["Z_PK", "Z_ENT", "Z_OPT"]))
        let rows = try #require(service.reply(to: .table(name: "ZBOOK", offset: 1, limit: 2)).cells)
        #expect(rows.count == 2 && rows.allSatisfy { $0.count == books.columns.count })
        #expect(rows[0][0].type == "integer" && rows[0][0].text == "2")
        #expect(service.reply(to: .table(name: "\"; DROP TABLE ZBOOK; --", offset: 0, limit: 9)).cells?.isEmpty == true)
        #expect(service.reply(to: .table(name: "ZBOOK", offset: -5, limit: .max)).cells?.count == Int(books.count))
        // All other requests are answered by the problem.
        #expect(service.reply(to: .counts).problem?.needsModel == true)
        #expect(try store.files() == files)
    }

    @Test func aModelWithTheHashesIsFoundAndUsed() throws {
        let service = service()
        let none = try #require(service.reply(to: .findModels).models)
        #expect(!none.folders.isEmpty)
        let before = none.matches.count
        #expect(service.reply(to: .useModel(before)).problem?.message == "this model was not found")
        let folder = store.folder.appendingPathComponent("Sources/App")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(compiled).write(to: folder.appendingPathComponent("Books.mom"))
        try Data("nonsense".utf8).write(to: folder.appendingPathComponent("Other.mom"))
        // Links to folders above end.
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("Loop"), withDestinationURL: store.folder)
        let found = try #require(service.reply(to: .findModels).models)
        let index = try #require(found.matches.firstIndex { $0.path.hasSuffix("Sources/App/Books.mom") })
        #expect(found.matches.count == before + 1 && found.count >= 2)
        let reply = service.reply(to: .useModel(index))
        #expect(reply.problem == nil && reply.state?.entities.contains { $0.name == "Book" } == true)
        #expect(reply.state?.hasModel == false)
        #expect(service.reply(to: .rows(query: ListQuery(entity: "Book"), offset: 0, limit: 9)).page?.total ?? 0 >= 3)
    }
}
