internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// A model that is compared with CloudKit schemas: one version, and what of it is mirrored.
struct CloudKitModel {
    /// The model with all its versions.
    let set: ModelSet
    /// The file of the version.
    let document: any LintedSource
    /// The lines of the files, for excerpts.
    let lines: [String: LineIndex]
    /// What the model needs.
    let mapping: SchemaMapping
    /// The reasons for which Core Data does not mirror the model, and other findings about CloudKit.
    let findings: [Diagnostic]

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - path: A source of a model, or `REVISION:PATH`.
    ///   - versionName: The version, or `nil` for the current one.
    ///   - configuration: The configuration that is mirrored, or `nil` for what the model says.
    ///   - settings: What settings say of rules; `nil` for the rules' own severities.
    init(
        _ path: String, version versionName: String?, configuration: String?, settings: LintSettings?,
        files: any FileSystem
    ) throws(InputFailure) {
        let set = try EvolutionReader(files: files).modelSet(path)
        let version = try set.version(named: versionName, option: "--version")
        guard let document = version.lintedSource else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .notAModel, "this is not the source of a model", file: path, range: .fileStart,
                        help: "Name the .xcdatamodeld, or write one with “modelc decompile”.")
                ],
                exitCode: .couldNotRun)
        }
        // Throws if the model has errors.
        _ = try version.indexedModel()
        self.set = set
        self.document = document
        lines = version.document.map { [$0.path: $0.lines] } ?? set.otherLines
        guard let mirrored = MirroredEntities(document.model, configuration: configuration) else {
            throw Self.noConfiguration(configuration ?? "", document)
        }
        mapping = SchemaMapping(mirrored, in: document.model)
        var selection = RuleSelection(severities: settings?.selection.severities ?? [:])
        selection.only = RuleRegistry.cloudKitRules.filter { rule in
            guard let description = RuleRegistry.description(of: rule) else { return false }
            return RuleSelection(severities: selection.severities).severity(of: description) != nil
        }
        let context = LintContext(
            source: document, modelName: set.name, versionNames: [document.model.name], isCurrent: true,
            isForCloudKit: true, cloudKitConfiguration: configuration)
        findings = Linter(selection).lint(context).diagnostics.filter { settings?.isIgnored($0) != true }
    }

    private static func noConfiguration(_ name: String, _ document: any LintedSource) -> InputFailure {
        let names = document.model.configurations.prefix(10).map { "“\($0.name)”" }.joined(separator: ", ")
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noSuchConfiguration, "the model has no configuration “\(name)”",
                    file: document.path, range: .fileStart,
                    help: names.isEmpty ? "It has none; leave out --configuration." : "It has \(names).")
            ],
            exitCode: .couldNotRun)
    }
}
