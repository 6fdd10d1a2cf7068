import Foundation
import Testing

@testable import ModelcDriver

/// `modelc check`: the state that models are compared with.
@Suite struct ReleasedStateTests {
    private let repository: GitRepository

    init() throws { repository = try GitRepository.withSixVersions() }

    @Test func branchesAreComparedAtTheirMergeBase() throws {
        try repository.git("checkout", "--quiet", "-b", "work")
        try repository.writeVersion("M 7", attributes: ["a1", "w"])
        try repository.setCurrent("M 7")
        try repository.commit()
        // main has moved on, with a version that the branch does not have.
        try repository.git("checkout", "--quiet", "main")
        try repository.writeVersion("M 8", attributes: ["a1", "z"])
        try repository.commit()
        try repository.git("tag", "v8")
        try repository.git("checkout", "--quiet", "work")
        #expect(try repository.check().verdict == "migrates automatically")
        #expect(try repository.check("--against", "main").verdict == "migrates automatically")
        // A tag is a release, with all of its versions.
        #expect(try repository.check("--against", "v8").verdict == "would lock users out")
        try repository.write("version: 1\nagainst: v8\n", to: ".modelc.yml")
        #expect(try repository.check().verdict == "would lock users out")
        try repository.git("branch", "--quiet", "-D", "main")
        #expect(try repository.check("--against", "HEAD").verdict == "compatible")
    }

    /// A comparison of HEAD with itself would find nothing.
    @Test func withoutADefaultBranchTheVerdictIsUnknown() throws {
        try repository.git("branch", "--quiet", "-m", "main", "trunk")
        #expect(try repository.check().verdict == "compatible")
        try repository.writeVersion("M 6", attributes: ["a1"])
        try repository.git("checkout", "--quiet", "--detach")
        try repository.commit()
        // The only branch is the default one.
        #expect(try repository.check().verdict == "would lock users out")
        try repository.git("checkout", "--quiet", "trunk")
        try repository.git("checkout", "--quiet", "-b", "work")
        try repository.writeVersion("M 6", attributes: ["a1"])
        try repository.commit()
        #expect(try repository.check().verdict.hasPrefix("unknown (the default branch is unknown here"))
        try repository.git("config", "init.defaultBranch", "trunk")
        #expect(try repository.check().verdict == "would lock users out")
        try repository.git("config", "--unset", "init.defaultBranch")
        try repository.git("checkout", "--quiet", "--detach")
        try repository.git("branch", "--quiet", "-D", "trunk", "work")
        #expect(try repository.check().verdict.hasPrefix("unknown (the default branch is unknown here"))
        try repository.git("remote", "add", "origin", "https://example.org/app.git")
        #expect(try repository.check().verdict.hasPrefix("unknown (the default branch is unknown here"))
        let changed = repository.run { CheckCommand.runProgram(["--changed"], in: $0) }
        #expect(changed.code == .couldNotRun)
        #expect(try repository.check("--against", "HEAD").verdict == "compatible")
        try repository.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
        #expect(try repository.check().verdict == "would lock users out")
    }

    /// A branch may have the name of a folder.
    @Test func aFolderIsNotTakenForTheReleasedState() throws {
        try repository.git("branch", "--quiet", "ios", "main")
        try repository.write("", to: "ios/App.swift")
        try repository.git("checkout", "--quiet", "-b", "work")
        try repository.commit()
        try repository.git("checkout", "--quiet", "ios")
        try repository.writeVersion("M 7", attributes: ["a1", "z"])
        try repository.commit()
        try repository.git("checkout", "--quiet", "work")
        #expect(try repository.check("--against", "ios").verdict == "compatible")
        try repository.write("version: 1\nagainst: ios\n", to: ".modelc.yml")
        #expect(try repository.check().verdict == "compatible")
    }

    /// The working directory is searched as a whole, however it is spelled.
    @Test(arguments: [".", "./", "PWD", "../NAME"])
    func deletedModelsAreFoundInTheWorkingDirectory(path: String) throws {
        let path = path.replacing("PWD", with: repository.folder.path)
            .replacing("NAME", with: repository.folder.lastPathComponent)
        try repository.writeVersion("Old", attributes: ["a"], bundle: "Old.xcdatamodeld")
        #expect(repository.run { LockUpdateCommand.runProgram(["--release-all"], in: $0) }.code == .success)
        try FileManager.default.removeItem(at: repository.folder.appendingPathComponent("Old.xcdatamodeld"))
        let lock = repository.run { LockCheckCommand.runProgram([path], in: $0) }
        #expect(lock.code == .findings && lock.errorOutput.contains("is in the lock and not in the model"), "\(lock)")
        let breaking = repository.run { BreakingCommand.runProgram([path, "--against", "modelc.lock"], in: $0) }
        #expect(breaking.code == .findings, "\(breaking)")
        #expect(try repository.check(path, "--against", "modelc.lock").verdict == "would lock users out")
        let found = repository.run { CheckCommand.runProgram([path], in: $0) }
        let message = "“Book” of the released version “Old”"
        #expect(found.output.components(separatedBy: message).count == 2, "\(found)")
    }

