import Foundation
import Testing

@testable import ModelcDriver

/// `modelc check` on committed generated code, whose options it has to find.
@Suite struct GeneratedCodeCheckTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try write(["title", "year"])
    }

    private func write(_ attributes: [String]) throws {
        let attributes = attributes.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }
            .joined()
        let entities = ["Book", "Author"].map { name in
            "<entity name=\"\(name)\" representedClassName=\"\(name)\" codeGenerationType=\"class\">"
                + "\(name == "Book" ? attributes : "")</entity>"
        }
        try repository.write("<model>\(entities.joined())</model>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
    }

    private func check() -> GitRepository.Outcome {
        repository.run { CheckCommand.runProgram(["--without", "lint", "--reporter", "xcode"], in: $0) }
    }

    @Test(arguments: [
        "", "--style xcode9", "--style xcode12 --access internal", "--flavor portable", "--access package",
        "--language objc", "--language objc --objc-style xcode8",
    ])
    func currentCodeIsAcceptedWhateverItsOptions(options: String) throws {
        let arguments = ["M.xcdatamodeld", "--output", "Code"] + options.split(separator: " ").map(String.init)
        let generated = repository.run { GenerateCommand.runProgram(arguments, in: $0) }
        #expect(generated.code == .success, "\(generated.errorOutput)")
        #expect(!check().output.contains("stale-generated-code"), "\(check().output)")
        try write(["title", "pages"])
        let stale = check()
        #expect(stale.code == .findings || options == "--flavor portable", "\(stale.output)")
        #expect(stale.output.contains("stale-generated-code"), "\(stale.output)")
        // The command that the finding names makes it go away.
        let report = repository.run { CheckCommand.runProgram(["--without", "lint", "--reporter", "jsonl"], in: $0) }
        let command = try #require(
            report.output.firstMatch(of: /"command":"modelc generate ([^"]*)"/)?.output.1)
        let again = repository.run {
            GenerateCommand.runProgram(command.split(separator: " ").map(String.init), in: $0)
        }
        #expect(again.code == .success, "\(again.errorOutput)")
        #expect(!check().output.contains("stale-generated-code"), "\(check().output)")
    }

    /// As git checks files out on Windows.
    @Test(arguments: ["xcode", "portable"])
    func otherLineEndsAreAccepted(flavor: String) throws {
        let arguments = ["M.xcdatamodeld", "--output", "Code", "--flavor", flavor]
        _ = repository.run { GenerateCommand.runProgram(arguments, in: $0) }
        let code = repository.folder.appendingPathComponent("Code")
        for name in try FileManager.default.contentsOfDirectory(atPath: code.path) {
            let text = try String(contentsOf: code.appendingPathComponent(name), encoding: .utf8)
            try repository.write(text.replacing("\n", with: "\r\n"), to: "Code/\(name)")
        }
        #expect(!check().output.contains("stale-generated-code"), "\(check().output)")
        let same = repository.run { GenerateCommand.runProgram(arguments + ["--check"], in: $0) }
        #expect(same.code == .success && same.output.isEmpty, "\(same)")
        try write(["title", "pages"])
        #expect(check().output.contains("stale-generated-code"))
        let stale = repository.run { GenerateCommand.runProgram(arguments + ["--check"], in: $0) }
        #expect(stale.code == .findings, "\(stale)")
    }

    @Test func missingAndSurplusFilesAreFound() throws {
        _ = repository.run { GenerateCommand.runProgram(["M.xcdatamodeld", "--output", "Code"], in: $0) }
        let code = repository.folder.appendingPathComponent("Code")
        try FileManager.default.removeItem(at: code.appendingPathComponent("Author+CoreDataClass.swift"))
        #expect(check().output.contains("Author+CoreDataClass.swift:1:1: error: the generated file is missing"))
        try repository.write("<model/>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
        #expect(check().output.contains("the model no longer needs the generated file"))
        // Code of the user, and of other models, is not compared.
        try FileManager.default.removeItem(at: code)
        try repository.write("class Book {}", to: "Code/Book+CoreDataClass.swift")
        #expect(!check().output.contains("stale-generated-code"))
    }
}
