internal import CodeGeneration
package import Diagnostics
internal import ModelSource

/// Determines what a path names, and reads the model there.
struct ModelInputReader {
    let files: any FileSystem

    /// The maximum size of a `contents` file, in bytes. The largest of 2359 real ones is 129 kB
    /// (Documentation/Formats/ModelSource.md, 1); a model of 100 000 entities would fit.
    static let sizeLimit = 64 << 20

    static let bundleExtension = ".xcdatamodeld"
    static let modelExtension = ".xcdatamodel"

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld`, an `.xcdatamodel` or a `contents` file.
    ///   - version: The version to read; `nil` for the current one.
    func read(_ path: String, version: String?) throws(InputFailure) -> ModelInput {
        let source = try readSource(path, version.map { .named($0) } ?? .current)
        return try source.input(version: version)
    }

    /// Reads versions of a model.
    func readSource(_ path: String, _ selection: LoadedModel.Selection) throws(InputFailure) -> LoadedModel {
        let path = PathName.withoutTrailingSlashes(path)
        guard let kind = files.kind(of: path) else {
            throw files.missing(path)
        }
        switch kind {
        case .directory where PathName.name(of: path, withoutExtension: Self.bundleExtension) != nil:
            return try readBundle(path, selection)
        case .directory where PathName.name(of: path, withoutExtension: Self.modelExtension) != nil:
            try rejectVersion(selection, path)
            return LoadedModel(path, try readModelFolder(path))
        case .directory:
            throw wrongFolder(path)
        case .file(let size):
            try rejectVersion(selection, path)
            return LoadedModel(path, try readContents(path, bytes: try bytes(of: path, size: size)))
        case .other:
            throw InputFailure(
                path, rule: .notAModel, message: "this is neither a file nor a folder",
                help: "Specify an .xcdatamodeld or .xcdatamodel.")
        }
    }

    private func readBundle(
        _ path: String, _ selection: LoadedModel.Selection
    ) throws(InputFailure) -> LoadedModel {
        let bundle = try openBundle(path)
        let current = try? bundle.version(requested: nil)
        let names = bundle.versionNames.filter { name in
            switch selection {
            case .all: true
            case .current: current == nil || name == current
            case .named(let version): ModelSetReader.matches(name, version)
            case .only(let requested): name == current || requested.contains(name)
            case .without(let excluded): !excluded.contains(name)
            }
        }
        let versions = names.map { name in
            LoadedModel.Version(
                name: name,
                input: Result { () throws(InputFailure) in
                    try readModelFolder(PathName.joined(path, name + Self.modelExtension))
                })
        }
        return LoadedModel(path: path, bundle: bundle, versions: versions)
    }

    /// Returns an `.xcdatamodeld` with the names of its versions.
    func openBundle(_ path: String) throws(InputFailure) -> ModelBundle {
        let names = try files.listInput(path)
        let versions = names.compactMap { name in
            PathName.name(of: name, withoutExtension: Self.modelExtension).flatMap {
                // A link to a missing folder is a version that cannot be read.
                switch files.kind(of: PathName.joined(path, name)) {
                case .directory?, nil: $0
                case .file?, .other?: nil
                }
            }
        }
        var currentVersionFile: CurrentVersionFile?
        let currentVersionPath = PathName.joined(path, ".xccurrentversion")
        if names.contains(".xccurrentversion"), case .file(let size)? = files.kind(of: currentVersionPath) {
            currentVersionFile = shown(
                CurrentVersionFile(
                    bytes: try bytes(of: currentVersionPath, size: size), path: currentVersionPath),
                versions)
        }
        let binaryVersions = versions.filter { isXcode3Model(PathName.joined(path, $0 + Self.modelExtension)) }
        return ModelBundle(
            name: PathName.name(of: path, withoutExtension: Self.bundleExtension) ?? "", path: path,
            versionNames: versions.filter { !binaryVersions.contains($0) }, binaryVersionNames: binaryVersions,
            currentVersionFile: currentVersionFile)
    }

    /// Returns the file, without its text if it is a link to a file outside the bundle that names none of the versions.
    private func shown(_ file: CurrentVersionFile, _ versions: [String]) -> CurrentVersionFile {
        guard !file.problems.isEmpty || file.versionName.map(versions.contains) == false else { return file }
        var excerpts = ExcerptRule(files: files)
        guard !excerpts.mayShow(file.path) else { return file }
        let problem = Diagnostic(
            .error, rule: .malformedCurrentVersion, "the file names no version of the model", file: file.path,
            range: .fileStart)
        return file.withheld(excerpts.withoutForeignText([problem]))
    }

    /// Returns whether an `.xcdatamodel` folder holds the binary files of Xcode 3 instead of a `contents` file.
    private func isXcode3Model(_ path: String) -> Bool {
        files.kind(of: PathName.joined(path, "contents")) == nil
            && files.kind(of: PathName.joined(path, "elements")) != nil
    }

    func readModelFolder(_ path: String) throws(InputFailure) -> ModelInput {
        let contents = PathName.joined(path, "contents")
        guard case .file(let size)? = files.kind(of: contents) else {
            let isXcode3 = isXcode3Model(path)
            let missing =
                files.kind(of: path) == nil ? "the folder does not exist" : "the folder has no “contents” file"
            throw InputFailure(
                path, rule: .notAModel, message: isXcode3 ? "this is a binary model of Xcode 3" : missing,
                help: isXcode3
                    ? "Open and save it in Xcode 4 to 13, which turns it into XML."
                    : "Restore the model from version control.")
        }
        return try readContents(contents, bytes: try bytes(of: contents, size: size))
    }

    /// Reads a version.
    ///
    /// - Parameter bytes: The content of the file.
    func readContents(_ path: String, bytes: [UInt8]) throws(InputFailure) -> ModelInput {
        let folder = PathName.parent(of: path)
        let isInModel = PathName.name(of: path) == "contents"
        let version =
            (isInModel ? PathName.name(of: folder, withoutExtension: Self.modelExtension) : nil)
            ?? PathName.stem(of: path)
        let document: ModelDocument
        do throws(ModelDocument.NotAModel) {
            document = try ModelDocument(bytes: bytes, path: path, name: version)
        } catch {
            var excerpts = ExcerptRule(files: files)
            throw InputFailure(
                diagnostics: excerpts.withoutForeignText([error.diagnostic]),
                lines: error.lines.map { [path: $0] } ?? [:], exitCode: .couldNotRun)
        }
        return ModelInput(
            document: document, source: source(ofContents: path, version: version), otherDiagnostics: [],
            otherLines: [:])
    }

    /// Returns the source of generated code for a version. A version inside a bundle belongs to the bundle's model.
    private func source(ofContents path: String, version: String) -> GenerationSource {
        let folder = PathName.parent(of: path)
        guard PathName.name(of: folder, withoutExtension: Self.modelExtension) != nil else {
            return GenerationSource(modelName: version, fileName: PathName.name(of: path))
        }
        let bundle = PathName.parent(of: folder)
        if let name = PathName.name(of: bundle, withoutExtension: Self.bundleExtension) {
            return GenerationSource(modelName: name, fileName: PathName.name(of: bundle))
        }
        return GenerationSource(modelName: version, fileName: PathName.name(of: folder))
    }

    func bytes(of path: String, size: Int) throws(InputFailure) -> [UInt8] {
        guard size <= Self.sizeLimit else {
            throw InputFailure(
                path, rule: .fileTooLarge,
                message: "the file has \(size >> 20) MiB; modelc reads no more than \(Self.sizeLimit >> 20) MiB",
                help: "The largest known models are a few hundred kilobytes.")
        }
        return try files.readInput(path)
    }

    func rejectVersion(_ selection: LoadedModel.Selection, _ path: String) throws(InputFailure) {
        guard case .named = selection else { return }
        throw InputFailure(
            path, rule: .noSuchVersion,
            message: "--version needs an .xcdatamodeld; this path names one version already",
            help: "Specify the bundle, or leave out --version.")
    }

    private func wrongFolder(_ path: String) -> InputFailure {
        let name = PathName.name(of: path)
        if name.hasSuffix(".momd") || name.hasSuffix(".mom") {
            return InputFailure(
                path, rule: .notAModel, message: "this is a compiled model",
                help: "Specify the .xcdatamodeld that it was made from.")
        }
        let models = ((try? files.list(path)) ?? []).filter {
            $0.hasSuffix(Self.bundleExtension) || $0.hasSuffix(Self.modelExtension)
        }
        return InputFailure(
            path, rule: .notAModel, message: "this folder is not a model",
            help: models.first.map { "Did you mean \(PathName.joined(path, $0))?" }
                ?? "Specify an .xcdatamodeld or .xcdatamodel.")
    }
}

extension FileSystemError {
    /// The failure as a diagnostic.
    package var diagnostic: Diagnostic {
        Diagnostic(
            .error, rule: .fileSystem, "cannot \(action): \(reason)", file: path, range: .fileStart,
            help: nothingChanged ? "Nothing was changed." : "Restore the files from version control.")
    }
}
