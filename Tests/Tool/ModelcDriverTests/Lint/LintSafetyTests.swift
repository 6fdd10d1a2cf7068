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

    // MARK: Baselines

    private func writeModel(_ path: String, attribute: String) throws {
        try scratch.write(
            "<model><entity name=\"Book\"><attribute name=\"\(attribute)\" optional=\"YES\" attributeType=\"Binary\" "
                + "indexed=\"YES\"/></entity></model>", to: "\(path)/M.xcdatamodeld/M.xcdatamodel/contents")
    }

    /// Two models of one name do not share their entries, even if only one of them is checked or has findings.
    @Test func baselinesTellModelsOfOneNameApart() throws {
        try writeModel("A", attribute: "cover")
        try writeModel("B", attribute: "other")
        try writeModel("C/D", attribute: "third")
        try scratch.write("<model/>", to: "C/N.xcdatamodeld/N.xcdatamodel/contents")
        #expect(lint("--write-baseline", "C/known.txt").code == .success)
        let text = try scratch.text("C/known.txt")
        #expect(text.contains("legacy-indexed-attribute\t../A/M.xcdatamodeld\tBook.cover\t1\n"), "\(text)")
        #expect(text.contains("legacy-indexed-attribute\tD/M.xcdatamodeld\tBook.third\t1\n"), "\(text)")
        #expect(lint("--baseline", "C/known.txt", "--strict").code == .success)
        #expect(lint("A", "--baseline", "C/known.txt", "--strict").code == .success)
        // The finding that is known in A is new in B.
        try writeModel("B", attribute: "cover")
        let new = lint("--baseline", "C/known.txt", "--strict")
        #expect(new.code == .findings)
        #expect(new.text.contains("B/M.xcdatamodeld") && !new.text.contains("A/M.xcdatamodeld"), "\(new.text)")
    }

    /// Baselines with the name alone were written by earlier versions, or when there was one model of the name.
    @Test func baselinesWithTheNameOfAModelAreRead() throws {
        try writeModel("A", attribute: "cover")
        #expect(lint("--write-baseline", "known.txt").code == .success)
        #expect(try scratch.text("known.txt").contains("legacy-indexed-attribute\tM\tBook.cover\t1\n"))
        try writeModel("B", attribute: "other")
        let result = lint("--baseline", "known.txt", "--strict")
        #expect(result.code == .findings)
        #expect(result.text.contains("B/M.xcdatamodeld") && !result.text.contains("A/M.xcdatamodeld"), "\(result.text)")
    }

    // MARK: Files

    @Test func brokenLinksAndPipesAreNotSources() throws {
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
