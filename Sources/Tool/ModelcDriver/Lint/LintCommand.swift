internal import Diagnostics
internal import ModelLint

extension LintCommand {
    /// The changes that are made.
    enum Fixing {
        case none
        /// Changes that affect neither a version hash nor the behavior of the app.
        case safe
        /// All changes.
        case all
    }

    /// The changes that are made.
    var fixing: Fixing { unsafeFixes ? .all : fix ? .safe : .none }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let settings = try RunSettings(
                configuration, rules: rules, failing: failing, sources: sources, environment.files)
            var session = try LintSession(settings, environment)
            try session.readModels(search.paths, swift: conditions.reading)
            if fixing != .none { try session.fix(includesUnsafe: fixing == .all, isDryRun: isDryRun) }
            let found = session.allFindings()
            var report = FindingsReport(
                found.diagnostics, files: session.checkedFiles, checkedRules: RuleRegistry.rules(of: nil),
                listing: RuleRegistry.lintDescriptions)
            report.lines = session.lines
            report.hiddenCount = found.hiddenCount
            var options = FindingsReport.Options(outputs, failing, settings: settings)
            // A diff was printed; programs that read it expect nothing else on standard output.
            if isDryRun { options.defaults = [] }
            guard let shown = try report.write(options, in: environment) else { return .success }
            environment.errorOutput(
                LintSummary(
                    report: shown.report, staleCount: shown.staleCount, fixCount: session.fixCount, fixing: fixing,
                    isDryRun: isDryRun
                ).text)
            return shown.exitCode
        }
    }
}
