import Foundation
import Testing

/// Which programs need libpq.
@Suite struct LinkageTests {
    /// The libraries that a program beside the tests is linked with.
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

    /// `QueueStress` has CoreData alone, `StoreWriter` CoreDataPostgreSQL too.
    @Test func coreDataAloneNeedsNoServerClient() throws {
        let alone = try libraries(of: "QueueStress")
        #expect(alone.contains("libsqlite3") && !alone.contains("libpq"))
        #expect(try libraries(of: "StoreWriter").contains("libpq"))
    }
}
