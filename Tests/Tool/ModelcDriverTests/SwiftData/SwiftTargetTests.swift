import Testing

@testable import ModelcDriver

/// Commands that search for models read the Swift files of each SwiftPM target as one schema.
@Suite struct SwiftTargetTests {
    private let repository: GitRepository

    /// Creates two targets with a class of the same name, next to a Core Data model.
    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try repository.write("// swift-tools-version: 6.1\n", to: "Package.swift")
        for (target, type) in [("One", "Int"), ("Two", "String")] {
            try repository.write("@Model final class Book { var x: \(type) }", to: "Sources/\(target)/Model/Book.swift")
            try repository.write("@Model final class \(target) { var y: Int }", to: "Sources/\(target)/Other.swift")
        }
        try repository.write(
            "/// Stores what \"@Model\" classes store.\nactor Store {}", to: "Sources/Three/Store.swift")
    }

    @Test func lockHasEachTarget() throws {
        let update = repository.run { LockUpdateCommand.runProgram(["."], in: $0) }
        #expect(update.code == .success, "\(update)")
        let lock = try String(contentsOf: repository.folder.appendingPathComponent("modelc.lock"), encoding: .utf8)
        for name in ["M.xcdatamodeld", "Sources/One", "Sources/Two"] { #expect(lock.contains(name), "\(lock)") }
        #expect(!lock.contains("Sources/Three"))
        let check = repository.run { LockCheckCommand.runProgram(["."], in: $0) }
        #expect(check.code == .success, "\(check)")
    }

    @Test func breakingComparesEachTarget() throws {
        try repository.commit()
        try repository.write("@Model final class Book { var x: Int? }", to: "Sources/One/Model/Book.swift")
        let result = repository.run { BreakingCommand.runProgram([".", "--against", "HEAD"], in: $0) }
        #expect(result.code == .findings)
        #expect(result.output.contains("Sources/One/Model/Book.swift:1:31: error"), "\(result)")
        #expect(!result.output.contains("Sources/Two:"), "\(result)")
        #expect(result.errorOutput.contains("compared Sources/Two"), "\(result)")
    }

    @Test func lintReadsEachTarget() throws {
        let result = repository.run { LintCommand.runProgram(["."], in: $0) }
        #expect(!"\(result)".contains("declared twice") && !"\(result)".contains("error:"), "\(result)")
        try repository.write("@Model final class Book { var z: Int }", to: "Sources/Two/Again.swift")
        let collision = repository.run { LintCommand.runProgram(["."], in: $0) }
        #expect("\(collision)".contains("“Book” is declared twice"), "\(collision)")
    }

    @Test func packagesOfOneTargetMayHaveSourcesWithoutFolder() throws {
        try repository.write("@Model final class Top { var x: Int }", to: "Inner/Sources/Top.swift")
        try repository.write("@Model final class Deep { var x: Int }", to: "Inner/Sources/Models/Deep.swift")
        try repository.write("// swift-tools-version: 6.1\n", to: "Inner/Package.swift")
        var targets = SwiftTargetFolders(files: POSIXFileSystem(workingDirectory: repository.folder.path))
        #expect(targets.target(of: "Inner/Sources/Models/Deep.swift") == "Inner/Sources")
        #expect(targets.target(of: "Inner/Sources/Top.swift") == "Inner/Sources")
        #expect(targets.target(of: "Sources/One/Model/Book.swift") == "Sources/One")
        #expect(targets.target(of: "./Sources/Two/Other.swift") == "./Sources/Two")
        #expect(targets.target(of: "Plain/Other.swift") == nil)
    }
}
