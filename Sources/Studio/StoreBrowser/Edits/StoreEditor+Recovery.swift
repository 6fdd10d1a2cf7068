internal import CoreData
internal import Foundation
internal import ModelEditor

/// The edits that an earlier run did not save.
extension StoreEditor {
    private typealias Edit = (edit: StoreEdit, versions: [String: Int])

    /// The result of repeating edits.
    private struct Replay {
        var restored: [Edit] = []
        var failureCount = 0
        /// The objects that another program has changed since they were edited, by URI.
        var changed: [String: NSManagedObject] = [:]
    }

    /// The number of edits that an earlier run did not save.
    var recoverableCount: Int { Self.edits(journal?.found ?? []).count }

    private static func edits(_ entries: some Sequence<StoreJournalEntry>) -> [Edit] {
        entries.compactMap { if case .edit(let edit, let versions) = $0 { (edit, versions ?? [:]) } else { nil } }
    }

    /// Returns the versions that the stored objects had when they were read that an edit has changed.
    func versions(ofObjectsIn edit: StoreEdit) -> [String: Int] {
        // Stores that are read as a whole count versions from the time that they were opened.
        guard session.kind == .sqlite else { return [:] }
        var versions: [String: Int] = [:]
        for uri in edit.changedURIs { versions[uri] = session.stack.registeredObject(uri)?.rowVersion }
        return versions
    }

    /// Repeats the edits that an earlier run did not save.
    ///
    /// - Parameter keepsEdits: Whether edits replace what other programs have written to the same objects since, or are
    ///   dropped; `nil` to ask, in which case nothing is restored if there are such objects.
    func recover(keepsEdits: Bool?, _ reply: inout StoreReply) throws {
        let entries = journal?.found ?? []
        // Of several saves, all but the last one failed.
        let last = entries.lastIndex { if case .saving = $0 { true } else { false } }
        let saved = try last.flatMap { index in
            if case .saving(let uri) = entries[index], try session.stack.contains(uri) { index } else { nil }
        }
        var edits = Self.edits(entries[(saved.map { $0 + 1 } ?? 0)...])
        var replay = try self.replay(edits)
        let conflicts = replay.changed.sorted { $0.key < $1.key }.compactMap { SaveConflict(restoring: $0.value) }
        if !conflicts.isEmpty, keepsEdits != true {
            context.rollback()
            forgetObjects()
            guard keepsEdits == false else {
                reply.conflicts = conflicts
                asksAboutRecovery = true
                return
            }
            let uris = Set(conflicts.map(\.uri))
            edits = edits.compactMap { edit in edit.edit.leavingOut(uris).map { ($0, edit.versions) } }
            replay = try self.replay(edits)
        }
        asksAboutRecovery = false
        journal?.adoptExisting()
        var copy: String?
        if replay.failureCount > 0 { copy = journal?.keepCopy() }
        if replay.failureCount == 0 || copy != nil,
            // A mark of a save must go, too: another program may get the number of its object.
            keepsEdits == false || replay.restored.count < entries.count
        {
            _ = journal?.replace(with: replay.restored.map { .edit($0.edit, versions: $0.versions) })
        }
        reply.notice =
            if replay.failureCount > 0 {
                "\(replay.failureCount) of \(edits.count) edits could not be repeated"
                    + (copy.map { "; they are kept in “\($0)”" } ?? "")
            } else if edits.isEmpty, saved != nil {
                "The edits of the last session are in the store"
            } else {
                "Restored \(edits.count) edits"
            }
        session.forgetMemberLists()
        reply.invalid = invalidValues()
    }

    /// - Throws: If another program locks the store: the edits can be repeated later.
    private func replay(_ edits: [Edit]) throws -> Replay {
        var replay = Replay()
        for edit in edits {
            // As when it was made: the order of new objects depends on it.
            revision += 1
            do {
                try apply(edit.edit)
            } catch {
                if StoreProblem(error).isBusy == true {
                    context.rollback()
                    forgetObjects()
                    throw error
                }
                replay.failureCount += 1
                continue
            }
            replay.restored.append(edit)
            for (uri, version) in versions(ofObjectsIn: edit.edit)
            where edit.versions[uri].map({ $0 != version }) == true {
                replay.changed[uri] = session.stack.registeredObject(uri)
            }
        }
        return replay
    }
}

extension StoreEdit {
    /// The URIs of the objects that the edit changes and that may be stored.
    var changedURIs: [String] {
        switch self {
        case .set, .link, .delete: [uri].compactMap(\.self)
        case .addMember(let uri, _, let destination), .removeMember(let uri, _, let destination),
            .moveMember(let uri, _, let destination, _):
            [uri, destination]
        case .group(let edits): edits.flatMap(\.changedURIs)
        case .create, .insert: []
        }
    }

    /// Returns the edit without changes to some objects; `nil` if it has no others.
    func leavingOut(_ uris: Set<String>) -> StoreEdit? {
        guard case .group(let edits) = self else { return changedURIs.contains(where: uris.contains) ? nil : self }
        let rest = edits.compactMap { $0.leavingOut(uris) }
        return rest.isEmpty ? nil : .group(rest)
    }
}
