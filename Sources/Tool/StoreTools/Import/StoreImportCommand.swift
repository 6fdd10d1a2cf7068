internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelSource
package import ModelcDriver
internal import StoreDoctor

extension StoreImportCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let files = environment.files
            let source = try source(files)
            let modelPath = if let modelPath { modelPath } else { try ownModel(files) }
            let set = try EvolutionReader(files: files).modelSet(modelPath)
            set.addLines(to: &printer)
            let version = try set.version(named: version, option: "--version")
            let model = try version.managedObjectModel(try version.indexedModel())
            let location = try StagingLocation(outputPath, replaces: replaces, files)
            let importer = StoreImporter(
                files: source.files.map { (name: $0, path: files.systemPath($0)) },
                folder: source.isFolder ? files.systemPath(path) : nil, model: model, ignoresUnknown: ignoreUnknown)
            let summary: StoreExporter.Summary
            do throws(StoreImporter.Failure) {
                summary = try importer.write(to: location.temporaryPath)
            } catch {
                location.discard()
                throw failure(error)
            }
            try location.publish()
            for problem in summary.problems { environment.errorLine("modelc: \(path): \(problem.message)") }
            let (counts, total) = (summary.counts, summary.rowCount)
            environment.errorLine(
                "modelc: \(outputPath) written, \(counted(total, "object")) of \(counts.count) "
                    + "entit\(counts.count == 1 ? "y" : "ies"), version “\(version.name)”")
            return summary.problems.isEmpty ? .success : .findings
        }
    }

    /// Returns the files with objects.
    private func source(_ files: any FileSystem) throws(InputFailure) -> (files: [String], isFolder: Bool) {
        switch files.kind(of: path) {
        case .file?: return ([path], false)
        case .directory?:
            let all = try files.listInput(path)
            let names = all.filter { $0.hasSuffix(".jsonl") && !$0.hasPrefix(".") }.sorted()
            guard !names.isEmpty || all.contains("schema.json") else {
                throw InputFailure(
                    path, rule: .noSuchFile, message: "the folder has no files in JSON Lines",
                    help: "Specify the folder that `modelc store export` has written.")
            }
            return (names.map { PathName.joined(path, $0) }, true)
        default:
            throw InputFailure(
                path, rule: .noSuchFile, message: "there is no file or folder at this path",
                help: "Specify the folder that `modelc store export` has written.")
        }
    }

    /// Returns the path of the model in the export.
    private func ownModel(_ files: any FileSystem) throws(InputFailure) -> String {
        let model = PathName.joined(path, "model.mom")
        guard case .file? = files.kind(of: model) else {
            throw InputFailure(
                path, rule: .noModels, message: "the export does not contain the model",
                help: "Specify the model with --model.")
        }
        return model
    }

    private func failure(_ error: StoreImporter.Failure) -> InputFailure {
        let file = error.file.map { ["schema.json", "model.mom"].contains($0) ? PathName.joined(path, $0) : $0 }
        let start = error.line.map { SourcePosition(line: $0, column: 1) }
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: error.kind == .data ? .invalidExport : .fileSystem, error.message,
                    file: file ?? outputPath, range: start.map { SourceRange(start: $0, end: $0) } ?? .fileStart,
                    help: "\(error.help) Nothing was written.")
            ],
            exitCode: .couldNotRun)
    }
}
