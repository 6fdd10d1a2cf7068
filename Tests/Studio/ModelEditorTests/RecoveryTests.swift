import Foundation
import ModelEditor
import ModelcDriver
import Testing

/// Edits of a session that ended unexpectedly, while files have changed on disk.
@Suite struct RecoveryTests {
    typealias Model = LibraryModel

    private let rename = EditOperation.rename(element: Model.attribute("Book", "pages"), name: "pageCount")
    private let changed = Model.contents.replacingOccurrences(
        of: "    <fetchRequest name", with: "    <entity name=\"OnDisk\"/>\n    <fetchRequest name")

    /// Returns a model whose last session ended with two edits.
    private func crashed() throws -> Model {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(rename)
        _ = try session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
        return model
    }

    private func addVersion(_ name: String, to model: Model, _ contents: String = Model.contents) throws -> String {
        let folder = model.path + "/\(name).xcdatamodel"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: URL(fileURLWithPath: folder + "/contents"))
        return folder
    }

    private func journals(_ model: Model) throws -> [String: Int] {
        var result: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: model.cache) {
            result[name] = try Data(contentsOf: URL(fileURLWithPath: model.cache + "/" + name)).count
        }
        return result
    }

    @Test func undoBeforeRestoreKeepsTheEdits() throws {
        let model = try crashed()
        let session = try model.open()
        try model.write(changed)
        #expect(session.refresh() == ["Library"])
        #expect(session.undoTitle == nil)
        #expect(throws: EditRejection.self) { try session.undo() }
        #expect(throws: EditRejection.self) { try session.redo() }
        #expect(session.recoverableCount == 2)
        #expect(session.recover().failures == 0)
        let text = try session.text()
        #expect(text.contains("pageCount") && text.contains("Writer") && text.contains("OnDisk"))
        // Undo goes back to the edits before the merge, and then to the file that they were made in.
        while try session.undo() != nil {}
        #expect(try !session.text().contains("Writer") && session.text().contains("name=\"Book\""))
    }

    /// The steps of the journal's edits do not fit a file that an edit of the same session saw later.
    @Test func undoStepsBelongToTheTreeThatTheyChange() throws {
        let model = try Model()
        _ = try addVersion("Library 2", to: model)
        do {
            let session = try model.open()
            _ = try session.perform(
                .rename(element: ElementReference(version: "Library 2", [.init("entity", "Author")]), name: "Writer"))
            _ = try session.perform(rename)
            _ = try session.perform(
                .rename(element: Model.attribute("Book", "pageCount"), name: "pages"))
            try model.write(changed)
            #expect(session.refresh() == ["Library"])
            _ = try session.perform(rename)
        }
        let session = try model.open()
        #expect(session.recover().failures == 0)
        #expect(try session.text().contains("OnDisk"))
        while try session.undo() != nil {}
        #expect(try session.text() == changed)
        #expect(try session.text("Library 2") == Model.contents)
    }

    @Test func aDiscardOfNothingKeepsTheJournal() throws {
        let model = try Model()
        do {
            let session = try model.open()
            _ = try session.perform(rename)
            session.discardJournal()
            #expect(session.recover().failures == 0)
            #expect(session.undoTitle == "Rename")
        }
        #expect(try model.open().recoverableCount == 1)
    }

    // MARK: Repairs

    private static let broken = Model.contents.replacingOccurrences(of: "</configuration>", with: "</configuraton>")

    @Test func savingAnotherVersionKeepsARepair() throws {
        let model = try Model()
        _ = try addVersion("Library 2", to: model, Self.broken)
        let half = Self.broken + "<!-- half -->"
        do {
            let session = try model.open()
            _ = try session.check(half, of: "Library 2")
            _ = try session.perform(rename)
            _ = try session.save()
        }
        let next = try model.open()
        #expect(next.recoverableCount == 1)
        #expect(next.recover().failures == 0)
        #expect(next.damagedSource(of: "Library 2")?.text == half)
    }

    @Test(arguments: [true, false])
    func aRepairByAnotherProgramEndsTheRepair(afterCrash: Bool) throws {
        let model = try Model()
        let folder = try addVersion("Library 2", to: model, Self.broken)
        func repair() throws {
            try Data(Model.contents.utf8).write(to: URL(fileURLWithPath: folder + "/contents"))
        }
        do {
            let session = try model.open()
            _ = try session.check(Self.broken + "<!-- half -->", of: "Library 2")
            if !afterCrash {
                try repair()
                #expect(session.refresh() == ["Library 2"])
                #expect(try journals(model).values.allSatisfy { $0 == 0 })
            }
        }
        guard afterCrash else { return }
        try repair()
        let next = try model.open()
        #expect(next.recoverableCount == 1)
        #expect(next.recover().failures == 0)
        #expect(try journals(model).values.allSatisfy { $0 == 0 })
        next.close()
        #expect(try model.open().recoverableCount == 0)
    }

    // MARK: Removed versions

    @Test func editsOfARemovedVersionAreRestored() throws {
        let model = try Model()
        let folder = try addVersion("Library 2", to: model)
        do {
            let session = try model.open()
            _ = try session.perform(
                .rename(element: ElementReference(version: "Library 2", [.init("entity", "Author")]), name: "Writer"))
        }
        try FileManager.default.removeItem(atPath: folder)
        let session = try model.open()
        #expect(session.versionNames == ["Library"])
        #expect(session.recover().failures == 0)
        #expect(session.versionNames == ["Library", "Library 2"])
        #expect(session.conflicts.map(\.isRemoved) == [true])
        session.resolve(version: "Library 2", .mine)
        _ = try session.save()
        let saved = try String(contentsOfFile: folder + "/contents", encoding: .utf8)
        #expect(saved.contains("<entity name=\"Writer\"") && saved.contains("<entity name=\"Novel\""))
    }

    @Test func editsThatCannotBeRepeatedAreKeptInACopy() throws {
        let model = try Model()
        _ = try addVersion("Library 2", to: model, Self.broken)
        do {
            let session = try model.open()
            _ = try session.check(Self.broken + "<!-- half -->", of: "Library 2")
            _ = try session.perform(rename)
        }
        try FileManager.default.removeItem(atPath: model.path + "/Library 2.xcdatamodel")
        let session = try model.open()
        let recovery = session.recover()
        #expect(recovery.failures == 1)
        let copy = try String(contentsOfFile: try #require(recovery.copy), encoding: .utf8)
        #expect(copy.contains("<!-- half -->") && copy.contains("pageCount"))
        #expect(try session.text().contains("pageCount"))
        session.close()
        #expect(try model.open().recoverableCount == 1)
    }
}
