import CSQLite3
import Foundation
import Testing

@testable import StoreTools

/// What `modelc inspect` says first about a store.
@Suite struct StoreInspectTests {
    @Test func inspectBeginsWithTheStore() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 3) == 0, "\(scratch.errorOutput)")
        let result = try ToolProcess.run("modelc", ["inspect", "a.sqlite"], in: scratch.folder)
        #expect(result.code == 0, "\(result.errorOutput)")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "store a.sqlite")
        for label in ["size", "identifier", "framework"] {
            #expect(lines.prefix(5).contains { $0.hasPrefix("  \(label) ") }, "\(label)")
        }
        #expect(lines.contains("  model       in the store"))
        #expect(lines.contains { $0.hasPrefix("  Everything ") && $0.hasSuffix(" 3") })
        #expect(lines.contains("model a (store)"))
    }

    @Test func aStoreWithoutItsModelSaysWhatToDo() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 3) == 0, "\(scratch.errorOutput)")
        var database: OpaquePointer?
        #expect(sqlite3_open(scratch.url("a.sqlite").path, &database) == SQLITE_OK)
        #expect(sqlite3_exec(database, "DROP TABLE Z_MODELCACHE", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(database)
        let result = try ToolProcess.run("modelc", ["inspect", "a.sqlite"], in: scratch.folder)
        #expect(result.code == 0, "\(result.errorOutput)")
        #expect(result.output.contains("  model       not in the store\n"))
        #expect(result.output.contains("  modelc store info a.sqlite --against MODEL"))
        #expect(result.output.contains("  Everything"))
    }
}
