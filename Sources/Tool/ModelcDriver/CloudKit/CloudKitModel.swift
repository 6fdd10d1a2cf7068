internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// A model that is compared with CloudKit schemas: one version, and the part of it that is mirrored.
struct CloudKitModel {
    /// The model with all its versions.
    let set: ModelSet
    /// The version. A compiled model is written as a source, whose locations mean nothing to the user.
    let document: any LintedSource
    let hasSource: Bool
    /// The lines of the files, for excerpts.
    let lines: [String: LineIndex]
    /// The schema that the model needs.
    let mapping: SchemaMapping
    /// The reasons for which Core Data does not mirror the model, and other findings about CloudKit.
    let findings: [Diagnostic]

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - path: A source of a model, a compiled model, or `REVISION:PATH`.
    ///   - versionName: The version, or `nil` for the current one.
    ///   - configuration: The configuration that is mirrored, or `nil` for the one that the model marks.
    ///   - settings: The settings of rules; `nil` for the rules' default severities.
    ///   - swift: How Swift sources are read.
    init(
        _ path: String, version versionName: String?, configuration: String?, settings: RunSettings?,
        swift: SwiftReading, files: any FileSystem
    ) throws(InputFailure) {
        try self.init(
            try EvolutionReader(files: files, swift: swift).modelSet(path), version: versionName,
            configuration: configuration, settings: settings)
    }

    init(
        _ set: ModelSet, version versionName: String?, configuration: String?, settings: RunSettings?
    ) throws(InputFailure) {
        let version = try set.version(named: versionName, option: "--version")
        // Throws if the model has errors.
        _ = try version.indexedModel()
        let document = try Self.document(of: version, in: set)
        self.set = set
        self.document = document
        hasSource = version.lintedSource != nil
        lines = version.document.map { [$0.path: $0.lines] } ?? (hasSource ? set.otherLines : [:])
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
        let linted = Linter(selection).lint(context).diagnostics.filter { settings?.isIgnored($0) != true }
        findings = hasSource ? linted : [Self.lostSettings(document.path)] + linted.map(Self.withoutLocation)
    }

    /// Returns the warning about settings that a compiled model does not hold.
    private static func lostSettings(_ path: String) -> Diagnostic {
        Diagnostic(
            .warning, rule: .cloudkitUnproven,
            "the compiled model does not say which attributes are encrypted and which configurations are mirrored",
            file: path, range: .fileStart,
            why:
                "Apple's encoding of these settings is unknown, and an unencrypted field can never become encrypted.",
            help: "Use the source if an attribute is encrypted, and --configuration if the model has several stores.")
    }

    /// Returns a finding about the model as a diagnostic: at its location in a source, or else for the file as a whole.
    func diagnostic(for finding: ModelFinding) -> Diagnostic {
        let diagnostic = document.diagnostic(for: finding)
        return hasSource ? diagnostic : Self.withoutLocation(diagnostic)
    }

    /// Returns the document of a version. For a compiled model, the document is reconstructed.
    private static func document(
        of version: ModelSet.Version, in set: ModelSet
    ) throws(InputFailure) -> any LintedSource {
        if let source = version.lintedSource { return source }
        if set.kind == .compiled, let model = version.model {
            let source = try ReconstructedSource(model, path: version.path)
            if let document = try? ModelDocument(bytes: source.bytes, path: version.path, name: version.name) {
                return document
            }
        }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .notAModel, "this is neither the source of a model nor a compiled model",
                    file: set.path, range: .fileStart,
                    help: "Specify an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns a diagnostic without the parts that refer to a source: locations, fixes and the location in Xcode's
    /// editor.
    private static func withoutLocation(_ diagnostic: Diagnostic) -> Diagnostic {
        var result = diagnostic
        result.range = .fileStart
        result.related = []
        result.fixes = []
        return result
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
