import Foundation
import Testing

@testable import ModelcDriver

/// How commands find models: patterns of the settings, and symbolic links.
@Suite struct FoldersAndLinksTests {
    private let scratch: URL

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    private func write(_ text: String, to path: String) throws {
        let url = scratch.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Writes a model that is not laid out as Xcode saves it, and has a finding with a safe fix.
    private func writeModel(_ bundle: String) throws {
        try write(
            "<model><entity name=\"Book\" representedClassName=\"Book\"><attribute name=\"n\" optional=\"YES\" "
                + "attributeType=\"String\" indexed=\"YES\"/><fetchIndex name=\"byN\"><fetchIndexElement property=\"n\" "
                + "type=\"Binary\" order=\"ascending\"/></fetchIndex></entity></model>",
            to: "\(bundle)/M.xcdatamodel/contents")
    }

    private func link(_ path: String, to target: String) throws {
        let url = scratch.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    }

    private func environment(in folder: String, _ print: @escaping (String) -> Void) -> DriverEnvironment {
        DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: scratch.appendingPathComponent(folder).path), output: print,
            errorOutput: print, usesColor: false)
    }

    private func run(
        in folder: String = "", _ command: (DriverEnvironment) -> ExitCode
    ) -> (code: ExitCode, text: String) {
        final class Box { var text = "" }
        let box = Box()
        return (command(environment(in: folder) { box.text += $0 }), box.text)
    }

    private func contents(_ bundle: String) throws -> String {
        try String(
            contentsOf: scratch.appendingPathComponent("\(bundle)/M.xcdatamodel/contents"), encoding: .utf8)
    }

    @Test func aBundleWithoutAStemIsAModel() throws {
        try writeModel("App/.xcdatamodeld")
        try writeModel("App/.hidden/M.xcdatamodeld")
        #expect(try found(["."]) == ["App/.xcdatamodeld"])
        for path in ["App", "App/.xcdatamodeld"] {
            let result = run { FormatCommand.runProgram([path, "--check"], in: $0) }
            #expect(result.text.contains("App/.xcdatamodeld/M.xcdatamodel/contents"), "\(result.text)")
        }
        let result = run { InspectCommand.runProgram(["App/.xcdatamodeld"], in: $0) }
        #expect(result.code == .success && result.text.contains("Book"), "\(result.text)")
    }

    /// Lists of paths for “check” contain Swift sources.
    @Test func formatSkipsSwiftSources() throws {
        try writeModel("App/A.xcdatamodeld")
        try Data("import SwiftData\n".utf8).write(to: scratch.appendingPathComponent("App/Book.swift"))
        let alone = run { FormatCommand.runProgram(["App/Book.swift", "--check"], in: $0) }
        #expect(alone.code == .success, "\(alone.text)")
        #expect(alone.text.contains("skipped App/Book.swift"), "\(alone.text)")
        let both = run { FormatCommand.runProgram(["App/Book.swift", "App/A.xcdatamodeld", "--check"], in: $0) }
        #expect(both.text.contains("App/A.xcdatamodeld/M.xcdatamodel/contents"), "\(both.text)")
        #expect(both.text.contains("of 1 file"), "\(both.text)")
    }

    /// The link came with the package, and can point to any file of the user.
    @Test(arguments: [[], ["--dry-run"]])
    func aManifestThatIsALinkIsNeitherEditedNorShown(options: [String]) throws {
        let manifest =
            "import PackageDescription\nlet package = Package(name: \"Secret\", "
            + "targets: [.target(name: \"Secret\")])\n"
        try write(manifest, to: "Other.swift")
        try write("import CoreData\n", to: "P/Sources/Secret/A.swift")
        try link("P/Package.swift", to: "../Other.swift")
        let arguments = ["P", "--modelc", "../modelc"] + options
        for result in [
            run { PrepareForLinuxCommand.runProgram(arguments, in: $0) },
            run { InitCommand.runProgram(arguments, in: $0) },
        ] {
            #expect(result.code == .couldNotRun)
            #expect(result.text.contains("the manifest is a symbolic link to “../Other.swift”"))
            #expect(!result.text.contains("Secret"))
        }
        #expect(try String(contentsOf: scratch.appendingPathComponent("Other.swift"), encoding: .utf8) == manifest)
    }

    private func found(_ paths: [String], in folder: String = "") throws -> [String] {
        let files = POSIXFileSystem(workingDirectory: scratch.appendingPathComponent(folder).path)
        return try ModelFinder(files: files) { _ in true }.find(paths).paths
    }

    // MARK: Settings

    /// The working directory, and a path from it: every way to name the same folders.
    private var locations: [(folder: String, path: String)] {
        [
            ("", "."), ("", "App"), ("App", "."), ("App", ".."), ("App/Vendor", "../.."), ("App/Main", ".."),
            ("", scratch.path), ("App", scratch.appendingPathComponent("App").path), ("Linked", "."), ("", "Linked"),
        ]
    }

    @Test(arguments: ["exclude: [App/Vendor]", "include: [App/Main]", "exclude: [App/V*/**]"])
    func excludedModelsAreNeverWritten(setting: String) throws {
        try write("version: 1\n\(setting)\n", to: ".modelc.yml")
        try link("Linked", to: "App")
        for (folder, path) in locations {
            try writeModel("App/Main/Books.xcdatamodeld")
            try writeModel("App/Vendor/V.xcdatamodeld")
            let vendor = try contents("App/Vendor/V.xcdatamodeld")
            let location = Comment(rawValue: "\(setting) \(folder) \(path)")
            for command in [
                { LintCommand.runProgram([path, "--fix"], in: $0) }, { FormatCommand.runProgram([path], in: $0) },
            ] as [(DriverEnvironment) -> ExitCode] {
                let before = try contents("App/Main/Books.xcdatamodeld")
                let (_, text) = run(in: folder, command)
                #expect(!text.contains("Vendor"), location)
                #expect(try contents("App/Main/Books.xcdatamodeld") != before, location)
                #expect(try contents("App/Vendor/V.xcdatamodeld") == vendor, location)
            }
        }
    }

    @Test func ignoredRulesAreIgnoredFromEverywhere() throws {
        try write("version: 1\nignore:\n  legacy-indexed-attribute: [App/Vendor]\n", to: ".modelc.yml")
        try writeModel("App/Main/Books.xcdatamodeld")
        try writeModel("App/Vendor/V.xcdatamodeld")
        try link("Linked", to: "App")
        for (folder, path) in locations {
            let (_, text) = run(in: folder) {
                LintCommand.runProgram([path, "--only", "legacy-indexed-attribute"], in: $0)
            }
            #expect(text.contains("Main/Books.xcdatamodeld"), "\(folder) \(path)\n\(text)")
            #expect(!text.contains("V.xcdatamodeld"), "\(folder) \(path)\n\(text)")
        }
    }

    @Test func aModelThatIsNamedIsCheckedWhateverTheSettingsInclude() throws {
        try write("version: 1\ninclude: [App/Main]\n", to: ".modelc.yml")
        try writeModel("App/Vendor/V.xcdatamodeld")
        let result = run { FormatCommand.runProgram(["--check", "App/Vendor/V.xcdatamodeld"], in: $0) }
        #expect(result.code == .findings)
        // A run that checks nothing fails.
        #expect(run { FormatCommand.runProgram(["--check", "App"], in: $0) }.code == .couldNotRun)
        #expect(run { LintCommand.runProgram(["App"], in: $0) }.code == .couldNotRun)
    }

    @Test func patternsApplyToThePathThatLeadsThroughALinkToo() throws {
        try write("version: 1\nexclude: [Links]\n", to: ".modelc.yml")
        let other = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: other) }
        try writeModel("M.xcdatamodeld")
        try FileManager.default.copyItem(
            at: scratch.appendingPathComponent("M.xcdatamodeld"), to: other.appendingPathComponent("N.xcdatamodeld"))
        try link("Links/other", to: other.path)
        try link("Open/other", to: other.path)
        let (_, text) = run { FormatCommand.runProgram(["--check"], in: $0) }
        #expect(text.contains("Open/other/N.xcdatamodeld"))
        #expect(!text.contains("Links/"), "\(text)")
    }

    // MARK: Links

    @Test func everyFolderIsVisitedOnce() throws {
        try writeModel("a/Books.xcdatamodeld")
        try writeModel("z/Other.xcdatamodeld")
        try link("a/b/up1", to: "../..")
        try link("a/up2", to: "..")
        try link("a/self", to: ".")
        try link("0-to-z", to: "z")
        try link("z/0-Linked.xcdatamodeld", to: "../a/Books.xcdatamodeld")
        let all = ["a/Books.xcdatamodeld", "z/Other.xcdatamodeld"]
        #expect(try found(["."]) == all)
        #expect(try found([".", "a", scratch.path]) == all)
        #expect(try found(["a", ".", scratch.path]).count == 2)
        #expect(try found([scratch.path]) == all.map { scratch.path + "/" + $0 })
        #expect(try found(["a/b"]).count == 2)
        for command in [
            { LintCommand.runProgram(["."], in: $0) }, { FormatCommand.runProgram(["--check", "."], in: $0) },
            { LockUpdateCommand.runProgram([], in: $0) },
        ] as [(DriverEnvironment) -> ExitCode] {
            _ = run(command)
        }
        let (_, text) = run { FormatCommand.runProgram(["--check", "."], in: $0) }
        #expect(text.contains("2 of 2 files"), "\(text)")
        let lock = try String(contentsOf: scratch.appendingPathComponent("modelc.lock"), encoding: .utf8)
        #expect(lock.split(separator: "\n").count == 3)
    }

    @Test func linkedFoldersAreSearched() throws {
        let other = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: other) }
        try writeModel("M.xcdatamodeld")
        try FileManager.default.copyItem(
            at: scratch.appendingPathComponent("M.xcdatamodeld"), to: other.appendingPathComponent("N.xcdatamodeld"))
        try link("one", to: other.path)
        try link("two", to: other.path)
        try link("Shared.xcdatamodeld", to: other.appendingPathComponent("N.xcdatamodeld").path)
        #expect(try found(["."]) == ["M.xcdatamodeld", "one/N.xcdatamodeld"])
    }

    @Test func sourcesAreReadOnce() throws {
        try write("import CoreData\nclass Book: NSManagedObject {}\n", to: "Sources/App/Book.swift")
        try link("Sources/App/up", to: "..")
        try link("Sources/up", to: "..")
        let files = POSIXFileSystem(workingDirectory: scratch.path)
        #expect(try SourceReader(files: files).files(in: ["Sources", "Sources/App"]).count == 1)
        try write("import SwiftData\n@Model final class Item { var name: String? }\n", to: "Sources/App/Item.swift")
        let sets = ModelSetReader(files: files).swiftSets(in: ".") { _ in true }
        #expect(try sets.map { try $0.files.get().count } == [2])
    }
}
