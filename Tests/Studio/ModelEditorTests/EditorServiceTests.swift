import Foundation
import ModelEditor
import ModelcDriver
import Testing

/// The replies to the page.
@Suite struct EditorServiceTests {
    typealias Model = LibraryModel

    private func service(_ model: Model) throws -> EditorService {
        try EditorService(path: model.path, journalFolder: model.cache, isReadOnly: false, files: POSIXFileSystem())
    }

    @Test func anEditIsAnsweredWithWhatChanged() throws {
        let model = try Model()
        let service = try service(model)
        let opened = service.reply(to: EditorMessage(version: nil, request: .open(version: nil)))
        let state = try #require(opened.state)
        #expect(state.root?.c?.map(\.k) == ["entity", "entity", "entity", "fetchRequest", "configuration"])
        let edited = service.reply(
            to: EditorMessage(
                version: "Library", known: state.revision,
                request: .edit(operation: .rename(element: Model.attribute("Book", "pages"), name: "pageCount"))))
        #expect(edited.state?.root == nil)
        let splice = try #require(edited.state?.splice)
        #expect(splice.start == 1 && splice.count == 1 && splice.nodes.count == 1)
        #expect(splice.nodes.first?.c?.first?.a["name"] == "pageCount")
        // A page that missed a change receives everything.
        let stale = service.reply(to: EditorMessage(version: "Library", known: 0, request: .undo))
        #expect(stale.state?.root != nil)
    }

    @Test func renamesAreNamedToEveryPage() throws {
        let model = try Model()
        let service = try service(model)
        func reply(known: Int, _ request: EditorRequest) throws -> EditorReply {
            let reply = service.reply(to: EditorMessage(version: "Library", known: known, request: request))
            #expect(reply.problem == nil)
            return reply
        }
        func names(_ reply: EditorReply) -> [[String?]] {
            (reply.renamed ?? []).map { [$0.from.last?.name, $0.to.last?.name] }
        }
        let old = service.session.revision
        let renamed = try reply(
            known: old,
            .edit(
                operation: .group(
                    operations: [
                        .rename(element: Model.entity("Book"), name: "Volume"),
                        .rename(element: Model.attribute("Volume", "pages"), name: "pageCount"),
                    ], title: "Rename")))
        #expect(names(renamed) == [["Book", "Volume"], ["pages", "pageCount"]])
        let undone = try reply(known: try #require(renamed.state).revision, .undo)
        #expect(names(undone) == [["pageCount", "pages"], ["Volume", "Book"]])
        let redone = try reply(known: try #require(undone.state).revision, .redo)
        #expect(names(redone) == names(renamed))
        // Another page has none of it yet, and edits what it shows; the new entity of that name is another one.
        _ = try reply(
            known: try #require(redone.state).revision,
            .edit(
                operation: .add(
                    parent: ElementReference(version: "Library", []), kind: "entity", values: ["name": "Book"],
                    members: [])))
        let edited = try reply(
            known: old,
            .edit(operation: .set(element: Model.attribute("Book", "pages"), attribute: "optional", value: nil)))
        #expect(edited.selection == [Model.attribute("Volume", "pageCount")])
        #expect(names(edited) == names(renamed) + names(undone) + names(redone))
        let box = CanvasBox(name: "Book", x: 1, y: 2, width: 3, height: 4)
        _ = try reply(known: old, .edit(operation: .arrange(version: "Library", boxes: [box])))
        #expect(try service.session.text().contains("<element name=\"Volume\" positionX=\"1\""))
    }

    @Test func requestsAreJSON() throws {
        let model = try Model()
        let service = try service(model)
        let text = """
            {"version":"Library","known":0,"request":{"edit":{"operation":{"set":{"element":{"version":"Library","steps":\
            [{"kind":"entity","name":"Book","index":0}]},"attribute":"isAbstract","value":"YES"}}}}}
            """
        let reply = String(decoding: service.respond(to: EditorService.message(Array(text.utf8))), as: UTF8.self)
        #expect(reply.contains("\"isAbstract\":\"YES\""))
        for bad in ["", "{", "[]", "{\"request\":{\"unknown\":{}}}", "\u{0}"] {
            let reply = String(decoding: service.respond(to: EditorService.message(Array(bad.utf8))), as: UTF8.self)
            #expect(reply.contains("the request is not valid"))
        }
    }

    @Test func findingsComeWithFixes() throws {
        let model = try Model(
            Model.contents.replacingOccurrences(of: " inverseName=\"books\" inverseEntity=\"Author\"", with: ""))
        let service = try service(model)
        let findings = try #require(
            service.reply(to: EditorMessage(version: "Library", request: .findings)).findings)
        #expect(findings.contains { $0.element.first == "Author" || $0.element.first == "Book" })
        guard let number = findings.firstIndex(where: { !$0.fixes.isEmpty }) else { return }
        let before = try service.session.text()
        let finding = findings[number]
        let other = service.reply(
            to: EditorMessage(
                version: "Library", request: .fix(number: number, rule: finding.rule, element: ["Other"])))
        #expect(other.problem?.message == "the finding is out of date")
        // The finding that was meant, wherever it is now.
        let reply = service.reply(
            to: EditorMessage(
                version: "Library",
                request: .fix(number: number + 1, rule: finding.rule, element: finding.element)))
        #expect(reply.problem == nil)
        #expect(try service.session.text() != before)
        _ = try service.session.undo()
        #expect(try service.session.text() == before)
    }

    @Test func codeAndHashesFollowUnsavedEdits() throws {
        let model = try Model()
        let service = try service(model)
        _ = try service.session.perform(
            .add(parent: Model.entity("Book"), kind: "attribute", values: ["name": "isbn"], members: []))
        let code = try service.session.content.code(of: "Book", version: "Library")
        #expect(code.contains { $0.text.contains("isbn: String?") })
        let hashes = service.session.content.hashes(of: "Library")
        #expect(hashes.filter(\.isChanged).map(\.entity).sorted() == ["Book", "Novel"])
    }

    @Test func comparisonsHaveAVerdict() throws {
        let model = try Model()
        let service = try service(model)
        _ = try service.session.perform(
            .set(element: Model.attribute("Book", "title"), attribute: "attributeType", value: "Date"))
        let comparison = try service.session.content.comparison(of: "Library", with: .saved)
        #expect(!comparison.isMigratable)
        #expect(comparison.obstacles.map(\.element) == ["Book.title"])
        #expect(throws: InputFailure.self) {
            try service.session.content.comparison(of: "Library", with: .revision(name: "HEAD"))
        }
    }

