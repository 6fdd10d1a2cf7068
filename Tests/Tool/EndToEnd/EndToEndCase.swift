import Foundation
import Testing

@testable import ModelcDriver

/// A test case in a folder in `Cases`.
struct EndToEndCase: CustomTestStringConvertible, Sendable {
    /// The outcome of commands.
    struct Outcome {
        var exitCodes: [Int32] = []
        var standardOutput = ""
        var standardError = ""
        /// The bytes of new and changed files, by path.
        var changed: [String: Data] = [:]
        /// The paths of removed files.
        var removed: [String] = []
    }

    let directory: URL

    var testDescription: String { directory.lastPathComponent }

    static func all() throws -> [EndToEndCase] {
        let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")
        return try FileManager.default.contentsOfDirectory(atPath: cases.path).sorted()
            .filter { !$0.hasPrefix(".") }.map { EndToEndCase(directory: cases.appendingPathComponent($0)) }
    }

    private func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

    /// Runs the commands on a copy of the input.
    func run() throws -> Outcome {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        for (path, bytes) in try Self.files(below: url("input")) {
            let copy = scratch.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: copy)
        }
        try setUp(scratch)
        let before = try Self.files(below: scratch)
        let outcome = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: scratch.path),
            output: { outcome.value.standardOutput += $0 }, errorOutput: { outcome.value.standardError += $0 },
            usesColor: false)
        let commands = try String(contentsOf: url("arguments"), encoding: .utf8).dropLast()
        for line in commands.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = Modelc.run(arguments: line.split(separator: " ").map(String.init), in: environment)
            outcome.value.exitCodes.append(code.rawValue)
        }
        let after = try Self.files(below: scratch)
        outcome.value.changed = after.filter { before[$0.key] != $0.value }
        outcome.value.removed = before.keys.filter { after[$0] == nil }.sorted()
        return outcome.value
    }

    /// Runs the script of the case, if it has one, in the copy of the input.
    private func setUp(_ folder: URL) throws {
        guard FileManager.default.fileExists(atPath: url("setup").path) else { return }
        let result = try ChildProcess.run(
            ["bash", "-c", "cd \"$1\" && exec bash -e \"$2\"", "setup", folder.path, url("setup").path],
            variables: [
                ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null"),
                ("GIT_AUTHOR_NAME", "Test"), ("GIT_AUTHOR_EMAIL", "test@example.com"),
                ("GIT_COMMITTER_NAME", "Test"), ("GIT_COMMITTER_EMAIL", "test@example.com"),
                ("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"),
            ])
        guard result.exitCode == 0 else { throw SetupFailure(message: result.errorOutput) }
    }

    private struct SetupFailure: Error {
        var message: String
    }

    private final class Recorder {
        var value = Outcome()
    }

    /// Returns the expected outcome of the commands.
    func expectation() throws -> Outcome {
        Outcome(
            exitCodes: text("exit").split(separator: "\n").compactMap { Int32($0) }, standardOutput: text("stdout"),
            standardError: text("stderr"), changed: try Self.files(below: url("expected")),
            removed: text("removed").split(separator: "\n").map(String.init))
    }

    /// Records the outcome as the expectation.
    func record(_ outcome: Outcome) throws {
        try write(outcome.exitCodes.map { "\($0)\n" }.joined(), to: "exit")
        try write(outcome.standardOutput, to: "stdout")
        try write(outcome.standardError, to: "stderr")
        try write(outcome.removed.map { "\($0)\n" }.joined(), to: "removed")
        try? FileManager.default.removeItem(at: url("expected"))
        for (path, bytes) in outcome.changed {
            let file = url("expected").appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
    }

    /// Returns the text of a file of the case, or an empty text if the file does not exist.
    private func text(_ name: String) -> String { (try? String(contentsOf: url(name), encoding: .utf8)) ?? "" }

    private func write(_ text: String, to name: String) throws {
        if text.isEmpty {
            try? FileManager.default.removeItem(at: url(name))
        } else {
            try Data(text.utf8).write(to: url(name))
        }
    }

    /// Returns the bytes of all files in a folder, by relative path; none if there is no folder.
    private static func files(below root: URL) throws -> [String: Data] {
        var result: [String: Data] = [:]
        guard let paths = FileManager.default.enumerator(atPath: root.path) else { return [:] }
        for case let path as String in paths {
            var isDirectory: ObjCBool = false
            let file = root.appendingPathComponent(path)
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue
            else { continue }
            result[path] = try Data(contentsOf: file)
        }
        return result
    }
}
