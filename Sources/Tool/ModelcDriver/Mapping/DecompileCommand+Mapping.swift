internal import CompiledMapping
internal import Diagnostics
internal import MappingModel
internal import ModelSchema

extension DecompileCommand {
    /// Reconstructs the source of a compiled mapping model.
    func decompileMapping(
        _ environment: DriverEnvironment, _ printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> ExitCode {
        let files = environment.files
        let reader = ModelInputReader(files: files)
        let input = try MappingInputReader(files: files).read(modelPath)
        input.addLines(to: &printer)
        guard !input.isSource, let mapping = input.mapping else {
            throw InputFailure(
                input.path, rule: .notAMappingModel, message: "this is already the source of a mapping model",
                help: "Specify a .cdm, or print the mapping model with `modelc inspect`.")
        }
        printer.print(input.diagnostics)
        guard !input.diagnostics.hasErrors else { return .findings }
        var models: (source: MappingDecompiler.NamedModel, destination: MappingDecompiler.NamedModel)?
        if let sourceModelPath, let destinationModelPath {
            models = (
                try namedModel(sourceModelPath, files: files, printer: &printer),
                try namedModel(destinationModelPath, files: files, printer: &printer)
            )
            if let models {
                try check(mapping, source: models.source.model, destination: models.destination.model, reader: reader)
            }
        }
        let result = MappingDecompiler.decompile(mapping, name: input.name, models: models)
        printer.print(
            result.findings.map {
                Diagnostic(
                    $0.severity, rule: $0.rule, $0.message, file: input.path, range: .fileStart, why: $0.why,
                    help: $0.help)
            })
        let bytes = result.source.xmlBytes()
        if let models {
            try checkSource(
                bytes, mapping: mapping, source: models.source.model, destination: models.destination.model,
                input: input, reader: reader)
        }
        let path = mappingPath(for: input)
        try InputFailure.wrapping { () throws(FileSystemError) in
            if outputPath?.isEmpty == true { throw OutputDestination.rejection("", "the path is empty") }
            try SourceProtection([modelPath], files: files).check(path)
        }
        guard files.kind(of: path) == nil else {
            throw InputFailure(
                path, rule: .fileExists, message: "a file or folder with this name already exists",
                help: "Nothing was written. Specify another path.")
        }
        _ = try InputFailure.wrapping { () throws(FileSystemError) in
            try FolderReplacement(files: files).write([MappingDocument.fileName: bytes], to: path)
        }
        environment.errorLine("modelc: \(path) written")
        return .success
    }

    private func mappingPath(for input: MappingInput) -> String {
        let name = input.name + MappingInputReader.sourceExtension
        guard let outputPath else { return name }
        let plain = PathName.withoutTrailingSlashes(outputPath)
        return plain.hasSuffix(MappingInputReader.sourceExtension) ? plain : PathName.joined(plain, name)
    }

    private func namedModel(
        _ path: String, files: any FileSystem, printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> MappingDecompiler.NamedModel {
        let set = try ModelSetReader(files: files).read(path)
        set.addLines(to: &printer)
        try set.requireModels()
        let version = set.versions.first { $0.name == set.currentName } ?? set.versions.first
        guard let version, let model = version.model, set.currentName != nil || set.versions.count == 1 else {
            throw InputFailure(
                path, rule: .noCurrentVersion, message: "the bundle has several versions, none of which is current",
                help: "Specify a version of it.")
        }
        return MappingDecompiler.NamedModel(path: PathName.withoutTrailingSlashes(path), model: model)
    }

    /// Throws if the models do not have the version hashes that the mapping model states.
    private func check(
        _ mapping: CompiledMapping, source: Model, destination: Model, reader: ModelInputReader
    ) throws(InputFailure) {
        let sourceHashes = source.versionHashes().entities
        let destinationHashes = destination.versionHashes().entities
        for pair in mapping.entityPairs {
            for (name, hash, hashes, path) in [
                (pair.sourceName, pair.sourceHash, sourceHashes, sourceModelPath),
                (pair.destinationName, pair.destinationHash, destinationHashes, destinationModelPath),
            ] {
                guard let name, hash != hashes[name] else { continue }
                throw InputFailure(
                    path ?? "", rule: .staleModelCopy,
                    message: "the entity “\(name)” of the model has another version hash than the mapping model states",
                    help: "Specify the version that the mapping model was made with.")
            }
        }
    }

    /// Throws if the source, read back, does not compile to the same mapping model.
    private func checkSource(
        _ bytes: [UInt8], mapping: CompiledMapping, source: Model, destination: Model, input: MappingInput,
        reader: ModelInputReader
    ) throws(InputFailure) {
        let document = try? MappingDocument(bytes: bytes, path: input.path, name: input.name)
        if let document, !document.diagnostics.hasErrors {
            let again = MappingCompiler.compile(document.source, source: source, destination: destination).mapping
            if again.encoded().bytes == mapping.encoded().bytes { return }
        }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .sourceMismatch, "a source cannot express everything in the compiled mapping model",
                    file: input.path, range: .fileStart,
                    why: "The source was read back and did not compile to the same mapping model.",
                    help: "Nothing was written. `modelc inspect` shows the mapping model.")
            ],
            exitCode: .findings)
    }
}
