import Foundation
import Testing

@testable import ModelcDriver

@Suite struct FolderReplacementTests {
    private let scratch: Scratch
    private let replacement: FolderReplacement

    init() throws {
        scratch = try Scratch()
        replacement = FolderReplacement(files: scratch.files) { $0 != "stranger" }
    }

    @Test func replacesAFolderAndLeavesNothingBeside() throws {
        #expect(try replacement.write(["a": [1], "b": [2]], to: "M.momd"))
        #expect(replacement.holds(["a": [1], "b": [2]], at: "M.momd"))
        #expect(try !replacement.write(["a": [1], "b": [2]], to: "M.momd"))
        #expect(try replacement.write(["b": [3], "c/d": [4]], to: "M.momd"))
        #expect(try scratch.tree().keys.sorted() == ["M.momd", "M.momd/b", "M.momd/c", "M.momd/c/d"])
        #expect(!replacement.holds(["b": [2]], at: "M.momd"))
    }

    @Test func removesWhatAKilledRunHasLeftAnHourAgo() throws {
        try scratch.write("x", to: ".modelc-0123456789abcdef/x/y")
        try scratch.write("x", to: ".modelc-0123456789abcde0")
        try scratch.write("x", to: "elsewhere/precious")
        try scratch.link(".modelc-0123456789abcde1", to: "elsewhere")
        let leftovers = [
            ".modelc-0123456789abcdef/x/y", ".modelc-0123456789abcdef/x", ".modelc-0123456789abcdef",
            ".modelc-0123456789abcde0",
        ]
        for name in leftovers { try scratch.age(name) }
        try scratch.write("x", to: ".modelc-ffffffffffffffff")
        try scratch.write("x", to: ".modelc-baseline")
        try scratch.age(".modelc-baseline")
        #expect(try replacement.write(["a": [1]], to: "M.momd"))
        #expect(
            try scratch.tree().keys.sorted() == [
                ".modelc-0123456789abcde1", ".modelc-baseline", ".modelc-ffffffffffffffff", "M.momd", "M.momd/a",
                "elsewhere", "elsewhere/precious",
            ])
    }

    @Test func aLinkInALeftoverFolderIsNotFollowed() throws {
        try scratch.write("x", to: "elsewhere/precious")
        try scratch.write("x", to: ".modelc-0123456789abcdef/x")
        try scratch.link(".modelc-0123456789abcdef/link", to: "../elsewhere")
        scratch.files.removeTree(".modelc-0123456789abcdef")
        #expect(try scratch.tree().keys.sorted() == ["elsewhere", "elsewhere/precious"])
    }

    @Test func aFailureLeavesTheOldFolder() throws {
        #expect(try replacement.write(["a": [1]], to: "M.momd"))
        #expect(throws: FileSystemError.self) {
            try replacement.write(["ok": [1], "bad\u{0}/../../x": [2], "z/": [3]], to: "M.momd")
        }
        #expect(try scratch.tree().keys.sorted() == ["M.momd", "M.momd/a"])
    }

    @Test func aFolderWithForeignFilesIsNotReplaced() throws {
        try scratch.write("precious", to: "M.momd/stranger")
        let before = try scratch.tree()
        #expect(throws: FileSystemError.self) { try replacement.write(["a": [1]], to: "M.momd") }
        #expect(try scratch.tree() == before)
    }

    @Test func aLinkToAFolderStaysAndTheFolderIsReplaced() throws {
        #expect(try replacement.write(["a": [1]], to: "Real.momd"))
        try scratch.link("M.momd", to: "Real.momd")
        #expect(try replacement.write(["b": [2]], to: "M.momd"))
        #expect(try scratch.tree() == ["M.momd": "-> Real.momd", "Real.momd": "folder", "Real.momd/b": "\u{2}"])
    }

    /// With and without support for exchanging folders atomically.
    @Test(arguments: [true, false])
    func manyWritersLeaveOneOfTheirResultsWhole(canExchange: Bool) throws {
        let results = [["a": [1], "b": [1]], ["a": [2], "c": [2]], ["d": [UInt8](repeating: 3, count: 5000)]]
        let files: any FileSystem = canExchange ? scratch.files : ScriptedFileSystem(scratch.files) { _, _ in }
        DispatchQueue.concurrentPerform(iterations: 60) { index in
            let replacement = FolderReplacement(files: files) { _ in true }
            #expect(throws: Never.self) { try replacement.write(results[index % results.count], to: "Deep/M.momd") }
            // After a writer finishes, it does not see partial output of another.
            if canExchange { #expect(files.kind(of: "Deep/M.momd") == .directory) }
        }
        #expect(results.contains { replacement.holds($0, at: "Deep/M.momd") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url("Deep").path) == ["M.momd"])
    }
}
