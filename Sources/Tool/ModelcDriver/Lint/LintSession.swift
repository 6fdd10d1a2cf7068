internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource
internal import ProjectConfiguration

/// One run of `modelc lint`.
struct LintSession {
    private let environment: DriverEnvironment
    private let settings: RunSettings
    private let linter: Linter
    private var targets: [LintedModel] = []
    private var mappings: [MappingTarget] = []
    /// Findings outside models, such as a folder that cannot be read.
    private var problems: [Diagnostic] = []
    private var sourceClasses: SourceClasses?
    /// The number of findings that were fixed, or would be.
    private(set) var fixCount = 0

    /// - Parameter sourceClasses: The classes of the target's sources; `nil` to read those that the settings name.
    init(
        _ settings: RunSettings, _ environment: DriverEnvironment, sourceClasses: SourceClasses? = nil
    ) throws(InputFailure) {
        self.settings = settings
        self.environment = environment
        linter = Linter(settings.selection)
        self.sourceClasses = sourceClasses
        if sourceClasses == nil, !settings.sources.isEmpty {
            self.sourceClasses = try SourceReader(files: environment.files).classes(in: settings.sources)
        }
    }

    // MARK: Reading

    /// Finds and reads the models.
    mutating func readModels(_ paths: [String], swift: SwiftReading = SwiftReading()) throws(InputFailure) {
        let isIncluded = { [settings] (path: String) in settings.isIncluded(path) && swift.isIncluded(path) }
        var finder = ModelFinder(files: environment.files, isIncluded: isIncluded)
        finder.isIncludedModel = { [settings] in settings.isIncluded(model: $0) }
        finder.findsSwiftSources = true
        let found = try finder.find(paths)
        if sourceClasses == nil { sourceClasses = found.sourceClasses }
        var membership = ModelMembership(files: environment.files)
        problems = found.problems + membership.findings(found.paths)
        let reader = ModelSetReader(files: environment.files, swift: swift)
        let onlyCurrent = settings.versions == .current
        targets = ParallelMap.map(found.paths) { path in
            if reader.namesSwiftSources(path) {
                return LintedModel(
                    swiftSources: path, found.swiftSources(path, reader), reader, onlyCurrent: onlyCurrent)
            }
            let selection: LoadedModel.Selection = onlyCurrent ? .current : .all
            return LintedModel(
                path, Result { () throws(InputFailure) in try reader.sources.readSource(path, selection) },
                onlyCurrent: onlyCurrent)
        }
        if sourceClasses == nil, !found.sources.isEmpty {
            var classes = CompiledClasses(
                found, membership: membership, files: environment.files, isIncluded: isIncluded)
            for (index, path) in found.paths.enumerated() where targets[index].hasHandwrittenClasses {
                targets[index].sourceClasses = classes.classes(besides: path)
            }
        }
        let mappingReader = MappingInputReader(files: environment.files)
        mappings = ParallelMap.map(found.mappingPaths) { MappingTarget($0, mappingReader.result($0)) }
        if targets.isEmpty, mappings.isEmpty, problems.isEmpty { throw ModelFinder.noModels(below: paths) }
    }

    /// Sets the targets to models that were already read.
    mutating func setTargets(from models: [LoadedModel]) {
        targets = models.filter { settings.isIncluded(model: $0.path) }.map {
            LintedModel($0.path, .success($0), onlyCurrent: settings.versions == .current)
        }
    }

    /// Sets the targets and mapping models, which were already read.
    mutating func setTargets(_ targets: [LintedModel], mappings: [MappingTarget], problems: [Diagnostic]) {
        self.targets = targets
        self.mappings = mappings
        self.problems = problems
    }

    /// The value that checks one version, on any thread.
    private var checker: Checker {
        Checker(linter: linter, isForCloudKit: settings.isForCloudKit, sourceClasses: sourceClasses)
    }

    private struct Checker: Sendable {
        let linter: Linter
        let isForCloudKit: Bool
        let sourceClasses: SourceClasses?

        func lint(_ version: LintedModel.Version, of target: LintedModel) -> Linter.Result {
            linter.lint(
                LintContext(
                    source: version.source, modelName: target.name, versionNames: target.versionNames,
                    isCurrent: version.isCurrent, isForCloudKit: isForCloudKit,
                    sourceClasses: sourceClasses ?? target.sourceClasses))
        }
    }

    // MARK: Fixing

