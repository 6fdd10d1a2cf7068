internal import Diagnostics
internal import ModelEvolution
internal import ModelSource

// The files around a model are merged too: the lock, and the project that lists the model's versions.
extension MergeDriverCommand {
    /// The result of merging a file that is not a model.
    struct Merged {
        /// The result, with conflict markers if there are conflicts.
        var bytes: [UInt8]
        /// The conflicts that are left.
        var conflicts: [Diagnostic]
    }

    /// Merges a lock or a project.
    ///
    /// - Returns: `nil` if the file is neither.
    func mergeOtherFile(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String, files: any FileSystem
    ) throws(InputFailure) -> Merged? {
        switch PathName.name(of: path) {
        case LockFile.defaultName: try mergeLock(base: base, ours: ours, theirs: theirs, path: path)
        case "project.pbxproj": try mergeProject(base: base, ours: ours, theirs: theirs, path: path, files)
        default: nil
        }
    }

    private func mergeLock(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String
    ) throws(InputFailure) -> Merged {
        var locks: [ModelLock] = []
        for bytes in [base, ours, theirs] {
            do throws(ModelLock.Malformed) {
                locks.append(try ModelLock(text: String(decoding: bytes, as: UTF8.self)))
            } catch {
                let location = SourcePosition(line: error.line, column: 1)
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .malformedLock, error.message, file: path,
                            range: SourceRange(start: location, end: location),
                            help: "Merge the models, then write the lock again with “modelc lock rebase”.")
                    ],
                    exitCode: .findings)
            }
        }
        let merge = LockMerge(base: locks[0], ours: locks[1], theirs: locks[2])
        guard !merge.conflicts.isEmpty else { return Merged(bytes: Array(merge.lock.text.utf8), conflicts: []) }
        let conflicting = Dictionary(merge.conflicts.map { ($0.key, $0) }) { first, _ in first }
        var lock = merge.lock
        for key in conflicting.keys { lock.entries[key] = nil }
        var text = lock.text
        let style = (
            String(repeating: "<", count: markerSize), String(repeating: "=", count: markerSize),
            String(repeating: ">", count: markerSize)
        )
        for conflict in merge.conflicts {
            text += "\(style.0) \(oursLabel)\n"
            if let ours = conflict.ours { text += ModelLock.line(conflict.key, ours) + "\n" }
            text += "\(style.1)\n"
            if let theirs = conflict.theirs { text += ModelLock.line(conflict.key, theirs) + "\n" }
            text += "\(style.2) \(theirsLabel)\n"
        }
        return Merged(
            bytes: Array(text.utf8),
            conflicts: merge.conflicts.map { conflict in
                Self.diagnostic(conflict, path)
            })
    }

    private static func diagnostic(_ conflict: LockMerge.Conflict, _ path: String) -> Diagnostic {
        let element = "“\(conflict.key.entity)” of the version “\(conflict.key.version)”"
        guard conflict.isReleased else {
            return Diagnostic(
                .error, rule: .mergeConflict, "both sides changed \(element)", file: path,
                help: "Merge the models, then run “modelc lock rebase”.")
        }
        var diagnostic = Diagnostic(
            .error, rule: .mergeConflict, "one side released the version, and the other changed it: \(element) differs",
            file: path,
            help: "Restore the version as it was released and make the other side's changes in a new version, then run "
                + "“modelc lock rebase”.")
        diagnostic.why = "Stores of the release fail to open (134130) if the version changes."
        return diagnostic
    }

    private func mergeProject(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String, _ files: any FileSystem
    ) throws(InputFailure) -> Merged {
        // A project that cannot be read is merged as text, as it would be without this driver.
        let groups = try? ProjectMerge(base: base, ours: ours, theirs: theirs)
        let lines = try LineMerge(files: files).merge(
            base: groups?.base ?? base, ours: groups?.ours ?? ours, theirs: groups?.theirs ?? theirs, beside: oursPath,
            markers: (markerSize, oursLabel, theirsLabel))
        var conflicts = (groups?.conflicts ?? []).map { Self.diagnostic($0, path) }
        if lines.conflictCount > 0 {
            conflicts.append(
                Diagnostic(
                    .error, rule: .mergeConflict,
                    "\(counted(lines.conflictCount, "other part")) of the project changed on both "
                        + "sides", file: path, help: "Decide between the markers in the file."))
        }
        return Merged(bytes: lines.bytes, conflicts: conflicts)
    }

    private static func diagnostic(_ conflict: ProjectMerge.Conflict, _ path: String) -> Diagnostic {
        switch conflict {
        case .twoCurrentVersions(let model, let ours, let theirs):
            Diagnostic(
                .error, rule: .mergeConflict,
                "both sides chose a current version of “\(model)”: “\(ours)” and “\(theirs)”", file: path,
                help: "The file has “\(ours)”; change “currentVersion” if it is the other one.")
        case .removedCurrentVersion(let model, let version):
            Diagnostic(
                .error, rule: .mergeConflict,
                "one side chose “\(version)” as the current version of “\(model)”, and the other removed it",
                file: path,
                help: "The file still has the version; remove it and change “currentVersion” if it is to go.")
        }
    }
}
