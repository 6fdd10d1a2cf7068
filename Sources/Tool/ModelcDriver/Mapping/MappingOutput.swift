internal import CompiledMapping
internal import Diagnostics
internal import MappingModel
internal import ModelSource

/// The destination of a compiled mapping model.
struct MappingOutput {
    /// The path of the `.cdm`.
    let path: String

    /// Determines the path.
    ///
    /// - Parameter requested: A path that ends in `.cdm`, a folder, or `nil` for the working directory.
    /// - Throws: If the path is empty, or if it is inside the mapping model or the mapping model itself.
    init(_ input: String, name: String, requested: String?, files: any FileSystem) throws(InputFailure) {
        let fileName = name + MappingInputReader.compiledExtension
        if let requested {
            let isTarget = requested.hasSuffix(MappingInputReader.compiledExtension)
            path = isTarget ? requested : PathName.joined(PathName.withoutTrailingSlashes(requested), fileName)
        } else {
            path = fileName
        }
        try InputFailure.wrapping { [path] () throws(FileSystemError) in
            if requested?.isEmpty == true { throw OutputDestination.rejection("", "the path is empty") }
            try SourceProtection([input], files: files).check(path)
        }
    }
}

/// The result of compiling a mapping model.
struct MappingCompilation {
    /// The `.cdm`; `nil` if there are errors.
    private(set) var bytes: [UInt8]?
    private(set) var diagnostics: [Diagnostic]

    /// Compiles a source.
    init(_ input: MappingInput) {
        diagnostics = input.diagnostics + input.checks
        guard let mapping = input.mapping else { return }
        let encoded = mapping.encoded()
        if let file = input.document?.file { diagnostics += encoded.findings.map { file.diagnostic(for: $0) } }
        if !diagnostics.hasErrors { bytes = encoded.bytes }
    }
}

extension CompileCommand {
    /// Compiles an `.xcmappingmodel` to a `.cdm`.
    func compileMapping(
        _ environment: DriverEnvironment, _ printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> ExitCode {
        let input = try MappingInputReader(files: environment.files).read(modelPath)
        input.addLines(to: &printer)
        guard input.isSource else {
            throw InputFailure(
                input.path, rule: .notAMappingModel, message: "this is a compiled mapping model",
                help: "Specify the .xcmappingmodel that it was made from.")
        }
        let output = try MappingOutput(input.path, name: input.name, requested: outputPath, files: environment.files)
        if listsOutputs {
            environment.outputData(output.path + "\n")
            return .success
        }
        let compilation = MappingCompilation(input)
        printer.print(compilation.diagnostics, includesNotes: !isQuiet)
        guard let bytes = compilation.bytes else { return .findings }
        let isNew = try InputFailure.wrapping { () throws(FileSystemError) in
            try environment.files.writeIfChanged(output.path, bytes)
        }
        if !isQuiet {
            let count = input.mapping?.entityMappings.count ?? 0
            let mappings = count == 1 ? "1 entity mapping" : "\(count) entity mappings"
            environment.errorLine("modelc: \(output.path) \(isNew ? "written" : "unchanged"), \(mappings)")
        }
        return .success
    }
}
