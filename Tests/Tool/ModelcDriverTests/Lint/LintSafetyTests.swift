import Foundation
import Testing

@testable import ModelcDriver

/// What `modelc lint` writes and reads.
@Suite struct LintSafetyTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func lint(_ arguments: String...) -> (code: ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        return (LintCommand.runProgram(arguments, in: environment), text)
    }

    private func writeVersion(_ name: String) throws {
        try scratch.write(
            "<model><entity name=\"Book\"><attribute name=\"cover\" optional=\"YES\" attributeType=\"Binary\"/></entity></model>",
            to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
    }

    private func setCurrent(_ name: String) throws {
        try scratch.write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>",
            to: "M.xcdatamodeld/.xccurrentversion")
    }

    /// The names of the versions with the unsafe fix.
    private func fixedVersions() throws -> [String] {
        try scratch.tree().filter { $0.value.contains("allowsExternalBinaryDataStorage") }.keys.sorted()
    }

    /// Any version may be in the stores of users if the current one is unknown.
    @Test(arguments: [nil, "Deleted"])
    func unsafeFixesNeedACurrentVersion(current: String?) throws {
        for name in ["M", "M 2"] { try writeVersion(name) }
        if let current { try setCurrent(current) }
        let result = lint("--unsafe-fixes", "--enable", "large-binary-without-external-storage")
        #expect(try fixedVersions() == [], "\(result.text)")
        try setCurrent("M 2")
        let known = lint("--unsafe-fixes", "--enable", "large-binary-without-external-storage")
        #expect(try fixedVersions() == ["M.xcdatamodeld/M 2.xcdatamodel/contents"], "\(known.text)")
    }

    @Test func whatIsNoFileIsNotASource() throws {
        try scratch.write(
            "<model><entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/></entity></model>",
            to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try scratch.write("class Book {}\n", to: "Sources/Book.swift")
        try scratch.link("Sources/Old.swift", to: "/nowhere")
        try #require(mkfifo(scratch.url("Sources/Pipe.m").path, 0o600) == 0)
        let classes = try SourceReader(files: scratch.files).classes(in: ["Sources"])
        #expect(Array(classes.declarations.keys) == ["Book"])
        // A path that the user has named has to exist.
        #expect(throws: InputFailure.self) {
            try SourceReader(files: scratch.files).classes(in: ["Sources/Old.swift"])
        }
    }
}
