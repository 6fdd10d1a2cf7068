import Foundation
import Testing

@testable import ModelcDriver

/// A git repository in a temporary folder, with a model that has two versions.
final class GitRepository {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try git("init", "--quiet", "--initial-branch=main")
        // A user's hooks would run here, and a test would write into their folder.
        try git("config", "core.hooksPath", folder.appendingPathComponent(".git/hooks").path)
    }

    /// Returns the path of `modelc`, which is built next to the tests.
    static func tool() throws -> String {
        let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("modelc").path
        try #require(FileManager.default.isExecutableFile(atPath: path), "there is no \(path)")
        return path
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs git in the repository.
    @discardableResult
    func git(_ arguments: String...) throws -> String {
        let result = try gitResult(arguments)
        try #require(result.exitCode == 0, "git \(arguments): \(result.errorOutput)")
        return String(decoding: result.output, as: UTF8.self)
    }

    /// Runs git in the repository, which may fail.
    func gitResult(_ arguments: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ["git", "-C", folder.path, "-c", "user.name=Test", "-c", "user.email=test@example.com"]
                + ["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"] + arguments)
    }

    func write(_ text: String, to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Writes a version with one entity that has string attributes.
    func writeVersion(_ name: String, attributes: [String], bundle: String = "M.xcdatamodeld") throws {
        let attributes = attributes.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }
        try write(
            "<model><entity name=\"Book\">\(attributes.joined())</entity></model>",
            to: "\(bundle)/\(name).xcdatamodel/contents")
    }

    func commit() throws {
        try git("add", "--all")
        try git("commit", "--quiet", "--allow-empty", "--message=change")
    }

    /// The result of a command.
    struct Outcome {
        var code: ExitCode
        var output: String
        var errorOutput: String
    }

    /// Runs a command in the repository, or in a folder of it.
    func run(in subfolder: String = "", _ command: (DriverEnvironment) -> ExitCode) -> Outcome {
        final class Box { var text = "" }
        let (output, errorOutput) = (Box(), Box())
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: folder.appendingPathComponent(subfolder).path),
            output: { output.text += $0 }, errorOutput: { errorOutput.text += $0 }, usesColor: false)
        return Outcome(code: command(environment), output: output.text, errorOutput: errorOutput.text)
    }
}
