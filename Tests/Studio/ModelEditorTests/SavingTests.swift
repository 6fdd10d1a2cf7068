import Foundation
import Testing

@testable import ModelEditor

/// Saving, changes by other programs, and recovery after a crash.
@Suite struct SavingTests {
    typealias Model = LibraryModel

    private let rename = EditOperation.rename(element: Model.attribute("Book", "pages"), name: "pageCount")

    private func isSaved(_ session: EditorSession) throws -> Bool {
        if case .saved = try session.save() { true } else { false }
    }

    @Test func savingWritesTheEditedVersionAndNothingElse() throws {
        let model = try Model()
        let session = try model.open()
        let untouched = try FileManager.default.attributesOfItem(atPath: model.contentsPath)[.modificationDate] as? Date
        #expect(try isSaved(session))
        let date = try FileManager.default.attributesOfItem(atPath: model.contentsPath)[.modificationDate] as? Date
        #expect(date == untouched)
        _ = try session.perform(rename)
        #expect(try isSaved(session))
        #expect(!session.isEdited)
        #expect(
            try model.read() == Model.contents.replacingOccurrences(of: "name=\"pages\"", with: "name=\"pageCount\""))
        // Undo can go back past a save.
        _ = try session.undo()
        #expect(session.isEdited)
        #expect(try isSaved(session))
        #expect(try model.read() == Model.contents)
    }

    /// Xcode 4 wrote `>` unescaped.
    @Test func plainGreaterThanSignsAreKept() throws {
        let original = Model.contents.replacingOccurrences(of: "&gt;", with: ">")
        let model = try Model(original)
        let session = try model.open()
        _ = try session.perform(rename)
        let request = Model.model.child("fetchRequest", "Named")
        _ = try session.perform(.set(element: request, attribute: "predicateString", value: "name == $NAME"))
        #expect(try isSaved(session))
        _ = try session.undo()
        #expect(try isSaved(session))
        _ = try session.undo()
        #expect(try isSaved(session))
        #expect(try model.read() == original)
    }

    @Test(arguments: ["\n", "\r\n"])
    func layoutThatIsNotXcodesIsKept(ending: String) throws {
        let original =
            Model.contents.replacingOccurrences(of: "    ", with: "\t")
            .replacingOccurrences(of: "\n", with: "\(ending)\(ending)") + ending
        let model = try Model(original)
        let session = try model.open()
        _ = try session.perform(rename)
        #expect(try isSaved(session))
        #expect(try model.read() == original.replacingOccurrences(of: "name=\"pages\"", with: "name=\"pageCount\""))
    }

    @Test func aChangeOnDiskIsMerged() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(rename)
        let other = Model.contents.replacingOccurrences(of: "key=\"note\"", with: "key=\"remark\"")
        try model.write(other)
        #expect(try isSaved(session))
        #expect(try model.read() == other.replacingOccurrences(of: "name=\"pages\"", with: "name=\"pageCount\""))
    }

    @Test func aChangeOnDiskIsShownIfNothingIsEdited() throws {
        let model = try Model()
        let session = try model.open()
        let other = Model.contents.replacingOccurrences(of: "key=\"note\"", with: "key=\"remark\"")
        try model.write(other)
        #expect(session.refresh() == ["Library"])
        #expect(try session.text() == other)
        #expect(!session.isEdited)
    }

    @Test func aConflictIsReportedAndDecided() throws {
        let model = try Model()
        let session = try model.open()
        let title = Model.attribute("Book", "title")
        _ = try session.perform(.set(element: title, attribute: "defaultValueString", value: "mine"))
        let other = Model.contents.replacingOccurrences(
            of: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"",
            with: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"theirs\"")
        try model.write(other)
        #expect(try !isSaved(session))
        #expect(session.conflicts.map(\.version) == ["Library"])
        #expect(try model.read() == other)
        #expect(try session.text().contains("mine"))
        session.resolve(version: "Library", .mine)
        #expect(try isSaved(session))
        #expect(try model.read() == other.replacingOccurrences(of: "theirs", with: "mine"))
    }

    @Test func theFileOnDiskCanWin() throws {
        let model = try Model()
        let session = try model.open()
        let title = Model.attribute("Book", "title")
        _ = try session.perform(.set(element: title, attribute: "defaultValueString", value: "mine"))
        let other = Model.contents.replacingOccurrences(
            of: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"",
            with: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"theirs\"")
        try model.write(other)
        #expect(try !isSaved(session))
        session.resolve(version: "Library", .theirs)
        #expect(try session.text() == other)
        // The edits are not lost: undo brings them back.
        _ = try session.undo()
        #expect(try session.text().contains("mine"))
    }

    /// Both sides change a default value, and each adds what the other does not know.
    @Test(arguments: [EditorSession.Resolution.mine, .theirs])
    func aDecisionIsAboutTheConflictsOnly(resolution: EditorSession.Resolution) throws {
        let model = try Model()
        let session = try model.open()
        let title = Model.attribute("Book", "title")
        _ = try session.perform(.set(element: title, attribute: "defaultValueString", value: "mine"))
        _ = try session.perform(
            .set(element: Model.attribute("Author", "name"), attribute: "defaultValueString", value: "kept"))
        let before = try session.text()
        try model.write(
            Model.contents.replacingOccurrences(
                of: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>",
                with:
                    "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"theirs\"/>"
            ).replacingOccurrences(
                of: "    <fetchRequest name", with: "    <entity name=\"Pulled\"/>\n    <fetchRequest name"))
        #expect(try !isSaved(session))
        #expect(session.conflicts.first?.descriptions.count == 1)
        session.resolve(version: "Library", resolution)
        #expect(session.conflicts.isEmpty)
        for text in ["entity name=\"Pulled\"", "\"kept\"", resolution == .mine ? "\"mine\"" : "\"theirs\""] {
            #expect(try session.text().contains(text))
        }
        #expect(try !session.text().contains(resolution == .mine ? "\"theirs\"" : "\"mine\""))
        #expect(session.undoTitle == "Merge")
        let merged = try session.text()
        _ = try session.undo()
        #expect(try session.text() == before)
        _ = try session.redo()
        #expect(try session.text() == merged)
        #expect(try isSaved(session))
        #expect(try model.read() == merged)
    }

    @Test func aRemovalOnDiskConflictsWithAnEdit() throws {
        for resolution in [EditorSession.Resolution.mine, .theirs] {
            let model = try Model()
            let session = try model.open()
            _ = try session.perform(
                .set(element: Model.attribute("Book", "title"), attribute: "defaultValueString", value: "mine"))
            try model.write(
                Model.contents.replacingOccurrences(
                    of: "        <attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>\n", with: ""))
            #expect(try !isSaved(session))
            session.resolve(version: "Library", resolution)
            #expect(try session.text().contains("name=\"title\"") == (resolution == .mine))
        }
    }

    @Test func editsThatWereUndoneWhileTheDiskWasFullStayUndone() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            // As if the entry of the undo had not been written.
            _ = try session.undo()
            session.rewriteJournal()
        }
        #expect(try model.open().recoverableCount == 0)
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
            _ = try session.undo()
            session.rewriteJournal()
        }
        let next = try model.open()
        #expect(next.recover().failures == 0)
        #expect(try next.text().contains("pageCount"))
        #expect(try !next.text().contains("Writer"))
    }

    @Test func nothingIsOfferedIfTheModelIsAsItWasSaved() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            #expect(try isSaved(session))
            _ = try session.undo()
            _ = try session.redo()
            _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
            _ = try session.perform(.rename(element: Model.entity("Writer"), name: "Author"))
            #expect(!session.isEdited)
        }
        do {
            let session = try model.open()
            #expect(session.recoverableCount == 0)
            _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
            _ = try session.undo()
            _ = try session.redo()
        }
        let next = try model.open()
        #expect(next.recover().failures == 0)
        #expect(try next.text().contains("Writer") && next.text().contains("pageCount"))
    }

    @Test func aDamagedJournalIsKeptAside() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
        }
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: model.cache).first)
        let url = URL(fileURLWithPath: model.cache + "/" + name)
        let bytes = Data("?".utf8) + (try Data(contentsOf: url))
        try bytes.write(to: url)
        let next = try model.open()
        #expect(next.recoverableCount == 0)
        let problem = next.snapshot(of: "Library").problems.first ?? ""
        #expect(problem.contains(name + ".damaged"), "\(problem)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + ".damaged")) == bytes)
        _ = try next.perform(rename)
    }

    @Test func theJournalSurvivesACrash() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
            _ = try session.perform(.delete(elements: [Model.entity("Book")]))
            _ = try session.undo()
        }
        let next = try model.open()
        // The deletion was undone.
        #expect(next.recoverableCount == 2)
        #expect(try next.text() == Model.contents)
        #expect(next.recover().failures == 0)
        let text = try next.text()
        #expect(text.contains("pageCount") && text.contains("Writer") && text.contains("name=\"Book\""))
        #expect(next.undoTitle == "Rename")
        next.close()
        // Open again without saving, as after another crash.
        let third = try model.open()
        #expect(third.recover().failures == 0)
        #expect(try third.text() == text)
        #expect(try isSaved(third))
        third.close()
        #expect(try model.open().recoverableCount == 0)
        #expect(try model.read() == text)
    }

    @Test func theJournalIsMergedWithAFileThatHasChangedSince() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
        }
        let other = Model.contents.replacingOccurrences(of: "key=\"note\"", with: "key=\"remark\"")
        try model.write(other)
        let next = try model.open()
        #expect(next.recover().failures == 0)
        #expect(try next.text().contains("pageCount"))
        #expect(try next.text().contains("remark"))
        next.close()
        // The merged state survives another crash.
        let third = try model.open()
        #expect(third.recover().failures == 0)
        #expect(try third.text().contains("pageCount"))
        #expect(try third.text().contains("remark"))
    }

    @Test func theLastLineOfAKilledProcessMayBeIncomplete() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: model.cache)
        let path = model.cache + "/" + (try #require(names.first))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"edit\":{\"_0\":".utf8))
        try handle.close()
        do {
            let next = try model.open()
            #expect(next.recover().failures == 0)
            #expect(try next.text().contains("pageCount"))
            _ = try next.perform(.rename(element: Model.entity("Author"), name: "Writer"))
        }
        let third = try model.open()
        #expect(third.recover().failures == 0)
        #expect(try third.text().contains("Writer"))
    }

    @Test func undoBehindASaveSurvivesACrash() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
            #expect(try isSaved(session))
            _ = try session.undo()
            _ = try session.undo()
            _ = try session.redo()
            _ = try session.perform(.set(element: Model.entity("Novel"), attribute: "isAbstract", value: "YES"))
            _ = try session.undo()
            _ = try session.redo()
        }
        let next = try model.open()
        #expect(next.recover().failures == 0)
        let text = try next.text()
        #expect(text.contains("pageCount") && text.contains("isAbstract") && !text.contains("Writer"))
    }

    @Test func leftoverEditsAreDecidedFirst() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
        }
        let next = try model.open()
        #expect(throws: EditRejection.self) { try next.perform(rename) }
        #expect(throws: EditRejection.self) { try next.save() }
        next.discardJournal()
        _ = try next.perform(rename)
        #expect(next.undoTitle == "Rename")
    }

    @Test func aSecondStudioOnAModelIsReadOnly() throws {
        let model = try Model()
        let first = try model.open()
        let second = try model.open()
        #expect(!first.isReadOnly)
        #expect(second.isReadOnly)
        #expect(second.readOnlyReason != nil)
    }

    @Test func aBrokenFileIsShownAndKept() throws {
        let broken = Model.contents.replacingOccurrences(of: "</configuration>", with: "")
        let model = try Model(broken)
        let session = try model.open()
        #expect(try !session.content.findings(of: "Library").isEmpty)
        #expect(throws: EditRejection.self) { try session.perform(rename) }
        #expect(try isSaved(session))
        #expect(try model.read() == broken)
    }

    @Test func aFileThatCannotBeWrittenKeepsTheEdits() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(rename)
        // A file in place of the folder.
        try FileManager.default.removeItem(atPath: model.path)
        try Data().write(to: URL(fileURLWithPath: model.path))
        #expect(try !isSaved(session))
        session.resolve(version: "Library", .mine)
        #expect(throws: EditRejection.self) { try session.save() }
        #expect(session.isEdited)
    }

    @Test func aRemovedFileIsWrittenAgainIfTheUserWantsIt() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(rename)
        try FileManager.default.removeItem(atPath: model.path)
        let revision = session.revision
        _ = session.poll()
        #expect(session.revision > revision)
        #expect(session.conflicts.map(\.isRemoved) == [true])
        #expect(try !isSaved(session))
        #expect(!FileManager.default.fileExists(atPath: model.path))
        session.resolve(version: "Library", .mine)
        #expect(try isSaved(session))
        #expect(try model.read().contains("pageCount"))
        #expect(!session.isEdited)
    }

    @Test func theCurrentVersionIsSavedAndUndone() throws {
        let model = try Model()
        let second = model.path + "/Library 2.xcdatamodel"
        try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
        try Data(Model.contents.utf8).write(to: URL(fileURLWithPath: second + "/contents"))
        let session = try model.open()
        _ = try session.perform(.makeCurrent(version: "Library 2"))
        #expect(session.currentVersion == "Library 2")
        #expect(try isSaved(session))
        let file = try String(contentsOfFile: model.path + "/.xccurrentversion", encoding: .utf8)
        #expect(file.contains("<string>Library 2.xcdatamodel</string>"))
    }
}
