internal import ModelSource
internal import ModelcDriver

extension EditorSession {
    /// The result of saving.
    package enum SaveResult: Sendable {
        /// The files were written, or there was nothing to write.
        case saved(paths: [String])
        /// A file changed on disk in a way that cannot be merged; nothing was written.
        case conflict
    }

    /// The resolution of a conflict.
    package enum Resolution: String, Codable, Sendable {
        /// The edits replace the file on disk.
        case mine
        /// The file on disk replaces the edits.
        case theirs
    }

    /// Writes the edited versions, after merging the changes that other programs made meanwhile.
    ///
    /// - Throws: `EditRejection` if a file cannot be written. In this case no file has changed, and the edits are kept.
    package func save() throws(EditRejection) -> SaveResult {
        try requireEditing()
        _ = refresh()
        guard conflicts.isEmpty else { return .conflict }
        var writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)] = []
        var isRight = true
        do throws(SourceText.CannotEncode) {
            for document in documents where document.isEdited {
                let bytes = try document.bytes()
                // An error of the writer must not reach the disk.
                isRight = isRight && document.isRepresented(by: bytes)
                let isMissing = document.isRestored && files.kind(of: document.path) == nil
                writes.append((document.path, bytes, isMissing ? nil : document.base))
            }
        } catch {
            throw EditRejection(
                "the file’s encoding, \(error.encodingName), has no “\(error.character)”",
                help: "Convert the file to UTF-8 first, or use another character.")
        }
        guard isRight else {
            throw EditRejection(
                "the saved file would not have the same content as the edited model",
                help: "This is a bug in modelc. Please report it with the file. Nothing was written.")
        }
        if let write = try currentVersionWrite() { writes.append(write) }
        do throws(FileSystemError) {
            for write in writes where write.expected == nil {
                try files.createDirectory(PathName.parent(of: write.path))
            }
            try ModelFileSet.replace(writes, files: files)
        } catch {
            throw EditRejection(
                "cannot \(error.action) “\(error.path)”: \(error.reason)",
                help: "The edits are still here, and in the journal. Save again once the cause is gone.")
        }
        for index in documents.indices {
            if let write = writes.first(where: { $0.path == documents[index].path }) {
                documents[index].rebase(write.bytes)
            }
        }
        baseCurrentName = currentName
        rewriteJournal()
        return .saved(paths: writes.map(\.path))
    }

    private func currentVersionWrite() throws(EditRejection) -> (path: String, bytes: [UInt8], expected: [UInt8]?)? {
        guard let currentVersionPath, let currentName, currentName != baseCurrentName else { return nil }
        guard let old = try? files.read(currentVersionPath) else {
            return (currentVersionPath, CurrentVersionFile.contents(naming: currentName), nil)
        }
        guard let new = CurrentVersionFile(bytes: old, path: currentVersionPath).naming(currentName) else {
            throw EditRejection(
                "“\(currentVersionPath)” contains unexpected keys",
                help: "Choose the current version in Xcode, or edit the file by hand.")
        }
        return (currentVersionPath, new, old)
    }

    /// Finds files that changed on disk, as `refresh` does, but reads only those whose time, size or identity changed.
    ///
    /// - Returns: The versions that changed.
    package func poll() -> [String] {
        var isChanged = !conflicts.isEmpty
        for document in documents {
            let stamp = files.stamp(of: document.path)
            let previous = stamps[document.path]
            if let stamp, let previous, previous.stamp == stamp, previous.isConfirmed { continue }
            // A file can be written twice within the resolution of its time stamp, so it is read until two checks find
            // the same stamp.
            stamps[document.path] = stamp.map { ($0, previous?.stamp == $0) }
            isChanged = true
        }
        return isChanged ? refresh() : []
    }

    /// Rereads files that changed on disk, and merges them with unsaved edits.
    ///
    /// - Returns: The versions that changed.
    package func refresh() -> [String] {
        var changed: [String] = []
        let old = conflicts
        conflicts = []
        // Pages learn of a conflict, and of its end, by the revision.
        defer { if conflicts != old { recordChange() } }
        for index in documents.indices {
            let document = documents[index]
            guard let disk = try? files.read(document.path) else {
                // Edits of a file that cannot be read for another reason are kept until they are saved.
                if document.isEdited, !document.isRestored, files.kind(of: document.path) == nil {
                    conflicts.append(
                        Conflict(version: document.name, descriptions: ["the file was removed"], isRemoved: true))
                }
                continue
            }
            guard disk != document.base else { continue }
            guard document.isEdited, let ours = try? document.bytes() else {
                reload(index, disk)
                changed.append(document.name)
                continue
            }
            guard
                let result = try? ModelMerger.merge(
                    base: document.base, ours: ours, theirs: disk, path: document.path, markers: ConflictMarkerStyle())
            else {
                conflicts.append(
                    Conflict(version: document.name, descriptions: ["the file on disk cannot be read as a whole"]))
                continue
            }
            guard result.conflicts.isEmpty else {
                conflicts.append(Conflict(version: document.name, descriptions: result.conflicts))
                continue
            }
            replace(index, disk: disk, contents: result.bytes, title: "Merge")
            changed.append(document.name)
        }
        return changed
    }

    /// Resolves a conflict.
    ///
    /// Changes that do not conflict are kept on both sides, and the result is one undo step.
    package func resolve(version: String, _ resolution: Resolution) {
        guard let index = documents.firstIndex(where: { $0.name == version }) else { return }
        guard let disk = try? files.read(documents[index].path) else {
            if resolution == .mine, files.kind(of: documents[index].path) == nil {
                documents[index].isRestored = true
                conflicts.removeAll { $0.version == version }
                recordChange()
            }
            return
        }
        conflicts.removeAll { $0.version == version }
        let document = documents[index]
        let side: MergeSide = resolution == .mine ? .ours : .theirs
        if let ours = try? document.bytes(),
            let result = try? ModelMerger.merge(
                base: document.base, ours: ours, theirs: disk, path: document.path, markers: ConflictMarkerStyle(),
                preferring: side)
        {
            replace(index, disk: disk, contents: result.bytes, title: "Merge")
        } else if resolution == .mine {
            // The file on disk cannot be read, so it cannot be merged: the edited version replaces it.
            documents[index].overwrite(disk)
            recordChange()
        } else {
            replace(index, disk: disk, contents: disk, title: "Use the File on Disk")
        }
    }

    /// Replaces a version without unsaved edits with the file on disk.
    private func reload(_ index: Int, _ disk: [UInt8]) {
        let old = documents[index]
        documents[index] = VersionDocument(name: old.name, path: old.path, bytes: disk)
        recordNewBase(of: documents[index])
        dropRepairedDrafts()
        guard documents[index].isEditable, old.isEditable else { return forgetUndo() }
        // Undo steps begin with what is restored.
        guard recoverableCount == 0 else { return recordChange() }
        let change = TreeChange(version: old.name, from: old.root, to: documents[index].root)
        guard !change.isEmpty else { return }
        push(UndoStep(title: "Change on Disk", changes: [change]))
    }

    /// Replaces a damaged version with the file that was just written.
    func replaceDamaged(_ version: String, _ bytes: [UInt8]) {
        guard let index = documents.firstIndex(where: { $0.name == version }) else { return }
        reload(index, bytes)
    }

    /// Replaces the edited elements of a version, as one undo step.
    func replace(_ index: Int, disk: [UInt8], contents: [UInt8], title: String) {
        let old = documents[index]
        let merged = VersionDocument(name: old.name, path: old.path, bytes: contents)
        recordBase(of: old)
        documents[index].rebase(disk)
        write(.base(version: old.name, bytes: disk))
        guard merged.isEditable else { return }
        documents[index].root = merged.root
        let change = TreeChange(version: old.name, from: old.root, to: merged.root)
        if !change.isEmpty { push(UndoStep(title: title, changes: [change])) }
        write(.contents(version: old.name, bytes: contents))
        separateJournalFromUndo()
    }
}
