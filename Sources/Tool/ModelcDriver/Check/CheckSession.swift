internal import CloudKitSchema
internal import Diagnostics
internal import ModelCheck
internal import ModelEvolution
internal import ModelLint
internal import ModelSchema
internal import ModelSource
internal import ProjectConfiguration
internal import SwiftDataModel

/// One run of `modelc check`: the sessions of the separate commands on models that are read once.
struct CheckSession {
    /// What is checked, and how.
    struct Options {
        var paths: [String]
        /// The released state, or `nil` for that of the settings.
        var against: String?
        /// Whether only what differs from the released state is checked.
        var isLimitedToChanges: Bool
        /// The checks that are left out, besides those of the settings.
        var without: Set<ProjectSettings.Check>
        /// The schema of CloudKit's production environment, or `nil` for that of the settings.
        var productionPath: String?
        var swift: SwiftReading

        /// The paths, with the folders of Xcode projects in their place.
        var folders: [String] {
            paths.map { path in
                let path = PathName.withoutTrailingSlashes(path)
                guard SwiftFileSelection.isProject(path) else { return path }
                let project = path.hasSuffix(ProjectMembers.projectExtension) ? path : PathName.parent(of: path)
                let folder = PathName.parent(of: project)
                return folder.isEmpty ? "." : folder
            }
        }
    }

    private let options: Options
    private let settings: RunSettings
    private let environment: DriverEnvironment
    private var fileSystem: any FileSystem { environment.files }

    /// The findings, each once, in the order in which to fix them.
    private(set) var findings: [Diagnostic] = []
    /// The number of findings that suppressions and settings hide.
    private(set) var hiddenCount = 0
    /// The rules that were checked completely: their entries in a baseline are replaced by the findings.
    private(set) var checkedRules: Set<RuleID> = []
    /// The lines of the files that were read, by path.
    private(set) var lines: [String: LineIndex] = [:]
    private(set) var files: [String] = []
    /// What was compared, and what was not, for the summary.
    private(set) var notes: [String] = []
    /// The verdict about all models.
    private var outcome = CheckSummary.Outcome.unknown("no earlier state to compare with")

    init(options: Options, settings: RunSettings, environment: DriverEnvironment) throws(InputFailure) {
        self.options = options
        self.settings = settings
        self.environment = environment
    }

    /// Returns the verdict on findings.
    func summary(of findings: [Diagnostic]) -> CheckSummary {
        CheckSummary(outcome, findings, failLevel: settings.failLevel)
    }

    private func includes(_ check: ProjectSettings.Check) -> Bool {
        !options.without.contains(check) && !settings.configuration.omittedChecks.contains(check)
    }

    /// Finds, reads and checks everything.
    mutating func run() throws(InputFailure) {
        let reference = try CheckReference(
            name: options.against, settings: settings, paths: options.paths, swift: options.swift,
            isNeeded: includes(.breaking) || options.isLimitedToChanges, files: fileSystem)
        let input = try CheckInput(options: options, settings: settings, reference: reference, files: fileSystem)
        var all = input.problems
        for model in input.models {
            lines.merge(model.target.lines) { first, _ in first }
            files += model.target.files
        }
        for mapping in input.mappings {
            lines.merge(mapping.target.lines) { first, _ in first }
            files.append(mapping.target.file)
        }
        if includes(.lint) {
            checkedRules.formUnion(RuleRegistry.rules(of: nil))
            var session = try LintSession(
                settings, environment, sourceClasses: settings.sources.isEmpty ? input.sourceClasses : nil)
            session.setTargets(
                input.models.map(\.target), mappings: input.sourceMappings, problems: input.projectFindings)
            let found = session.allFindings()
            all += found.diagnostics
            hiddenCount += found.hiddenCount
        }
        if includes(.format) { all += layoutNotes(input) }
        all += try compare(input, reference)
        if includes(.lock) { all += try checkLocks(input) }
        if includes(.cloudkit) { all += try checkCloudKit(input) }
        if includes(.generate) {
            let check = GeneratedCodeCheck(settings: settings, files: fileSystem)
            all += try check.findings(input.generatedPaths, input.models)
        }
        files = Set(files).sorted()
        findings = FixOrder.list(all)
        // What has not changed was not checked.
        if !input.isComplete { checkedRules = [] }
    }

    private func layoutNotes(_ input: CheckInput) -> [Diagnostic] {
        let documents = input.models.flatMap { model in
            model.target.versions.compactMap { version in version.document.map { (model.path, $0) } }
        }
        return ParallelMap.map(documents) { path, document in LayoutFinding.note(about: document, of: path) }
            .compactMap { $0 }.filter { !settings.isIgnored($0) }
    }