    @Test func aNewVersionIsACopyOfTheSavedOne() throws {
        let model = try Model()
        let service = try service(model)
        _ = try service.session.perform(.rename(element: Model.entity("Author"), name: "Writer"))
        let reply = service.reply(to: EditorMessage(version: "Library", known: 1, request: .addVersion(name: nil)))
        #expect(reply.problem?.message == nil)
        #expect(service.session.versionNames == ["Library", "Library 2"])
        #expect(service.session.currentVersion == "Library 2")
        #expect(try service.session.text("Library 2").contains("Writer"))
    }

    private func send(_ request: EditorRequest, to service: EditorService) -> EditorReply {
        service.reply(to: EditorMessage(version: service.session.initialVersion, request: request))
    }

    @Test func aPlannedVersionIsNotWritten() throws {
        let model = try Model()
        let service = try service(model)
        let plan = try #require(send(.planVersion(name: nil), to: service).addition)
        #expect(plan.name == "Library 2" && plan.created.contains { $0.hasSuffix("Library 2.xcdatamodel/contents") })
        #expect((plan.created + plan.changed).contains { $0.hasSuffix(".xccurrentversion") })
        #expect(send(.planVersion(name: "Spring"), to: service).addition?.name == "Spring")
        for name in ["Library", "library", "a/b", ""] {
            let reply = send(.planVersion(name: name), to: service)
            #expect(reply.addition == nil && reply.problem != nil, "\(name)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: model.path).filter { $0.contains("Spring") } == [])
    }

    @Test func aNewVersionIsRemovedByUndoUntilTheNextSave() throws {
        let model = try Model()
        let service = try service(model)
        let before = try model.files()
        #expect(send(.addVersion(name: "Spring"), to: service).state?.undoTitle == "New Version “Spring”")
        #expect(service.session.currentVersion == "Spring")
        // Edits are undone first.
        _ = try service.session.perform(
            .rename(element: ElementReference(version: "Spring", [.init("entity", "Author")]), name: "Writer"))
        #expect(send(.undo, to: service).state?.undoTitle == "New Version “Spring”")
        let reply = send(.undo, to: service)
        #expect(reply.problem == nil && reply.notice == "Removed “Spring”")
        #expect(service.session.versionNames == ["Library"] && reply.state?.version == "Library")
        #expect(try model.files() == before)
        #expect(reply.state?.undoTitle == nil && reply.state?.redoTitle == nil)
        // After a save, it stays.
        _ = send(.addVersion(name: "Summer"), to: service)
        _ = try service.session.perform(
            .rename(element: ElementReference(version: "Summer", [.init("entity", "Author")]), name: "Writer"))
        #expect(send(.save, to: service).notice == "Saved")
        for _ in 0..<3 { _ = send(.undo, to: service) }
        #expect(service.session.versionNames == ["Library", "Summer"])
    }

    @Test func newVersionsAreRemovedByUndoInReverse() throws {
        let model = try Model()
        let service = try service(model)
        let before = try model.files()
        _ = send(.addVersion(name: "Spring"), to: service)
        #expect(send(.addVersion(name: "Summer"), to: service).state?.undoTitle == "New Version “Summer”")
        let reply = send(.undo, to: service)
        #expect(reply.notice == "Removed “Summer”" && reply.state?.undoTitle == "New Version “Spring”")
        #expect(service.session.currentVersion == "Spring")
        #expect(send(.undo, to: service).notice == "Removed “Spring”")
        #expect(try model.files() == before)
    }

    @Test func aVersionThatAnotherProgramHasChangedIsNotRemoved() throws {
        let model = try Model()
        let service = try service(model)
        _ = send(.addVersion(name: "Spring"), to: service)
        let note = model.path + "/Spring.xcdatamodel/note.txt"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: note))
        let files = try model.files()
        #expect(send(.undo, to: service).problem != nil)
        #expect(try model.files() == files && service.session.versionNames == ["Library", "Spring"])
        // Undo goes on with what was edited before.
        #expect(send(.undo, to: service).problem == nil)
    }

    @Test func aChangedVersionDoesNotBlockUndo() throws {
        let model = try Model()
        let service = try service(model)
        _ = send(.addVersion(name: "Spring"), to: service)
        let path = model.path + "/Spring.xcdatamodel/contents"
        let changed = Model.contents.replacingOccurrences(of: "key=\"note\"", with: "key=\"remark\"")
        try Data(changed.utf8).write(to: URL(fileURLWithPath: path))
        let rejected = send(.undo, to: service)
        let message = "“Spring” cannot be removed: the file has changed since it was written"
        #expect(rejected.problem?.message == message)
        #expect(service.session.refresh() == ["Spring"])
        let state = try #require(send(.open(version: "Spring"), to: service).state)
        #expect(state.undoTitle == "Change on Disk")
        #expect(send(.undo, to: service).problem == nil)
        #expect(try service.session.text("Spring").contains("key=\"note\""))
    }

    /// The location lines of a terminal are no part of the message.
    @Test func aVersionThatCannotBeAddedIsExplained() throws {
        let service = try service(Model())
        let problem = try #require(send(.addVersion(name: "Library"), to: service).problem)
        #expect(!problem.message.contains("error:") && !problem.message.contains("/"), "\(problem.message)")
    }

    /// Every XML attribute written by Xcode can be edited or is shown.
    @Test func theInspectorHasAllAttributesOfTheVocabulary() {
        for kind in InspectorVocabulary.kinds {
            let fields = InspectorVocabulary.fields(of: kind)
            #expect(!fields.isEmpty, "\(kind)")
            for field in fields where field.control == .choice {
                #expect(!field.choices.isEmpty, "\(kind).\(field.attribute)")
            }
        }
    }
}
