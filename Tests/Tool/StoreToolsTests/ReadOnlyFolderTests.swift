import CSQLite3
import Foundation
import Testing

/// Stores in folders in which nothing can be written.
@Suite(.enabled(if: ToolProcess.runsUnprivileged)) struct ReadOnlyFolderTests {
    /// SQLite can read a log without its index only if it may create the index.
    @Test func aLogWithoutItsIndexIsRead() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>")
        #expect(scratch.make(rows: 3) == 0)
        let source = scratch.url("a.sqlite").path
        var handle: OpaquePointer?
        #expect(sqlite3_open(source, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        let change = "PRAGMA journal_mode = WAL; DELETE FROM ZA WHERE Z_PK = 1"
        #expect(sqlite3_exec(handle, change, nil, nil, nil) == SQLITE_OK)

        let files = FileManager.default
        let folder = scratch.url("shared")
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        for suffix in ["", "-wal"] {
            try files.copyItem(atPath: source + suffix, toPath: folder.path + "/a.sqlite" + suffix)
        }
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        for command in [["store", "info"], ["inspect"], ["store", "check"], ["hash"]] {
            let result = try ToolProcess.run(
                "modelc", command + ["shared/a.sqlite"], in: scratch.folder, unprivileged: true)
            #expect(result.code == 0, "\(command): \(result.errorOutput)")
            if command == ["store", "info"] { #expect(result.output.contains(#/A +2 /#), "\(result.output)") }
        }
        #expect(try files.contentsOfDirectory(atPath: folder.path).sorted() == ["a.sqlite", "a.sqlite-wal"])
    }

    @Test(arguments: [["repair", "--no-backup"], ["compact"]])
    func aStoreInAReadOnlyFolderIsNotChangedInPlace(arguments: [String]) throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>")
        #expect(scratch.make(rows: 3, to: "a.sqlite") == 0)
        let (files, folder) = (FileManager.default, scratch.url("shared"))
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        try files.copyItem(at: scratch.url("a.sqlite"), to: folder.appendingPathComponent("a.sqlite"))
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let result = try ToolProcess.run(
            "modelc", ["store"] + arguments + ["--in-place", "shared/a.sqlite"], in: scratch.folder,
            unprivileged: true)
        #expect(result.code == 2)
        #expect(
            result.errorOutput.contains("the store cannot be written: its folder is read-only"),
            "\(result.errorOutput)")
        #expect(try files.contentsOfDirectory(atPath: folder.path) == ["a.sqlite"])
    }
}
