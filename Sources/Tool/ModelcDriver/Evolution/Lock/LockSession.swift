internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema

/// One run of a command of `modelc lock`, which keeps the version hashes of models in a file, so that a released
/// version cannot change unnoticed.
struct LockSession {
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
            : problems(locked, moves: moves, new: new, models)
                .findings(onlyReleased: true, history: history(environment.files))
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
        let new = try models.lock(keeping: old.releases)
        let found = problems(old, moves: moves, new: new, models)
            .findings(onlyReleased: checksReleasesOnly, history: history(environment.files))
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
        let new = try models.lock(keeping: lock.releases)
        return problems(lock, moves: moves, new: new, models)
            .findings(onlyReleased: false, history: history(files))
    }

    /// Returns the findings about released versions whose hashes differ from a lock's, and about models that cannot be
    /// read.
    func movedVersions(_ lock: ModelLock, _ files: any FileSystem) throws(InputFailure) -> [Diagnostic] {
        let models = try LockedModels(
            paths: paths, lockPath: lockPath, lockedNames: [], swift: swift, files: files)
        let new = try models.lock(keeping: lock.releases)
        return models.diagnostics.filter { $0.severity == .error }
            + problems(lock, new: new, models).findings(onlyReleased: true)
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

    /// - Parameters:
    ///   - old: The lock, with the new paths of moved models.
    ///   - new: The lines of the models as they are now.
    private func problems(
        _ old: ModelLock, moves: [LockedModels.Move] = [], new: ModelLock, _ models: LockedModels
    ) -> LockProblems {
        LockProblems(old: old, new: new, models: models, moves: moves, lockPath: lockPath)
    }

    private func history(_ files: any FileSystem) -> LockHistory {
        LockHistory(files: files, swift: swift, lockPath: lockPath)
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
        let new = try models.lock(keeping: merged.releases)
        let broken = problems(merged, moves: moves, new: new, models).findings(onlyReleased: true)
        printer.print(broken)
        guard broken.isEmpty else { return .findings }
        return try write(
            addingUncheckedLines(of: merged, models, new), over: original, bytes, file: file, environment: environment)
    }
}

extension ModelLock {
    /// Updates the paths of models that were moved, and returns the moves.
    fileprivate mutating func follow(_ models: LockedModels) -> [LockedModels.Move] {
        let moves = models.moves(from: self)
        for move in moves { rename(move.path, to: move.newPath) }
        return moves
    }
}

extension ModelLock.Key {
    /// The version that the line belongs to.
    var owner: ModelLock.Version { ModelLock.Version(model: model, name: version) }
}
