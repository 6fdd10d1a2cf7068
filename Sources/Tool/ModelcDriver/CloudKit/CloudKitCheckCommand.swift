internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

extension CloudKitCheckCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let settings = try RunSettings(report, environment.files)
            let model = try CloudKitModel(
                modelPath, version: options.version, configuration: options.configuration, settings: settings,
                swift: conditions.reading, files: environment.files)
            let production = try SchemaReader(files: environment.files).read(against)
            var session = CloudKitCheckSession(model: model, production: production, settings: settings)
            session.check(options.schemaOptions, checksIndexes: checksIndexes)
            return try print(session, settings: settings, environment: environment)
        }
    }

    private func print(
        _ session: CloudKitCheckSession, settings: RunSettings, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let model = session.model
        let files = [model.document.path, session.production.path]
        let output = ReportOutput(environment: environment, sources: files)
        var diagnostics = session.diagnostics.sortedByLocation()
        if let newBaselinePath = report.failing.newBaselinePath {
            try output.write(
                Baseline(diagnostics), to: newBaselinePath, replacing: RuleRegistry.rules(of: "cloudkit check"))
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
        var lines: [String: LineIndex] = [:]
        for (path, index) in model.lines.merging([files[1]: session.production.lines], uniquingKeysWith: { $1 })
        where excerpts.mayShow(path) {
            lines[path] = index
        }
        try output.print(
            Report(
                diagnostics: diagnostics,
                rules: Dictionary(uniqueKeysWithValues: RuleRegistry.configurableDescriptions.map { ($0.id, $0) }),
                lines: lines, checkedFiles: files, hiddenCount: hiddenCount, toolVersion: ToolVersion.number),
            to: report.outputs)
        environment.errorOutput(session.summary(hiddenCount: hiddenCount))
        return diagnostics.contains { $0.severity >= settings.failLevel } ? .findings : .success
    }
}
