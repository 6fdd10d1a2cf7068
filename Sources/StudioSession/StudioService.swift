internal import Diagnostics
internal import ModelSource
package import ModelcDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Answers the page's requests, in JSON. Not thread-safe.
package final class StudioService {
    /// The model.
    package private(set) var session: StudioSession
    private let journalFolder: String?
    /// The state that the last answer sent to the page.
    private var sent: (version: String, revision: Int, root: XMLNode)?

    /// Creates a service for a model.
    ///
    /// - Throws: If the path is not a model.
    package init(
        path: String, journalFolder: String?, isReadOnly: Bool, files: any FileSystem
    ) throws(InputFailure) {
        self.journalFolder = journalFolder
        session = try StudioSession(path: path, journalFolder: journalFolder, isReadOnly: isReadOnly, files: files)
    }

    /// Answers a request.
    package func respond(to data: [UInt8]) -> [UInt8] {
        let reply: StudioReply
        if let message = try? JSONDecoder().decode(StudioMessage.self, from: Data(data)) {
            reply = self.reply(to: message)
        } else {
            var rejected = StudioReply()
            rejected.problem = .init(message: "the request is not valid", help: "Reload the page.")
            reply = rejected
        }
        return (try? JSONEncoder().encode(reply)).map { [UInt8]($0) } ?? []
    }

    /// Answers a request.
    package func reply(to message: StudioMessage) -> StudioReply {
        var reply = StudioReply()
        let version = message.version ?? session.initialVersion
        do throws(EditRejection) {
            try perform(message.request, version, &reply)
        } catch {
            reply.problem = .init(message: error.message, help: error.help)
        }
        switch message.request {
        case .open(let wanted): reply.state = state(wanted ?? session.initialVersion, known: nil)
        case .addVersion: reply.state = state(session.initialVersion, known: nil)
        case .edit, .undo, .redo, .save, .fix, .recover, .discard, .resolve, .repair:
            reply.state = state(version, known: message.known)
        case .copy, .findings, .code, .hashes, .compare, .layout, .source, .check: break
        }
        return reply
    }

    private func perform(
        _ request: StudioRequest, _ version: String, _ reply: inout StudioReply
    ) throws(EditRejection) {
        switch request {
        case .open:
            _ = session.refresh()
            reply.vocabulary = Dictionary(
                uniqueKeysWithValues: InspectorVocabulary.kinds.map { ($0, InspectorVocabulary.fields(of: $0)) })
        case .edit(let operation): reply.selection = try session.perform(operation).selection
        case .undo: _ = session.undo()
        case .redo: _ = session.redo()
        case .save: reply.notice = try save()
        case .copy(let elements): reply.text = session.copy(elements)
        case .fix(let number, let rule):
            reply.selection = try session.fix(number, rule: rule, version: version).selection
        case .addVersion: reply.notice = try addVersion()
        case .recover:
            let failures = session.recover()
            if failures > 0 { reply.notice = "\(failures) edits could not be performed again" }
        case .discard: session.discardJournal()
        case .resolve(let version, let resolution): session.resolve(version: version, resolution)
        case .source: reply.source = session.damagedSource(of: version)
        case .check(let text): reply.source = try session.check(text, of: version)
        case .repair(let text):
            reply.source = try session.repair(version, with: text)
            if reply.source == nil { reply.notice = "Repaired and saved" }
        case .layout(let boxes): reply.boxes = session.layout(of: version, boxes)
        case .hashes: reply.hashes = session.hashes(of: version)
        case .findings, .code, .compare: try read(request, version, &reply)
        }
    }

    /// Answers requests that use commands of modelc.
    private func read(
        _ request: StudioRequest, _ version: String, _ reply: inout StudioReply
    ) throws(EditRejection) {
        do throws(InputFailure) {
            switch request {
            case .findings: reply.findings = try session.findings(of: version)
            case .code(let entity): reply.code = try session.code(of: entity, version: version)
            case .compare(let other): reply.comparison = try session.comparison(of: version, with: other)
            default: break
            }
        } catch {
            let first = error.diagnostics.first
            throw EditRejection(first?.message ?? "the model cannot be read", help: first?.help)
        }
    }

    private func save() throws(EditRejection) -> String? {
        switch try session.save() {
        case .saved(let paths): paths.isEmpty ? "Nothing to save" : "Saved"
        case .conflict: nil
        }
    }

    private func addVersion() throws(EditRejection) -> String? {
        guard case .saved = try session.save() else { return nil }
        var errors = ""
        let environment = DriverEnvironment(
            files: session.files, output: { _ in }, errorOutput: { errors += $0 }, usesColor: false)
        guard NewVersionCommand.addVersion(to: session.path, in: environment) == .success else {
            throw EditRejection(errors.split(separator: "\n").first.map(String.init) ?? "no version could be added")
        }
        session.close()
        do throws(InputFailure) {
            session = try StudioSession(path: session.path, journalFolder: journalFolder, files: session.files)
        } catch {
            throw EditRejection(error.diagnostics.first?.message ?? "the model cannot be read")
        }
        sent = nil
        return "Added “\(session.initialVersion)”"
    }

    /// Returns the state, with only the changed elements if the page has the state that was sent last.
    private func state(_ version: String, known: Int?) -> ModelSnapshot {
        var old: XMLNode?
        if let sent, let known, sent.revision == known, sent.version == version { old = sent.root }
        var state = session.snapshot(of: version, includesElements: old == nil)
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
