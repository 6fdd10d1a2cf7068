import Foundation
import ModelcDriver
import Testing

/// Runs every case in `Cases`, a folder with
/// - `arguments`: one command per line, without the program's name; words are separated by spaces;
/// - `setup`: a bash script that runs in that directory first, for things that files cannot represent, such as a git
///   repository;
/// - `input`: the files that the commands find in their working directory;
/// - `stdout`, `stderr`, `exit`: the output of the commands, one after the other, and an exit code for each;
/// - `expected`: the files that are new or changed afterwards, and `removed`: the paths that were removed. A case
///   without them must not change its files.
///
/// `UPDATE_GOLDENS=1 swift test --filter EndToEnd` records the outcomes in the cases; review the changes before
/// committing them.
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
