internal import Diagnostics
internal import ModelCheck
internal import ModelEvolution
internal import ModelLint
internal import ModelMigration
internal import ModelSchema
internal import ModelSource
internal import ProjectConfiguration

/// One run of `modelc breaking`.
struct BreakingSession {
    private let reference: BreakingReference
    private let options: Options
    private let settings: RunSettings
    private let fileSystem: any FileSystem
    private let evidence: StoreEvidence?
    private var checkedModels: Set<String> = []
    /// The paths of models that only the reference has.
    private var missingModels: [String]
    /// The suppressions of the model that is being compared, by version.
    private var suppressions: [String: Suppressions] = [:]
    /// The version hashes of all versions that were compared.
    private var knownVersions: Set<EntityVersionHashes> = []

    /// The hashes of the released versions that no version has, as far as all were read.
    private(set) var lostHashes: Set<EntityVersionHashes> = []

    private(set) var diagnostics: [Diagnostic] = []
    /// The number of findings that suppressions hide.
    private(set) var hiddenCount = 0
    /// Descriptions of the comparisons, for the summary.
    private(set) var comparisons: [String] = []
    /// The models of which the reference has no released version, so that nothing was compared: a finding for each.
    private(set) var uncompared: [Diagnostic] = []
    /// The number of models that were compared.
    private var comparedCount = 0
    /// Whether a model was to be compared, and the reference has no released version of any. Models that are new need
    /// not be compared.
    var hasComparedNothing: Bool { comparedCount == 0 && diagnostics.isEmpty && !uncompared.isEmpty }
    /// The lines of the files that were read, by path.
    private(set) var lines: [String: LineIndex] = [:]
    private(set) var files: [String] = []

    /// What is compared and reported.
    struct Options {
        /// How strict the comparison is.
        var level: CompatibilityLevel
        /// Whether problems that the released state has already are reported.
        var includesEarlierChanges: Bool
        /// The paths at and below which models, and their mapping models, are searched.
        var searchedPaths: [String]
        /// The mapping models that were read already; `nil` to search for them.
        var mappings: [(path: String, result: Result<MappingInput, InputFailure>)]?
    }

    /// The verdict about the worst of the models that were compared, or that are new; `nil` if there are none.
    private(set) var verdict: Verdict?

    /// The number of problems that the released state has already, and that are not reported.
    private(set) var earlierCount = 0

    /// Creates a session.
    ///
    /// - Parameter missingModels: The paths of models that only the reference has.
    init(
        reference: BreakingReference, missingModels: [String], options: Options, settings: RunSettings,
        files: any FileSystem, evidence: StoreEvidence?
    ) {
        self.reference = reference
        self.missingModels = missingModels
        self.options = options
        self.settings = settings
        fileSystem = files
        self.evidence = evidence
    }

    /// Compares one model with its released state.
    ///
    /// - Parameter versions: The names of the versions that may have changed, other than the current one; `nil` if that
    ///   is unknown.
    mutating func check(_ set: ModelSet, versions: Set<String>? = nil) throws(InputFailure) {
        let path = set.path
        record(set)
        let lockName = LockedModels.name(of: path, lockPath: reference.lockPath, fileSystem)
        checkedModels.insert(lockName)
        diagnostics += set.diagnostics.filter { $0.severity == .error || $0.reportsSkippedVersion }
        var history = try history(of: set)
        var found = try reference.released(of: set, like: history, lockName: lockName, versions: versions)
        if found == nil { found = try movedModel(like: history, path) }
        guard let released = found else {
            verdict = max(verdict ?? .compatible, .compatible)
            comparisons.append("\(path) is new; there is nothing to compare it with")
            return
        }
        try Self.requireRelated(released, to: history, path: path)
        guard !released.history.versions.isEmpty else {
            return uncompared.append(Self.nothingReleased(path, released.description))
        }
        comparedCount += 1
        var before = released.history
        knownVersions.formUnion((history.versions + before.versions).map(\.hashes))
        if !released.namesVersions { before = Self.renamed(before, like: history) }
        comparisons.append(Self.comparison(of: path, with: released))
        if history.current == nil, options.level >= .migratable, history.versions.count > 1 {
            history.currentName = history.versions.last?.name
        }
        let result = try changes(in: history, against: before, set)
        let shown = result.changes.filter { add($0, set: set, description: released.description) }
        for change in shown {
            switch change.kind {
            case .editedVersion, .rolledBackVersion, .deletedVersion:
                lostHashes.formUnion(change.versions.compactMap { before.version(named: $0)?.hashes })
            default: break
            }
        }
        let own = Verdict(changes: shown, from: before, to: history)
        verdict = max(verdict ?? own, own)
        guard !options.includesEarlierChanges else {
            for change in result.earlierChanges { _ = add(change, set: set, description: released.description) }
            return
        }
        // Counted without those that settings hide.
        let (reported, hidden) = (diagnostics, hiddenCount)
        earlierCount += result.earlierChanges.count { add($0, set: set, description: released.description) }
        (diagnostics, hiddenCount) = (reported, hidden)
    }

