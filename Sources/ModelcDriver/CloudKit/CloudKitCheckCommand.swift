internal import CloudKitSchema
package import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// `modelc cloudkit check`: whether production has everything that a model needs.
package struct CloudKitCheckCommand: Sendable {
    /// The path of the model.
    package var modelPath: String
    /// The schema in production: a path, or `REVISION:PATH`.
    package var against: String
    /// The version; `nil` for the current one.
    package var version: String?
    /// The configuration that is mirrored; `nil` for what the model says.
    package var configuration: String?
    /// Whether fields that sharing needs are asked for.
    package var includesReceipts = true
    /// Whether the record type of shares is asked for.
    package var includesSharing = false
    /// Whether the schema is for a public database.
    package var isPublic = false
    /// Whether all indexes are compared.
    package var checksIndexes = false
    /// The forms of the output; empty for text on standard output.
    package var outputs: [LintCommand.Output] = []
    /// The path of the settings; `nil` to look for `.modelc.yml`.
    package var configurationPath: String?
    /// The least severity that fails; `nil` for what the settings say.
    package var failLevel: Severity?
    /// The path of a baseline whose findings are hidden.
    package var baselinePath: String?
    /// The path that a baseline of the findings is written to.
    package var newBaselinePath: String?
    /// The version of the tool, for reports.
    package var toolVersion = ""

    /// Creates a command.
    package init(modelPath: String, against: String) {
        self.modelPath = modelPath
        self.against = against
    }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            var lint = LintCommand()
            lint.configurationPath = configurationPath
            lint.failLevel = failLevel
            let settings = try LintSettings(lint, environment.files)
            let model = try CloudKitModel(
                modelPath, version: version, configuration: configuration, settings: settings,
                files: environment.files)
            let production = try SchemaReader(files: environment.files).read(against)
            var session = CloudKitCheckSession(model: model, production: production, settings: settings)
            session.check(options, checksIndexes: checksIndexes)
            return try report(session, settings, environment)
        }
    }

    private var options: SchemaOptions {
        var options = SchemaOptions()
        options.includesReceipts = includesReceipts
        options.includesSharing = includesSharing
        options.isPublic = isPublic
        return options
    }

    private func report(
        _ session: CloudKitCheckSession, _ settings: LintSettings, _ environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let model = session.model
        let files = [model.document.path, session.production.path]
        let output = ReportOutput(environment: environment, sources: files)
        var diagnostics = session.diagnostics.sortedByPlace()
        if let newBaselinePath {
            try output.write(Baseline(diagnostics).text, to: newBaselinePath)
            environment.errorLine("modelc: wrote \(diagnostics.count) findings to \(newBaselinePath)")
            return .success
        }
        var hiddenCount = session.hiddenCount
        if let baselinePath = baselinePath ?? settings.baselinePath {
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
                lines: lines, checkedFiles: files, hiddenCount: hiddenCount, toolVersion: toolVersion),
            to: outputs)
        environment.errorOutput(session.summary(hiddenCount: hiddenCount))
        return diagnostics.contains { $0.severity >= settings.failLevel } ? .findings : .success
    }
}
