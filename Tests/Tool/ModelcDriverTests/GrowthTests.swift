import Foundation
import Testing

@testable import ModelcDriver

/// The number of paths that commands resolve grows with the number of targets and folders, not with its square.
/// `Scripts/growth.py` counts the instructions of all commands.
@Suite struct GrowthTests {
    /// Returns the number of paths that a command resolves in a folder.
    private func resolved(_ scratch: Scratch, _ run: (DriverEnvironment) -> ExitCode) -> Int {
        let files = ScriptedFileSystem(scratch.files) { _, _ throws(FileSystemError) in }
        var printed = ""
        let code = run(
            DriverEnvironment(
                files: files, output: { printed += $0 }, errorOutput: { printed += $0 }, usesColor: false))
        #expect(code != .couldNotRun, "\(printed)")
        return files.resolvedCount
    }

    private func targets(_ count: Int) throws -> Scratch {
        let scratch = try Scratch()
        var manifest =
            "// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: \"P\", targets: [\n"
        for number in 0..<count {
            manifest += ".target(name: \"T\(number)\"),\n"
            try scratch.write("import CoreData\nclass A: NSManagedObject {}\n", to: "Sources/T\(number)/Part/A.swift")
        }
        try scratch.write(manifest + "])\n", to: "Package.swift")
        return scratch
    }

    private typealias Command = (name: String, run: (DriverEnvironment) -> ExitCode)
    private static var commands: [Command] {
        [
            ("port", { PortCommand.runProgram(["."], in: $0) }),
            (
                "prepare-for-linux",
                { PrepareForLinuxCommand.runProgram(["--dry-run", "--modelc", "https://example.com/modelc"], in: $0) }
            ),
            ("doctor", { DoctorCommand.runProgram([], in: $0) }),
        ]
    }

    @Test(arguments: 0..<commands.count) func theFoldersOfTargetsAreResolvedOnce(index: Int) throws {
        let counts = try [10, 20, 40].map { resolved(try targets($0), Self.commands[index].run) }
        #expect(counts[2] - counts[1] == 2 * (counts[1] - counts[0]), "\(Self.commands[index].name): \(counts)")
    }

    /// Only folders and links are resolved to match patterns, not each file.
    @Test func filesOfAFolderAreMatchedWithoutResolvingThem() throws {
        func count(_ files: Int) throws -> Int {
            let scratch = try Scratch()
            try scratch.write("version: 1\nexclude: [Other]\n", to: ".modelc.yml")
            try scratch.write("<model/>", to: "M.xcdatamodel/contents")
            for number in 0..<files { try scratch.write("", to: "Folder/File\(number).txt") }
            return resolved(scratch) { LintCommand.runProgram(["."], in: $0) }
        }
        #expect(try count(40) == count(5))
    }
}