    // MARK: Released state

    private mutating func compare(
        _ input: CheckInput, _ reference: CheckReference
    ) throws(InputFailure) -> [Diagnostic] {
        guard includes(.breaking) else {
            outcome = .unknown("the comparison with the released state is left out")
            return []
        }
        guard let released = reference.reference else {
            outcome = .unknown(
                reference.failure?.message ?? "no earlier state to compare with", help: reference.failure?.help)
            return []
        }
        var session = BreakingSession(
            reference: released, missingModels: input.missingModels,
            options: BreakingSession.Options(
                level: .migratable, includesEarlierChanges: false, searchedPaths: options.folders,
                mappings: input.mappings.map { ($0.path, $0.result) }),
            settings: settings, files: fileSystem, evidence: nil)
        var unreadable: String?
        var failures: [Diagnostic] = []
        for model in input.models {
            do throws(InputFailure) {
                let set = try compare(model, in: &session)
                // For example if no version is known to be the current one.
                if set.diagnostics.contains(where: { $0.severity == .error }) { unreadable = unreadable ?? model.path }
            } catch {
                // A revision that cannot be read is not a state of the model.
                guard error.diagnostics.contains(where: { $0.rule == .gitRevision }) == false else { throw error }
                unreadable = unreadable ?? model.path
                failures += error.diagnostics
                lines.merge(error.lines) { first, _ in first }
            }
        }
        session.checkMissingModels(searched: input.isComplete ? options.paths : [])
        if unreadable == nil, session.uncompared.isEmpty {
            // The additions that CloudKit does not accept are those of another level.
            checkedRules.formUnion(RuleRegistry.rules(of: "breaking").subtracting([.cloudkitNotAdditive]))
        }
        if let known = Self.outcome(of: session.verdict, unreadable: unreadable, isEmpty: input.models.isEmpty) {
            outcome = known
        }
        hiddenCount += session.hiddenCount
        lines.merge(session.lines) { first, _ in first }
        notes += session.comparisons
        if input.models.contains(where: { $0.changedVersions != nil }) {
            notes.append(
                "checked only what differs from \(released.name); “modelc check” also checks migrations from earlier versions"
            )
        }
        return session.diagnostics + failures
            + session.uncompared.map { diagnostic in
                var diagnostic = diagnostic
                diagnostic.severity = .note
                return diagnostic
            }
    }

    /// Returns the verdict about all models; `nil` if nothing was compared.
    ///
    /// - Parameters:
    ///   - verdict: The verdict about the models that were compared.
    ///   - unreadable: The path of a model that could not be compared.
    ///   - isEmpty: Whether there are no models.
    private static func outcome(of verdict: Verdict?, unreadable: String?, isEmpty: Bool) -> CheckSummary.Outcome? {
        if verdict == .wouldLockUsersOut { return .verdict(.wouldLockUsersOut) }
        if let unreadable { return .unknown("\(unreadable) has errors") }
        if let verdict { return .verdict(verdict) }
        return isEmpty ? .verdict(.compatible) : nil
    }

    /// Compares a model, or those of its versions that have changed.
    ///
    /// - Returns: The model with the versions that were compared.
    private func compare(
        _ model: CheckInput.Model, in session: inout BreakingSession
    ) throws(InputFailure) -> ModelSet {
        let set = try model.set.get()
        guard let versions = model.changedVersions else {
            try session.check(set)
            return set
        }
        let before = session
        try session.check(set, versions: versions)
        let lost = session.lostHashes.subtracting(before.lostHashes)
        guard !lost.isEmpty else { return set }
        // One of the versions that were not read may be equal to the released one, or to the one that replaces it.
        let sought = lost.union(set.versions.compactMap { $0.model?.versionHashes().entities })
        let reader = ModelSetReader(files: fileSystem, swift: options.swift)
        let unread = UnreadVersions(of: model.path, known: Set(set.versions.map(\.name)), reader, fileSystem)
        guard try unread.hasOne(of: sought) else { return set }
        session = before
        let all = try reader.read(model.path)
        try session.check(all)
        return all
    }

    // MARK: Locks

