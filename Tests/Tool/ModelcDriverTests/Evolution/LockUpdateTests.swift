import Foundation
import ModelEvolution
import Testing

@testable import ModelcDriver

/// `modelc lock update` beside other programs.
@Suite struct LockUpdateTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(
            "<model><entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/></entity></model>",
            to: "M.xcdatamodeld/M.xcdatamodel/contents")
    }

    private func update(_ arguments: [String], files: any FileSystem) -> (code: ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        return (LockUpdateCommand.runProgram(arguments, in: environment), text)
    }

    /// Another run that finishes between this one's reading and writing, for example in a second terminal.
    @Test func anUpdateInTheMeantimeIsKept() throws {
        #expect(update([], files: scratch.files).code == .success)
        let files = ScriptedFileSystem(scratch.files) { _, _ throws(FileSystemError) in }
        let scratch = scratch
        // The lock is read for the names of models, and for its lines; then it is compared with what was read.
        files.willRead = { [unowned files] path in
            guard path == "modelc.lock", files.readCounts[path] == 2 else { return }
            _ = LockUpdateCommand.runProgram(
                ["--release-all"],
                in: DriverEnvironment(files: scratch.files, output: { _ in }, errorOutput: { _ in }, usesColor: false))
        }
        try scratch.write(
            "<model><entity name=\"Book\"/></model>", to: "N.xcdatamodeld/N.xcdatamodel/contents")
        let result = update([], files: files)
        #expect(result.code == .couldNotRun, "\(result.text)")
        #expect(result.text.contains("another program changed the file in the meantime"))
        let lock = try ModelLock(text: scratch.text("modelc.lock"))
        #expect(lock.entries.values.allSatisfy(\.isReleased) && lock.entries.count == 2)
    }

    /// As git checks the lock out on Windows.
    @Test func aLockWithOtherLineEndsIsUpToDate() throws {
        #expect(update(["--release-all"], files: scratch.files).code == .success)
        let text = try scratch.text("modelc.lock").replacing("\n", with: "\r\n")
        try scratch.write(text, to: "modelc.lock")
        let result = update([], files: scratch.files)
        #expect(result.code == .success && result.text.contains("is up to date"), "\(result.text)")
        #expect(try scratch.text("modelc.lock") == text)
    }

    private func check() -> (code: ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        return (LockCheckCommand.runProgram([], in: environment), text)
    }

    private func addSecondModel() throws {
        try scratch.write("<model><entity name=\"Other\"/></model>", to: "N.xcdatamodeld/N.xcdatamodel/contents")
    }

    private func remove(_ model: String) throws {
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent(model))
    }

    @Test func linesOfADeletedDraftAreDropped() throws {
        try addSecondModel()
        #expect(update([], files: scratch.files).code == .success)
        try remove("N.xcdatamodeld")
        #expect(check().code == .findings)
        #expect(update([], files: scratch.files).code == .success)
        #expect(check().code == .success)
    }

    /// Each command that the finding names is a way out.
    @Test(arguments: [["--draft", "N"], ["--force"]]) func linesOfADeletedReleaseStayUntilTheyAreGivenUp(
        _ arguments: [String]
    ) throws {
        try addSecondModel()
        #expect(update(["--release-all"], files: scratch.files).code == .success)
        try remove("N.xcdatamodeld")
        let found = check()
        #expect(found.code == .findings && found.text.contains(arguments[0]), "\(found.text)")
        let lock = try scratch.text("modelc.lock")
        #expect(update([], files: scratch.files).code == .findings)
        #expect(try scratch.text("modelc.lock") == lock)
        // The lines of a model that was not searched for stay.
        #expect(update(["M.xcdatamodeld", "--force"], files: scratch.files).code == .success)
        #expect(try scratch.text("modelc.lock") == lock)
        #expect(update(arguments, files: scratch.files).code == .success)
        #expect(check().code == .success)
        let left = try scratch.text("modelc.lock")
        #expect(!left.contains("Other"))
    }

    @Test func aMovedModelStaysReleased() throws {
        try addSecondModel()
        #expect(update(["--release-all"], files: scratch.files).code == .success)
        let files = FileManager.default
        try files.createDirectory(
            at: scratch.folder.appendingPathComponent("Models"), withIntermediateDirectories: true)
        try files.moveItem(
            at: scratch.folder.appendingPathComponent("M.xcdatamodeld"),
            to: scratch.folder.appendingPathComponent("Models/M.xcdatamodeld"))
        let found = check()
        #expect(found.code == .findings)
        #expect(found.text.contains("“M.xcdatamodeld” is now “Models/M.xcdatamodeld”"), "\(found.text)")
        #expect(update([], files: scratch.files).code == .success)
        #expect(check().code == .success)
        let lock = try ModelLock(text: scratch.text("modelc.lock"))
        #expect(lock.models == ["Models/M.xcdatamodeld", "N.xcdatamodeld"])
        #expect(lock.entries.values.allSatisfy(\.isReleased) && lock.entries.count == 2)
        // What was released is still not to be changed.
        try scratch.write(
            "<model><entity name=\"Book\"/></model>", to: "Models/M.xcdatamodeld/M.xcdatamodel/contents")
        #expect(update([], files: scratch.files).code == .findings)
    }

    /// What was not searched for is neither given up nor taken for gone.
    @Test func modelsThatWereNotSearchedKeepTheirLines() throws {
        try addSecondModel()
        try scratch.write("<model><entity name=\"Third\"/></model>", to: "O.xcdatamodeld/N.xcdatamodel/contents")
        #expect(update(["--release-all"], files: scratch.files).code == .success)
        #expect(update(["N.xcdatamodeld", "--draft", "N"], files: scratch.files).code == .success)
        let lock = try ModelLock(text: scratch.text("modelc.lock"))
        let drafts = Set(lock.entries.filter { !$0.value.isReleased }.keys.map(\.model))
        #expect(drafts == ["N.xcdatamodeld"])
        #expect(update(["--exclude", "N.xcdatamodeld"], files: scratch.files).code == .success)
        #expect(try ModelLock(text: scratch.text("modelc.lock")) == lock)
    }
}
