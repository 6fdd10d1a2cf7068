import Foundation
import Testing

@testable import ModelcDriver

/// `modelc check`: what is read, and `--changed`.
@Suite struct CheckChangedTests {
    private let repository: GitRepository

    init() throws { repository = try GitRepository.withSixVersions() }

    private func contents(_ index: Int) -> String { "M.xcdatamodeld/M \(index).xcdatamodel/contents" }

    private func output(in subfolder: String, _ arguments: [String]) -> (text: String, code: ExitCode) {
        var text = ""
        let files = POSIXFileSystem(workingDirectory: repository.folder.appendingPathComponent(subfolder).path)
        let code = CheckCommand.runProgram(
            arguments,
            in: DriverEnvironment(
                files: files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false))
        return (text, code)
    }

    /// A bare repository, where nothing is checked out, so that all models seem to be deleted.
    @Test func aRepositoryWithoutAWorkTreeIsNotChecked() throws {
        _ = try repository.git("clone", "-q", "--bare", ".", "bare.git")
        let result = output(in: "bare.git", [])
        #expect(result.code == .couldNotRun && !result.text.contains("deleted"), "\(result.text)")
        let changed = output(in: "bare.git", ["--changed"])
        #expect(changed.code == .couldNotRun, "\(changed.text)")
        #expect(changed.text.contains("the repository has no work tree here"), "\(changed.text)")
    }

