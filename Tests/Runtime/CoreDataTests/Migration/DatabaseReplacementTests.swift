import Testing

@testable import CoreData

/// The content of a migrated store replaces the old one atomically, but never overwrites later changes by others.
@Suite struct DatabaseReplacementTests {
    private func database(_ folder: URL, _ name: String, _ mode: String, value: Int) throws -> URL {
        let url = folder.appendingPathComponent(name)
        let connection = try SQLiteConnection(path: url.path)
        defer { connection.close() }
        _ = try connection.text("PRAGMA journal_mode = \(mode)")
        try connection.execute("CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (\(value))")
        return url
    }

    private func value(_ url: URL) throws -> Int64? {
        let connection = try SQLiteConnection(path: url.path)
        defer { connection.close() }
        return try connection.integer("SELECT v FROM t")
    }

    @Test(arguments: ["wal", "delete"]) func concurrentWritesAreNotReplaced(mode: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let old = try database(folder, "Old.sqlite", mode, value: 1)
        let new = try database(folder, "New.sqlite", "delete", value: 2)
        let settings = SQLiteOptions([:])
        let replacement = DatabaseReplacement(of: old, with: new, settings)

        let writers = try WriterLock(old, settings)
        let other = try SQLiteConnection(path: old.path, timeout: 0)
        #expect(throws: SQLiteError.self) { try other.execute("UPDATE t SET v = 3") }
        // Write between the copy and the replacement.
        writers.release()
        try other.execute("UPDATE t SET v = 3")
        other.close()
        #expect(try !replacement.run(writers))
        writers.close()
        #expect(try value(old) == 3)

        let again = try WriterLock(old, settings)
        #expect(try replacement.run(again))
        again.close()
        #expect(try value(old) == 2)
    }
}
