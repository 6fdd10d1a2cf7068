import Foundation
import ModelEditor
import ModelcDriver
import Testing

/// Damaged files, full disks, and checking for changes on disk.
@Suite struct RepairTests {
    typealias Model = LibraryModel

    private static let broken = Model.contents.replacingOccurrences(of: "</configuration>", with: "</configuraton>")
    private let edit = EditOperation.rename(element: Model.attribute("Book", "pages"), name: "pageCount")

    @Test func aDamagedFileIsShownAsTextWithTheLineOfItsError() throws {
        let session = try Model(Self.broken).open()
        let source = try #require(session.damagedSource(of: "Library"))
        #expect(source.text == Self.broken)
        let line = try #require(Self.broken.split(separator: "\n").firstIndex { $0.contains("</configuraton>") }) + 1
        #expect(source.problems.first?.line == line)
        #expect(try Model().open().damagedSource(of: "Library") == nil)
    }

    @Test func aRepairedFileIsWrittenAndCanBeEdited() throws {
        let model = try Model(Self.broken)
        let session = try model.open()
        #expect(try session.repair("Library", with: Self.broken)?.problems.isEmpty == false)
        #expect(try model.read() == Self.broken)
        #expect(try session.repair("Library", with: Model.contents) == nil)
        #expect(try model.read() == Model.contents)
        _ = try session.perform(edit)
        #expect(throws: EditRejection.self) { try session.repair("Library", with: Model.contents) }
    }

    /// Browsers return the text of a field with line feeds only.
    @Test func lineBreaksOfADamagedFileAreKept() throws {
        func windows(_ text: String) -> String { text.replacingOccurrences(of: "\n", with: "\r\n") }
        let model = try Model(windows(Self.broken))
        let session = try model.open()
        #expect(try session.repair("Library", with: Model.contents) == nil)
        #expect(try model.read() == windows(Model.contents))
    }

    @Test func aHalfRepairedTextSurvivesACrash() throws {
        let model = try Model(Self.broken)
        let half = Self.broken + "<!-- half -->"
        do { _ = try model.open().check(half, of: "Library") }
        let next = try model.open()
        #expect(next.recoverableCount == 1)
        #expect(next.recover().failures == 0)
        #expect(next.damagedSource(of: "Library")?.text == half)
        #expect(try next.repair("Library", with: Model.contents) == nil)
        next.close()
        #expect(try model.open().recoverableCount == 0)
    }

    @Test func aFullDiskLosesNothing() throws {
        let model = try Model()
        let files = FullDiskFileSystem()
        let session = try EditorSession(path: model.path, journalFolder: model.cache, files: files)
        _ = try session.perform(edit)
        files.isFull = true
        let rejection = #expect(throws: EditRejection.self) { try session.save() }
        #expect(rejection?.message.contains("No space left on device") == true)
        #expect(rejection?.help?.contains("Save again") == true)
        #expect(try model.read() == Model.contents)
        #expect(session.isEdited && session.undoTitle == "Rename")
        files.isFull = false
        _ = try session.save()
        #expect(
            try model.read() == Model.contents.replacingOccurrences(of: "name=\"pages\"", with: "name=\"pageCount\""))
    }

    @Test func aFullDiskKeepsADamagedFileAndItsRepair() throws {
        let model = try Model(Self.broken)
        let files = FullDiskFileSystem()
        let session = try EditorSession(path: model.path, journalFolder: model.cache, files: files)
        files.isFull = true
        #expect(throws: EditRejection.self) { try session.repair("Library", with: Model.contents) }
        #expect(try model.read() == Self.broken)
        #expect(session.damagedSource(of: "Library")?.text == Model.contents)
    }

    @Test func anUnchangedFileIsNotReadAgain() throws {
        let model = try Model()
        let files = FullDiskFileSystem()
        let session = try EditorSession(path: model.path, journalFolder: nil, files: files)
        // The first polls record the file's modification time.
        for _ in 0..<2 { #expect(session.poll() == []) }
        let before = files.readCount
        for _ in 0..<10 { #expect(session.poll() == []) }
        #expect(files.readCount == before)
        let other = Model.contents.replacingOccurrences(of: "key=\"note\"", with: "key=\"memo\"")
        try model.write(other)
        #expect(session.poll() == ["Library"])
        #expect(try session.text() == other)
        // A change with the same length and time is found by the next poll.
        let same = other.replacingOccurrences(of: "key=\"memo\"", with: "key=\"nota\"")
        try model.write(same)
        _ = session.poll()
        #expect(try session.text() == same)
    }

    @Test func conflictIsReportedUntilResolved() throws {
        let model = try Model()
        let session = try model.open()
        let title = Model.attribute("Book", "title")
        _ = try session.perform(.set(element: title, attribute: "defaultValueString", value: "mine"))
        let line = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\""
        try model.write(
            Model.contents.replacingOccurrences(of: line, with: line + " defaultValueString=\"theirs\""))
        for _ in 0..<4 {
            _ = session.poll()
            #expect(session.conflicts.count == 1)
        }
        try model.write(Model.contents)
        _ = session.poll()
        #expect(session.conflicts.isEmpty)
    }
}
