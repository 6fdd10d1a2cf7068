internal import CompiledModel
internal import Diagnostics
internal import ModelSchema
internal import ModelSource
internal import StoreFile

/// Reads a model with all its versions in any form: from a source, a compiled model, or a store that holds its model.
package struct ModelSetReader {
    let files: any FileSystem
    let sources: ModelInputReader
    var swift: SwiftReading = SwiftReading()

    static let compiledBundleExtension = ".momd"
    static let compiledExtension = ".mom"

    /// - Parameter swift: How Swift sources are read.
    package init(files: any FileSystem, swift: SwiftReading = SwiftReading()) {
        self.files = files
        self.swift = swift
        sources = ModelInputReader(files: files)
    }

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld`, `.xcdatamodel`, `contents` file, `.momd`, `.mom`, store, Swift file or folder of
    ///     Swift files.
    ///   - version: The only version to read; `nil` for all.
    package func read(_ path: String, version: String? = nil) throws(InputFailure) -> ModelSet {
        let path = PathName.withoutTrailingSlashes(path)
        if SwiftFileSelection.isProject(path) || swift.target != nil || !swift.otherPaths.isEmpty {
            try checkSwiftPaths([path] + swift.otherPaths)
            return try readSwiftSources(path, version: version)
        }
        switch files.kind(of: path) {
        case .directory? where path.hasSuffix(Self.compiledBundleExtension):
            return try readCompiledBundle(path, version: version)
        case .directory? where path.hasSuffix(ModelInputReader.bundleExtension):
            return try modelSet(of: sources.readSource(path, .version(version)), version: version)
        case _? where namesSwiftSources(path):
            return try readSwiftSources(path, version: version)
        case .file? where files.isDatabase(path):
            return try readStore(path)
        case .file(let size)?:
            let head = try sources.bytes(of: path, size: size)
            if head.starts(with: Array("bplist".utf8)) { return try readCompiled(path, bytes: head) }
            try sources.rejectVersion(.version(version), path)
            return try modelSet(of: LoadedModel(path, sources.readContents(path, bytes: head)), version: nil)
        default:
            // A bare `.xcdatamodel`, or an error that the reader of sources describes best.
            return try modelSet(of: sources.readSource(path, .version(version)), version: nil)
        }
    }

    private func version(of document: ModelDocument) -> ModelSet.Version {
        ModelSet.Version(
            name: document.model.name, model: document.model, diagnostics: document.diagnostics, document: document,
            path: document.path)
    }

    /// Returns the model of a source.
    ///
    /// - Parameter version: The only version that was read; `nil` if all of them were.
    func modelSet(of source: LoadedModel, version: String?) throws(InputFailure) -> ModelSet {
        guard let bundle = source.bundle else {
            let document = try source.input(version: nil).document
            return ModelSet(
                name: document.model.name, kind: .source, path: source.path, currentName: nil, statesCurrent: false,
                versions: [self.version(of: document)], source: source)
        }
        var set = ModelSet(
            name: bundle.name, kind: .source, path: source.path, currentName: nil,
            statesCurrent: bundle.currentVersionFile?.versionName != nil, versions: [],
            diagnostics: bundle.currentVersionFile?.problems ?? [], source: source)
        if version == nil { set.diagnostics += bundle.skippedVersionWarnings }
        if let file = bundle.currentVersionFile { set.otherLines[file.path] = file.lines }
        do throws(ModelBundle.NoVersion) {
            let chosen = try bundle.version(requested: version)
            if version == nil { set.currentName = chosen }
        } catch {
            // The versions are still worth reading; callers that need a current version check the diagnostics.
            if error.reason != .wrongBundle {
                throw InputFailure(diagnostics: error.diagnostics, lines: set.otherLines, exitCode: .couldNotRun)
            }
            set.diagnostics = error.diagnostics + bundle.skippedVersionWarnings(besides: error.diagnostics)
        }
        set.skippedVersionNames = bundle.binaryVersionNames
        let inputs = Dictionary(source.versions.map { ($0.name, $0.input) }) { first, _ in first }
        try readVersions(source.versions.map(\.name), only: version, into: &set) { name throws(InputFailure) in
            guard let input = inputs[name] else { return [] }
            return [self.version(of: try input.get().document)]
        }
        return set
    }

    /// Reads versions of a bundle, and skips those that cannot be read.
    ///
    /// - Throws: If the requested version, the current one, or every version cannot be read.
    private func readVersions(
        _ names: [String], only requested: String?, into set: inout ModelSet,
        read: (String) throws(InputFailure) -> [ModelSet.Version]
    ) throws(InputFailure) {
        var failure: InputFailure?
        for name in names where requested == nil || Self.matches(name, requested) {
            let isNeeded = requested != nil || name == set.currentName
            do throws(InputFailure) {
                let versions = try read(name)
                // A needed version is kept even if only a part of it could be read.
                if !isNeeded, let broken = versions.lazy.compactMap(Self.brokenFile).first { throw broken }
                set.versions += versions
            } catch {
                guard !isNeeded else { throw error }
                failure = failure ?? error
                set.skip(name, because: error)
            }
        }
        if set.versions.isEmpty, let failure { throw failure }
    }

    /// Returns the errors of a file that could be read only in part; `nil` if it was read as a whole.
    private static func brokenFile(_ version: ModelSet.Version) -> InputFailure? {
        let rules: Set<RuleID> = [
            .notWellFormed, .truncated, .conflictMarkers, .entityDeclaration, .tooDeep, .tooManyAttributes, .notUTF8,
            .unsupportedEncoding,
        ]
        let errors = version.diagnostics.filter { $0.severity == .error && rules.contains($0.rule) }
        guard !errors.isEmpty else { return nil }
        return InputFailure(
            diagnostics: errors, lines: version.document.map { [$0.path: $0.lines] } ?? [:], exitCode: .couldNotRun)
    }

    /// Returns whether a version is the requested one.
    static func matches(_ name: String, _ requested: String?) -> Bool {
        requested == name || requested == name + ModelInputReader.modelExtension
            || requested == name + compiledExtension
    }

    private func readCompiledBundle(_ path: String, version: String?) throws(InputFailure) -> ModelSet {
        var contents: [String: [UInt8]] = [:]
        for name in try files.listInput(path)
        where name.hasSuffix(Self.compiledExtension) || name == VersionInfo.fileName {
            let file = PathName.joined(path, name)
            guard case .file(let size)? = files.kind(of: file) else { continue }
            contents[name] = try sources.bytes(of: file, size: size)
        }
        var diagnostics: [Diagnostic] = []
        let infoPath = PathName.joined(path, VersionInfo.fileName)
        let bundle: CompiledBundle
        do throws(CompiledBundleError) {
            bundle = try CompiledBundle(files: contents)
        } catch {
            let isInfo = if case .noVersions = error.kind { false } else { true }
            throw InputFailure(
                isInfo ? infoPath : path, rule: .notAModel, message: error.message, help: "Compile the model again.")
        }
        var set = ModelSet(
            name: PathName.name(of: path, withoutExtension: Self.compiledBundleExtension) ?? "", kind: .compiled,
            path: path, currentName: nil,
            statesCurrent: bundle.versionInfo?.currentVersionName != nil, versions: [])
        do throws(CompiledBundleError) {
            set.currentName = try bundle.currentVersionName()
        } catch {
            diagnostics.append(
                Diagnostic(
                    .error, rule: .noCurrentVersion, error.message, file: infoPath, range: .fileStart,
                    why: "Core Data cannot load the bundle.", help: "Compile the model again."))
        }
        set.diagnostics = diagnostics
        try readVersions(bundle.versionNames, only: version, into: &set) { name throws(InputFailure) in
            let file = PathName.joined(path, name + Self.compiledExtension)
            return [try compiledVersion(name, bytes: contents[name + Self.compiledExtension] ?? [], path: file)]
        }
        if set.versions.isEmpty, let version {
            let names = bundle.versionNames.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
            throw InputFailure(
                path, rule: .noSuchVersion, message: "the model has no version “\(version)”",
                help: EditDistance.question(for: version, among: bundle.versionNames) + "It has \(names).")
        }
        return set
    }

    private func readStore(_ path: String) throws(InputFailure) -> ModelSet {
        let store: StoreFile
        do throws(StoreFileError) {
            store = try StoreFile(path: files.systemPath(path))
        } catch {
            throw InputFailure(path, rule: .notAStore, message: error.message, help: error.help)
        }
        let name = PathName.stem(of: path)
        var version = ModelSet.Version(name: name, statedHashes: store.hashes, diagnostics: [], path: path)
        if let archive = store.modelArchive {
            do throws(ModelArchiveError) {
                let decoded = try DecodedModel(archive, name: name)
                version.model = decoded.model
                version.diagnostics = decoded.findings.map { version.diagnostic(for: $0) }
            } catch {
                version.diagnostics = [
                    Diagnostic(
                        .warning, rule: .unreadableModelCache, "the model in the store cannot be read: \(error)",
                        file: path, range: .fileStart, help: "The version hashes are still available.")
                ]
            }
        }
        return ModelSet(
            name: name, kind: .store, path: path, currentName: nil, statesCurrent: false,
            versions: [version])
    }

    private func readCompiled(_ path: String, bytes: [UInt8]) throws(InputFailure) -> ModelSet {
        let name = PathName.stem(of: path)
        return ModelSet(
            name: name, kind: .compiled, path: path, currentName: nil, statesCurrent: false,
            versions: [try compiledVersion(name, bytes: bytes, path: path)])
    }

    private func compiledVersion(
        _ name: String, bytes: [UInt8], path: String
    ) throws(InputFailure) -> ModelSet.Version {
        do throws(ModelArchiveError) {
            let decoded = try DecodedModel(bytes, name: name)
            var version = ModelSet.Version(name: name, model: decoded.model, diagnostics: [], path: path)
            version.diagnostics = decoded.findings.map { version.diagnostic(for: $0) }
            return version
        } catch {
            throw InputFailure(
                path, rule: .notAModel, message: "the compiled model is incomplete or damaged: \(error)",
                help: "Compile it again from its source, with Xcode or “modelc compile”, or copy it again from the app."
            )
        }
    }
}

extension FileSystem {
    /// Returns whether a file begins as every SQLite database does. Stores can be of any size and are not read as a
    /// whole.
    package func isDatabase(_ path: String) -> Bool {
        (try? readHead(path, count: DatabaseHeader.magic.count)).map(DatabaseHeader.begins) ?? false
    }
}
