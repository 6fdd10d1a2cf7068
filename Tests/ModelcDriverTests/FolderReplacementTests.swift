import Foundation
import Testing

@testable import ModelcDriver

@Suite struct FolderReplacementTests {
    private let scratch: URL
    private let files: POSIXFileSystem

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        files = POSIXFileSystem(workingDirectory: scratch.path)
    }

    private func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: scratch.path).sorted()
    }

    @Test func replacesAFolderAndLeavesNothingBeside() throws {
        let replacement = FolderReplacement(files: files)
        try replacement.write(["a": [1], "b": [2]], to: "M.momd")
        #expect(replacement.holds(["a": [1], "b": [2]], at: "M.momd"))
        try replacement.write(["b": [3], "c/d": [4]], to: "M.momd")
        #expect(try names() == ["M.momd", "M.momd/b", "M.momd/c", "M.momd/c/d"])
        #expect(!replacement.holds(["b": [2]], at: "M.momd"))
    }

    @Test func whatAKilledRunLeftIsInNobodysWay() throws {
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent(".M.momd.modelc-new/x"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent(".M.momd.modelc-old"), withIntermediateDirectories: true)
        try FolderReplacement(files: files).write(["a": [1]], to: "M.momd")
        #expect(try names() == ["M.momd", "M.momd/a"])
    }

    @Test func aFailureLeavesTheOldFolder() throws {
        try FolderReplacement(files: files).write(["a": [1]], to: "M.momd")
        #expect(throws: FileSystemError.self) {
            try FolderReplacement(files: files).write(["ok": [1], "bad\u{0}/../../x": [2], "z/": [3]], to: "M.momd")
        }
        #expect(try names() == ["M.momd", "M.momd/a"])
    }
}
