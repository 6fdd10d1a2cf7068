package import Diagnostics
internal import ModelSource
package import ModelcDriver

/// A model that is being edited: all versions of a bundle, unlimited undo, a journal, and saving.
///
/// Not thread-safe.
package final class EditorSession {
    /// The result of an edit, for the page.
    package struct Outcome: Sendable {
        /// The elements that were created or renamed.
        package var selection: [ElementReference] = []
        /// The versions that changed.
        package var versions: [String] = []
    }

    /// A file that changed on disk while it had unsaved edits, in a way that cannot be merged.
    package struct Conflict: Sendable, Equatable {
        package var version: String
        /// Descriptions of the conflicting changes.
        package var descriptions: [String]
        /// Whether the file no longer exists; keeping the edits writes it again.
        package var isRemoved = false
    }

    /// The name of the model.
    package let name: String
    /// The path of the model.
    package let path: String
    /// Whether edits are rejected.
    package let isReadOnly: Bool
    /// The reason why edits are rejected although the caller did not request it; `nil` otherwise.
    package let readOnlyReason: String?
    /// The findings about the bundle itself.
    package private(set) var bundleDiagnostics: [Diagnostic]
    /// The number of changes so far, which never starts again; replies to an earlier state are out of date.
    package private(set) var revision = 0
    /// The unresolved conflicts.
    package internal(set) var conflicts: [Conflict] = []
    /// Whether the journal could not be written, so that a crash would lose edits.
    package private(set) var journalFailed = false

    let files: any FileSystem
    var documents: [VersionDocument]
    var currentName: String?
    var baseCurrentName: String?
    private(set) var currentVersionPath: String?
    var journal: Journal<ModelJournalEntry>?
    /// The stamp of each version's file when it was last read, and whether a later check found the same one.
    var stamps: [String: (stamp: FileStamp, isConfirmed: Bool)] = [:]
    /// The text of files that are being repaired, by version.
    var drafts: [String: String] = [:]
    private var undoSteps: [UndoStep] = []
    private var redoSteps: [UndoStep] = []
    /// The elements that were renamed, with the revisions since which they are.
    private var identityChanges: [(revision: Int, change: IdentityChange)] = []
    private var journaledVersions: Set<String> = []
    /// The numbers of the latest undo and redo steps that the journal has as operations.
    private var journaledSteps = (undo: 0, redo: 0)

    /// Opens a model.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld`, an `.xcdatamodel` or a `contents` file.
    ///   - journalFolder: The folder of journals; `nil` for no journal.
    ///   - isReadOnly: Whether edits are rejected.
    ///   - files: The file system.
    /// - Throws: If the path is not a model.
    package init(
        path: String, journalFolder: String?, isReadOnly: Bool = false, files: any FileSystem
    ) throws(InputFailure) {
        let set = try ModelFileSet(path: path, files: files)
        name = set.name
        self.path = set.path
        self.files = files
        bundleDiagnostics = set.diagnostics
        documents = set.versions.map { VersionDocument(name: $0.name, path: $0.path, bytes: $0.bytes) }
        currentName = set.currentName
        baseCurrentName = set.currentName
        currentVersionPath = set.currentVersionPath
        var reason: String?
        if !isReadOnly, let journalFolder {
            let canonical = files.canonicalPath(set.path) ?? set.path
            journal = Journal(path: canonical, folder: journalFolder, files: files)
            if journal == nil {
                reason = "the model is open in another studio, or the folder “\(journalFolder)” cannot be written"
            }
        }
        readOnlyReason = reason
        self.isReadOnly = isReadOnly || reason != nil
    }

    // MARK: State

    package var versionNames: [String] { documents.map(\.name) }

    /// The version that is shown first.
    package var initialVersion: String { currentName.flatMap { document($0)?.name } ?? documents[0].name }

    /// The name of the current version; `nil` if the model is a single version.
    package var currentVersion: String? { currentName }

    /// Whether there are unsaved edits.
    package var isEdited: Bool { currentName != baseCurrentName || documents.contains(where: \.isEdited) }

    /// The title of the operation that undo reverts, if any.
    package var undoTitle: String? { undoSteps.last?.title }

    /// The title of the operation that redo repeats, if any.
    package var redoTitle: String? { redoSteps.last?.title }

    /// Returns the bytes that saving would write for a version.
    package func bytes(ofVersion name: String) -> [UInt8]? { document(name).flatMap { try? $0.bytes() } }

    func document(_ name: String) -> VersionDocument? { documents.first { $0.name == name } }

    // MARK: Editing

    /// Performs an operation as one undo step.
    ///
    /// - Throws: `EditRejection` if it cannot be performed. In this case nothing has changed.
    package func perform(_ operation: EditOperation) throws(EditRejection) -> Outcome {
        try requireEditing()
        let versions = Set(operation.versions)
        var outcome = Outcome()
        var trees: [String: TreeEditor] = [:]
        var current = currentName
        for version in versions {
            guard let document = document(version) else { throw EditRejection("there is no version “\(version)”") }
            guard document.isEditable else {
                throw EditRejection(
                    "the file of “\(version)” cannot be read as a whole",
                    help: "Repair it with a text editor first: \(document.problems.first?.message ?? "").")
            }
            trees[version] = TreeEditor(root: document.root)
        }
        try apply(operation, to: &trees, &current)
        var step = UndoStep(title: operation.title)
        for (index, document) in documents.enumerated() {
            guard let tree = trees[document.name] else { continue }
            let change = TreeChange(version: document.name, from: document.root, to: tree.root)
            outcome.selection += tree.selection.map { ElementReference(version: document.name, $0) }
            guard !change.isEmpty else { continue }
            step.changes.append(change)
            step.identityChanges += tree.identityChanges.map {
                IdentityChange(version: document.name, from: $0.from, to: $0.to)
            }
            outcome.versions.append(document.name)
            recordBase(of: document)
            documents[index].root = tree.root
        }
        if current != currentName {
            step.currentVersion = (currentName, current)
            currentName = current
        }
        guard !step.changes.isEmpty || step.currentVersion != nil else { return outcome }
        push(step)
        journaledSteps = (journaledSteps.undo + 1, 0)
        write(.edit(operation, version: outcome.versions.first ?? ""))
        clearJournalIfUnedited()
        return outcome
    }

    func requireEditing() throws(EditRejection) {
        if isReadOnly {
            throw EditRejection("the model is open for reading only", help: readOnlyReason.map { "Reason: \($0)." })
        }
        if recoverableCount > 0 {
            throw EditRejection(
                "the last session ended with unsaved edits", help: "Restore or discard them first.")
        }
    }

    private func apply(
        _ operation: EditOperation, to trees: inout [String: TreeEditor], _ current: inout String?
    ) throws(EditRejection) {
        switch operation {
        case .group(let operations, _):
            for operation in operations { try apply(operation, to: &trees, &current) }
        case .makeCurrent(let version):
            guard currentVersionPath != nil else {
                throw EditRejection("only an .xcdatamodeld has versions")
            }
            guard document(version) != nil else { throw EditRejection("there is no version “\(version)”") }
            current = version
        default:
            guard let version = operation.versions.first else { return }
            try trees[version]?.perform(operation)
        }
    }

    /// Undoes the last operation.
    ///
    /// - Returns: The versions that changed, or `nil` if there is nothing to undo.
    /// - Throws: `EditRejection` if edits are rejected, or the model is not as the operation left it.
    package func undo() throws(EditRejection) -> [String]? {
        try requireEditing()
        guard let step = undoSteps.last else { return nil }
        try revert(step.changes.reversed()) { $0.undo(in: &$1) }
        undoSteps.removeLast()
        if let currentVersion = step.currentVersion { currentName = currentVersion.old }
        redoSteps.append(step)
        revision += 1
        recordIdentities(step.identityChanges.reversed().map(\.reversed))
        if journaledSteps.undo > 0 {
            journaledSteps = (journaledSteps.undo - 1, journaledSteps.redo + 1)
            write(.undo)
        } else {
            writeContents(of: step)
        }
        clearJournalIfUnedited()
        return step.changes.map(\.version)
    }

    /// Redoes the last undone operation.
    ///
    /// - Returns: The versions that changed, or `nil` if there is nothing to redo.
    /// - Throws: `EditRejection` if edits are rejected, or the model is not as the undo left it.
    package func redo() throws(EditRejection) -> [String]? {
        try requireEditing()
        guard let step = redoSteps.last else { return nil }
        try revert(step.changes) { $0.redo(in: &$1) }
        redoSteps.removeLast()
        if let currentVersion = step.currentVersion { currentName = currentVersion.new }
        undoSteps.append(step)
        revision += 1
        recordIdentities(step.identityChanges)
        if journaledSteps.redo > 0 {
            journaledSteps = (journaledSteps.undo + 1, journaledSteps.redo - 1)
            write(.redo)
        } else {
            writeContents(of: step)
        }
        clearJournalIfUnedited()
        return step.changes.map(\.version)
    }

    /// Undoes or redoes all changes of a step, or none.
    ///
    /// - Parameter apply: Returns whether the change fits the elements, which otherwise stay as they are.
    private func revert(
        _ changes: [TreeChange], _ apply: (TreeChange, inout XMLNode) -> Bool
    ) throws(EditRejection) {
        var changed = documents
        for change in changes {
            guard let index = changed.firstIndex(where: { $0.name == change.version }),
                apply(change, &changed[index].root)
            else {
                forgetUndo()
                throw EditRejection(
                    "“\(change.version)” is not as this edit left it", help: "Undo starts again with the next edit.")
            }
        }
        documents = changed
    }

    func push(_ step: UndoStep) {
        undoSteps.append(step)
        redoSteps = []
        journaledSteps.redo = 0
        revision += 1
        recordIdentities(step.identityChanges)
    }

    private func recordIdentities(_ changes: [IdentityChange]) {
        identityChanges += changes.map { (revision, $0) }
    }

    /// Returns the elements that were renamed after a revision, so that references made then can be updated.
    func identityChanges(since revision: Int) -> [IdentityChange] {
        let isNewer = identityChanges.reversed().prefix { $0.revision > revision }
        return isNewer.reversed().map(\.change)
    }

    /// Marks the state of the page as out of date, although no element changed.
    func recordChange() { revision += 1 }

    /// Reads which versions were added to the bundle or removed from it, and its current version. Undo steps and
    /// revisions continue.
    ///
    /// - Throws: If the bundle cannot be read.
    func readVersions() throws(InputFailure) {
        let set = try ModelFileSet(path: path, files: files)
        let names = Set(set.versions.map(\.name))
        let removed = documents.filter { !names.contains($0.name) && !$0.isEdited }.map(\.name)
        documents.removeAll { removed.contains($0.name) }
        for version in removed { forgetUndo(of: version) }
        for version in set.versions where document(version.name) == nil {
            documents.append(VersionDocument(name: version.name, path: version.path, bytes: version.bytes))
        }
        let order = Dictionary(set.versions.enumerated().map { ($1.name, $0) }) { first, _ in first }
        documents.sort { (order[$0.name] ?? .max, $0.name) < (order[$1.name] ?? .max, $1.name) }
        currentName = set.currentName
        baseCurrentName = set.currentName
        currentVersionPath = set.currentVersionPath
        bundleDiagnostics = set.diagnostics
        revision += 1
    }

    /// Discards the undo and redo steps, after a version was replaced on disk.
    func forgetUndo() {
        undoSteps = []
        redoSteps = []
        revision += 1
    }

    /// Discards the undo and redo steps that change a version.
    func forgetUndo(of version: String) {
        undoSteps.removeAll { step in step.changes.contains { $0.version == version } }
        redoSteps.removeAll { step in step.changes.contains { $0.version == version } }
        separateJournalFromUndo()
    }

    // MARK: Journal

    /// Stores the file of a version in the journal before its first edit.
    func recordBase(of document: VersionDocument) {
        guard journaledVersions.insert(document.name).inserted else { return }
        write(.base(version: document.name, bytes: document.base))
    }

    func write(_ entry: ModelJournalEntry) {
        guard let journal else { return }
        if journalFailed {
            // The whole state includes the operation.
            journalFailed = !journalWholeState(journal)
        } else if !journal.append(entry) {
            journalFailed = true
        }
    }

    /// Replaces the journal by the edited versions as a whole, after entries were lost because the disk was full, or
    /// could not be repeated.
    private func journalWholeState(_ journal: Journal<ModelJournalEntry>) -> Bool {
        var entries: [ModelJournalEntry] = []
        var versions: Set<String> = []
        for document in documents where document.isEdited {
            guard let bytes = try? document.bytes() else { return false }
            entries.append(.base(version: document.name, bytes: document.base))
            entries.append(.contents(version: document.name, bytes: bytes))
            versions.insert(document.name)
        }
        for (version, text) in drafts.sorted(by: { $0.key < $1.key }) {
            entries.append(.draft(version: version, text: text))
        }
        if currentName != baseCurrentName, let currentName {
            entries.append(.edit(.makeCurrent(version: currentName), version: currentName))
        }
        guard journal.replace(with: entries) else { return false }
        journaledVersions = versions
        journaledSteps = (0, 0)
        return true
    }

    /// Replaces the journal by the current state.
    func rewriteJournal() {
        guard let journal else { return }
        journalFailed = !journalWholeState(journal)
    }

    /// Stores the result of undoing or redoing a step whose operation is no longer in the journal because it was saved.
    private func writeContents(of step: UndoStep) {
        for change in step.changes {
            guard let document = document(change.version), let bytes = try? document.bytes() else { continue }
            recordBase(of: document)
            write(.contents(version: change.version, bytes: bytes))
        }
        if step.currentVersion != nil, let currentName {
            write(.edit(.makeCurrent(version: currentName), version: currentName))
        }
        journaledSteps = (0, 0)
    }

    /// The path of a copy of the journal, if it could not be read as a whole; otherwise `nil`.
    var damagedJournal: String? { journal?.damagedCopy }

    /// Records that the journal's operations no longer correspond to the undo steps.
    func separateJournalFromUndo() { journaledSteps = (0, 0) }

    /// Stores the new file of a version that other programs have changed, if the journal has an older one.
    func recordNewBase(of document: VersionDocument) {
        if journaledVersions.contains(document.name) { write(.base(version: document.name, bytes: document.base)) }
        separateJournalFromUndo()
    }

    /// Releases the journal, so that the model can be opened again.
    package func close() { journal = nil }

    /// Empties the journal if the model has no unsaved edits.
    private func clearJournalIfUnedited() {
        if journal != nil, !isEdited, drafts.isEmpty { clearJournal() }
    }

    func clearJournal() {
        journal?.clear()
        journaledVersions = []
        journaledSteps = (0, 0)
        journalFailed = false
    }
}
