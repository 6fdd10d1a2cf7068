internal import Diagnostics
internal import ModelEvolution
internal import ModelLint
internal import ModelSchema
internal import ModelSource

extension BreakingCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let settings = try RunSettings(report, environment.files)
            let swift = conditions.reading
            var finder = ModelFinder(files: environment.files) { settings.isIncluded($0) && swift.isIncluded($0) }
            finder.findsSwiftSources = true
            let found = try finder.find(search.paths)
            // A branch stands for itself here, not for its merge base.
            let released =
                against == GitRevision.latestTagName
                ? try GitRevision(files: environment.files).base(
                    against, of: CheckReference.folder(of: search.paths, environment.files)
                ).revision : against
            let reference = try BreakingReference(
                released, lockPath: lockPath, swift: conditions.reading, files: environment.files)
            let missing = try reference.missingModels(below: search.paths) {
                settings.isIncluded($0) && swift.isIncluded($0)
            }
            if found.paths.isEmpty, missing.isEmpty, !reference.isLock {
                throw ModelFinder.noModels(below: search.paths)
            }
            var session = BreakingSession(
                reference: reference, missingModels: missing,
                options: BreakingSession.Options(
                    level: level, includesEarlierChanges: includesEarlierChanges, searchedPaths: search.paths),
                settings: settings,
                files: environment.files,
                evidence: try storesPath.map { path throws(InputFailure) in
                    try StoreEvidence(folder: path, files: environment.files)
                })
            let reader = ModelSetReader(files: environment.files, swift: conditions.reading)
            for path in found.paths { try session.check(try found.read(path, reader)) }
            session.checkMissingModels(searched: search.paths)
            session.checkEvidence()
            printer.print(
                session.uncompared.map { diagnostic in
                    var diagnostic = diagnostic
                    if !session.hasComparedNothing { diagnostic.severity = .warning }
                    return diagnostic
                })
            return try print(session, settings: settings, environment: environment)
        }
    }

    private func print(
        _ session: BreakingSession, settings: RunSettings, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let output = ReportOutput(environment: environment, sources: session.files)
        var diagnostics = session.diagnostics.sortedByLocation()
        if let newBaselinePath = report.failing.newBaselinePath {
            guard !session.hasComparedNothing else { return .couldNotRun }
            try output.write(Baseline(diagnostics), to: newBaselinePath, replacing: RuleRegistry.rules(of: "breaking"))
            environment.errorLine("modelc: wrote \(counted(diagnostics.count, "finding")) to \(newBaselinePath)")
            return .success
        }
        var hiddenCount = session.hiddenCount
        if let baselinePath = settings.baselinePath {
            let filtered = try output.readBaseline(baselinePath).filter(diagnostics)
            diagnostics = filtered.rest
            hiddenCount += filtered.hiddenCount
        }
        var excerpts = ExcerptRule(files: environment.files)
        let lines = excerpts.shown(session.lines, for: diagnostics)
        try output.print(
            Report(
                diagnostics: diagnostics,
                rules: Dictionary(
                    uniqueKeysWithValues: RuleRegistry.configurableDescriptions.map { ($0.id, $0) }),
                lines: lines, checkedFiles: session.files, hiddenCount: hiddenCount, toolVersion: ToolVersion.number),
            to: report.outputs)
        for comparison in session.comparisons { environment.errorLine("modelc: \(comparison)") }
        guard !session.hasComparedNothing else { return .couldNotRun }
        if session.earlierCount > 0 {
            let isOne = session.earlierCount == 1
            environment.errorLine(
                "modelc: \(session.earlierCount) problem\(isOne ? "" : "s") of earlier changes \(isOne ? "is" : "are") "
                    + "not shown; --all shows \(isOne ? "it" : "them")")
        }
        let count = diagnostics.count { $0.severity >= settings.failLevel }
        environment.errorLine(
            "modelc: \(count == 0 ? "no" : String(count)) breaking change\(count == 1 ? "" : "s")"
                + " at level \(level.rawValue)"
                + (hiddenCount == 0 ? "" : ", \(hiddenCount) hidden by suppressions or the baseline"))
        return count == 0 ? .success : .findings
    }
}
