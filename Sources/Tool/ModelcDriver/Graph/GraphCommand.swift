internal import Diagnostics
internal import ModelEvolution
internal import ModelGraph
internal import ModelMigration
internal import ModelSchema

extension GraphCommand {
    /// The options for the parts of the model that are shown.
    private var options: GraphOptions { GraphOptions(entityNames: entity, showsAttributes: !hidesAttributes) }

    /// Runs the command. A model with errors is also drawn, since a picture shows what is wrong with it; the exit code
    /// reports the errors.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        if let comparedPath { return runComparison(with: comparedPath, in: environment) }
        return environment.run { printer throws(InputFailure) in
            let set = try ModelSetReader(files: environment.files, swift: conditions.reading).read(
                modelPath, version: version)
            set.addLines(to: &printer)
            let shown = try shownVersion(of: set)
            let diagnostics = set.diagnostics + shown.diagnostics
            printer.print(diagnostics)
            guard let model = shown.model else { return .findings }
            try requireEntities(in: model.entities.map(\.name), shown.path)
            let title = shown.name == set.name ? set.name : "\(set.name) – \(shown.name)"
            let text = ModelGraph(model, title: title, options: options).text(as: writtenFormat, theme: theme)
            try write(text, protecting: [modelPath], in: environment)
            return diagnostics.hasErrors ? .findings : .success
        }
    }

    /// Draws two versions side by side.
    private func runComparison(with comparedPath: String, in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let reader = EvolutionReader(files: environment.files, swift: conditions.reading)
            let (oldSet, newSet) = (try reader.modelSet(modelPath), try reader.modelSet(comparedPath))
            oldSet.addLines(to: &printer)
            newSet.addLines(to: &printer)
            let old = try oldSet.version(named: version, option: "--version")
            let new = try newSet.version(named: nil, option: "its path")
            let (oldModel, newModel) = (try old.indexedModel(), try new.indexedModel())
            printer.print((old.diagnostics + new.diagnostics).filter { $0.severity > .note })
            let marks = GraphDifference(
                ModelDifference(from: oldModel, to: newModel), from: oldModel.model, to: newModel.model)
            func graph(_ model: Model, title: String, marks: GraphMarks) -> ModelGraph {
                ModelGraph(model, title: title, marks: marks, showsAttributes: options.showsAttributes)
            }
            let comparison = GraphComparison(
                old: graph(oldModel.model, title: DiffCommand.title(old, in: oldSet), marks: marks.old),
                new: graph(newModel.model, title: DiffCommand.title(new, in: newSet), marks: marks.new))
            try write(
                comparison.text(as: writtenFormat, theme: theme), protecting: [modelPath, comparedPath], in: environment
            )
            return .success
        }
    }

    private func write(
        _ text: String, protecting sources: [String], in environment: DriverEnvironment
    ) throws(InputFailure) {
        guard let outputPath = output.outputPath else { return environment.outputData(text) }
        let isNew = try InputFailure.wrapping { () throws(FileSystemError) in
            try SourceProtection(sources, files: environment.files).check(outputPath)
            guard writesPNG else {
                try OutputDestination.requireFile(
                    outputPath, beginningWith: ["<svg ", "---\ntitle: ", "digraph "].map { Array($0.utf8) },
                    kind: "a diagram", environment.files)
                return try environment.files.writeIfChanged(outputPath, Array(text.utf8))
            }
            try OutputDestination.requireFile(
                outputPath, beginningWith: [Self.signatureOfPNG], kind: "a PNG", environment.files)
            return try environment.files.writeIfChanged(outputPath, try Self.png(text, for: outputPath))
        }
        if isNew { environment.errorLine("modelc: \(outputPath) written") }
    }

    private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Draws an SVG.
    private static func png(_ svg: String, for path: String) throws(FileSystemError) -> [UInt8] {
        let result: ChildProcess.Result
        do throws(ChildProcess.Failure) {
            result = try ChildProcess.run(["rsvg-convert", "--format=png"], input: Array(svg.utf8))
        } catch {
            throw OutputDestination.rejection(
                path,
                error.isMissing
                    ? "rsvg-convert is not installed; install librsvg (librsvg2-bin on Debian), or write an SVG"
                    : "rsvg-convert cannot run: \(error.reason)")
        }
        guard result.exitCode == 0, result.output.starts(with: signatureOfPNG) else {
            let reason = result.errorOutput.split(separator: "\n").first.map(String.init) ?? "no PNG was written"
            throw OutputDestination.rejection(path, "rsvg-convert: \(reason)")
        }
        return result.output
    }

    /// Returns the version that is drawn: the requested one, the current one, or the only one.
    private func shownVersion(of set: ModelSet) throws(InputFailure) -> ModelSet.Version {
        let candidates = set.versions.filter {
            version != nil || set.currentName == nil || $0.name == set.currentName
        }
        guard candidates.count == 1, let shown = candidates.first else {
            // Reading a source reports a missing current version; reading a compiled model may not.
            if set.diagnostics.hasErrors { throw InputFailure(diagnostics: set.diagnostics, exitCode: .couldNotRun) }
            let names = set.versions.map { "“\($0.name)”" }.joined(separator: ", ")
            throw InputFailure(
                diagnostics: set.diagnostics + [
                    Diagnostic(
                        .error, rule: .noCurrentVersion, "the version of the model is ambiguous",
                        file: modelPath, range: .fileStart, help: "Specify one with --version: \(names).")
                ],
                exitCode: .couldNotRun)
        }
        var single = set
        single.versions = [shown]
        try single.requireModels()
        return shown
    }

    private func requireEntities(in entityNames: [String], _ path: String) throws(InputFailure) {
        guard let unknown = options.entityNames.first(where: { !entityNames.contains($0) }) else { return }
        let names = entityNames.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noSuchEntity, "the model has no entity “\(unknown)”", file: path,
                    range: .fileStart,
                    help: EditDistance.question(for: unknown, among: entityNames)
                        + "It has \(names)\(entityNames.count > 10 ? " and others" : "").")
            ],
            exitCode: .couldNotRun)
    }
}