    /// Applies the fixes of findings, or prints them as a diff.
    mutating func fix(includesUnsafe: Bool, isDryRun: Bool) throws(InputFailure) {
        var transaction = OutputTransaction(files: environment.files)
        for targetIndex in targets.indices {
            for versionIndex in targets[targetIndex].versions.indices {
                let target = targets[targetIndex]
                let old = target.versions[versionIndex]
                guard let document = old.document else { continue }
                let path = document.path
                let source = document.source
                let new: ModelDocument
                let count: Int
                do throws(EditFailure) {
                    // A released version must keep its hash, even with `--unsafe-fixes`.
                    (new, count) = try fixed(
                        document, version: old, of: target, includesUnsafe: includesUnsafe && !old.mayBeReleased)
                } catch {
                    problems.append(error.diagnostic)
                    continue
                }
                guard count > 0 else { continue }
                fixCount += count
                if isDryRun {
                    environment.outputPatch(
                        String(decoding: source.utf8, as: UTF8.self),
                        String(decoding: new.source.utf8, as: UTF8.self), of: path)
                } else {
                    try InputFailure.wrapping { () throws(FileSystemError) in
                        try transaction.write(path, new.source.bytes, expecting: source.bytes)
                    }
                    targets[targetIndex].versions[versionIndex].source = new
                    targets[targetIndex].lines[path] = new.lines
                }
            }
        }
        try InputFailure.wrapping { () throws(FileSystemError) in try transaction.commit() }
    }

    /// Fixes a version until nothing more can be fixed: a fix may conflict with another in the same pass.
    private func fixed(
        _ document: ModelDocument, version: LintedModel.Version, of target: LintedModel, includesUnsafe: Bool
    ) throws(EditFailure) -> (document: ModelDocument, count: Int) {
        var (document, version) = (document, version)
        var count = 0
        for _ in 0..<10 {
            let findings = checker.lint(version, of: target).diagnostics.filter { !settings.isIgnored($0) }
            let (fixed, applied) = try FixApplier.apply(findings, to: document, includesUnsafe: includesUnsafe)
            guard !applied.isEmpty, fixed.source.utf8 != document.source.utf8 else { break }
            count += applied.count
            (document, version.source) = (fixed, fixed)
        }
        return (document, count)
    }

    // MARK: Reporting

    /// The findings in all models, without hidden ones.
    struct Findings {
        var diagnostics: [Diagnostic]
        /// The number of findings that suppressions and settings hide.
        var hiddenCount: Int
    }

    /// Returns the findings in all models, without those of the settings' baseline.
    func findings() throws(InputFailure) -> [Diagnostic] {
        let diagnostics = allFindings().diagnostics
        guard let path = settings.baselinePath else { return diagnostics }
        let names = BaselineNames(baseline: path, checked: checkedFiles, environment.files)
        return try ReportOutput(environment: environment, sources: [])
            .readBaseline(path, namedAt: settings.baselineLocation).filter(diagnostics, candidates: names.candidates)
            .rest
    }

    /// Returns the findings without regard to a baseline.
    func allFindings() -> Findings {
        var diagnostics = linter.applySeverities(
            to: problems + targets.flatMap(\.problems) + mappings.flatMap(\.diagnostics))
        var hiddenCount = 0
        let versions = targets.flatMap { target in target.versions.map { (target: target, version: $0) } }
        for result in ParallelMap.map(versions, { [checker] in checker.lint($0.version, of: $0.target) }) {
            diagnostics += result.diagnostics
            hiddenCount += result.suppressedCount
        }
        let comments = targets.compactMap(\.comments)
        if !comments.isEmpty {
            let count = diagnostics.count
            diagnostics.removeAll { found in found.severity < .error && comments.contains { $0.hides(found) } }
            hiddenCount += count - diagnostics.count
            // A declaration may belong to several versions.
            var seen: Set<Diagnostic> = []
            diagnostics = diagnostics.filter { found in
                var found = found
                found.element = nil
                return seen.insert(found).inserted
            }
        }
        let ignored = diagnostics.filter { settings.isIgnored($0) }
        hiddenCount += ignored.count
        if !ignored.isEmpty { diagnostics.removeAll { settings.isIgnored($0) } }
        return Findings(diagnostics: diagnostics.sortedByLocation(), hiddenCount: hiddenCount)
    }

    /// The lines of the files that were read, for excerpts.
    var lines: [String: LineIndex] {
        let lines = targets.map(\.lines) + mappings.map(\.lines)
        return lines.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    var checkedFiles: [String] { Set(targets.flatMap(\.files) + mappings.map(\.file)).sorted() }
}
