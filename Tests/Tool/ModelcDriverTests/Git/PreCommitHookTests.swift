import Foundation
import TestSupport
import Testing

@testable import ModelcDriver

/// The pre-commit hook, installed in a temporary repository.
@Suite struct PreCommitHookTests {
    private let repository: GitRepository
    private static let scripts = Checkout.root.appendingPathComponent("Scripts")

    init() throws {
        repository = try GitRepository()
        try writeModel("App/Books.xcdatamodeld", type: "String")
        try repository.commit()
        let script = Self.scripts.appendingPathComponent("install-hook.sh").path
        let result = try ChildProcess.run(["env", "-C", repository.folder.path, script])
        try #require(result.exitCode == 0, "\(result.errorOutput)")
    }

    private func contents(of bundle: String) -> String { "\(bundle)/Books.xcdatamodel/contents" }

    /// Writes a model with one attribute, in Xcode's layout unless its type is unknown.
    private func writeModel(_ bundle: String, type: String, isFormatted: Bool = true) throws {
        try repository.write(
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"Book\" "
                + "representedClassName=\"Book\" codeGenerationType=\"class\">"
                + "<attribute name=\"title\" optional=\"YES\" attributeType=\"\(type)\"/></entity></model>",
            to: contents(of: bundle))
        guard isFormatted else { return }
        let outcome = repository.run { FormatCommand.runProgram([contents(of: bundle)], in: $0) }
        try #require(outcome.code == .success, "\(outcome.errorOutput)")
    }

    /// Commits with the hook, and returns its exit code and output.
    private func commit(_ arguments: String..., in folder: String? = nil) throws -> (code: Int32, text: String) {
        let result = try ChildProcess.run(
            [
                "git", "-C", folder ?? repository.folder.path, "-c", "user.name=Test", "-c",
                "user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message=change",
            ] + arguments, variables: [("PATH", try path())])
        return (result.exitCode, String(decoding: result.output, as: UTF8.self) + result.errorOutput)
    }

    private func path() throws -> String {
        PathName.parent(of: try GitRepository.tool()) + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    }

    @Test func theStagedVersionIsChecked() throws {
        let file = contents(of: "App/Books.xcdatamodeld")
        let good = try String(contentsOf: repository.folder.appendingPathComponent(file), encoding: .utf8)
        try writeModel("App/Books.xcdatamodeld", type: "Strin")
        try repository.git("add", "--all")
        try repository.write(good, to: file)
        let bad = try commit()
        #expect(bad.code == 1)
        #expect(bad.text.contains("App/Books.xcdatamodeld/Books.xcdatamodel/contents:"), "\(bad.text)")
        #expect(bad.text.contains("[unknown-type]"), "\(bad.text)")
        // The reverse: only the work tree is wrong.
        try writeModel("App/Books.xcdatamodeld", type: "Date")
        try repository.git("add", "--all")
        try writeModel("App/Books.xcdatamodeld", type: "Strin")
        let fine = try commit()
        #expect(fine.code == 0, "\(fine.text)")
        #expect(try repository.git("show", "HEAD:\(file)").contains("\"Date\""))
    }

    /// Git gives the hook another index for these.
    @Test func partialCommitsAreCheckedAsTheyAreMade() throws {
        try writeModel("App/Books.xcdatamodeld", type: "Strin")
        #expect(try commit("--all").code == 1)
        try repository.write("text", to: "README")
        try repository.git("add", "README")
        #expect(try commit("--", "README").code == 0)
        #expect(try commit("--", "App").code == 1)
        try writeModel("App/Books.xcdatamodeld", type: "Date")
        let fine = try commit("--all")
        #expect(fine.code == 0, "\(fine.text)")
    }

    @Test(arguments: ["exclude: [App/Vendor]\n", "include:\n  - App/Main # ours\n", "exclude: [\"**/Vendor\"]\n"])
    func excludedModelsAreLeftOut(setting: String) throws {
        try repository.write("version: 1\n" + setting, to: ".modelc.yml")
        try writeModel("App/Vendor/V.xcdatamodeld", type: "String", isFormatted: false)
        try repository.git("add", "--all")
        let excluded = try commit()
        #expect(excluded.code == 0, "\(excluded.text)")
        try writeModel("App/Vendor/V.xcdatamodeld", type: "Date", isFormatted: false)
        try writeModel("App/Main/M.xcdatamodeld", type: "Date", isFormatted: false)
        try repository.git("add", "--all")
        let both = try commit()
        #expect(both.code == 1)
        #expect(both.text.contains("App/Main/M.xcdatamodeld"))
        #expect(!both.text.contains("Vendor"), "\(both.text)")
    }

