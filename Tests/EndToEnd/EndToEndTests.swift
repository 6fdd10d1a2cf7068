import Foundation
import ModelcDriver
import Testing

@testable import modelc

/// Runs every case below `Cases`: a folder with
/// - `arguments`: one command a line, without the program's name; words are separated by spaces;
/// - `setup`: a script for bash that runs in that directory first, for what files cannot express, such as a git repository;
/// - `input`: the files that the commands find in their working directory;
/// - `stdout`, `stderr`, `exit`: what the commands print, one after the other, and an exit code for each;
/// - `expected`: the files that are new or different afterwards, and `removed`: the paths that are gone. A case without
///   them must leave its files alone.
///
/// `UPDATE_GOLDENS=1 swift test --filter EndToEnd` writes what the commands do into the cases; read the change before
/// committing it.
@Suite struct EndToEndTests {
    @Test(arguments: try EndToEndCase.all())
    func runsAsExpected(_ testCase: EndToEndCase) throws {
        let outcome = try testCase.run()
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { return try testCase.record(outcome) }
        let expected = try testCase.expectation()
        #expect(outcome.exitCodes == expected.exitCodes)
        #expect(outcome.standardOutput == expected.standardOutput)
        #expect(outcome.standardError == expected.standardError)
        #expect(outcome.removed == expected.removed)
        #expect(Set(outcome.changed.keys) == Set(expected.changed.keys))
        for (path, bytes) in expected.changed {
            #expect(
                outcome.changed[path].map { String(decoding: $0, as: UTF8.self) }
                    == String(decoding: bytes, as: UTF8.self),
                "\(path)")
        }
    }
}
