import Foundation
import Testing

@testable import ModelcDriver

/// A repository with a model, for `modelc check`.
extension GitRepository {
    /// Creates a repository with a model that has six versions, all of which are committed.
    static func withSixVersions() throws -> GitRepository {
        let repository = try GitRepository()
        for index in 1...6 {
            try repository.writeVersion("M \(index)", attributes: (1...index).map { "a\($0)" })
        }
        try repository.setCurrent("M 6")
        try repository.commit()
        return repository
    }

    func setCurrent(_ name: String) throws {
        try write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>",
            to: "M.xcdatamodeld/.xccurrentversion")
    }

    /// Runs the command, and returns its verdict with the numbers of reads of each version.
    func check(_ arguments: String...) throws -> (verdict: String, reads: [String: Int], code: ExitCode) {
        let files = ScriptedFileSystem(POSIXFileSystem(workingDirectory: folder.path)) {
            _, _ throws(FileSystemError) in
        }
        var (output, errorOutput) = ("", "")
        let code = CheckCommand.runProgram(
            arguments + ["--reporter", "json"],
            in: DriverEnvironment(
                files: files, output: { output += $0 }, errorOutput: { errorOutput += $0 }, usesColor: false))
        let object = try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        let verdict = try #require(object?["verdict"] as? String, "\(output) \(errorOutput)")
        return (verdict, files.readCounts.filter { $0.key.hasSuffix("/contents") }, code)
    }
}