    @Test func aRepositoryWithoutCommitsHasNoReleasedState() throws {
        try repository.write("", to: "Empty/file")
        _ = try repository.git("init", "-q", "Empty")
        try repository.writeVersion("M 1", attributes: ["a"], bundle: "Empty/M.xcdatamodeld")
        let result = output(in: "Empty", [])
        #expect(
            result.text.hasPrefix(
                """
                verdict: unknown (the repository has no commit)
                next: Commit the model, with which changes are compared.

                """), "\(result.text)")
    }

    @Test func everyFileIsReadOnce() throws {
        let all = Dictionary(uniqueKeysWithValues: (1...6).map { (contents($0), 1) })
        #expect(try repository.check().reads == all)
        try repository.writeVersion("M 6", attributes: ["a1"])
        #expect(try repository.check().reads == all)
        #expect(try repository.check("--against", "HEAD", "--without", "format").reads == all)
    }

    /// Only the versions that differ and the current one are read, unless the released hashes are not among theirs.
    @Test func unchangedVersionsAreNotRead() throws {
        #expect(try repository.check("--changed").reads == [:])
        try repository.writeVersion("M 6", attributes: ["a1", "b"])
        let edited = try repository.check("--changed")
        #expect(edited.reads.count == 6)
        #expect(edited.verdict == "would lock users out")
        #expect(edited.code == .findings)
        try repository.git("checkout", "--quiet", "--", ".")
        try repository.writeVersion("M 7", attributes: ["a1"])
        #expect(try repository.check("--changed").reads == [contents(7): 1, contents(6): 1])
    }

    /// Versions with another number of entities cannot be equal to an edited one, unless comments hide some.
    @Test func entitiesAreCountedWithoutParsing() {
        func count(_ text: String) -> Int? { UnreadVersions.entityCount(Array(text.utf8)) }
        #expect(count("<model><entity name='a'/><entity\n name='b'><attribute/></entity></model>") == 2)
        #expect(count("<?xml?><model><memberEntity name='a'/><entityx/></model>") == 0)
        #expect(count("<model><!-- <entity name='a'/> --></model>") == nil)
        #expect(count("<model><entity name='a'/><![CDATA[<entity ]]></model>") == nil)
        #expect(count("") == 0)
        #expect(count("<entity") == 0)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            #expect(
                UnreadVersions.entityCount(Array("<model><entity/></model>".data(using: encoding) ?? Data())) == nil)
        }
    }

    /// The contents of an edited version may be those of another, with which its stores still open.
    @Test func anEditedVersionThatAnotherReplacesIsCompatible() throws {
        try repository.writeVersion("M 4", attributes: ["a1", "a2", "b"])
        try repository.commit()
        try repository.writeVersion("M 5", attributes: ["a1", "a2", "b"])
        let all = try repository.check().verdict
        #expect(try repository.check("--changed").verdict == all)
        try repository.git("checkout", "--quiet", "--", ".")
        // One that was not read has the released contents of an edited one.
        try repository.writeVersion("M 2", attributes: ["a1", "a2", "b"])
        try repository.commit()
        try repository.writeVersion("M 2", attributes: ["c"])
        #expect(try repository.check().verdict == "compatible")
        #expect(try repository.check("--changed").verdict == "compatible")
    }

    /// git writes the index when it finds that files have new times but old contents.
    @Test func theIndexIsNotWritten() throws {
        let file = repository.folder.appendingPathComponent(contents(6)).path
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
        let index = repository.folder.appendingPathComponent(".git/index")
        let before = try Data(contentsOf: index)
        #expect(try repository.check("--changed").verdict == "compatible")
        #expect(try Data(contentsOf: index) == before)
    }

    /// An edit, by name, and the verdict about it, with and without `--changed`.
    private static let edits = [
        ("nothing", "compatible"), ("edit the current version", "would lock users out"),
        ("edit an earlier version", "would lock users out"), ("add a version", "migrates automatically"),
        ("delete a version", "would lock users out"), ("delete the model", "would lock users out"),
        ("rename a version", "compatible"), ("go back", "would lock users out"), ("add a model", "compatible"),
        ("need a mapping", "needs a mapping model"), ("change no hash", "compatible"),
        ("complete a copied version", "migrates automatically"),
        ("damage the name of the current version", "unknown (M.xcdatamodeld has errors)"),
    ]

    private func apply(_ edit: String) throws {
        let files = FileManager.default
        let bundle = repository.folder.appendingPathComponent("M.xcdatamodeld")
        func folder(_ index: String) -> URL { bundle.appendingPathComponent("M \(index).xcdatamodel") }
        switch edit {
        case "edit the current version": try repository.writeVersion("M 6", attributes: ["a1"])
        case "edit an earlier version": try repository.writeVersion("M 3", attributes: ["a1", "b"])
        case "add a version":
            try repository.writeVersion("M 7", attributes: (1...7).map { "a\($0)" })
            try repository.setCurrent("M 7")
        case "delete a version": try files.removeItem(at: folder("2"))
        case "delete the model": try files.removeItem(at: bundle)
        case "rename a version": try files.moveItem(at: folder("2"), to: folder("2b"))
        case "go back": try repository.setCurrent("M 5")
        case "add a model": try repository.writeVersion("N", attributes: ["x"], bundle: "N.xcdatamodeld")
        case "need a mapping":
            try repository.write(
                "<model><entity name=\"Book\"><attribute name=\"a1\" optional=\"YES\" attributeType=\"Date\"/></entity></model>",
                to: "M.xcdatamodeld/M 7.xcdatamodel/contents")
            try repository.setCurrent("M 7")
        case "complete a copied version":
            try repository.writeVersion("M 7", attributes: (1...6).map { "a\($0)" })
            try repository.setCurrent("M 7")
            try repository.commit()
            try repository.writeVersion("M 7", attributes: (1...7).map { "a\($0)" })
        case "damage the name of the current version":
            try repository.writeVersion("M 7", attributes: (1...7).map { "a\($0)" })
            try repository.write("<plist", to: "M.xcdatamodeld/.xccurrentversion")
        case "change no hash":
            let path = contents(6)
            let text = try String(contentsOf: repository.folder.appendingPathComponent(path), encoding: .utf8)
            try repository.write(text.replacing("<entity ", with: "<entity syncable=\"YES\" "), to: path)
        default: break
        }
    }

    @Test(arguments: edits)
    func theVerdictIsTheSameWithChangesOnly(edit: String, verdict: String) throws {
        try apply(edit)
        let all = try? repository.check()
        // Without any model, there is nothing to check but what is gone.
        #expect(all?.verdict == verdict)
        #expect(try repository.check("--changed").verdict == verdict)
        try repository.git("add", "--all")
        #expect(try repository.check("--changed").verdict == verdict)
    }

    /// However the folder is written, also if its own name is one that searches skip.
    @Test func aNamedFolderIsSearched() throws {
        try repository.writeVersion("M 1", attributes: ["a1"], bundle: ".hidden/N.xcdatamodeld")
        try repository.commit()
        try repository.writeVersion("M 1", attributes: ["a1", "b"], bundle: ".hidden/N.xcdatamodeld")
        #expect(try repository.check("--changed", ".hidden").verdict == "would lock users out")
        #expect(try repository.check("--changed", "./.hidden").verdict == "would lock users out")
        #expect(try repository.check("--changed").verdict == "compatible")
    }

    /// A repository can name programs that git runs when it reads changed files.
    @Test func filtersOfTheRepositoryAreNotRun() throws {
        let mark = repository.folder.appendingPathComponent("ran")
        try repository.git("config", "filter.f.clean", "touch '\(mark.path)'; cat")
        try repository.git("config", "filter.f.required", "true")
        try repository.write("* filter=f\n", to: ".gitattributes")
        try repository.writeVersion("M 6", attributes: ["a1", "b"])
        #expect(try repository.check("--changed").verdict == "would lock users out")
        #expect(!FileManager.default.fileExists(atPath: mark.path))
    }

    // MARK: Effort

    /// Each answer of git costs a process, however many versions there are.
    @Test func fewProcessesAreStarted() throws {
        for index in 7...40 { try repository.writeVersion("M \(index)", attributes: ["a\(index)"]) }
        try repository.setCurrent("M 40")
        try repository.write("drafts\n", to: "notes.txt")
        try repository.commit()
        try repository.git("checkout", "--quiet", "-b", "work")
        try repository.commit()
        try repository.writeVersion("M 40", attributes: ["a40", "b"])
        // A program in front of git that counts.
        let log = repository.folder.appendingPathComponent(".git/calls").path
        let git = try #require(
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/git" }
                .first { FileManager.default.isExecutableFile(atPath: $0) })
        try repository.write("#!/bin/sh\necho \"$*\" >> '\(log)'\nexec '\(git)' \"$@\"\n", to: ".git/bin/git")
        let bin = repository.folder.appendingPathComponent(".git/bin")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: bin.appendingPathComponent("git").path)
        func calls(_ arguments: String...) throws -> [Substring] {
            try? FileManager.default.removeItem(atPath: log)
            let result = try ChildProcess.run(
                [
                    "/bin/sh", "-c", "cd '\(repository.folder.path)' && exec \"$0\" \"$@\"", GitRepository.tool(),
                    "check",
                ]
                    + arguments,
                variables: [("PATH", "\(bin.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")")])
            #expect(result.exitCode == 1, "\(result.errorOutput)")
            #expect(String(decoding: result.output, as: UTF8.self).contains("would lock users out"))
            return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        }
        let changed = try calls("--changed")
        // Two of them find the merge base, because the branch has a commit that main lacks, and two read the versions
        // that have not changed, which may have the hashes that are lost.
        #expect(changed.count <= 12, "\(changed)")
        let all = try calls()
        #expect(all.count <= 8, "\(all)")
    }

    // MARK: Settings and baselines

    /// A key of a newer version does not hide that a newer version is needed.
    @Test func theRequiredVersionIsCheckedBeforeKeys() throws {
        try repository.write("version: 1\nrequired-version: 99.0.0\nnew-key: x\n", to: ".modelc.yml")
        let outcome = repository.run { CheckCommand.runProgram([], in: $0) }
        #expect(outcome.code == .couldNotRun)
        #expect(outcome.errorOutput.contains("the settings need modelc 99.0.0"), "\(outcome.errorOutput)")
        #expect(!outcome.errorOutput.contains("unknown key"), "\(outcome.errorOutput)")
    }

    /// Entries of checks that were not made stay: those of other commands, those that were left out, and with
    /// `--changed` all.
    @Test func aBaselineKeepsTheEntriesOfOtherChecks() throws {
        func kept(_ arguments: String...) throws -> [String] {
            let entries = ["max-behind", "released-version-edited", "cloudkit-orphan", "missing-inverse"]
            try repository.write(
                "# modelc baseline 1\n" + entries.map { "\($0)\tX\tY\t1\n" }.joined(), to: "baseline")
            let outcome = repository.run {
                CheckCommand.runProgram(arguments + ["--write-baseline", "baseline"], in: $0)
            }
            #expect(outcome.code == .success, "\(outcome.errorOutput)")
            let text = try String(contentsOf: repository.folder.appendingPathComponent("baseline"), encoding: .utf8)
            return entries.filter { text.contains("\($0)\tX\tY\t1\n") }
        }
        // Without a schema of CloudKit, nothing is compared with it.
        #expect(try kept() == ["max-behind", "cloudkit-orphan"])
        #expect(try kept("--without", "breaking") == ["max-behind", "released-version-edited", "cloudkit-orphan"])
        #expect(try kept("--without", "lint") == ["max-behind", "cloudkit-orphan", "missing-inverse"])
        #expect(try kept("--changed").count == 4)
    }
}
