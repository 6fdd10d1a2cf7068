internal import Diagnostics
internal import ModelEvolution
internal import ModelLint
internal import ModelSchema
internal import ModelSource

extension BreakingCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let settings = try RunSettings(configuration, failing: failing, environment.files)
            let swift = conditions.reading
            var finder = ModelFinder(files: environment.files) { settings.isIncluded($0) && swift.isIncluded($0) }
            finder.findsSwiftSources = true
            let found = try finder.find(search.paths)
            // A branch stands for itself here, not for its merge base.
            let released =
                against == GitReader.latestTagName
                ? try GitReader(files: environment.files).base(
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
            return try report(session, settings: settings, environment: environment)
        }
    }

    private func report(
        _ session: BreakingSession, settings: RunSettings, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        if session.hasComparedNothing, failing.newBaselinePath != nil { return .couldNotRun }
        var report = FindingsReport(
            session.diagnostics.sortedByLocation(), files: session.files,
            checkedRules: RuleRegistry.rules(of: "breaking"), listing: RuleRegistry.configurableDescriptions)
        report.lines = session.lines
        report.hiddenCount = session.hiddenCount
        let options = FindingsReport.Options(outputs, failing, settings: settings)
        guard let shown = try report.write(options, in: environment) else { return .success }
        for comparison in session.comparisons { environment.errorLine("modelc: \(comparison)") }
        guard !session.hasComparedNothing else { return .couldNotRun }
        if session.earlierCount > 0 {
            let isOne = session.earlierCount == 1
            environment.errorLine(
                "modelc: \(counted(session.earlierCount, "problem")) of earlier changes \(isOne ? "is" : "are") "
                    + "not shown; --all shows \(isOne ? "it" : "them")")
        }
        let (count, hiddenCount) = (shown.failureCount, shown.report.hiddenCount)
        environment.errorLine(
            "modelc: \(count == 0 ? "no" : String(count)) breaking change\(count == 1 ? "" : "s")"
                + " at level \(level.rawValue)"
                + (hiddenCount == 0 ? "" : ", \(hiddenCount) hidden by suppressions or the baseline"))
        return shown.exitCode
    }
}
