internal import Diagnostics
internal import ModelEvolution
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// One run of `modelc breaking`.
struct BreakingSession {
    private let reference: BreakingReference
    private let level: CompatibilityLevel
    private let settings: LintSettings
    private let fileSystem: any FileSystem
    private let evidence: StoreEvidence?
    private var checkedModels: Set<String> = []

    /// What was found.
    private(set) var diagnostics: [Diagnostic] = []
    /// How many findings suppressions hide.
    private(set) var hiddenCount = 0
    /// What was compared with what, in words.
    private(set) var comparisons: [String] = []
    /// The lines of the files that were read, by path.
    private(set) var lines: [String: LineIndex] = [:]
    /// The files that were read.
    private(set) var files: [String] = []

    init(
        reference: BreakingReference, level: CompatibilityLevel, settings: LintSettings, files: any FileSystem,
        evidence: StoreEvidence?
    ) {
        self.reference = reference
        self.level = level
        self.settings = settings
        fileSystem = files
        self.evidence = evidence
    }

    /// Compares one model with its released state.
    mutating func check(_ path: String) throws(InputFailure) {
        let set = try ModelSetReader(files: fileSystem).read(path)
        for version in set.versions {
            guard let document = version.document else { continue }
            lines[document.path] = document.lines
            files.append(document.path)
        }
        let lockName = LockedModels.name(of: path, lockPath: reference.lockPath, fileSystem)
        checkedModels.insert(lockName)
        guard let released = try reference.released(of: set, lockName: lockName) else {
            comparisons.append("\(path) is new; there is nothing to compare it with")
            return
        }
        diagnostics += set.diagnostics.filter { $0.severity == .error }
        var history = try history(of: set)
        var before = released.history
        if !released.namesVersions { before = Self.renamed(before, like: history) }
        comparisons.append("compared \(path) with \(released.description) (\(Self.list(released.history)))")
        if history.current == nil, level >= .lightweight, history.versions.count > 1 {
            history.currentName = history.versions.last?.name
        }
        let changes = BreakingCheck.changes(in: history, against: before, level: level)
        for change in changes { add(change, set: set, description: released.description) }
    }

    /// Reports the models that the lock lists and that are gone.
    mutating func checkMissingModels(searched paths: [String]) {
        for model in reference.lockedModels where !checkedModels.contains(model) && paths == ["."] {
            diagnostics.append(
                Diagnostic(
                    .error, rule: .releasedVersionDeleted, "the model “\(model)” is in the lock and not on disk",
                    file: reference.lockPath, why: "Stores of the model can no longer be opened.",
                    help: "Restore the model, or remove its lines from the lock."))
        }
    }

    private func history(of set: ModelSet) throws(InputFailure) -> ModelHistory {
        var versions: [ModelHistory.Version] = []
        for version in set.versions {
            let model = try version.indexedModel()
            versions.append(ModelHistory.Version(name: version.name, hashes: model.hashes.entities, model: model))
        }
        return ModelHistory(versions: versions, currentName: set.currentVersionName)
    }

    /// Gives the version of a file or store the name of the version it is most like, so that messages can name one.
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

    private mutating func add(_ change: BreakingChange, set: ModelSet, description: String) {
        let version = change.originVersion.flatMap { name in set.versions.first { $0.name == name } }
        var finding = BreakingMessages.finding(change, comparedWith: description)
        if let chosen = settings.selection.severities[finding.rule] {
            guard let severity = chosen else { return }
            finding.severity = severity
        }
        downgrade(&finding, change)
        var diagnostic: Diagnostic
        if let document = version?.document {
            diagnostic = document.diagnostic(for: finding)
        } else {
            diagnostic = Diagnostic(
                finding.severity, rule: finding.rule, finding.message, file: version?.path ?? set.path,
                range: .fileStart, why: finding.why, help: finding.help)
        }
        let components = [change.entity, change.property].compactMap { $0 }
        diagnostic.element = ElementPath(
            model: set.name, version: change.versions.last, components: components,
            kind: change.property != nil ? "property" : change.entity != nil ? "entity" : "model")
        if let model = version?.model, Suppressions.hides(finding.rule, at: components, in: model) {
            hiddenCount += 1
            return
        }
        if settings.isIgnored(diagnostic) {
            hiddenCount += 1
            return
        }
        diagnostics.append(diagnostic)
    }

    /// Makes a finding weaker if the stores that were given have no row that it concerns.
    private func downgrade(_ finding: inout ModelFinding, _ change: BreakingChange) {
        guard let evidence, finding.severity == .error, let entity = change.releasedEntity,
            let count = evidence.rowCount(of: entity), count == 0
        else { return }
        finding.severity = .warning
        finding.why =
            [finding.why, "None of the \(evidence.storeCount) stores in \(evidence.folder) has a row of “\(entity)”."]
            .compactMap { $0 }.joined(separator: " ")
    }
}
