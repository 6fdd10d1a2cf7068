import Foundation
import ModelSource
import Testing

@testable import ModelcDriver

@Suite struct GitReaderTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try repository.commit()
    }

    private func diff(_ old: String, _ new: String, in folder: String = "") -> GitRepository.Outcome {
        repository.run(in: folder) { DiffCommand.runProgram(["--", old, new], in: $0) }
    }

    @Test func aModelIsComparedWithItselfInARevision() throws {
        try repository.writeVersion("M", attributes: ["title", "year"])
        let result = diff("HEAD:M.xcdatamodeld", "M.xcdatamodeld")
        #expect(result.code == .success, "\(result.errorOutput)")
        #expect(result.output.contains("+ year  optional String"))
    }

    @Test func pathsOfARevisionStartAtTheRootOrWithADotInTheFolder() throws {
        try repository.writeVersion("N", attributes: ["a"], bundle: "App/N.xcdatamodeld")
        try repository.commit()
        #expect(diff("HEAD:App/N.xcdatamodeld", "N.xcdatamodeld", in: "App").code == .success)
        #expect(diff("HEAD:./N.xcdatamodeld", "N.xcdatamodeld", in: "App").code == .success)
        #expect(diff("HEAD:../M.xcdatamodeld", "N.xcdatamodeld", in: "App").code == .success)
        let wrong = diff("HEAD:N.xcdatamodeld", "N.xcdatamodeld", in: "App")
        #expect(wrong.code == .couldNotRun)
        #expect(wrong.errorOutput.contains("write “./N.xcdatamodeld”"))
    }

    @Test(arguments: ["nothing", "HEAD~7", "-x", "--output=x", "HEAD^{tree}"])
    func anUnknownRevisionIsAnError(revision: String) {
        let result = diff("\(revision):M.xcdatamodeld", "M.xcdatamodeld")
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("[git-revision]"))
    }

    @Test func aRevisionWithoutThePathIsAnError() {
        let result = diff("HEAD:Other.xcdatamodeld", "M.xcdatamodeld")
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("the revision “HEAD” has no “Other.xcdatamodeld”"))
    }

    @Test func aShallowCloneIsNamedAsTheReason() throws {
        try repository.writeVersion("M", attributes: ["title", "year"])
        try repository.commit()
        let clone = try GitRepository()
        try clone.git("fetch", "--quiet", "--depth=1", "file://\(repository.folder.path)", "main")
        try clone.git("checkout", "--quiet", "FETCH_HEAD")
        let result = clone.run { DiffCommand.runProgram(["HEAD~1:M.xcdatamodeld", "M.xcdatamodeld"], in: $0) }
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("it is a shallow clone"))
        #expect(result.errorOutput.contains("fetch-depth: 0"))
    }

    @Test(arguments: ["blob:none", "tree:0"])
    func aPartialCloneIsNamedAsTheReason(filter: String) throws {
        try repository.writeVersion("M", attributes: ["title", "year"])
        try repository.commit()
        for key in ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"] {
            try repository.git("config", key, "true")
        }
        let clone = try GitRepository()
        try clone.git("clone", "--quiet", "--filter=\(filter)", "file://\(repository.folder.path)", "partial")
        func diff() -> GitRepository.Outcome {
            clone.run(in: "partial") { DiffCommand.runProgram(["HEAD~1:M.xcdatamodeld", "M.xcdatamodeld"], in: $0) }
        }
        let result = diff()
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("it is a partial clone"))
        // The advice helps.
        #expect(result.errorOutput.contains("“git fetch --refetch --no-filter”"))
        try clone.git("-C", "partial", "fetch", "--quiet", "--refetch", "--no-filter")
        #expect(diff().code == .success)
    }

    @Test func aMissingGitProgramIsNamedAsTheReason() throws {
        let path = repository.folder.appendingPathComponent("M.xcdatamodeld").path
        let result = try ChildProcess.run(
            [try GitRepository.tool(), "diff", "HEAD:M.xcdatamodeld", path], variables: [("PATH", "/nowhere")])
        #expect(result.exitCode == ExitCode.couldNotRun.rawValue)
        #expect(result.errorOutput.contains("git is not installed"))
        #expect(result.errorOutput.contains("Install git, or compare with a path."))
    }

    @Test func aFolderOutsideOfARepositoryIsAnError() throws {
        try FileManager.default.removeItem(at: repository.folder.appendingPathComponent(".git"))
        let result = diff("HEAD:M.xcdatamodeld", "M.xcdatamodeld")
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("is not in a git repository"))
    }

    @Test func aSubmoduleIsNamedAsTheReason() throws {
        let other = try GitRepository()
        try other.writeVersion("M", attributes: ["a"])
        try other.commit()
        try repository.git("submodule", "--quiet", "add", other.folder.path, "Shared")
        try repository.commit()
        let result = diff("HEAD:Shared", "M.xcdatamodeld")
        #expect(result.code == .couldNotRun)
        #expect(result.errorOutput.contains("is a submodule"))
        // A model in a submodule is compared with the submodule's own history.
        let breaking = repository.run {
            BreakingCommand.runProgram(["--against", "HEAD", "Shared/M.xcdatamodeld"], in: $0)
        }
        #expect(breaking.code == .success, "\(breaking.errorOutput)")
    }

    @Test func namesWithBlanksAndOtherLettersAreFound() throws {
        try repository.writeVersion("Größe 2", attributes: ["ä"], bundle: "Büro 1/Ü M.xcdatamodeld")
        try repository.commit()
        #expect(
            diff("HEAD:Büro 1/Ü M.xcdatamodeld", "Büro 1/Ü M.xcdatamodeld").output.contains("The models are equal."))
    }

    @Test func aFolderNameMayContainALineFeed() throws {
        for (name, attribute) in [("inner", "other"), ("inner\nfolder", "title")] {
            try repository.git("init", "--quiet", name)
            try repository.writeVersion("M", attributes: [attribute], bundle: "\(name)/M.xcdatamodeld")
            try repository.git("-C", name, "add", "--all")
            try repository.git("-C", name, "commit", "--quiet", "--message=change")
        }
        let result = diff("HEAD:M.xcdatamodeld", "M.xcdatamodeld", in: "inner\nfolder")
        #expect(result.output.contains("The models are equal."), "\(result.output)\(result.errorOutput)")
    }

    /// Git replaces the placeholders, and quotes the path for a shell.
    @Test func theDocumentedMergeDriverMergesFilesWhoseNamesBeginWithADash() throws {
        let lines = MergeDriverCommand.configuration.discussion.split(separator: "\n")
        let line = try #require(lines.first { $0.contains("merge.modelc.driver") })
        let command = try #require(line.split(separator: "\"").dropFirst().first)
        var words = command.split(separator: " ").dropFirst(2).map(String.init)
        for (name, value) in [("%O", "base"), ("%A", "ours"), ("%B", "theirs"), ("%P", "-x/contents"), ("%L", "9")] {
            words = words.map { $0.replacing(name, with: value) }
        }
        for file in ["base", "ours", "theirs"] { try repository.write("<model/>\n", to: file) }
        let result = repository.run { MergeDriverCommand.runProgram(words, in: $0) }
        #expect(result.code == .success, "\(words): \(result.errorOutput)")
    }

    /// The variables that git sets for hooks, and others that name another repository.
    @Test func variablesOfGitDoNotChangeTheRepository() throws {
        let other = try GitRepository()
        try other.writeVersion("N", attributes: ["other"], bundle: "App/M.xcdatamodeld")
        try other.commit()
        try repository.writeVersion("M", attributes: ["a"], bundle: "App/M.xcdatamodeld")
        try repository.writeVersion("V", attributes: ["b"], bundle: "App/Vendor/V.xcdatamodeld")
        try repository.commit()
        let tree = repository.folder.appendingPathComponent("linked").path
        try repository.git("worktree", "add", "--quiet", tree)
        try repository.write("/linked\n", to: ".gitignore")
        let linkedFolder = try #require(
            repository.gitResult(["-C", tree, "rev-parse", "--absolute-git-dir"]).output.split(separator: 10).first)
        let linked = String(decoding: linkedFolder, as: UTF8.self)
        let own = repository.folder.appendingPathComponent(".git").path
        let otherFolder = other.folder.appendingPathComponent(".git").path
        let tool = try GitRepository.tool()
        let environments: [[(String, String)]] = [
            [], [("GIT_DIR", linked)], [("GIT_DIR", own)], [("GIT_DIR", otherFolder)],
            [("GIT_DIR", otherFolder), ("GIT_WORK_TREE", other.folder.path)], [("GIT_PREFIX", "App/Vendor/")],
            [("GIT_COMMON_DIR", otherFolder), ("GIT_INDEX_FILE", "/nowhere")],
            [("GIT_OBJECT_DIRECTORY", otherFolder + "/objects")],
        ]
        for variables in environments {
            for (arguments, expected) in [
                (
                    ["breaking", "--against", "HEAD", "App"],
                    "App/Vendor/V.xcdatamodeld with HEAD:App/Vendor/V.xcdatamodeld"
                ),
                (
                    ["breaking", "--against", "HEAD", "App/M.xcdatamodeld"],
                    "with HEAD:App/M.xcdatamodeld (version “M”)"
                ),
                (["diff", "HEAD:./App/M.xcdatamodeld", "App/M.xcdatamodeld"], "The models are equal."),
                (["diff", "HEAD:App/M.xcdatamodeld", "App/M.xcdatamodeld"], "The models are equal."),
            ] {
                let result = try ChildProcess.run(
                    ["env", "-C", tree, tool] + arguments, variables: variables.map { (name: $0.0, value: $0.1) })
                let text = String(decoding: result.output, as: UTF8.self) + result.errorOutput
                #expect(result.exitCode == 0, "\(variables) \(arguments)\n\(text)")
                #expect(text.contains(expected), "\(variables) \(arguments)\n\(text)")
            }
        }
    }

    /// A model that is a link in the work tree, in the revision, or in both.
    @Test func aLinkedModelIsComparedWithItsTarget() throws {
        let files = FileManager.default
        let link = repository.folder.appendingPathComponent("App/M.xcdatamodeld")
        try files.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: link.path, withDestinationPath: "../M.xcdatamodeld")
        try repository.commit()
        try repository.writeVersion("M", attributes: ["title", "year"])
        let breaking = { [repository] in
            repository.run { BreakingCommand.runProgram(["--against", "HEAD", "App/M.xcdatamodeld"], in: $0) }
        }
        #expect(breaking().code == .findings)
        // Now the revision has a folder at the path of the link.
        try files.removeItem(at: link)
        try repository.writeVersion("M", attributes: ["title"], bundle: "App/M.xcdatamodeld")
        try repository.writeVersion("M", attributes: ["title", "year"])
        try repository.commit()
        try files.removeItem(at: link)
        try files.createSymbolicLink(atPath: link.path, withDestinationPath: "../M.xcdatamodeld")
        #expect(breaking().code == .findings)
    }

    // MARK: Breaking

    private func breaking(against reference: String) -> GitRepository.Outcome {
        repository.run { BreakingCommand.runProgram(["--against", reference], in: $0) }
    }

    /// Writes a version with one attribute of a type.
    private func writeVersion(_ name: String, type: String) throws {
        try repository.write(
            "<model><entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" attributeType=\"\(type)\"/></entity></model>",
            to: "Blocked.xcdatamodeld/\(name).xcdatamodel/contents")
    }

    @Test func anUnchangedTreeBreaksNothing() throws {
        try writeVersion("1", type: "String")
        try writeVersion("2", type: "Binary")
        try repository.write(CurrentVersion.text("2"), to: "Blocked.xcdatamodeld/.xccurrentversion")
        try repository.commit()
        func run(_ arguments: String...) -> GitRepository.Outcome {
            repository.run {
                BreakingCommand.runProgram(["--against", "HEAD", "Blocked.xcdatamodeld"] + arguments, in: $0)
            }
        }
        for level in ["store", "migratable", "lightweight", "cloudkit"] {
            let result = run("--level", level)
            #expect(result.code == .success, "\(level): \(result)")
            #expect(
                result.errorOutput.contains("1 problem of earlier changes is not shown") == (level != "store"),
                "\(level): \(result)")
        }
        let all = run("--all")
        #expect(all.code == .findings && all.output.contains("“Book.title” changed its type"), "\(all)")
        // A new version breaks the migration again.
        try writeVersion("3", type: "Date")
        try repository.write(CurrentVersion.text("3"), to: "Blocked.xcdatamodeld/.xccurrentversion")
        #expect(run().code == .findings)
        // Step by step, only the last step is new.
        try repository.write("version: 1\nbreaking:\n  strategy: stepwise\n", to: ".modelc.yml")
        let stepwise = run()
        #expect(stepwise.output.contains("from Binary to Date") && !stepwise.output.contains("String"), "\(stepwise)")
    }

    @Test func deletingAMappingModelIsReported() throws {
        try writeVersion("1", type: "String")
        try writeVersion("2", type: "Binary")
        try repository.write(CurrentVersion.text("2"), to: "Blocked.xcdatamodeld/.xccurrentversion")
        try repository.commit()
        let scaffold = repository.run {
            MigrateScaffoldCommand.runProgram(
                ["Blocked.xcdatamodeld", "1", "2", "--output", "M.xcmappingmodel"], in: $0)
        }
        #expect(scaffold.code == .success, "\(scaffold)")
        try repository.commit()
        func run(_ level: String) -> GitRepository.Outcome {
            repository.run { BreakingCommand.runProgram(["--against", "HEAD", "--level", level], in: $0) }
        }
        let mapped = run("migratable")
        #expect(mapped.code == .success && !mapped.errorOutput.contains("not shown"), "\(mapped)")
        try repository.git("rm", "-rq", "M.xcmappingmodel")
        let lost = run("migratable")
        #expect(lost.code == .findings && lost.output.contains("“Book.title”"), "\(lost)")
        #expect(run("lightweight").code == .success)
    }

    @Test func anEditedVersionBreaksCompatibilityWithTheRevision() throws {
        try repository.writeVersion("M", attributes: ["title", "year"])
        let result = breaking(against: "HEAD")
        #expect(result.code == .findings)
        #expect(result.output.contains("[released-version-edited]"))
        #expect(result.errorOutput.contains("compared M.xcdatamodeld with HEAD:M.xcdatamodeld (version “M”)"))
    }

    @Test func aDraftOfTheLockMayBeEdited() throws {
        try repository.writeVersion("N", attributes: ["title", "year"])
        try repository.write(
            String(decoding: CurrentVersionFile.contents(naming: "N"), as: UTF8.self),
            to: "M.xcdatamodeld/.xccurrentversion")
        let update = repository.run { LockUpdateCommand.runProgram(["--draft", "N"], in: $0) }
        try #require(update.code == .success, "\(update.errorOutput)")
        try repository.commit()
        try repository.writeVersion("N", attributes: ["title", "years"])
        let result = breaking(against: "HEAD")
        #expect(result.code == .success, "\(result.output)\(result.errorOutput)")
        try repository.writeVersion("M", attributes: ["titles"])
        #expect(breaking(against: "HEAD").code == .findings)
    }

    @Test func revisionsWithOnlyDraftsCannotBeCompared() throws {
        let update = repository.run { LockUpdateCommand.runProgram(["--draft", "M"], in: $0) }
        try #require(update.code == .success, "\(update.errorOutput)")
        try repository.commit()
        try repository.writeVersion("M", attributes: ["heading"])
        for reference in ["HEAD", "modelc.lock"] {
            let result = breaking(against: reference)
            #expect(result.code == .couldNotRun)
            #expect(result.errorOutput.contains("has no released version of the model"), "\(result.errorOutput)")
            #expect(!result.errorOutput.contains("no breaking changes"))
        }
        // Another lock, or none, says otherwise.
        let result = repository.run {
            BreakingCommand.runProgram(["--against", "HEAD", "--lock", "none.lock"], in: $0)
        }
        #expect(result.code == .findings)
    }

    @Test func aNewModelHasNothingToBeComparedWith() throws {
        try repository.writeVersion("N", attributes: ["a"], bundle: "N.xcdatamodeld")
        let result = breaking(against: "HEAD")
        #expect(result.code == .success)
        #expect(result.errorOutput.contains("N.xcdatamodeld is new"))
    }
}

