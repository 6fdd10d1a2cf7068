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
        let lockedVersions = Set(old.entries.keys.map(\.version))
        try requireVersions(command?.released ?? [], models)
        try requireVersions((command?.drafts ?? []).filter { !lockedVersions.contains($0) }, models)
        let original = old
        let moves = old.follow(models)
        let releases = old.releases
        let new = try models.lock { model, version, isCurrent in
            if command?.releasesAll == true || command?.released.contains(version.name) == true { return true }
            if command?.drafts.contains(version.name) == true { return false }
            return releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let isForced = command?.isForced == true
        // A version that was never released may change.
        var locked = old
        let names = Set(models.entries.map(\.name))
        for key in old.entries.keys where command?.drafts.contains(key.version) == true {
            if names.contains(key.model) || models.isGone(key.model) { locked.entries[key]?.isReleased = false }
        }
        let broken =
            isForced
            ? []
            : problems(
                locked, moves: moves, new: new, models: models, onlyReleased: true, history: history(environment.files))
        printer.print(broken)
        guard broken.isEmpty else { return .findings }
        let result = addingUncheckedLines(of: locked, models, new, dropsReleased: isForced)
        return try write(result, over: original, bytes, file: file, environment: environment)
    }

    /// Returns the new lock with the old lines of models that were not checked and of versions that cannot be read.
    ///
    /// - Parameter dropsReleased: Whether released lines of models that are gone are dropped, as drafts of these are.
    private func addingUncheckedLines(
        of old: ModelLock, _ models: LockedModels, _ new: ModelLock, dropsReleased: Bool = false
    ) -> ModelLock {
        let names = Set(models.entries.map(\.name))
        let skipped = models.skippedVersions
        var result = new
        for (key, entry) in old.entries {
            let isKept =
                names.contains(key.model)
                ? skipped.contains(key.owner)
                : !models.isGone(key.model) || entry.isReleased && !dropsReleased
            if isKept { result.entries[key] = entry }
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
        guard var old = try file.read() else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "there is no lock", file: file.path,
                        help: "Write one with “modelc lock update”.")
                ],
                exitCode: .couldNotRun)
        }
        let moves = old.follow(models)
        let releases = old.releases
        let new = try models.lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let found = problems(
            old, moves: moves, new: new, models: models, onlyReleased: checksReleasesOnly,
            history: history(environment.files))
        printer.print(found)
        if checksReleasesOnly { return try reportReleases(old, models: models, found: found, environment: environment) }
        if found.isEmpty { environment.errorLine("modelc: \(file.path) is up to date") }
        return found.hasErrors ? .findings : .success
    }

    /// Returns the findings about models that were read, and that a lock does not match.
    func findings(
        _ lock: ModelLock, models: LockedModels, files: any FileSystem
    ) throws(InputFailure) -> [Diagnostic] {
        var lock = lock
        let moves = lock.follow(models)
        let releases = lock.releases
        let new = try models.lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        return problems(
            lock, moves: moves, new: new, models: models, onlyReleased: false, history: history(files))
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

    /// Returns a finding for each line on which the lock and the models disagree, and for each model that was moved.
    ///
    /// - Parameters:
    ///   - old: The lock, with the new paths of moved models.
    ///   - moves: The models that were moved.
    private func problems(
        _ old: ModelLock, moves: [LockedModels.Move] = [], new: ModelLock, models: LockedModels, onlyReleased: Bool,
        history: LockHistory? = nil
    ) -> [Diagnostic] {
        let sets = Dictionary(models.entries.map { ($0.name, $0.set) }) { first, _ in first }
        var history = history
        let lines = lineNumbers(old, moves)
        let releases = old.releases
        let skipped = models.skippedVersions
        var result = mixedVersions(old, models, lines: lines)
        for key in Set(old.entries.keys).union(new.entries.keys).sorted() {
            let (before, now) = (old.entries[key], new.entries[key])
            // A model that was not searched for is not known to be gone.
            guard before?.hash != now?.hash, sets[key.model] != nil || models.isGone(key.model) else { continue }
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
            if set == nil, isReleased {
                diagnostic.help =
                    "Restore the model. If it was never released, run “modelc lock update --draft "
                    + "\(ShellWord.quoted(key.version))”; if no store of it has to be opened any more, “modelc lock update "
                    + "--force” removes its lines."
            }
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
        return onlyReleased ? result : result + findings(about: moves)
    }

    private func history(_ files: any FileSystem) -> LockHistory {
        LockHistory(files: files, swift: swift, lockPath: lockPath)
    }

    /// Returns a finding for each version that is released and a draft at once.
    private func mixedVersions(
        _ lock: ModelLock, _ models: LockedModels, lines: [ModelLock.Key: Int]
    ) -> [Diagnostic] {
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

    /// Returns the line number of each entry in the file, which has the old paths of moved models.
    private func lineNumbers(_ lock: ModelLock, _ moves: [LockedModels.Move]) -> [ModelLock.Key: Int] {
        let paths = Dictionary(moves.map { ($0.newPath, $0.path) }) { first, _ in first }
        let keys = lock.entries.keys.map { key in
            var line = key
            line.model = paths[key.model] ?? key.model
            return (key: key, line: line)
        }
        return Dictionary(
            uniqueKeysWithValues: keys.sorted { $0.line < $1.line }.enumerated().map { ($1.key, $0 + 2) })
    }

    private func findings(about moves: [LockedModels.Move]) -> [Diagnostic] {
        moves.map { move in
            var diagnostic = Diagnostic(
                .error, rule: .lockOutOfDate, "“\(move.path)” is now “\(move.newPath)”", file: lockPath,
                range: .fileStart, help: "Run “modelc lock update”.")
            diagnostic.command = "modelc lock update"
            return diagnostic
        }
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
                    "One of them has to become a new version: keep the lines and the model of one side, add the model of "
                    + "the other side with “modelc new-version”, and record it with “modelc lock update --release VERSION”."
            )
            printer.print([diagnostic])
            return .findings
        }
        let original = merged
        let moves = merged.follow(models)
        let states = merged.releases
        let new = try models.lock { model, version, isCurrent in
            states[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
        let broken = problems(merged, moves: moves, new: new, models: models, onlyReleased: true)
        printer.print(broken)
        guard broken.isEmpty else { return .findings }
        return try write(
            addingUncheckedLines(of: merged, models, new), over: original, bytes, file: file, environment: environment)
    }
}

extension ModelLock {
    /// Gives models that were moved their new paths, and returns the moves.
    fileprivate mutating func follow(_ models: LockedModels) -> [LockedModels.Move] {
        let moves = models.moves(from: self)
        for move in moves { rename(move.path, to: move.newPath) }
        return moves
    }
}

extension ModelLock.Key {
    /// The version that the line belongs to.
    fileprivate var owner: ModelLock.Version { ModelLock.Version(model: model, name: version) }
}