    /// Adds the files of a model, to which the next findings refer.
    private mutating func record(_ set: ModelSet) {
        suppressions = [:]
        lines.merge(set.otherLines) { first, _ in first }
        for version in set.versions {
            guard let document = version.document else { continue }
            lines[document.path] = document.lines
            files.append(document.path)
        }
    }

    /// Throws if a released state without names of versions is that of another model.
    private static func requireRelated(
        _ released: BreakingReference.Released, to history: ModelHistory, path: String
    ) throws(InputFailure) {
        guard !released.namesVersions, !isRelated(released.history, to: history) else { return }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noSuchVersion, "\(released.description) and \(path) are different models",
                    file: path, range: .fileStart, why: "They have no entity in common.",
                    help: "Compare with a released state of the model.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the line of the summary about a comparison.
    private static func comparison(of path: String, with released: BreakingReference.Released) -> String {
        let skipped = released.skippedVersionNames.map { "“\($0)”" }.joined(separator: ", ")
        return "compared \(path) with \(released.description) (\(list(released.history))"
            + (skipped.isEmpty ? ")" : "; without \(skipped), which cannot be read)")
    }

    private func changes(
        in history: ModelHistory, against released: ModelHistory, _ set: ModelSet
    ) throws(InputFailure) -> BreakingCheck.Result {
        let isStepwise = settings.configuration.strategy == .stepwise
        guard options.level == .migratable else {
            return BreakingCheck.changes(in: history, against: released, level: options.level, isStepwise: isStepwise)
        }
        let folder = PathName.parent(of: set.path)
        let folders = options.searchedPaths.filter { fileSystem.kind(of: $0) == .directory && !ModelFinder.isModel($0) }
        let mappings =
            if let inputs = options.mappings {
                try ProjectMappings(inputs, set)
            } else {
                try ProjectMappings(
                    searched: folders.isEmpty ? [folder.isEmpty ? "." : folder] : folders, isNamed: false, set: set,
                    files: fileSystem)
            }
        var failure: InputFailure?
        func hasMappingsUnchanged() -> Bool {
            do throws(InputFailure) {
                return try reference.hasMappingsUnchanged(below: folders.isEmpty ? [folder] : folders)
            } catch {
                failure = error
                return false
            }
        }
        let result = BreakingCheck.changes(
            in: history, against: released, level: options.level, isStepwise: isStepwise,
            knowsEarlierMigrations: hasMappingsUnchanged()
        ) { mappings.mapping(from: $0, to: $1) != nil }
        if let failure { throw failure }
        return result
    }

    /// Returns the finding about a model that was compared with nothing.
    private static func nothingReleased(_ path: String, _ description: String) -> Diagnostic {
        Diagnostic(
            .error, rule: .noSuchVersion, "nothing was compared: “\(description)” has no released version of the model",
            file: path, range: .fileStart, why: "The lock marks its versions as drafts, and drafts may change.",
            help: "If a version was released, mark it with “modelc lock update --release VERSION”, and compare with a "
                + "state in which the lock says so. “--lock FILE” names another lock; without one, every version of a "
                + "revision counts as released.")
    }

    /// Reports the models that are in the reference but no longer on disk.
    mutating func checkMissingModels(searched paths: [String]) {
        let reason = "Stores of the model can no longer be opened."
        let isWhole = fileSystem.isWorkingDirectory(paths)
        for model in reference.lockedModels where isWhole && !checkedModels.contains(model) {
            report(
                Diagnostic(
                    .error, rule: .releasedVersionDeleted, "the model “\(model)” is in the lock and not on disk",
                    file: reference.lockPath, why: reason,
                    help: "Restore the model, or remove its lines from the lock."))
        }
        for model in missingModels {
            // A model that cannot be read in the revision was still released.
            let released = try? reference.released(inRevision: model, lockName: model)
            guard released?.history.versions.isEmpty != true else { continue }
            let command = "git checkout \(ShellWord.quoted(reference.name)) -- \(ShellWord.quoted(model))"
            var diagnostic = Diagnostic(
                .error, rule: .releasedVersionDeleted,
                "the model “\(model)” was deleted; \(reference.name) still contains it", file: model,
                range: .fileStart, why: reason, help: "Restore it with “\(command)”.")
            diagnostic.command = command
            report(diagnostic)
        }
    }

    /// Reports the stores that are ignored, because their hashes match no compared version.
    mutating func checkEvidence() {
        for path in evidence?.strangers(to: knownVersions) ?? [] {
            diagnostics.append(
                Diagnostic(
                    .warning, rule: .notAStore, "the store matches none of the compared versions and is ignored",
                    file: path, range: .fileStart,
                    why: "Its entities may only share their names with those of the model.",
                    help: "Specify a folder with stores of released versions."))
        }
    }

    /// Returns the released state of a model that was in another folder.
    private mutating func movedModel(
        like history: ModelHistory, _ path: String
    ) throws(InputFailure) -> BreakingReference.Released? {
        let hashes = Set(history.versions.map(\.hashes))
        for (index, candidate) in missingModels.enumerated() {
            guard let released = try reference.released(inRevision: candidate, lockName: candidate),
                PathName.name(of: candidate) == PathName.name(of: path)
                    || released.history.versions.contains(where: { hashes.contains($0.hashes) })
            else { continue }
            missingModels.remove(at: index)
            return released
        }
        return nil
    }

    private mutating func report(_ diagnostic: Diagnostic) {
        var diagnostic = diagnostic
        if let chosen = settings.selection.severities[diagnostic.rule] {
            guard let severity = chosen else { return }
            diagnostic.severity = severity
        }
        verdict = .wouldLockUsersOut
        diagnostics.append(diagnostic)
    }

    private func history(of set: ModelSet) throws(InputFailure) -> ModelHistory {
        var versions: [ModelHistory.Version] = []
        for version in set.versions {
            let model = try version.indexedModel()
            versions.append(ModelHistory.Version(name: version.name, hashes: model.hashes.entities, model: model))
        }
        return ModelHistory(versions: versions, currentName: set.currentVersionName)
    }

    /// Returns whether two models have an entity name in common.
    private static func isRelated(_ history: ModelHistory, to model: ModelHistory) -> Bool {
        func names(_ history: ModelHistory) -> Set<String> {
            Set(history.versions.flatMap { $0.hashes.elements.map(\.name) })
        }
        let (old, new) = (names(history), names(model))
        return old.isEmpty || new.isEmpty || !old.isDisjoint(with: new)
    }

    /// Names the version of a file or store after the version that it resembles most, for messages.
    private static func renamed(_ history: ModelHistory, like model: ModelHistory) -> ModelHistory {
        var result = history
        for index in result.versions.indices {
            let hashes = result.versions[index].hashes
            let nearest = model.versions.min {
                BreakingCheck.differences($0.hashes, hashes).count < BreakingCheck.differences($1.hashes, hashes).count
            }
            if let nearest { result.versions[index].name = nearest.name }
        }
        result.currentName = nil
        return result
    }

    private static func list(_ history: ModelHistory) -> String {
        let names = history.versions.map { "“\($0.name)”" }
        switch names.count {
        case 0: return "no released version"
        case 1: return "version \(names[0])"
        default: return "\(names.count) versions, \(names[0]) to \(names[names.count - 1])"
        }
    }

    // MARK: Findings

    /// Adds the finding about a change, unless settings hide it.
    ///
    /// - Returns: Whether it was added.
    private mutating func add(_ change: BreakingChange, set: ModelSet, description: String) -> Bool {
        let version = change.originVersion.flatMap { name in set.versions.first { $0.name == name } }
        var finding = BreakingMessages.finding(change, comparedWith: description)
        if change.kind == .deletedVersion, let name = change.versions.last, set.skippedVersionNames.contains(name) {
            finding.message = "the released version “\(name)” can no longer be read"
        }
        if let chosen = settings.selection.severities[finding.rule] {
            guard let severity = chosen else { return false }
            finding.severity = severity
        }
        downgrade(&finding, change)
        if set.kind == .swift, let help = BreakingMessages.swiftHelp(change) {
            finding.help = help
        }
        var diagnostic =
            version?.diagnostic(for: finding)
            ?? Diagnostic(
                finding.severity, rule: finding.rule, finding.message, file: set.path, range: .fileStart,
                why: finding.why, help: finding.help)
        let components = [change.entity, change.property].compactMap { $0 }
        diagnostic.element = ElementPath(
            model: set.name, version: change.versions.last, components: components,
            kind: change.property != nil ? "property" : change.entity != nil ? "entity" : "model")
        diagnostic.element?.modelPath = set.path
        if let version, let model = version.model,
            suppressions[version.name, default: Suppressions(model)].hides(finding.rule, at: components)
        {
            hiddenCount += 1
            return false
        }
        if settings.isIgnored(diagnostic) {
            hiddenCount += 1
            return false
        }
        diagnostic.command = command(for: change, set)
        diagnostics.append(diagnostic)
        return true
    }

    /// Returns the shell command that undoes a change, or that starts what it needs; `nil` if there is none.
    private func command(for change: BreakingChange, _ set: ModelSet) -> String? {
        guard set.kind == .source, set.source?.bundle != nil, let name = change.versions.last else { return nil }
        let model = ShellWord.quoted(set.path)
        func restoring(_ file: String) -> String? {
            reference.revision.map { revision in
                "git checkout \(ShellWord.quoted(revision)) -- \(ShellWord.quoted(PathName.joined(set.path, file)))"
            }
        }
        switch change.kind {
        case .editedVersion, .rolledBackVersion:
            let restore = restoring(name + ModelInputReader.modelExtension)
            // The edits of the current version are kept, in a new one.
            return name == set.currentVersionName ? restore.map { "modelc new-version \(model) && \($0)" } : restore
        case .deletedVersion: return restoring(name + ModelInputReader.modelExtension)
        case .currentWentBack: return restoring(".xccurrentversion")
        case .notLightweight:
            // An edited version has to be restored first.
            guard let target = change.originVersion, target != name,
                set.versions.contains(where: { $0.name == name })
            else { return nil }
            return "modelc migrate scaffold \(model) \(ShellWord.quoted(name)) \(ShellWord.quoted(target))"
        case .equalVersions, .droppedValues, .renameWithoutIdentifier, .notAdditive: return nil
        }
    }

    /// Downgrades a finding to a warning if the given stores hold no rows of the entity.
    private func downgrade(_ finding: inout ModelFinding, _ change: BreakingChange) {
        guard let evidence, finding.severity == .error, let entity = change.releasedEntity,
            let rows = evidence.rows(of: entity, in: knownVersions), rows.rowCount == 0
        else { return }
        finding.severity = .warning
        finding.why =
            [finding.why, Self.emptiness(of: entity, rows.storeCount, evidence.folder)]
            .compactMap { $0 }.joined(separator: " ")
    }

    private static func emptiness(of entity: String, _ storeCount: Int, _ folder: String) -> String {
        storeCount == 1
            ? "The store of a compared version in \(folder) has no row of “\(entity)”."
            : "None of the \(storeCount) stores of compared versions in \(folder) has a row of “\(entity)”."
    }
}
