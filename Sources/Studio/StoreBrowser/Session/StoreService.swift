internal import CoreData
internal import Foundation
internal import ModelEditor
package import ModelcDriver
internal import StoreFile

/// Answers the data browser's requests, in JSON. Not thread-safe.
package final class StoreService {
    private let path: String
    /// The model, which may be one that was found.
    private var modelPath: String?
    /// Whether the studio also has a model open.
    private let hasModel: Bool
    private let journalFolder: String?
    private let isWritable: Bool
    private let isReadOnly: Bool
    private let escapesFormulas: Bool
    private let isRestarted: Bool
    /// The identity of this service, for the page.
    private let run = UUID().uuidString
    private let files: any FileSystem
    private var problem: StoreProblem?
    private(set) var session: StoreSession?
    private(set) var editor: StoreEditor?
    /// The models that the last search has found.
    private var foundModels: [ModelSearch.Result.Match] = []

    /// The size in bytes of the largest file that a value can be replaced by: edits are kept in memory and in the
    /// journal.
    package static let byteLimit = 32 << 20
    /// The maximum number of objects that are edited or imported at once.
    package static let rowLimit = 10_000

    /// Opens a store, or records why it cannot be shown.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - modelPath: The model; `nil` for the copy in the store.
    ///   - journalFolder: The folder of journals; `nil` for no journal.
    ///   - isWritable: Whether the store is opened for writing.
    ///   - isReadOnly: Whether write access is never granted.
    ///   - isRestarted: Whether an earlier service of the page ended unexpectedly.
    ///   - escapesFormulas: Whether CSV exports have an apostrophe before strings that spreadsheets would interpret as
    ///     formulas.
    package init(
        path: String, modelPath: String?, journalFolder: String?, isWritable: Bool, isReadOnly: Bool,
        escapesFormulas: Bool = false, isRestarted: Bool = false, files: any FileSystem
    ) {
        self.isRestarted = isRestarted
        self.escapesFormulas = escapesFormulas
        self.path = path
        self.modelPath = modelPath
        hasModel = modelPath != nil
        self.journalFolder = isReadOnly ? nil : journalFolder
        self.isWritable = isWritable && !isReadOnly
        self.isReadOnly = isReadOnly
        self.files = files
        open()
    }

    private func open() {
        problem = nil
        do throws(StoreProblem) {
            let session = try StoreSession(path: path, modelPath: modelPath, files: files)
            self.session = session
            let editor = StoreEditor(session, journalFolder: journalFolder, files)
            self.editor = editor
            if isWritable { try editor.enable() }
        } catch {
            problem = error
        }
    }

    /// Decodes a request; `nil` if it is not valid.
    package static func request(_ data: [UInt8]) -> StoreRequest? {
        try? JSONDecoder().decode(StoreRequest.self, from: Data(data))
    }

    /// Answers a request; `nil` for one that is not valid.
    package func respond(to request: StoreRequest?) -> [UInt8] {
        var reply = StoreReply()
        if let request {
            reply = self.reply(to: request)
        } else {
            reply.problem = StoreProblem("the request is not valid", help: "Reload the page.")
        }
        return Self.encoded(reply)
    }

    /// Returns a reply in JSON.
    package static func encoded(_ reply: StoreReply) -> [UInt8] {
        (try? JSONEncoder().encode(reply)).map { [UInt8]($0) } ?? []
    }

    /// Answers a request.
    package func reply(to request: StoreRequest) -> StoreReply {
        var reply = StoreReply()
        openLater(for: request)
        guard let session else {
            replyWithoutModel(to: request, &reply)
            reply.state = state()
            return reply
        }
        let isLocked = session.isLocked
        guard !isLocked || !request.readsStore else {
            reply.problem = session.lockProblem
            return reply
        }
        if !isLocked { session.refresh() }
        session.stack.context.performAndWait {
            do {
                try read(request, session: session, reply: &reply)
            } catch {
                reply.problem = StoreProblem(error)
            }
        }
        return reply
    }

    /// Answers a request for a store that cannot be shown.
    private func replyWithoutModel(to request: StoreRequest, _ reply: inout StoreReply) {
        guard problem?.needsModel == true else {
            if !request.asksForState { reply.problem = problem }
            return
        }
        do {
            switch request {
            case .open, .poll: break
            case .tables: reply.tables = try RawTables(path: files.systemPath(path)).tables()
            case .table(let name, let offset, let limit):
                reply.cells = try RawTables(path: files.systemPath(path)).rows(
                    of: name, offset: Self.index(offset), limit: min(max(1, limit), 500))
            case .findModels:
                let folders = Set([PathName.parent(of: path), "."].map { files.fullPath($0.isEmpty ? "." : $0) ?? $0 })
                let result = try ModelSearch.run(
                    store: path, try StoreKind(path, files), below: folders.sorted(), files)
                foundModels = result.matches
                reply.models = result
            case .useModel(let index):
                guard foundModels.indices.contains(index) else {
                    throw StoreProblem("this model was not found", help: "Search again.")
                }
                let old = modelPath
                modelPath = foundModels[index].path
                open()
                reply.problem = problem
                // The tables are shown as before.
                if session == nil {
                    modelPath = old
                    open()
                }
            default: reply.problem = problem
            }
        } catch let error as StoreFileError {
            reply.problem = StoreProblem(error.message, help: error.help)
        } catch {
            reply.problem = StoreProblem(error)
        }
    }

    /// Opens a store that could not be opened before: the program that had locked it may be done.
    ///
    /// The page asks for the state all the time, which must not wait.
    private func openLater(for request: StoreRequest) {
        guard session == nil, request.asksForState else { return }
        // Only a model that is named, or a reload, opens a store without a model.
        if case .poll = request, problem?.needsModel == true || isLocked { return }
        open()
    }

    /// Whether another program has locked the store, so that it cannot be read for now.
    package var isLocked: Bool {
        session?.isLocked ?? StoreSession.isLocked(storeAt: files.systemPath(path))
    }

    private func read(_ request: StoreRequest, session: StoreSession, reply: inout StoreReply) throws {
        switch request {
        case .open: reply.state = state()
        case .poll: reply.state = state(includesEntities: false)
        case .counts: reply.counts = try counts(session)
        case .rows(let query, let offset, let limit):
            reply.page = try page(query, offset: Self.index(offset), limit: min(max(1, limit), 500), session: session)
        case .uris(let query, let offset, let limit):
            let ids = try session.list(query).ids(
                from: Self.index(offset), limit: min(max(1, limit), Self.rowLimit))
            reply.uris = ids.map(\.uriText)
        case .explain(let query): reply.sql = try session.sql(query)
        case .complete(let entity, let text, let position):
            reply.completions = PredicateCompletion.completions(text, at: position, try session.entity(entity))
        case .object(let uri, let members):
            reply.object = RowBuilder(stack: session.stack).details(
                of: try session.stack.object(uri), members: members ?? [:])
        case .value(let uri, let key): reply.value = ValueDetails(try bytes(uri, key))
        case .history(let before, let limit):
            reply.history = try HistoryPage(session.stack, before: before, limit: min(max(1, limit), 200))
        case .findings: reply.findings = try check()?.run() ?? StoreFindings(note: "Only SQLite stores are checked.")
        default:
            guard let editor else { return }
            defer { reply.state = state(includesEntities: false) }
            try editor.perform(request, isReadOnly: isReadOnly, &reply)
        }
    }

    /// Returns an index that the sum with a limit does not overflow.
    private static func index(_ offset: Int) -> Int { min(max(0, offset), 1 << 31) }

    /// Returns the state for the page.
    private func state(includesEntities: Bool = true) -> StoreState {
        var warnings = isRestarted ? [EditorService.restartText] : []
        if let session, session.model.isFallback {
            warnings.append("The store is shown with \(session.model.origin).")
        }
        if let problem = session?.refreshProblem {
            warnings.append(
                "The store has changed on disk and cannot be read now: \(problem.message). What was read before is shown."
            )
        }
        if session?.isReplaced == true {
            warnings.append(
                "The store was replaced by another file. Your edits cannot be saved in it; discard them to see the new file."
            )
        }
        if let copy = editor?.damagedJournal {
            warnings.append("Unsaved edits of an earlier session cannot be read; they are kept in “\(copy)”.")
        }
        let isLocked = problem?.needsModel != true && isLocked
        if let session, isLocked {
            let message = session.lockProblem.message
            warnings.append(
                "\(message.prefix(1).uppercased())\(message.dropFirst()). What was read before is shown; edits are kept."
            )
        }
        return StoreState(
            run: run, name: path.split(separator: "/").last.map(String.init) ?? path, kind: session?.kind.rawValue,
            modelOrigin: session?.model.origin, hasModel: hasModel, warnings: warnings,
            entities: includesEntities ? session?.entities() ?? [] : [], problem: problem,
            isEditable: session?.stack.isWritable ?? false, isLocked: isLocked,
            canEnableEditing: session != nil && !isReadOnly && session?.stack.isWritable == false,
            isEdited: session?.stack.context.hasChanges ?? false, canUndo: editor?.canUndo ?? false,
            canRedo: editor?.canRedo ?? false, recoverableCount: editor?.recoverableCount ?? 0,
            revision: (session?.diskRevision ?? 0) + (editor?.revision ?? 0), byteLimit: Self.byteLimit,
            rowLimit: Self.rowLimit)
    }

    private func counts(_ session: StoreSession) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in session.entities() {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name)
            request.includesPendingChanges = false
            counts[entity.name] = try session.stack.context.count(for: request)
        }
        return counts
    }

    private func page(_ query: ListQuery, offset: Int, limit: Int, session: StoreSession) throws -> RowPage {
        let list = try session.list(query)
        let entity = try session.entity(query.entity)
        let builder = RowBuilder(stack: session.stack)
        let properties = RowBuilder.properties(of: entity)
        let found = try list.page(from: offset, limit: limit, prefetching: RowBuilder.prefetchedKeys(of: entity))
        let rows = found.objects.map { id, object in
            object.map { builder.row($0, properties) }
                ?? ListRow(
                    uri: id.uriText, entity: id.entity.name ?? "", key: id.keyText, cells: [], change: nil,
                    isMissing: true)
        }
        return RowPage(offset: offset, total: found.total, rows: rows)
    }

    private func hasBytes(_ attribute: NSAttributeDescription?) -> Bool {
        attribute.map { [.binaryDataAttributeType, .transformableAttributeType].contains($0.attributeType) } ?? false
    }

    private func noBytes(_ key: String) -> StoreProblem { StoreProblem("“\(key)” has no bytes") }

    /// The bytes of a binary or transformable attribute, or of an element of a composite one, for the viewer and for
    /// images.
    private func bytes(_ uri: String, _ key: String) throws -> Data {
        guard let session else { throw StoreProblem("there is no store") }
        let object = try session.stack.object(uri)
        guard hasBytes(object.entity.attribute(at: key)) else { throw noBytes(key) }
        let names = key.split(separator: ".").map(String.init)
        let value = names.dropFirst().reduce(object.value(forKey: names[0])) { ($0 as? [String: Any])?[$1] }
        guard let data = value as? Data else {
            throw StoreProblem("there is no value, or its file is missing", help: "Check the folder of external data.")
        }
        return data
    }

    /// Replaces the value of a binary attribute, as an edit that can be undone.
    ///
    /// - Returns: The answer in JSON.
    package func replaceBytes(uri: String, key: String, with bytes: [UInt8]) -> [UInt8] {
        var reply = StoreReply()
        let type = session.flatMap { session in
            session.stack.context.performAndWait {
                (try? session.stack.object(uri))?.entity.attribute(at: key)?.attributeType
            }
        }
        if bytes.count > Self.byteLimit {
            reply.problem = StoreProblem("the file is larger than \(Self.byteLimit >> 20) MB")
        } else if type != .binaryDataAttributeType {
            reply.problem = StoreProblem(
                "“\(key)” is not a binary attribute of an object in the store", help: "Reload the list.")
        } else {
            reply = self.reply(to: .edit(.set(uri: uri, key: key, text: Data(bytes).base64EncodedString())))
        }
        return Self.encoded(reply)
    }

    /// Returns an image or the bytes of an attribute for a download.
    ///
    /// - Returns: The bytes, with the media type of an image or `application/octet-stream`; `nil` if there are none, as
    ///   the object or the value may be gone since the page was drawn.
    /// - Throws: `StoreProblem` if the URI and the key are not those of an attribute with bytes.
    package func blob(uri: String, key: String) throws(StoreProblem) -> (bytes: [UInt8], type: String)? {
        let url = URL(string: uri)
        let entity = url?.scheme == "x-coredata" ? url?.pathComponents.dropFirst().first : nil
        guard let session, let entity, hasBytes(session.model.model.entitiesByName[entity]?.attribute(at: key)) else {
            throw noBytes(key)
        }
        // Pages have many images: none of them waits for another program.
        guard !session.isLocked else { return nil }
        session.refresh()
        return session.stack.context.performAndWait { () -> (bytes: [UInt8], type: String)? in
            guard let data = try? bytes(uri, key) else { return nil }
            return ([UInt8](data), ByteForm(data).imageType ?? "application/octet-stream")
        }
    }

    /// Returns a check of what is saved in the store; `nil` for a store without a SQLite file.
    package func check() -> StoreCheck? {
        guard let session, session.kind == .sqlite else { return nil }
        return StoreCheck(path: path, modelPath: modelPath, files: files, stamp: session.fileStamp())
    }

    /// Opens an export of what is saved in the store.
    ///
    /// - Throws: `StoreProblem` if there is no store, or if the query is invalid.
    package func export(_ query: ListQuery, as format: ExportFormat) throws(StoreProblem) -> StoreExport {
        guard let session else { throw problem ?? StoreProblem("there is no store") }
        return try StoreExport(
            session: try session.copy(), query: query, format: format, escapesFormulas: escapesFormulas)
    }
}
