import CodeGeneration
import Foundation
import Testing

@testable import ModelcDriver

/// What must never happen to a user's files.
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
        let command = GenerateCommand(
            modelPath: model, outputDirectory: output, action: .write, options: GenerationOptions())
        return (command.run(in: environment), printed)
    }

    private func tree() throws -> [String: String] {
        var result: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: scratch.path) ?? .init() {
            let url = scratch.appendingPathComponent(path)
            result[path] = (try? String(contentsOf: url, encoding: .utf8)) ?? "(folder)"
        }
        return result
    }

    /// Fails at the nth operation that changes something.
    private final class FailingFileSystem: FileSystem, @unchecked Sendable {
        let inner: POSIXFileSystem
        var remaining: Int
        init(_ inner: POSIXFileSystem, failAfter count: Int) {
            self.inner = inner
            remaining = count
        }
        private func step(_ path: String) throws(FileSystemError) {
            remaining -= 1
            if remaining == -1 { throw FileSystemError(path: path, action: "write", reason: "No space left on device") }
        }
        func systemPath(_ path: String) -> String { inner.systemPath(path) }
        func kind(of path: String) -> FileKind? { inner.kind(of: path) }
        func read(_ path: String) throws(FileSystemError) -> [UInt8] { try inner.read(path) }
        func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
            try inner.readHead(path, count: count)
        }
        func list(_ path: String) throws(FileSystemError) -> [String] { try inner.list(path) }
        func createDirectory(_ path: String) throws(FileSystemError) {
            try step(path)
            try inner.createDirectory(path)
        }
        func create(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) {
            try step(path)
            try inner.create(path, bytes)
        }
        func rename(_ path: String, to newPath: String) throws(FileSystemError) { try inner.rename(path, to: newPath) }
        func remove(_ path: String) throws(FileSystemError) { try inner.remove(path) }
        func removeEmptyDirectory(_ path: String) { inner.removeEmptyDirectory(path) }
    }

    @Test(arguments: 0..<6)
    func afterAFailureNoFileHasChanged(count: Int) throws {
        try writeModel("M.xcdatamodel", entities: ["A", "B"])
        try writeModel("N.xcdatamodel", entities: ["A", "B", "C"])
        // The folder is new in the first run, and has files to replace and to add in the second.
        for model in ["M.xcdatamodel", "N.xcdatamodel"] {
            let before = try tree()
            let inner = POSIXFileSystem(workingDirectory: scratch.path)
            let (code, printed) = generate(model, to: "Deep/Out", files: FailingFileSystem(inner, failAfter: count))
            if code != .success {
                #expect(code == .couldNotRun)
                #expect(printed.contains("No space left on device"))
                #expect(try tree() == before)
            }
            #expect(generate(model, to: "Deep/Out").0 == .success)
        }
    }

    @Test func aSymbolicLinkIsReplacedNotFollowed() throws {
        try writeModel("M.xcdatamodel", entities: ["A"])
        let outside = scratch.appendingPathComponent("outside.swift")
        try Data("precious".utf8).write(to: outside)
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent("Out"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: scratch.appendingPathComponent("Out/A+CoreDataClass.swift"), withDestinationURL: outside)
        #expect(generate("M.xcdatamodel").0 == .success)
        #expect(try String(contentsOf: outside, encoding: .utf8) == "precious")
        #expect(try tree()["Out/A+CoreDataClass.swift"]?.contains("class A") == true)
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
        #expect(printed.contains("cannot name a file"))
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
