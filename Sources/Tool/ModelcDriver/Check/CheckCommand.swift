internal import Diagnostics
internal import ModelCheck
internal import ModelLint

extension CheckCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let settings = try RunSettings(configuration, failing: failing, environment.files)
            var session = try CheckSession(
                options: CheckSession.Options(
                    paths: search.paths, against: against, isLimitedToChanges: changed, without: Set(without),
                    productionPath: productionPath, swift: conditions.reading), settings: settings,
                environment: environment)
            try session.run()
            return try report(session, settings: settings, environment: environment)
        }
    }

    private func report(
        _ session: CheckSession, settings: RunSettings, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let standard = ReportOutput.Destination(kind: format.reporter, path: nil)
        var options = FindingsReport.Options(
            format == .agent ? [standard] + outputs : outputs, failing, settings: settings)
        options.defaults = [standard]
        var report = FindingsReport(
            session.findings, files: session.files, checkedRules: session.checkedRules,
            listing: RuleRegistry.descriptions)
        report.lines = session.lines
        report.hiddenCount = session.hiddenCount
        report.headlines = { session.summary(of: $0).headlines }
        guard let shown = try report.write(options, in: environment) else { return .success }
        // Formats for programs cannot represent the verdict.
        if !options.outputs.isEmpty, !options.outputs.contains(where: { $0.path == nil && $0.kind.showsHeadlines }) {
            for line in shown.report.headlines.flatMap(\.lines) { environment.errorLine("modelc: \(line)") }
        }
        for note in session.notes { environment.errorLine("modelc: \(note)") }
        let hiddenCount = shown.report.hiddenCount
        if hiddenCount > 0 {
            environment.errorLine("modelc: \(hiddenCount) more hidden by suppressions, settings or the baseline")
        }
        return shown.exitCode
    }
}
