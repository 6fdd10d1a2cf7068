internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

extension CloudKitCheckCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let settings = try RunSettings(configuration, failing: failing, environment.files)
            let model = try CloudKitModel(
                modelPath, version: options.version, configuration: options.configuration, settings: settings,
                swift: conditions.reading, files: environment.files)
            let production = try SchemaReader(files: environment.files).read(against)
            var session = CloudKitCheckSession(model: model, production: production, settings: settings)
            session.check(options.schemaOptions, checksIndexes: checksIndexes)
            var report = FindingsReport(
                session.diagnostics.sortedByLocation(), files: [model.document.path, production.path],
                checkedRules: RuleRegistry.rules(of: "cloudkit check"), listing: RuleRegistry.configurableDescriptions)
            report.lines = model.lines.merging([production.path: production.lines]) { $1 }
            report.hiddenCount = session.hiddenCount
            let reporting = FindingsReport.Options(outputs, failing, settings: settings)
            guard let shown = try report.write(reporting, in: environment) else { return .success }
            environment.errorOutput(session.summary(hiddenCount: shown.report.hiddenCount))
            return shown.exitCode
        }
    }
}
