import Foundation
import ModelEvolution
import ModelSchema
import TestSupport
import Testing

@testable import ModelcDriver

/// `git merge` with the merge driver, in a temporary repository.
@Suite struct LockMergeTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        let tool = try GitRepository.tool()
        try repository.git(
            "config", "merge.modelc.driver", "'\(tool)' merge-driver %O %A %B --path=%P --marker-size=%L")
        try repository.write("modelc.lock merge=modelc\n", to: ".gitattributes")
    }

    private func commit(_ lock: ModelLock) throws {
        try repository.write(lock.text, to: "modelc.lock")
        try repository.commit()
    }

    private func entry(_ generator: inout SeededGenerator) throws -> ModelLock.Entry {
        let digits = (0..<64).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
        let hash = try #require(VersionHash(hexString: digits))
        return ModelLock.Entry(isReleased: false, hash: hash)
    }

    private func merged(_ base: ModelLock, _ ours: ModelLock, _ theirs: ModelLock) throws -> ModelLock {
        try commit(base)
        try repository.git("checkout", "--quiet", "-B", "theirs")
        try commit(theirs)
        try repository.git("checkout", "--quiet", "-B", "ours", "HEAD~1")
        try commit(ours)
        try repository.git("merge", "--quiet", "--no-edit", "theirs")
        let url = repository.folder.appendingPathComponent("modelc.lock")
        return try ModelLock(text: String(contentsOf: url, encoding: .utf8))
    }

    @Test(.randomized) func independentEditsNeverConflict() throws {
        var generator = Seeds.generator()
        for _ in 0..<4 {
            var base = ModelLock()
            let keys = (0..<24).map {
                ModelLock.Key(model: "M\($0 % 2).xcdatamodeld", version: "V\($0 % 3)", entity: "E\($0)")
            }
            for key in keys where !generator.chance(3) { base.entries[key] = try entry(&generator) }
            // Edit each line on at most one side: add, change or remove it.
            var (ours, theirs, expected) = (base, base, base)
            for key in keys {
                let new = generator.chance(4) ? nil : try entry(&generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: (ours.entries[key], expected.entries[key]) = (new, new)
                case 1: (theirs.entries[key], expected.entries[key]) = (new, new)
                default: continue
                }
            }
            #expect(try merged(base, ours, theirs) == expected)
        }
    }

    /// Two branches change different entities of the same draft, each with `modelc lock update`.
    @Test func updatesOfTwoBranchesAreMergedToTheUpdateOfTheMergedModel() throws {
        func write(_ attributes: [String: [String]]) throws {
            let entities = attributes.sorted { $0.key < $1.key }.map { name, attributes in
                "<entity name=\"\(name)\">\n"
                    + attributes.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>\n" }
                    .joined()
                    + "</entity>\n"
            }
            try repository.write("<model>\n\(entities.joined())</model>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
            let outcome = repository.run { LockUpdateCommand.runProgram([], in: $0) }
            #expect(outcome.code == .success, "\(outcome.errorOutput)")
            try repository.commit()
        }
        try write(["A": ["x", "y"], "B": ["x", "y"]])
        try repository.git("checkout", "--quiet", "-b", "theirs")
        try write(["A": ["x", "y"], "B": ["x", "y", "z"]])
        try repository.git("checkout", "--quiet", "-b", "ours", "HEAD~1")
        try write(["A": ["w", "x", "y"], "B": ["x", "y"]])
        try repository.git("merge", "--quiet", "--no-edit", "theirs")
        let outcome = repository.run { LockCheckCommand.runProgram([], in: $0) }
        #expect(outcome.code == .success, "\(outcome.errorOutput)")
    }

    // MARK: Releases

    private static let contents = "M.xcdatamodeld/M.xcdatamodel/contents"

    private func update(_ arguments: String..., attributes: [String], entities: [String] = []) throws {
        try repository.writeVersion("M", attributes: attributes)
        if !entities.isEmpty {
            let file = repository.folder.appendingPathComponent(Self.contents)
            let text = try String(contentsOf: file, encoding: .utf8)
            let more = entities.map { "<entity name=\"\($0)\"/>" }.joined()
            try repository.write(text.replacing("</model>", with: more + "</model>"), to: Self.contents)
        }
        let outcome = repository.run { LockUpdateCommand.runProgram(arguments, in: $0) }
        try #require(outcome.code == .success, "\(outcome.errorOutput)")
        try repository.commit()
    }

    /// Releases the draft on our branch, and changes it on theirs.
    private func releaseAndChange(attributes: [String], entities: [String] = []) throws {
        try update(attributes: ["title"])
        try repository.git("checkout", "--quiet", "-b", "theirs")
        try update(attributes: attributes, entities: entities)
        try repository.git("checkout", "--quiet", "-b", "ours", "HEAD~1")
        try update("--release", "M", attributes: ["title"])
    }

    @Test(arguments: [(["pages", "title"], []), (["title"], ["Author"])])
    func aChangeOfAReleasedDraftIsAConflict(attributes: [String], entities: [String]) throws {
        try releaseAndChange(attributes: attributes, entities: entities)
        #expect(try repository.gitResult(["merge", "--quiet", "--no-edit", "theirs"]).exitCode == 1)
        #expect(try repository.git("diff", "--name-only", "--diff-filter=U") == "modelc.lock\n")
        // The merged model is that of their side, so the released lines do not match it.
        let rebase = repository.run { LockRebaseCommand.runProgram([], in: $0) }
        #expect(rebase.code == .findings)
        #expect(rebase.errorOutput.contains("[released-version-edited]"), "\(rebase.errorOutput)")
        // With the version restored, the released lines stay.
        try repository.git("checkout", "ours", "--", Self.contents)
        let second = repository.run { LockRebaseCommand.runProgram([], in: $0) }
        #expect(second.code == .success, "\(second.errorOutput)")
        #expect(try repository.git("diff", "ours", "--", "modelc.lock") == "")
    }

    /// Without the driver, git merges the lines of the lock as text.
    @Test func rebaseAddsNoEntityToAReleasedVersion() throws {
        try repository.write("", to: ".gitattributes")
        try releaseAndChange(attributes: ["title"], entities: ["Author"])
        #expect(try repository.gitResult(["merge", "--quiet", "--no-edit", "theirs"]).exitCode == 1)
        try repository.git("checkout", "theirs", "--", Self.contents)
        let outcome = repository.run { LockRebaseCommand.runProgram([], in: $0) }
        #expect(outcome.code == .findings)
        #expect(
            outcome.errorOutput.contains("“Author” of the released version “M” (M.xcdatamodeld) is not in the lock"),
            "\(outcome.errorOutput)")
    }

    @Test func aVersionWithReleasedAndDraftLinesIsAnErrorUntilItIsADraft() throws {
        try update("--release", "M", attributes: ["title"], entities: ["Author"])
        let file = repository.folder.appendingPathComponent("modelc.lock")
        let lock = try String(contentsOf: file, encoding: .utf8)
        try repository.write(lock.replacing("Author\treleased", with: "Author\tdraft"), to: "modelc.lock")
        for command in [
            { LockCheckCommand.runProgram([], in: $0) }, { LockUpdateCommand.runProgram([], in: $0) },
            { LockRebaseCommand.runProgram([], in: $0) },
        ] as [(DriverEnvironment) -> ExitCode] {
            let outcome = repository.run(in: "", command)
            #expect(outcome.code == .findings)
            #expect(
                outcome.errorOutput.hasPrefix(
                    "modelc.lock:2:1: error: the version “M” (M.xcdatamodeld) has released and draft lines"),
                "\(outcome.errorOutput)")
        }
        let draft = repository.run { LockUpdateCommand.runProgram(["--draft", "M"], in: $0) }
        #expect(draft.code == .success)
        let lines = try String(contentsOf: file, encoding: .utf8)
        #expect(!lines.contains("\treleased\t"))
    }

    /// The advice of the message about an edited version.
    @Test func anEditedVersionThatWasNeverReleasedBecomesADraft() throws {
        try update("--release", "M", attributes: ["title"])
        try repository.writeVersion("M", attributes: ["heading"])
        #expect(repository.run { LockUpdateCommand.runProgram([], in: $0) }.code == .findings)
        let outcome = repository.run { LockUpdateCommand.runProgram(["--draft", "M"], in: $0) }
        #expect(outcome.code == .success, "\(outcome.errorOutput)")
    }
}
