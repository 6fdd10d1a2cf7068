internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema
internal import SwiftDataModel

/// One run of a command of `modelc lock`, which keeps the version hashes of models in a file, so that a released
/// version cannot change unnoticed.
struct LockRun {
    /// What a command does with the lock.
    enum Action {
        /// Writes the hashes of drafts, and adds versions that the lock lacks.
        case update(LockUpdateCommand)
        /// Compares the lock with the models.
        case check
        /// Resolves the conflicts that git left in the lock.
        case rebase
    }

    var paths: [String]
    var lockPath: String
    var swift: SwiftReading
    let action: Action
    /// Whether only released versions are checked.
    var checksReleasesOnly = false

    func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let file = LockFile(files: environment.files, path: lockPath)
            let locked = (try? file.bytes().map(file.sides)).map { sides in
                Set([sides.ours, sides.theirs].flatMap { $0.entries.keys.map(\.model) })
            }
            let models = try LockedModels(
                paths: paths, lockPath: lockPath, lockedNames: locked ?? [], swift: swift,
                files: environment.files)
            for entry in models.entries { entry.set.addLines(to: &printer) }
            printer.print(models.diagnostics)
            guard printer.errorCount == 0 else { return .findings }
            switch action {
            case .update(let command):
                return try update(command, file: file, models: models, printer: &printer, environment: environment)
            case .check: return try check(file, models: models, printer: &printer, environment: environment)
            case .rebase: return try rebase(file, models: models, printer: &printer, environment: environment)
            }
        }
    }

    // MARK: Update

    private func update(
        _ command: LockUpdateCommand?, file: LockFile, models: LockedModels, printer: inout DiagnosticPrinter,
        environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let bytes = try file.bytes()
        var old = ModelLock()
        if let bytes { old = try file.lock(bytes) }
        try requireVersions((command?.released ?? []) + (command?.drafts ?? []), models)
        let releases = old.releases
        let new = try models.lock { model, version, isCurrent in
            if command?.releasesAll == true || command?.released.contains(version.name) == true { return true }
            if command?.drafts.contains(version.name) == true { return false }
            return releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let result = keepingOthers(of: old, models, new)
        // A version that was never released may change.
        var locked = old
        for key in old.entries.keys where command?.drafts.contains(key.version) == true {
            locked.entries[key]?.isReleased = false
        }
        let broken =
            command?.isForced == true
            ? [] : problems(locked, new: new, models: models, onlyReleased: true, history: history(environment.files))
        printer.print(broken)
        guard broken.isEmpty else { return .findings }
        return try write(result, over: old, bytes, file: file, environment: environment)
    }

    /// Returns the new lock with the old lines of models that were not checked and of versions that cannot be read.
    private func keepingOthers(of old: ModelLock, _ models: LockedModels, _ new: ModelLock) -> ModelLock {
        let names = Set(models.entries.map(\.name))
        let skipped = models.skippedVersions
        var result = new
        for (key, entry) in old.entries where !names.contains(key.model) || skipped.contains(key.owner) {
            result.entries[key] = entry
        }
        return result
    }

    private func requireVersions(_ requested: [String], _ models: LockedModels) throws(InputFailure) {
        let names = Set(models.entries.flatMap { $0.set.versions.map(\.name) })
        for name in requested where !names.contains(name) {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchVersion, "no model has a version “\(name)”",
                        help: "The versions are \(names.sorted().prefix(10).map { "“\($0)”" }.joined(separator: ", "))."
                    )
                ],
                exitCode: .couldNotRun)
        }
    }

    /// Writes the lock, unless the file has its lines already or is no longer as it was read.
    ///
    /// - Parameters:
    ///   - old: The lock that was read.
    ///   - bytes: The file from which it was read; `nil` if there was none.
    private func write(
        _ lock: ModelLock, over old: ModelLock, _ bytes: [UInt8]?, file: LockFile, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let text = lock.text
        if let bytes, TextLines.split(String(decoding: bytes, as: UTF8.self)) == TextLines.split(text) {
            environment.errorLine("modelc: \(file.path) is up to date")
            return .success
        }
        try InputFailure.wrapping { () throws(FileSystemError) in
            var transaction = OutputTransaction(files: environment.files)
            try transaction.write(file.path, Array(text.utf8), expecting: bytes ?? [])
            try transaction.commit()
        }
        let changed = lock.entries.count { old.entries[$0.key] != $0.value }
        let removed = old.entries.keys.count { lock.entries[$0] == nil }
        environment.errorLine(
            "modelc: wrote \(file.path): \(counted(changed, "line")) new or changed, \(removed) removed")
        return .success
    }

    // MARK: Check

    private func check(
        _ file: LockFile, models: LockedModels, printer: inout DiagnosticPrinter, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        guard let old = try file.read() else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "there is no lock", file: file.path,
                        help: "Write one with “modelc lock update”.")
                ],
                exitCode: .couldNotRun)
        }
        let releases = old.releases
        let new = try models.lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let found = problems(
            old, new: new, models: models, onlyReleased: checksReleasesOnly, history: history(environment.files))
        printer.print(found)
        if checksReleasesOnly { return try reportReleases(old, models: models, found: found, environment: environment) }
        if found.isEmpty { environment.errorLine("modelc: \(file.path) is up to date") }
        return found.hasErrors ? .findings : .success
    }

    /// Returns the findings about models that were read, and that a lock does not match.
    func findings(
        _ lock: ModelLock, models: LockedModels, files: any FileSystem
    ) throws(InputFailure) -> [Diagnostic] {
        let releases = lock.releases
        let new = try models.lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        return problems(lock, new: new, models: models, onlyReleased: false, history: history(files))
    }

    /// Returns the findings about released versions whose hashes differ from a lock's, and about models that cannot be
    /// read.
    func movedVersions(_ lock: ModelLock, _ files: any FileSystem) throws(InputFailure) -> [Diagnostic] {
        let models = try LockedModels(
            paths: paths, lockPath: lockPath, lockedNames: [], swift: swift, files: files)
        let releases = lock.releases
        let new = try models.lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        return models.diagnostics.filter { $0.severity == .error }
            + problems(lock, new: new, models: models, onlyReleased: true)
    }

    /// Prints how many released versions match the lock.
    private func reportReleases(
        _ lock: ModelLock, models: LockedModels, found: [Diagnostic], environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let names = Set(models.entries.map(\.name))
        let released = lock.releases.filter { names.contains($0.key.model) && $0.value }.count
        guard released > 0 else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchVersion,
                        "the lock has no released version of \(paths.joined(separator: ", "))",
                        file: lockPath, range: .fileStart,
                        help: "Add them with “modelc lock update --release VERSION”.")
                ],
                exitCode: .couldNotRun)
        }
        if found.isEmpty {
            environment.errorLine(
                "modelc: \(released) released version\(released == 1 ? " has" : "s have") the hashes in \(lockPath)")
        }
        return found.hasErrors ? .findings : .success
    }

    /// Returns a finding for each line on which the lock and the models disagree.
    private func problems(
        _ old: ModelLock, new: ModelLock, models: LockedModels, onlyReleased: Bool, history: LockHistory? = nil
    ) -> [Diagnostic] {
        let sets = Dictionary(models.entries.map { ($0.name, $0.set) }) { first, _ in first }
        var history = history
        let lines = lineNumbers(old)
        let releases = old.releases
        let skipped = models.skippedVersions
        var result = mixedVersions(old, models)
        for key in Set(old.entries.keys).union(new.entries.keys).sorted() {
            let (before, now) = (old.entries[key], new.entries[key])
            // A model that was not searched for is not known to be gone.
            guard before?.hash != now?.hash, sets[key.model] != nil || models.isWhole else { continue }
            let isReleased = releases[key.owner] == true
            let isSkipped = skipped.contains(key.owner)
            guard isReleased || !(onlyReleased || isSkipped), !(isSkipped && onlyReleased) else { continue }
            let position = SourcePosition(line: lines[key] ?? 1, column: 1)
            let range = SourceRange(start: position, end: position)
            let element =
                "“\(key.entity)” of the \(isReleased ? "released " : "")version “\(key.version)” (\(key.model))"
            let change =
                isSkipped
                ? "cannot be checked, because the version cannot be read"
                : before == nil
                    ? "is not in the lock" : now == nil ? "is in the lock and not in the model" : "has another hash"
            var diagnostic = Diagnostic(
                .error, rule: isReleased ? .releasedVersionEdited : .lockOutOfDate, "\(element) \(change)",
                file: lockPath, range: range)
            if let before, let now {
                diagnostic.why =
                    "The lock has \(before.hash.hexString.prefix(12))…, the model \(now.hash.hexString.prefix(12))…"
            }
            diagnostic.element = ElementPath(
                model: sets[key.model]?.name, version: key.version, components: [key.entity], kind: "entity")
            diagnostic.element?.modelPath = sets[key.model]?.path
            if !isReleased { diagnostic.command = "modelc lock update" }
            diagnostic.help =
                isReleased
                ? "Restore the version and make the change in a new one; if it was never released, run “modelc lock update "
                    + "--draft \(ShellWord.quoted(key.version))”."
                : "Run “modelc lock update”."
            let set = sets[key.model]
            if let set, set.kind == .swift {
                adapt(&diagnostic, to: set, key, isReleased: isReleased, isEdited: before != nil && now != nil)
            }
            if let set, let before, now != nil, let version = set.versions.first(where: { $0.name == key.version }),
                let edit = history?.change(of: key, from: before.hash, to: version, path: set.path)
            {
                diagnostic.describe(edit, of: key.entity, in: version)
            }
            result.append(diagnostic)
        }
        return result
    }

    private func history(_ files: any FileSystem) -> LockHistory {
        LockHistory(files: files, swift: swift, lockPath: lockPath)
    }

    /// Returns a finding for each version that is released and a draft at once.
    private func mixedVersions(_ lock: ModelLock, _ models: LockedModels) -> [Diagnostic] {
        let lines = lineNumbers(lock)
        let names = Set(models.entries.map(\.name))
        let versions = lock.mixedVersions.filter { models.isWhole || names.contains($0.model) }
        let allDrafts = Dictionary(
            grouping: lock.entries.filter { !$0.value.isReleased }.keys,
            by: \.owner)
        return versions.sorted { ($0.model, $0.name) < ($1.model, $1.name) }.map { version in
            let drafts = (allDrafts[version] ?? []).sorted()
            let position = SourcePosition(line: drafts.first.flatMap { lines[$0] } ?? 1, column: 1)
            var diagnostic = Diagnostic(
                .error, rule: .releasedVersionEdited,
                "the version “\(version.name)” (\(version.model)) has released and draft lines", file: lockPath,
                range: SourceRange(start: position, end: position))
            diagnostic.why =
                "A version is released as a whole; a merge has added or changed "
                + drafts.prefix(5).map { "“\($0.entity)”" }.joined(separator: ", ") + " after the release."
            diagnostic.help =
                "Restore the lines of the release from version control, and make the changes in a new version; if it was "
                + "never released, run “modelc lock update --draft \(ShellWord.quoted(version.name))”."
            return diagnostic
        }
    }

    /// Adds the location in Swift sources to a finding, and the help for versions that are declared in Swift.
    private func adapt(
        _ diagnostic: inout Diagnostic, to set: ModelSet, _ key: ModelLock.Key, isReleased: Bool, isEdited: Bool
    ) {
        guard isEdited, let version = set.versions.first(where: { $0.name == key.version }) else { return }
        let entity = version.model?.entities.first { $0.name == key.entity }
        if let location = version.swiftData?.location(of: entity?.origin) {
            diagnostic.related.append(
                RelatedLocation("“\(key.entity)” is declared here", file: location.file, range: location.range))
        }
        let isNamed = set.versions.count > 1 || set.statesCurrent
        diagnostic.help =
            isReleased
            ? "Restore the declaration, and make the change in a new `VersionedSchema`; if it was never released, run "
                + "“modelc lock update --draft \(ShellWord.quoted(key.version))”."
            : "Run “modelc lock update” if the version was never released. Otherwise restore the declaration, run “modelc lock "
                + "update --release \(ShellWord.quoted(key.version))”, and make the change in a new `VersionedSchema`"
                + (isNamed ? "." : ": “modelc swiftdata freeze SchemaV1” writes the first one.")
    }

    /// Returns the line number of each entry in the file.
    private func lineNumbers(_ lock: ModelLock) -> [ModelLock.Key: Int] {
        Dictionary(uniqueKeysWithValues: lock.entries.keys.sorted().enumerated().map { ($0.element, $0.offset + 2) })
    }

    // MARK: Rebase

    private func rebase(
        _ file: LockFile, models: LockedModels, printer: inout DiagnosticPrinter, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        guard let bytes = try file.bytes() else {
            return try update(nil, file: file, models: models, printer: &printer, environment: environment)
        }
        let sides = try file.sides(bytes)
        let (releases, otherReleases) = (sides.ours.releases, sides.theirs.releases)
        let merge = LockMerge(base: ModelLock(), ours: sides.ours, theirs: sides.theirs)
        var merged = merge.lock
        for conflict in merge.conflicts where conflict.isReleased {
            let version = ModelLock.Version(model: conflict.key.model, name: conflict.key.version)
            guard releases[version] == true, otherReleases[version] == true else {
                // The lines of the side that released the version are what users have.
                merged.entries[conflict.key] = releases[version] == true ? conflict.ours : conflict.theirs
                continue
            }
            let diagnostic = Diagnostic(
                .error, rule: .lockOutOfDate,
                "both sides released “\(conflict.key.entity)” of the version “\(conflict.key.version)” with different hashes",
                file: file.path, range: .fileStart,
                help:
                    "One of them has to become a new version: rename it with “modelc new-version”, then run this again."
            )
            printer.print([diagnostic])
            return .findings
        }
        let states = merged.releases
        let new = try models.lock { model, version, isCurrent in
            states[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let broken = problems(merged, new: new, models: models, onlyReleased: true)
        printer.print(broken)
        guard broken.isEmpty else { return .findings }
        return try write(
            keepingOthers(of: merged, models, new), over: merged, bytes, file: file, environment: environment)
    }
}

extension ModelLock.Key {
    /// The version that the line belongs to.
    fileprivate var owner: ModelLock.Version { ModelLock.Version(model: model, name: version) }
}
