internal import Diagnostics
internal import ModelCheck
internal import ModelLint

extension CheckCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let settings = try RunSettings(report, environment.files)
            var session = try CheckSession(
                options: CheckSession.Options(
                    paths: search.paths, against: against, isLimitedToChanges: changed, without: Set(without),
                    productionPath: productionPath, swift: conditions.reading), settings: settings,
                environment: environment)
            try session.run()
            return try print(session, settings: settings, environment: environment)
        }
    }

    private func print(
        _ session: CheckSession, settings: RunSettings, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let output = ReportOutput(environment: environment, sources: session.files)
        if let path = report.failing.newBaselinePath {
            try output.write(Baseline(session.findings), to: path, replacing: session.checkedRules)
            environment.errorLine("modelc: wrote \(session.findings.count) findings to \(path)")
            return .success
        }
        var diagnostics = session.findings
        var hiddenCount = session.hiddenCount
        if let path = settings.baselinePath {
            let filtered = try output.readBaseline(path).filter(diagnostics)
            diagnostics = filtered.rest
            hiddenCount += filtered.hiddenCount
        }
        let summary = session.summary(of: diagnostics)
        var excerpts = ExcerptRule(files: environment.files)
        var result = Report(
            diagnostics: diagnostics,
            rules: Dictionary(uniqueKeysWithValues: RuleRegistry.descriptions.map { ($0.id, $0) }),
            lines: excerpts.shown(session.lines, for: diagnostics), checkedFiles: session.files,
            hiddenCount: hiddenCount, toolVersion: ToolVersion.number)
        result.headlines = summary.headlines
        let standard = ReportOutput.Destination(kind: format.reporter, path: nil)
        let outputs = format == .agent ? [standard] + report.outputs : report.outputs
        try output.print(result, to: outputs, defaults: [standard])
        // Formats for programs have no place for the verdict.
        if !outputs.isEmpty, !outputs.contains(where: { $0.path == nil && $0.kind.showsHeadlines }) {
            for line in summary.headlines.flatMap(\.lines) { environment.errorLine("modelc: \(line)") }
        }
        for note in session.notes { environment.errorLine("modelc: \(note)") }
        if hiddenCount > 0 {
            environment.errorLine("modelc: \(hiddenCount) more hidden by suppressions, settings or the baseline")
        }
        return diagnostics.contains { $0.severity >= settings.failLevel } ? .findings : .success
    }
}