    private mutating func checkLocks(_ input: CheckInput) throws(InputFailure) -> [Diagnostic] {
        var result: [Diagnostic] = []
        for path in input.lockPaths {
            guard var lock = try LockFile(files: fileSystem, path: path).read() else { continue }
            files.append(path)
            let reader = ModelSetReader(files: fileSystem, swift: options.swift)
            var sets = input.models.compactMap { try? $0.set.get() }
            // Nothing but the lock tells which folder belongs to one SwiftData schema.
            let folder = PathName.parent(of: path)
            let schemas = lock.models.map { folder.isEmpty ? $0 : PathName.joined(folder, $0) }
                .filter { name in name.hasSuffix(".swift") || !ModelFinder.isModel(name) }.filter(
                    reader.namesSwiftSources)
            if !schemas.isEmpty {
                let known = sets.filter { $0.kind == .swift && schemas.contains($0.path) }
                sets = sets.filter { $0.kind != .swift } + known
                for schema in schemas where input.isComplete && !known.contains(where: { $0.path == schema }) {
                    sets.append(try reader.read(schema))
                }
            }
            var models = LockedModels(
                sets, lockPath: path, isWhole: input.isComplete && fileSystem.isWorkingDirectory(options.paths),
                fileSystem)
            models.leaveOut { $0.hasPrefix("../") }
            if !input.isComplete { lock = models.limited(lock) }
            let run = LockSession(paths: options.paths, lockPath: path, swift: options.swift, action: .check)
            do throws(InputFailure) {
                result += try run.findings(lock, models: models, files: fileSystem)
            } catch {
                // The versions have errors, which are reported already.
                result += error.diagnostics
            }
            if input.isComplete { result += unreleased(lock, models: models, path: path) }
        }
        return result.compactMap { diagnostic in
            guard let chosen = settings.selection.severities[diagnostic.rule] else { return diagnostic }
            guard let severity = chosen else { return nil }
            var diagnostic = diagnostic
            diagnostic.severity = severity
            return diagnostic
        }
    }

    /// Returns the notes about versions before the current one that the lock marks as drafts.
    private func unreleased(_ lock: ModelLock, models: LockedModels, path: String) -> [Diagnostic] {
        let releases = lock.releases
        var result: [Diagnostic] = []
        for entry in models.entries where entry.set.kind == .source {
            guard let current = entry.set.versions.firstIndex(where: { $0.name == entry.set.currentVersionName }) else {
                continue
            }
            for version in entry.set.versions[..<current]
            where releases[ModelLock.Version(model: entry.name, name: version.name)] == false {
                let name = ShellWord.quoted(version.name)
                var note = Diagnostic(
                    .note, rule: .versionNotReleased,
                    "“\(version.name)” comes before the current version and was never released, as \(path) says",
                    file: version.path, range: .fileStart,
                    why: "No user has a store of it, or its release was not recorded and later edits go unnoticed.",
                    help: "Run “modelc lock update --release \(name)” if it was released; otherwise delete the version."
                )
                note.element = ElementPath(model: entry.set.name, version: version.name, components: [], kind: "model")
                result.append(note)
            }
        }
        return result
    }

    // MARK: CloudKit

    private mutating func checkCloudKit(_ input: CheckInput) throws(InputFailure) -> [Diagnostic] {
        var named = options.productionPath
        if named == nil, let name = settings.configuration.productionSchema {
            let path = RunSettings.path(name, from: settings.root)
            try settings.requireOwn(path, key: "production")
            named = path
        }
        guard let path = named ?? (input.schemaPaths.count == 1 ? input.schemaPaths.first : nil) else { return [] }
        let production = try SchemaReader(files: fileSystem).read(path)
        let types = Set(production.schema.recordTypes.map(\.name))
        var models: [CloudKitModel] = []
        for model in input.models {
            // Models with errors are reported by lint.
            guard let set = try? model.set.get(),
                let mirrored = try? CloudKitModel(set, version: nil, configuration: nil, settings: settings),
                settings.isForCloudKit || input.models.count == 1
                    || mirrored.document.model.configurations.contains(where: { $0.usedWithCloudKit == true })
                    || mirrored.document.model.entities.contains(where: { types.contains("CD_\($0.name)") })
            else { continue }
            models.append(mirrored)
        }
        var result: [Diagnostic] = []
        for model in models {
            var session = CloudKitCheckSession(model: model, production: production, settings: settings)
            session.check(SchemaOptions(), checksIndexes: false)
            hiddenCount += session.hiddenCount
            lines.merge(model.lines) { first, _ in first }
            // A record type of another model is not left over.
            result += session.diagnostics.filter { models.count == 1 || $0.rule != .cloudkitOrphan }
        }
        guard !models.isEmpty else { return [] }
        lines[production.path] = production.lines
        files.append(production.path)
        return result
    }
}
