internal import CompiledMapping
internal import Diagnostics
internal import MappingModel
internal import ModelSchema
internal import ModelSource

/// The input of a command: a mapping model in either form.
struct MappingInput {
    /// The path that the user named, without trailing slashes.
    var path: String
    /// The name of the mapping model.
    var name: String
    /// The source; `nil` for a compiled mapping model.
    var document: MappingDocument?
    /// The mapping model as Core Data loads it; `nil` if a model that it needs is missing.
    var mapping: CompiledMapping?
    /// The source model, if it is known.
    var sourceModel: Model?
    /// The destination model, if it is known.
    var destinationModel: Model?
    /// The findings from reading and compiling.
    var diagnostics: [Diagnostic]
    /// The findings that only `modelc lint` reports.
    var checks: [Diagnostic]

    /// Whether the mapping model is a source.
    var isSource: Bool { document != nil }

    /// The path of the file that was read.
    var filePath: String { document?.file.path ?? path }

    /// The lines of the source, by path.
    var lines: [String: LineIndex] { document.map { [$0.file.path: $0.file.lines] } ?? [:] }

    /// Adds the lines of the source to a printer.
    func addLines(to printer: inout DiagnosticPrinter) {
        if let document { printer.addLines(document.file.lines, of: document.file.path) }
    }
}

/// Reads mapping models in either form.
struct MappingInputReader {
    static let sourceExtension = ".xcmappingmodel"
    static let compiledExtension = ".cdm"

    private let files: any FileSystem
    private let sources: ModelInputReader

    init(files: any FileSystem) {
        self.files = files
        sources = ModelInputReader(files: files)
    }

    /// Returns whether a path names a mapping model, judging by its extension or file name.
    func isMapping(_ path: String) -> Bool {
        let path = PathName.withoutTrailingSlashes(path)
        if path.hasSuffix(Self.sourceExtension) || path.hasSuffix(Self.compiledExtension) { return true }
        return PathName.name(of: path) == MappingDocument.fileName
    }

    /// Reads a mapping model, and returns the reason if it cannot be read.
    func result(_ path: String) -> Result<MappingInput, InputFailure> {
        Result { () throws(InputFailure) in try read(path) }
    }

    /// Reads a mapping model.
    ///
    /// - Parameter path: An `.xcmappingmodel`, its `xcmapping.xml`, or a `.cdm`.
    func read(_ path: String) throws(InputFailure) -> MappingInput {
        let path = PathName.withoutTrailingSlashes(path)
        switch files.kind(of: path) {
        case nil:
            throw files.missing(path)
        case .directory?:
            guard path.hasSuffix(Self.sourceExtension) else {
                throw InputFailure(
                    path, rule: .notAMappingModel, message: "this folder is not a mapping model",
                    help: "Specify an .xcmappingmodel.")
            }
            let file = PathName.joined(path, MappingDocument.fileName)
            guard case .file(let size)? = files.kind(of: file) else {
                throw InputFailure(
                    path, rule: .notAMappingModel, message: "the folder has no “\(MappingDocument.fileName)” file",
                    help: "Restore the mapping model from version control.")
            }
            return try readSource(path, file: file, size: size)
        case .file(let size)?:
            if path.hasSuffix(Self.compiledExtension) { return try readCompiled(path, size: size) }
            return try readSource(path, file: path, size: size)
        case .other?:
            throw InputFailure(
                path, rule: .notAMappingModel, message: "this is neither a file nor a folder",
                help: "Specify an .xcmappingmodel or .cdm."
            )
        }
    }

    // MARK: Compiled mapping models

    private func readCompiled(_ path: String, size: Int) throws(InputFailure) -> MappingInput {
        let bytes = try sources.bytes(of: path, size: size)
        let decoded: DecodedMapping
        do {
            decoded = try DecodedMapping(bytes)
        } catch {
            throw InputFailure(
                path, rule: .notAMappingModel, message: "the compiled mapping model cannot be read: \(error)",
                help: "Compile the mapping model again.")
        }
        func diagnostic(_ finding: ModelFinding) -> Diagnostic {
            Diagnostic(
                finding.severity, rule: finding.rule == .malformedArchive ? .malformedMapping : finding.rule,
                finding.message, file: path, range: .fileStart, why: finding.why, help: finding.help)
        }
        let checks = MappingCheck.findings(in: decoded.mapping, source: nil, destination: nil)
        return MappingInput(
            path: path, name: PathName.stem(of: path), mapping: decoded.mapping,
            diagnostics: decoded.findings.map(diagnostic), checks: checks.map(diagnostic))
    }

    // MARK: Sources

