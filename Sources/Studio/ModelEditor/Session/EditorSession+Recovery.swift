internal import ModelSource
internal import ModelcDriver

extension EditorSession {
    /// The number of operations that an earlier run did not save.
    package var recoverableCount: Int {
        (journal?.found ?? []).count {
            switch $0 {
            case .edit, .contents, .draft: true
            case .base, .undo, .redo: false
            }
        }
    }

    /// Discards the operations that an earlier run did not save.
    package func discardJournal() {
        guard recoverableCount > 0 else { return }
        clearJournal()
    }

    /// The result of a recovery.
    package struct Recovery: Equatable, Sendable {
        /// The number of operations that could not be repeated.
        package var failures = 0
        /// The path of a copy of the journal that has them; `nil` if there are none, or the copy cannot be written.
        package var copy: String?
    }

    /// Repeats the operations that an earlier run did not save. Files that have changed since are merged.
    package func recover() -> Recovery {
        guard let journal, !isReadOnly, recoverableCount > 0 else { return Recovery() }
        let entries = journal.found
        let disk = Dictionary(documents.map { ($0.name, $0.base) }) { first, _ in first }
        // The entries are already in the file.
        let silent = self.journal
        self.journal = nil
        var recovery = Recovery()
        for entry in entries where !repeatEntry(entry) { recovery.failures += 1 }
        // Versions that were removed on disk are kept only for their edits.
        documents.removeAll { disk[$0.name] == nil && !$0.isEdited }
        self.journal = silent
        silent?.adoptExisting()
        if recovery.failures > 0 {
            recovery.copy = journal.keepCopy()
            if recovery.copy != nil { rewriteJournal() }
        }
        dropRepairedDrafts()
        if documents.contains(where: { disk[$0.name] != $0.base }) { _ = refresh() }
        return recovery
    }

    /// Repeats an entry of the journal, which leaves out what was undone.
    ///
    /// - Returns: Whether it could be repeated.
    private func repeatEntry(_ entry: ModelJournalEntry) -> Bool {
        switch entry {
        case .base(let version, let bytes):
            guard let index = documents.firstIndex(where: { $0.name == version }) else {
                return restoreDocument(version, bytes)
            }
            let old = documents[index]
            if old.isEdited {
                documents[index].rebase(bytes)
            } else {
                documents[index] = VersionDocument(name: version, path: old.path, bytes: bytes)
                if documents[index].root != old.root { forgetUndo(of: version) }
            }
        case .edit(let operation, _):
            do throws(EditRejection) { _ = try perform(operation) } catch { return false }
        case .contents(let version, let bytes):
            guard let index = documents.firstIndex(where: { $0.name == version }) else { return false }
            replace(index, disk: documents[index].base, contents: bytes, title: "Merge")
        case .draft(let version, let text):
            guard document(version) != nil else { return false }
            drafts[version] = text
            recordChange()
        case .undo, .redo: break
        }
        return true
    }

    /// Adds a version that was removed on disk since it was edited. `refresh` reports its removal.
    private func restoreDocument(_ version: String, _ bytes: [UInt8]) -> Bool {
        guard let path = ModelFileSet.contentsPath(ofVersion: version, in: path) else { return false }
        documents.insert(
            VersionDocument(name: version, path: path, bytes: bytes),
            at: documents.firstIndex { $0.name > version } ?? documents.endIndex)
        return true
    }

    /// Drops the repairs of files that another program has repaired.
    func dropRepairedDrafts() {
        let count = drafts.count
        drafts = drafts.filter { document($0.key)?.isEditable == false }
        if drafts.count < count, !isEdited { rewriteJournal() }
    }
}
