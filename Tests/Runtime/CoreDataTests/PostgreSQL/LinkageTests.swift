import Foundation
import Testing

/// Programs that need libpq.
@Suite struct LinkageTests {
    /// Returns the libraries linked with a program next to the tests.
    private func libraries(of program: String) throws -> String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ldd", folder.appendingPathComponent(program).path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    /// `QueueStress` uses only CoreData, `StoreWriter` also CoreDataPostgreSQL.
    @Test func coreDataAloneNeedsNoServerClient() throws {
        let alone = try libraries(of: "QueueStress")
        #expect(alone.contains("libsqlite3") && !alone.contains("libpq"))
        #expect(try libraries(of: "StoreWriter").contains("libpq"))
    }
}
