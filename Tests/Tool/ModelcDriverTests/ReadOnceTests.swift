import Foundation
import Testing

@testable import ModelcDriver

/// Every command reads each file of a model only once.
@Suite struct ReadOnceTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try repository.writeVersion("M 2", attributes: ["title", "year"])
        try repository.write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>",
            to: "M.xcdatamodeld/.xccurrentversion")
        for name in ["Author", "Book"] {
            try repository.write(
                "import SwiftData\n@Model final class \(name) { var name: String = \"\"; init() {} }",
                to: "Models/\(name).swift")
        }
    }

    private func counts(
        _ suffixes: [String], _ run: (DriverEnvironment) -> ExitCode
    ) -> (code: ExitCode, counts: [String: Int], printed: String) {
        let files = ScriptedFileSystem(POSIXFileSystem(workingDirectory: repository.folder.path)) {
            _, _ throws(FileSystemError) in
        }
        var printed = ""
        let code = run(
            DriverEnvironment(
                files: files, output: { printed += $0 }, errorOutput: { printed += $0 }, usesColor: false))
        return (
            code, files.readCounts.filter { path, _ in suffixes.contains(where: path.hasSuffix) }, printed
        )
    }

    private static let bundle = [
        "M.xcdatamodeld/M.xcdatamodel/contents": 1, "M.xcdatamodeld/M 2.xcdatamodel/contents": 1,
        "M.xcdatamodeld/.xccurrentversion": 1,
    ]

    @Test func buildingATargetReadsModelsAndSourcesOnce() {
        let arguments = [
            "--module", "App", "--output", "Out", "--model", "M.xcdatamodeld", "--source", "Models/Book.swift",
        ]
        let result = counts(["/contents", ".xccurrentversion", "Models/Book.swift"]) {
            BuildCommand.runProgram(arguments, in: $0)
        }
        #expect(result.code == .success, "\(result.printed)")
        #expect(result.counts == Self.bundle.merging(["Models/Book.swift": 1]) { first, _ in first })
    }

    @Test(arguments: ["swift", "swiftdata"])
    func generatingReadsAModelOnce(language: String) {
        let result = counts(["/contents"]) {
            GenerateCommand.runProgram(["M.xcdatamodeld", "--output", "Out", "--language", language], in: $0)
        }
        #expect(result.code == .success, "\(result.printed)")
        #expect(result.counts["M.xcdatamodeld/M 2.xcdatamodel/contents"] == 1)
        #expect(result.counts["M.xcdatamodeld/M.xcdatamodel/contents"] == (language == "swift" ? nil : 1))
    }

    @Test func aContentsFileIsReadOnce() {
        let path = "M.xcdatamodeld/M.xcdatamodel/contents"
        let result = counts(["/contents"]) { HashCommand.runProgram([path], in: $0) }
        #expect(result.code == .success, "\(result.printed)")
        #expect(result.counts == [path: 1])
    }

    @Test func lockAndBreakingReadSwiftFoldersOnce() {
        let lock = counts([".swift"]) { LockUpdateCommand.runProgram(["Models"], in: $0) }
        #expect(lock.code == .success, "\(lock.printed)")
        #expect(lock.counts == ["Models/Author.swift": 1, "Models/Book.swift": 1])
        let breaking = counts([".swift"]) {
            BreakingCommand.runProgram(["Models", "--against", "modelc.lock"], in: $0)
        }
        // The lock has only drafts, so that nothing is compared.
        #expect(breaking.code == .couldNotRun, "\(breaking.printed)")
        #expect(breaking.counts == ["Models/Author.swift": 1, "Models/Book.swift": 1])
    }

    @Test func aSwiftFileThatCannotBeReadIsReported() throws {
        try repository.write(String(repeating: " ", count: 65 << 20), to: "Models/Large.swift")
        let result = counts([".swift"]) { LockUpdateCommand.runProgram(["Models"], in: $0) }
        #expect(result.code == .couldNotRun)
        #expect(result.printed.contains("Models/Large.swift"))
    }
}
