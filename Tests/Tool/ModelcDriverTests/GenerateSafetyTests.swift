import CodeGeneration
import Foundation
import Testing

@testable import ModelcDriver

/// Guarantees about the user's files.
@Suite struct GenerateSafetyTests {
    private let scratch: URL

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    private func writeModel(_ name: String, entities: [String], codegen: String = "class") throws {
        let folder = scratch.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let body = entities.map {
            "<entity name=\"\($0)\" representedClassName=\"\($0)\" codeGenerationType=\"\(codegen)\"/>"
        }
        try Data("<model>\(body.joined())</model>".utf8).write(to: folder.appendingPathComponent("contents"))
    }

    private func generate(
        _ model: String, to output: String = "Out", _ arguments: String..., files: (any FileSystem)? = nil
    ) -> (ExitCode, String) {
        var printed = ""
        let environment = DriverEnvironment(
            files: files ?? POSIXFileSystem(workingDirectory: scratch.path), output: { printed += $0 },
            errorOutput: { printed += $0 }, usesColor: false)
        let code = GenerateCommand.runProgram([model, "--output", output] + arguments, in: environment)
        return (code, printed)
    }

    private func tree() throws -> [String: String] {
        var result: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: scratch.path) ?? .init() {
            let url = scratch.appendingPathComponent(path)
            result[path] = (try? String(contentsOf: url, encoding: .utf8)) ?? "(folder)"
        }
        return result
    }

    /// Fails once at every step of a run that adds, replaces and removes files, in a new and an existing folder.
    @Test func afterAFailureNoFileHasChanged() throws {
        try writeModel("M.xcdatamodel", entities: ["A", "B", "Z", "Y"])
        let models = [["A", "B", "C"], ["A", "D"]]
        var failed: Set<String> = []
        for (index, entities) in models.enumerated() {
            for count in 0... {
                try writeModel("M.xcdatamodel", entities: index == 0 ? ["A", "B", "Z", "Y"] : models[0])
                if index == 0 { try? FileManager.default.removeItem(at: scratch.appendingPathComponent("Deep")) }
                if index > 0 {
                    #expect(generate("M.xcdatamodel", to: "Deep/Out").0 == .success)
                    for file in ["A+CoreDataClass", "A+CoreDataProperties"] {
                        let url = scratch.appendingPathComponent("Deep/Out/\(file).swift")
                        try (Data(contentsOf: url) + Data("// edited\n".utf8)).write(to: url)
                    }
                }
                try writeModel("M.xcdatamodel", entities: entities)
                let before = try tree()
                let files = ScriptedFileSystem(
                    POSIXFileSystem(workingDirectory: scratch.path), failingAt: count)
                let (code, printed) = generate("M.xcdatamodel", to: "Deep/Out", files: files)
                if code != .success {
                    #expect(code == .couldNotRun)
                    #expect(printed.contains("No space left on device"))
                    #expect(printed.contains("Nothing was changed."))
                    #expect(try tree() == before, "step \(count)")
                    if count < files.operations.count {
                        failed.insert("\(files.operations[count])".prefix(5).description)
                    }
                } else if count >= files.operations.count {
                    break
                }
            }
        }
        #expect(failed == ["creat", "place", "keep(", "renam", "remov"])
    }

    @Test func aSymbolicLinkIsNeitherReplacedNorFollowed() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        let outside = scratch.appendingPathComponent("outside.swift")
        try Data("precious".utf8).write(to: outside)
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent("Out"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: scratch.appendingPathComponent("Out/A+CoreDataClass.swift"), withDestinationURL: outside)
        let before = try tree()
        let (code, printed) = generate("M.xcdatamodel")
        #expect(code == .couldNotRun)
        #expect(printed.contains("it is a symbolic link"))
        #expect(try tree() == before)
    }

    @Test func aFolderInTheWayIsAnError() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent("Out/A+CoreDataClass.swift"), withIntermediateDirectories: true)
        let before = try tree()
        #expect(generate("M.xcdatamodel").0 == .couldNotRun)
        #expect(try tree() == before)
    }

    private static let classFile = "Out/A+CoreDataClass.swift"

    private func write(_ text: String, to path: String) throws {
        let url = scratch.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Runs `generate`, which must change nothing and name a file with a reason, and with `--force`, which must replace
    /// it.
    private func expectRefusal(
        _ path: String, _ reason: String, _ model: String = "M.xcdatamodel", _ arguments: String...
    ) throws {
        let before = try tree()
        func run(_ more: String...) -> (ExitCode, String) {
            var printed = ""
            let environment = DriverEnvironment(
                files: POSIXFileSystem(workingDirectory: scratch.path), output: { printed += $0 },
                errorOutput: { printed += $0 }, usesColor: false)
            return (GenerateCommand.runProgram([model, "-o", "Out"] + arguments + more, in: environment), printed)
        }
        let (code, printed) = run()
        #expect(code == .couldNotRun)
        #expect(printed.contains("\(path): error: cannot write: \(reason)"), "\(printed)")
        #expect(try tree() == before)
        let check = run("--check")
        #expect(check.0 == .findings)
        #expect(check.1.contains("\(path): error: cannot write: \(reason)"), "\(check.1)")
        let dryRun = run("--dry-run")
        #expect(dryRun.0 == .couldNotRun)
        #expect(dryRun.1.contains("refuse \(path)\n"), "\(dryRun.1)")
        #expect(try tree() == before)
        #expect(run("--force").0 == .success)
        #expect(run("--check").0 == .success)
        #expect(try tree()[path] != before[path])
    }

    @Test(arguments: [
        "// my own\nclass X {}\n", "", "//\n//  A+CoreDataClass.swift\n//  App\n//\n//  Created by me.\n//\n",
        "//\n//  B+CoreDataClass.swift\n//\n//  Generated by modelc from M.xcdatamodel.\n"
            + "//  This file was automatically generated and should not be edited.\n//\n",
        "//\n//  A+CoreDataClass.swift\n//\n//  Generated by modelc from M.xcdatamodel, once upon a time.\n//\n//\n",
    ])
    func aFileThatModelcDidNotGenerateIsNotReplaced(text: String) throws {
        try writeModel("M.xcdatamodel", entities: ["A", "B"])
        try write(text, to: Self.classFile)
        try expectRefusal(Self.classFile, "modelc did not generate the file from “M.xcdatamodel”")
    }

    @Test func aClassFileThatBelongsToTheUserIsNotReplaced() throws {
        try writeModel("M.xcdatamodel", entities: ["A"], codegen: "none")
        #expect(generate("M.xcdatamodel", to: "Out", "--mode", "manual").0 == .success)
        let url = scratch.appendingPathComponent(Self.classFile)
        try (Data(contentsOf: url) + Data("extension A { var mine: Int { 42 } }\n".utf8)).write(to: url)
        // Manual mode keeps it, with and without --force.
        let before = try tree()
        #expect(generate("M.xcdatamodel", to: "Out", "--mode", "manual", "--force").0 == .success)
        #expect(try tree() == before)
        try writeModel("M.xcdatamodel", entities: ["A"])
        try expectRefusal(
            Self.classFile, "the file belongs to you: its header says that modelc does not write it again")
    }

    @Test(arguments: [[], ["--language", "objc"], ["--flavor", "portable"], ["--language", "swiftdata"]])
    func twoModelsDoNotReplaceEachOthersFiles(arguments: [String]) throws {
        func run(_ model: String) -> (ExitCode, String) {
            var printed = ""
            let environment = DriverEnvironment(
                files: POSIXFileSystem(workingDirectory: scratch.path), output: { printed += $0 },
                errorOutput: { printed += $0 }, usesColor: false)
            return (GenerateCommand.runProgram([model, "-o", "Out"] + arguments, in: environment), printed)
        }
        try writeModel("M.xcdatamodel", entities: ["A"])
        try writeModel("N.xcdatamodel", entities: ["A", "B"])
        let sharesFiles = arguments.isEmpty || arguments.contains("objc")
        #expect(run("M.xcdatamodel").0 == .success)
        let before = try tree()
        let (code, printed) = run("N.xcdatamodel")
        guard sharesFiles else {
            // The names of the files have the name of the model.
            #expect(code == .success)
            #expect(try tree().filter { before[$0.key] != nil } == before)
            return
        }
        #expect(code == .couldNotRun)
        #expect(
            printed.contains(
                "the file was generated from “M.xcdatamodel”, and “N.xcdatamodel” needs one of the same name"))
        #expect(try tree() == before)
    }

    @Test func momcReplacesOnlyFilesOfTheModel() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        try write("// my own\n", to: Self.classFile)
        let before = try tree()
        var printed = ""
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: scratch.path), output: { printed += $0 },
            errorOutput: { printed += $0 }, usesColor: false)
        #expect(MomcCommand.run(["--action", "generate", "M.xcdatamodel", "Out"], in: environment) == .findings)
        #expect(printed.contains("modelc did not generate the file"), "\(printed)")
        #expect(try tree() == before)
        try FileManager.default.removeItem(at: scratch.appendingPathComponent(Self.classFile))
        #expect(MomcCommand.run(["--action", "generate", "M.xcdatamodel", "Out"], in: environment) == .success)
    }

    @Test func filesWithOtherLineEndsAndFilesForManualEntitiesAreReplaced() throws {
        try writeModel("M.xcdatamodel", entities: ["A"], codegen: "none")
        #expect(generate("M.xcdatamodel", to: "Out", "--mode", "manual").0 == .success)
        try FileManager.default.removeItem(at: scratch.appendingPathComponent(Self.classFile))
        let path = "Out/A+CoreDataProperties.swift"
        let text = try #require(try tree()[path])
        try write(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"), to: path)
        try writeModel("M.xcdatamodel", entities: ["A"])
        #expect(generate("M.xcdatamodel").0 == .success)
        #expect(try tree()[path]?.contains("\r") == false)
    }

    /// The files of a renamed model declare the same classes, and both would be compiled.
    @Test func theFileOfARenamedModelIsNamed() throws {
        try writeModel("Old.xcdatamodel", entities: ["A", "B"])
        try writeModel("Other.xcdatamodel", entities: ["C"])
        for name in ["Old", "Other"] {
            #expect(generate("\(name).xcdatamodel", to: "Out", "--flavor", "portable").0 == .success)
        }
        try FileManager.default.moveItem(
            at: scratch.appendingPathComponent("Old.xcdatamodel"), to: scratch.appendingPathComponent("New.xcdatamodel")
        )
        let before = try tree()
        let (code, text) = generate("New.xcdatamodel", to: "Out", "--flavor", "portable")
        #expect(code == .couldNotRun)
        #expect(
            text.contains("was generated from “Old.xcdatamodel”, and “New.xcdatamodel” declares the same"), "\(text)")
        #expect(try tree() == before)
        #expect(generate("New.xcdatamodel", to: "Out", "--flavor", "portable", "--check").0 == .findings)
        #expect(generate("New.xcdatamodel", to: "Out", "--flavor", "portable", "--force").0 == .success)
        #expect(
            try tree().keys.filter { $0.hasPrefix("Out/") }.sorted()
                == ["Out/New+CoreDataModel.swift", "Out/Other+CoreDataModel.swift"])
        #expect(generate("New.xcdatamodel", to: "Out", "--flavor", "portable", "--check").0 == .success)
        #expect(generate("Other.xcdatamodel", to: "Out", "--flavor", "portable", "--check").0 == .success)
    }

    /// As git checks files out on Windows. Neither command rewrites a file that differs only in this.
    @Test func otherLineEndsAreNoDifference() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        #expect(generate("M.xcdatamodel").0 == .success)
        func format(_ arguments: String...) -> ExitCode {
            let environment = DriverEnvironment(
                files: POSIXFileSystem(workingDirectory: scratch.path), output: { _ in }, errorOutput: { _ in },
                usesColor: false)
            return FormatCommand.runProgram(arguments, in: environment)
        }
        #expect(format("M.xcdatamodel") == .success)
        let paths = ["M.xcdatamodel/contents", "Out/A+CoreDataClass.swift", "Out/A+CoreDataProperties.swift"]
        for path in paths {
            let text = try #require(try tree()[path])
            try write(text.replacing("\n", with: "\r\n"), to: path)
        }
        let before = try tree()
        #expect(before["M.xcdatamodel/contents"]?.contains("\r\n") == true)
        #expect(format("M.xcdatamodel", "--check") == .success)
        #expect(generate("M.xcdatamodel", to: "Out", "--check").0 == .success)
        #expect(format("M.xcdatamodel") == .success)
        #expect(generate("M.xcdatamodel").0 == .success)
        #expect(try tree() == before)
        try write(try #require(before[paths[0]]).replacing("    <entity", with: "<entity"), to: paths[0])
        #expect(format("M.xcdatamodel", "--check") == .findings)
    }

    @Test(arguments: [true, false]) func filesOfOwnTemplatesAreReplacedIfTheirHeaderNamesTheModel(isNamed: Bool) throws
    {
        try writeModel("M.xcdatamodel", entities: ["A"])
        let comment = isNamed ? "// From {{sourceName}}.\n" : "// A class.\n"
        for (number, code) in [ExitCode.success, isNamed ? .success : .couldNotRun].enumerated() {
            try write(comment + "\nclass {{className}} {} // \(number)\n", to: "T/CoreDataClass.swift.mustache")
            #expect(generate("M.xcdatamodel", to: "Out", "--templates", "T").0 == code)
        }
    }

    @Test func unchangedFilesAreNotWrittenAgain() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        #expect(generate("M.xcdatamodel").0 == .success)
        let file = scratch.appendingPathComponent("Out/A+CoreDataClass.swift")
        let past = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        #expect(generate("M.xcdatamodel").0 == .success)
        let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        #expect(date == past)
    }

    @Test func aModelNameIsNeverCode() throws {
        try writeModel("Evil\nimport Evil.xcdatamodel", entities: ["A"])
        let (code, printed) = generate("Evil\nimport Evil.xcdatamodel")
        #expect(code == .findings)
        #expect(printed.contains("is not a valid file name"))
        #expect(!printed.contains("Evil\nimport"))
        #expect(try tree()["Out"] == nil)
    }

    @Test func aHugeFileIsRefusedBeforeItIsRead() throws {
        let folder = scratch.appendingPathComponent("Huge.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("contents").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 200 << 20)
        try handle.close()
        let (code, printed) = generate("Huge.xcdatamodel")
        #expect(code == .couldNotRun)
        #expect(printed.hasPrefix("Huge.xcdatamodel/contents:1:1: error: the file has 200 MiB"))
    }
}
