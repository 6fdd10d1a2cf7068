internal import Diagnostics
public import ModelGraph
internal import ModelSchema

/// `modelc graph`: the model as a picture.
public struct GraphCommand: Sendable {
    /// The path of a source, a compiled model or a store.
    public var modelPath: String
    /// The version that is wanted; nil for the current one of several, or the only one.
    public var version: String?
    /// The language of the picture.
    public var format: GraphFormat
    /// The file that is written; nil for the output stream.
    public var outputPath: String?
    /// What of the model is shown.
    public var options: GraphOptions

    /// Makes a command.
    public init(
        modelPath: String, version: String? = nil, format: GraphFormat, outputPath: String? = nil,
        options: GraphOptions = GraphOptions()
    ) {
        self.modelPath = modelPath
        self.version = version
        self.format = format
        self.outputPath = outputPath
        self.options = options
    }

    /// Runs the command. A model with errors is drawn too, since a picture shows what is wrong with it; the exit code tells.
    public func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try ModelSetReader(files: environment.files).read(modelPath, version: version)
            set.addLines(to: &printer)
            let shown = try shownVersion(of: set)
            let diagnostics = set.diagnostics + shown.diagnostics
            printer.print(diagnostics)
            guard let model = shown.model else { return .findings }
            try requireEntities(in: model.entities.map(\.name), shown.path)
            let title = shown.name == set.name ? set.name : "\(set.name) – \(shown.name)"
            let text = ModelGraph(model, title: title, options: options).text(as: format)
            if let outputPath {
                let isNew = try InputFailure.wrapping { () throws(FileSystemError) in
                    try SourceProtection([modelPath], files: environment.files).check(outputPath)
                    return try environment.files.writeIfChanged(outputPath, Array(text.utf8))
                }
                if isNew { environment.errorLine("modelc: \(outputPath) written") }
            } else {
                environment.outputData(text)
            }
            return diagnostics.hasErrors ? .findings : .success
        }
    }

    /// A picture shows one version: the one asked for, the current one, or the only one.
    private func shownVersion(of set: ModelSet) throws(InputFailure) -> ModelSet.Version {
        let candidates = set.versions.filter {
            version != nil || set.currentName == nil || $0.name == set.currentName
        }
        guard candidates.count == 1, let shown = candidates.first else {
            // A source without a current version was reported already; compiled models can be silent about it.
            if set.diagnostics.hasErrors { throw InputFailure(diagnostics: set.diagnostics, exitCode: .couldNotRun) }
            let names = set.versions.map { "“\($0.name)”" }.joined(separator: ", ")
            throw InputFailure(
                diagnostics: set.diagnostics + [
                    Diagnostic(
                        .error, rule: .noCurrentVersion, "nothing says which version of the model is meant",
                        file: modelPath, range: .fileStart, help: "Name one with --version: \(names).")
                ],
                exitCode: .couldNotRun)
        }
        var single = set
        single.versions = [shown]
        try single.requireModels()
        return shown
    }

    private func requireEntities(in known: [String], _ path: String) throws(InputFailure) {
        guard let unknown = options.entityNames.first(where: { !known.contains($0) }) else { return }
        let names = known.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noSuchEntity, "the model has no entity “\(unknown)”", file: path,
                    range: .fileStart, help: "It has \(names)\(known.count > 10 ? " and others" : "").")
            ],
            exitCode: .couldNotRun)
    }
}