    @Test func draftsOfTheReleasedStateMayChange() throws {
        let lock = repository.run { LockUpdateCommand.runProgram(["--draft", "M 6"], in: $0) }
        #expect(lock.code == .success, "\(lock.errorOutput)")
        try repository.commit()
        try repository.writeVersion("M 6", attributes: (1...6).map { "a\($0)" } + ["b"])
        #expect(try repository.check("--without", "lock").verdict == "migrates automatically")
        let all = try repository.check()
        #expect(all.code == .findings)
        #expect(try repository.check("--changed").code == .findings)
    }

    /// Locks apply to the models at and below their folder, wherever the command runs.
    @Test(arguments: ["App", ""], ["App", ""])
    func draftsOfTheNearestLockMayChange(lockFolder: String, folder: String) throws {
        let bundle = "App/N.xcdatamodeld"
        try repository.writeVersion("N", attributes: ["a"], bundle: bundle)
        let lock = repository.run(in: lockFolder) { LockUpdateCommand.runProgram(["--draft", "N"], in: $0) }
        #expect(lock.code == .success, "\(lock.errorOutput)")
        // A lock of other models, nearer to the model.
        if lockFolder.isEmpty {
            try repository.writeVersion("O", attributes: ["a"], bundle: "App/O.xcdatamodeld")
            let other = repository.run(in: "App") { LockUpdateCommand.runProgram(["O.xcdatamodeld"], in: $0) }
            #expect(other.code == .success, "\(other.errorOutput)")
        }
        try repository.commit()
        try repository.writeVersion("N", attributes: ["a", "b"], bundle: bundle)
        let found = repository.run(in: folder) { CheckCommand.runProgram(["--without", "lock"], in: $0) }
        #expect(found.code == .success && !found.output.contains("lock users out"), "\(found)")
        // The drafts of a model that was deleted.
        try FileManager.default.removeItem(at: repository.folder.appendingPathComponent(bundle))
        let deleted = repository.run(in: folder) { CheckCommand.runProgram(["--without", "lock"], in: $0) }
        #expect(!deleted.output.contains("was deleted"), "\(deleted)")
    }

    /// A revision of the repository stands for the commits that it has of its submodules.
    @Test func modelsInSubmodulesAreCompared() throws {
        let shared = try GitRepository()
        try shared.writeVersion("S", attributes: ["a"], bundle: "S.xcdatamodeld")
        try shared.commit()
        try repository.git("submodule", "--quiet", "add", shared.folder.path, "Shared")
        try repository.commit()
        try repository.git("checkout", "--quiet", "-b", "work")
        // The merge base is a commit that the submodule does not have.
        try repository.git("checkout", "--quiet", "main")
        try repository.commit()
        try repository.git("checkout", "--quiet", "work")
        #expect(try repository.check().verdict == "compatible")
        #expect(try repository.check("--changed").reads == [:])
        try repository.writeVersion("S", attributes: ["b"], bundle: "Shared/S.xcdatamodeld")
        #expect(try repository.check().verdict == "would lock users out")
        #expect(try repository.check("--changed").verdict == "would lock users out")
        // Committed there, and in the repository.
        let folder = repository.folder.appendingPathComponent("Shared").path
        try repository.git(
            "-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "-am",
            "edit")
        #expect(try repository.check("--changed").verdict == "would lock users out")
        try repository.commit()
        #expect(try repository.check("--changed").verdict == "would lock users out")
        #expect(try repository.check().verdict == "would lock users out")
    }

    @Test func withoutARepositoryTheVerdictIsUnknown() throws {
        try FileManager.default.removeItem(at: repository.folder.appendingPathComponent(".git"))
        let result = try repository.check()
        #expect(result.verdict.hasPrefix("unknown (“.” is not in a git repository"), "\(result.verdict)")
        #expect(result.code == .success)
        let changed = repository.run { CheckCommand.runProgram(["--changed"], in: $0) }
        #expect(changed.code == .couldNotRun)
        // A lock is a released state.
        #expect(repository.run { LockUpdateCommand.runProgram(["--release-all"], in: $0) }.code == .success)
        try repository.writeVersion("M 6", attributes: ["a1", "b"])
        #expect(try repository.check().verdict == "would lock users out")
    }
}