    @Test func settingsAndTheFilesThatTheyNameAreThoseThatAreStaged() throws {
        try repository.write(
            "version: 1\nrules:\n  class-missing: error\nsources: ['Sources']\nbaseline: known.txt\n", to: ".modelc.yml"
        )
        try repository.write("# modelc baseline 1\n", to: "known.txt")
        try repository.write("import CoreData\nclass Book: NSManagedObject {}\n", to: "Sources/Book.swift")
        try writeModel("App/Books.xcdatamodeld", type: "Date")
        let file = contents(of: "App/Books.xcdatamodeld")
        let url = repository.folder.appendingPathComponent(file)
        let text = try String(contentsOf: url, encoding: .utf8).replacing("\"class\"", with: "\"category\"")
        try repository.write(text, to: file)
        // The work tree has no class.
        try repository.git("add", "--all")
        try repository.write("", to: "Sources/Book.swift")
        let found = try commit()
        #expect(found.code == 0, "\(found.text)")
        try repository.git("add", "--all")
        try repository.write(text.replacing("Date", with: "String"), to: file)
        try repository.git("add", file)
        let missing = try commit()
        #expect(missing.code == 1)
        #expect(missing.text.contains("[class-missing]"), "\(missing.text)")
    }

    /// A model below the sources that another commit has broken is not this one's.
    @Test func onlyModelsThatTheCommitChangesAreChecked() throws {
        let outside = URL(fileURLWithPath: repository.folder.path + "-outside")
        defer { try? FileManager.default.removeItem(at: outside) }
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        let known = "../\(outside.lastPathComponent)/known.txt"
        try repository.write("# modelc baseline 1\n", to: known)
        try repository.write("version: 1\nsources: [App, '\(outside.path)']\nbaseline: \(known)\n", to: ".modelc.yml")
        try writeModel("App/Broken.xcdatamodeld", type: "Strin")
        try repository.git("add", "--all")
        try repository.git("commit", "--quiet", "--no-verify", "--message=broken")
        try writeModel("App/Books.xcdatamodeld", type: "Date")
        let fine = try commit("--all")
        #expect(fine.code == 0, "\(fine.text)")
        try writeModel("App/Broken.xcdatamodeld", type: "Stri")
        #expect(try commit("--all").code == 1)
    }

    @Test func removedModelsDoNotFailTheCheck() throws {
        try repository.git("rm", "--quiet", "-r", "App")
        let result = try commit()
        #expect(result.code == 0, "\(result.text)")
    }

    @Test func linkedWorkTreesAreChecked() throws {
        let tree = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: tree) }
        try repository.git("worktree", "add", "--quiet", tree.path)
        let file = tree.appendingPathComponent(contents(of: "App/Books.xcdatamodeld"))
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("String", with: "Strin").utf8).write(to: file)
        #expect(try commit("--all", in: tree.path).code == 1)
        try Data(text.replacing("String", with: "Date").utf8).write(to: file)
        let fine = try commit("--all", in: tree.path)
        #expect(fine.code == 0, "\(fine.text)")
    }

    /// As the pre-commit framework calls the script.
    @Test func namedFilesAreCheckedAsTheyAreStaged() throws {
        func run(_ file: String) throws -> Int32 {
            try ChildProcess.run(
                ["env", "-C", repository.folder.path, Self.scripts.appendingPathComponent("pre-commit.sh").path, file],
                variables: [("PATH", try path())]
            ).exitCode
        }
        let file = contents(of: "App/Books.xcdatamodeld")
        try writeModel("App/Books.xcdatamodeld", type: "Strin")
        #expect(try run(file) == 0)
        try repository.git("add", "--all")
        #expect(try run(file) == 1)
        #expect(try run("README") == 0)
    }
}