/// Merges of files with the merge driver.
@Suite struct MergeDriverFileTests {
    private func merge(_ path: String, base: String, ours: String, theirs: String) throws -> (ExitCode, String, String)
    {
        let repository = try GitRepository()
        for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            try repository.write(text, to: name)
        }
        let outcome = repository.run {
            MergeDriverCommand.runProgram(["base", "ours", "theirs", "--path", path], in: $0)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: repository.folder.path)
        #expect(Set(names) == [".git", "base", "ours", "theirs"])
        let text = try String(contentsOf: repository.folder.appendingPathComponent("ours"), encoding: .utf8)
        return (outcome.code, text, outcome.errorOutput)
    }

    private func line(_ entity: String, _ digit: Character) -> String {
        "M\tV\t\(entity)\tdraft\t\(String(repeating: digit, count: 64))\n"
    }

    @Test func independentLinesOfALockAreMerged() throws {
        let base = line("A", "0") + line("B", "0")
        let (code, text, _) = try merge(
            "App/modelc.lock", base: base, ours: line("A", "1") + line("B", "0"),
            theirs: line("A", "0") + line("B", "2") + line("C", "3"))
        #expect(code == .success)
        #expect(
            text.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
                == line("A", "1") + line("B", "2") + line("C", "3"))
    }

    @Test func aLineChangedOnBothSidesIsMarked() throws {
        let (code, text, message) = try merge(
            "modelc.lock", base: line("A", "0"), ours: line("A", "1"), theirs: line("A", "2"))
        #expect(code == .findings)
        #expect(text.contains("<<<<<<< ours\n\(line("A", "1"))=======\n\(line("A", "2"))>>>>>>> theirs\n"))
        #expect(message.contains("modelc lock rebase"))
    }

    @Test func otherLinesOfAProjectAreMergedAsText() throws {
        let project = { (flags: String, name: String) in
            "// !$*UTF8*$!\n{\n\tobjects = {\n\t\tA1 = {\n\t\t\tflags = \(flags);\n\t\t\tx = 1;\n\t\t\ty = 2;\n\t\t\tz = 3;\n"
                + "\t\t\tname = \(name);\n\t\t};\n\t};\n}\n"
        }
        let (code, text, _) = try merge(
            "App.xcodeproj/project.pbxproj", base: project("a", "b"), ours: project("c", "b"), theirs: project("a", "d")
        )
        #expect(code == .success)
        #expect(text == project("c", "d"))
        let conflict = try merge(
            "App.xcodeproj/project.pbxproj", base: project("a", "b"), ours: project("c", "b"), theirs: project("d", "b")
        )
        #expect(conflict.0 == .findings)
        #expect(conflict.1.contains("<<<<<<<"))
    }
}

private enum CurrentVersion {
    static func text(_ version: String) -> String {
        "<plist><dict><key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string></dict></plist>"
    }
}
