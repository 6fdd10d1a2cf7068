import CSQLite3
import Foundation
import Testing

@testable import ModelcDriver

/// A store that another connection writes to.
@Suite struct LockedStoreTests {
    private let repository: GitRepository
    private let writer: OpaquePointer

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try FileManager.default.createDirectory(
            at: repository.folder.appendingPathComponent("Stores"), withIntermediateDirectories: true)
        var handle: OpaquePointer?
        let path = repository.folder.appendingPathComponent("Stores/a.sqlite").path
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        writer = try #require(handle)
        try #require(
            sqlite3_exec(writer, "CREATE TABLE Z_METADATA (Z_PLIST BLOB); BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
    }

    private func check(_ outcome: GitRepository.Outcome) {
        sqlite3_close(writer)
        #expect(outcome.code == .couldNotRun)
        #expect(outcome.errorOutput.contains("Stores/a.sqlite:1:1: error: another process has locked the store"))
        #expect(outcome.errorOutput.contains("Quit the app that uses the store"))
    }

    @Test func lockedEvidenceIsNamed() {
        check(
            repository.run {
                BreakingCommand.runProgram(["--against", "M.xcdatamodeld", "--stores", "Stores"], in: $0)
            })
    }

    @Test func aLockedReferenceIsNamed() {
        check(repository.run { BreakingCommand.runProgram(["--against", "Stores/a.sqlite"], in: $0) })
    }
}
