internal import Diagnostics
internal import ModelSource
package import ModelcDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Replies to the page's requests, in JSON. Not thread-safe.
package final class EditorService {
    /// The model.
    package let session: EditorSession
    /// The state that the last reply sent to the page.
    private var sent: (version: String, revision: Int, root: XMLNode)?
    /// The versions that were added since the last save, the last one at the end.
    private var added: [NewVersionCommand.Addition] = []
    private let isRestarted: Bool

    /// What the page says after the program has ended and was started again.
    package static let restartText = "The studio ended unexpectedly, and was started again."

    /// Creates a service for a model.
    ///
    /// - Parameter isRestarted: Whether an earlier service of the page ended unexpectedly.
    /// - Throws: If the path is not a model.
    package init(
        path: String, journalFolder: String?, isReadOnly: Bool, isRestarted: Bool = false, files: any FileSystem
    ) throws(InputFailure) {
        self.isRestarted = isRestarted
        session = try EditorSession(path: path, journalFolder: journalFolder, isReadOnly: isReadOnly, files: files)
    }

    /// Decodes a request; `nil` if it is not valid.
    package static func message(_ data: [UInt8]) -> EditorMessage? {
        try? JSONDecoder().decode(EditorMessage.self, from: Data(data))
    }

    /// Encodes a reply.
    package static func encoded(_ reply: EditorReply) -> [UInt8] {
        (try? JSONEncoder().encode(reply)).map { [UInt8]($0) } ?? []
    }

    /// Returns the encoded reply to a request; an invalid request is `nil`.
    package func respond(to message: EditorMessage?) -> [UInt8] {
        if let message { return Self.encoded(reply(to: message)) }
        var rejected = EditorReply()
        rejected.problem = .init(message: "the request is not valid", help: "Reload the page.")
        return Self.encoded(rejected)
    }

    /// Returns the reply to a request.
    package func reply(to message: EditorMessage) -> EditorReply {
        var reply = EditorReply()
        let version = message.version ?? session.initialVersion
        let known = message.known ?? session.revision
        do throws(EditRejection) {
            // Another page may have renamed what this one refers to.
            let request = message.request.updated(by: session.identityChanges(since: known))
            try perform(request, version: version, reply: &reply)
        } catch {
            reply.problem = .init(message: error.message, help: error.help)
        }
        switch message.request {
        case .open(let requested): reply.state = state(requested ?? session.initialVersion, known: nil)
        case .addVersion: reply.state = state(session.initialVersion, known: nil)
        case .undo where session.document(version) == nil:
            reply.state = state(session.initialVersion, known: nil)
        case .edit, .undo, .redo, .save, .fix, .recover, .discard, .resolve, .repair:
            reply.state = state(version, known: message.known)
        case .copy, .findings, .code, .hashes, .compare, .layout, .source, .check, .planVersion: break
        }
        if reply.state != nil {
            let renamed = session.identityChanges(since: known).filter { $0.version == version }
            if !renamed.isEmpty { reply.renamed = renamed }
        }
        return reply
    }

    private func perform(
        _ request: EditorRequest, version: String, reply: inout EditorReply
    ) throws(EditRejection) {
        switch request {
        case .open:
            _ = session.refresh()
            reply.vocabulary = Dictionary(
                uniqueKeysWithValues: InspectorVocabulary.kinds.map { ($0, InspectorVocabulary.fields(of: $0)) })
        case .edit(let operation): reply.selection = try session.perform(operation).selection
        case .undo where canRemoveVersion: reply.notice = try removeVersion()
        case .undo: _ = try session.undo()
        case .redo: _ = try session.redo()
        case .save: reply.notice = try save()
        case .copy(let elements): reply.text = session.copy(elements)
        case .fix(let number, let rule, let element):
            reply.selection = try session.fix(number, rule: rule, element: element, version: version).selection
        case .addVersion(let name): reply.notice = try addVersion(name)
        case .planVersion(let name):
            let addition = try addition(name)
            let folder = PathName.parent(of: session.path)
            func paths(_ writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)]) -> [String] {
                writes.map { write in
                    write.path.hasPrefix(folder + "/") ? String(write.path.dropFirst(folder.count + 1)) : write.path
                }
            }
            reply.addition = VersionAddition(
                name: addition.name, created: paths(addition.writes.filter { $0.expected == nil }),
                changed: paths(addition.writes.filter { $0.expected != nil }))
        case .recover:
            let recovery = session.recover()
            if recovery.failures > 0 {
                reply.notice =
                    "\(recovery.failures) edits could not be performed again"
                    + (recovery.copy.map { "; they are kept in “\($0)”" } ?? "")
            }
        case .discard: session.discardJournal()
        case .resolve(let version, let resolution): session.resolve(version: version, resolution)
        case .source: reply.source = session.damagedSource(of: version)
        case .check(let text): reply.source = try session.check(text, of: version)
        case .repair(let text):
            reply.source = try session.repair(version, with: text)
            if reply.source == nil { reply.notice = "Repaired and saved" }
        case .layout(let boxes): reply.boxes = session.layout(of: version, boxes)
        case .findings, .hashes, .code, .compare: reply = session.content.reply(to: request, version)
        }
    }

    private func save() throws(EditRejection) -> String? {
        switch try session.save() {
        case .saved(let paths):
            if !paths.isEmpty { added = [] }
            return paths.isEmpty ? "Nothing to save" : "Saved"
        case .conflict: return nil
        }
    }

    /// Returns what adding a version writes, without the edits that are saved before.
    private func addition(_ name: String?) throws(EditRejection) -> NewVersionCommand.Addition {
        let environment = DriverEnvironment(
            files: session.files, output: { _ in }, errorOutput: { _ in }, usesColor: false)
        do throws(InputFailure) {
            return try NewVersionCommand.addition(to: session.path, named: name, in: environment)
        } catch {
            let first = error.diagnostics.first
            throw EditRejection(first?.message ?? "no version could be added", help: first?.help)
        }
    }

    private func addVersion(_ name: String?) throws(EditRejection) -> String? {
        // An invalid name is rejected before anything is saved.
        _ = try addition(name)
        guard case .saved(let paths) = try session.save() else { return nil }
        if !paths.isEmpty { added = [] }
        let addition = try addition(name)
        do throws(FileSystemError) {
            try ModelFileSet.replace(addition.writes, files: session.files)
        } catch {
            throw EditRejection(error.diagnostic.message)
        }
        added.append(addition)
        try readVersions()
        return "Added “\(session.initialVersion)”"
    }

    /// Whether undo removes the version that was added last: everything that was edited since is undone, and nothing
    /// was saved.
    private var canRemoveVersion: Bool { !added.isEmpty && !session.isEdited && !session.isReadOnly }

    private func removeVersion() throws(EditRejection) -> String? {
        guard let addition = added.last else { return nil }
        do throws(FileSystemError) {
            try ModelFileSet.restore(addition.writes, files: session.files)
        } catch {
            // Earlier edits can be undone after it.
            added = []
            throw EditRejection("“\(addition.name)” cannot be removed: \(error.reason)", help: "It stays in the model.")
        }
        added.removeLast()
        try readVersions()
        return "Removed “\(addition.name)”"
    }

    private func readVersions() throws(EditRejection) {
        do throws(InputFailure) {
            try session.readVersions()
        } catch {
            throw EditRejection(error.diagnostics.first?.message ?? "the model cannot be read")
        }
    }

    /// Returns the state, with only the changed elements if the page has the state that was sent last.
    private func state(_ version: String, known: Int?) -> ModelSnapshot {
        var old: XMLNode?
        if let sent, let known, sent.revision == known, sent.version == version { old = sent.root }
        var state = session.snapshot(of: version, includesElements: old == nil)
        if isRestarted { state.problems.insert(Self.restartText, at: 0) }
        if canRemoveVersion, let added = added.last { state.undoTitle = "New Version “\(added.name)”" }
        if let root = session.root(of: state.version) {
            if let old {
                let change = TreeChange(version: version, from: old, to: root)
                if !change.isEmpty { state.splice = change.splice(in: old) }
            }
            sent = (state.version, state.revision, root)
        }
        return state
    }
}

extension EditorRequest {
    /// Whether the reply depends only on the model's content, takes long, and is useless after the next edit.
    package var isDerived: Bool {
        switch self {
        case .findings, .hashes, .code, .compare: true
        default: false
        }
    }
}

extension ModelContent {
    /// Returns the reply to a request that is derived from the model's content.
    package func reply(to message: EditorMessage) -> EditorReply {
        reply(to: message.request, message.version ?? currentName ?? documents[0].name)
    }

    func reply(to request: EditorRequest, _ version: String) -> EditorReply {
        var reply = EditorReply()
        do throws(InputFailure) {
            switch request {
            case .findings: reply.findings = try findings(of: version)
            case .hashes: reply.hashes = hashes(of: version)
            case .code(let entity): reply.code = try code(of: entity, version: version)
            case .compare(let other): reply.comparison = try comparison(of: version, with: other)
            default: break
            }
        } catch {
            let first = error.diagnostics.first
            reply.problem = .init(message: first?.message ?? "the model cannot be read", help: first?.help)
        }
        return reply
    }
}
