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

    private func writeModel(_ name: String, entities: [String]) throws {
        let folder = scratch.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let body = entities.map {
            "<entity name=\"\($0)\" representedClassName=\"\($0)\" codeGenerationType=\"class\"/>"
        }
        try Data("<model>\(body.joined())</model>".utf8).write(to: folder.appendingPathComponent("contents"))
    }

    private func generate(_ model: String, to output: String = "Out", files: (any FileSystem)? = nil) -> (
        ExitCode, String
    ) {
        var printed = ""
        let environment = DriverEnvironment(
            files: files ?? POSIXFileSystem(workingDirectory: scratch.path), output: { printed += $0 },
            errorOutput: { printed += $0 }, usesColor: false)
        let code = GenerateCommand.runProgram([model, "--output", output], in: environment)
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
                        try Data("// edited\n".utf8).write(to: url)
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