    private func readSource(_ path: String, file: String, size: Int) throws(InputFailure) -> MappingInput {
        let folder = path == file ? PathName.parent(of: path) : path
        let name = PathName.name(of: folder, withoutExtension: Self.sourceExtension) ?? PathName.stem(of: path)
        let bytes = try sources.bytes(of: file, size: size)
        let document: MappingDocument
        do throws(MappingDocument.NotAMappingModel) {
            document = try MappingDocument(bytes: bytes, path: file, name: name)
        } catch {
            var excerpts = ExcerptRule(files: files)
            throw InputFailure(
                diagnostics: excerpts.withoutForeignText([error.diagnostic]),
                lines: error.lines.map { [file: $0] } ?? [:], exitCode: .couldNotRun)
        }
        var input = MappingInput(
            path: path, name: name, document: document, diagnostics: document.diagnostics, checks: [])
        let source = model("source", copy: document.source.sourceModel, document: document, near: folder, input: &input)
        let destination = model(
            "destination", copy: document.source.destinationModel, document: document, near: folder, input: &input)
        input.sourceModel = source
        input.destinationModel = destination
        input.checks += MappingCheck.findings(in: document.source).map { document.file.diagnostic(for: $0) }
        guard let source, let destination else { return input }
        let result = MappingCompiler.compile(document.source, source: source, destination: destination)
        input.mapping = result.mapping
        input.diagnostics += result.findings.map { document.file.diagnostic(for: $0) }
        // The unreadable part of an incomplete file would be reported as missing.
        if !document.file.isIncomplete {
            input.checks += MappingCheck.findings(in: result.mapping, source: source, destination: destination)
                .map { document.file.diagnostic(for: $0) }
        }
        return input
    }

    /// Returns a model of a mapping model: the copy in the file, or else the model at its path.
    private func model(
        _ side: String, copy: MappingSource.ModelCopy, document: MappingDocument, near folder: String,
        input: inout MappingInput
    ) -> Model? {
        let onDisk = copy.path.flatMap { model(at: $0, near: folder) }
        func add(_ finding: ModelFinding, isCheck: Bool = false) {
            let diagnostic = document.file.diagnostic(for: finding)
            if isCheck { input.checks.append(diagnostic) } else { input.diagnostics.append(diagnostic) }
        }
        if let data = copy.data {
            do {
                let editorModel = try EditorModel(data, name: copy.path.map { PathName.stem(of: $0) } ?? side)
                for finding in editorModel.findings {
                    add(
                        ModelFinding(
                            finding.severity, rule: .unreadableModelCopy,
                            "the copy of the \(side) model: \(finding.message)", at: copy.origin))
                }
                for finding in editorModel.model.versionHashes().findings {
                    add(
                        ModelFinding(
                            .error, rule: .unreadableModelCopy, "the copy of the \(side) model: \(finding.message)",
                            at: copy.origin,
                            why: "The mapping model is compiled with the version hashes of its copies.",
                            help: "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models."))
                }
                if let onDisk, let path = copy.path,
                    let finding = MappingCheck.staleCopy(editorModel.model, of: onDisk, path: path, at: copy.origin)
                {
                    add(finding, isCheck: true)
                }
                return editorModel.model
            } catch {
                add(
                    ModelFinding(
                        onDisk == nil ? .error : .warning, rule: .unreadableModelCopy,
                        "the copy of the \(side) model cannot be read: \(error)", at: copy.origin,
                        why: onDisk == nil ? nil : "The model at “\(copy.path ?? "")” is used.",
                        help: "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models."))
                return onDisk
            }
        }
        if onDisk == nil, !document.file.isIncomplete {
            let location = copy.path.map { ", and there is no model at “\($0)”" } ?? " and names no path"
            add(
                ModelFinding(
                    .error, rule: .missingMappedModel,
                    "the mapping model has no copy of the \(side) model\(location)", at: copy.origin,
                    help: "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models."))
        }
        return onDisk
    }

    /// Returns the model at a path that is relative to the project, which is one of the folders above the mapping
    /// model.
    private func model(at path: String, near folder: String) -> Model? {
        guard !path.hasPrefix("/"), !path.split(separator: "/").contains(".."),
            path.hasSuffix(ModelInputReader.modelExtension) || path.hasSuffix(ModelInputReader.bundleExtension),
            let start = files.canonicalPath(folder)
        else { return nil }
        var current = PathName.parent(of: start)
        while !current.isEmpty {
            let candidate = PathName.joined(current, path)
            if files.kind(of: candidate) == .directory {
                return (try? sources.read(candidate, version: nil))?.document.model
            }
            if current == "/" { break }
            current = PathName.parent(of: current)
        }
        return nil
    }
}
