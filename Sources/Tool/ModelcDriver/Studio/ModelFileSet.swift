internal import CodeGeneration
package import Diagnostics
internal import ModelSchema
internal import ModelSource

/// The files of a model that an editor opens: every version of a bundle, or a single version.
package struct ModelFileSet: Sendable {
    /// The file of a version.
    package struct Version: Sendable {
        /// The version's name without extension.
        package var name: String
        /// The path of its `contents` file.
        package var path: String
        /// The bytes of the file.
        package var bytes: [UInt8]
    }

    /// The name of the model.
    package let name: String
    /// The path that was opened.
    package let path: String
    /// The versions, in the order of their names.
    package let versions: [Version]
    /// The name of the current version; `nil` if the model is a single version or does not name a current one.
    package let currentName: String?
    /// The path of `.xccurrentversion`; `nil` if the model is a single version.
    package let currentVersionPath: String?
    /// The findings about the bundle itself.
    package let diagnostics: [Diagnostic]

    /// Reads the files of a model.
    ///
    /// - Throws: If the path is not a model, or if none of its versions can be read.
    package init(path: String, files: any FileSystem) throws(InputFailure) {
        let reader = ModelInputReader(files: files)
        let path = PathName.withoutTrailingSlashes(path)
        guard PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension) != nil else {
            let input = try reader.read(path, version: nil)
            let version = Version(
                name: input.document.model.name, path: input.document.path, bytes: input.document.source.bytes)
            name = input.source.modelName
            self.path = path
            versions = [version]
            currentName = nil
            currentVersionPath = nil
            diagnostics = []
            return
        }
        guard files.kind(of: path) == .directory else {
            _ = try reader.read(path, version: nil); throw Self.empty(path)
        }
        let bundle = try reader.openBundle(path)
        var versions: [Version] = []
        var problems = (bundle.currentVersionFile?.problems ?? []) + bundle.skippedVersionWarnings
        for name in bundle.versionNames {
            let contents = Self.contentsPath(ofVersion: name, inBundle: path)
            do throws(InputFailure) {
                guard case .file(let size)? = files.kind(of: contents) else {
                    _ = try reader.readModelFolder(PathName.parent(of: contents))
                    continue
                }
                versions.append(
                    Version(name: name, path: contents, bytes: try reader.bytes(of: contents, size: size)))
            } catch {
                problems += error.diagnostics
            }
        }
        guard !versions.isEmpty else {
            throw problems.hasErrors
                ? InputFailure(diagnostics: problems, exitCode: .couldNotRun) : Self.empty(path)
        }
        name = bundle.name
        self.path = path
        self.versions = versions
        currentName = (try? bundle.version(requested: nil)) ?? bundle.currentVersionFile?.versionName
        currentVersionPath = PathName.joined(path, ".xccurrentversion")
        diagnostics = problems
    }

    private static func contentsPath(ofVersion name: String, inBundle path: String) -> String {
        PathName.joined(PathName.joined(path, name + ModelInputReader.modelExtension), "contents")
    }

    /// Returns the path of the file of a version that may no longer exist; `nil` if the model is a single version, or
    /// the name is not that of a file.
    package static func contentsPath(ofVersion name: String, in path: String) -> String? {
        guard PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension) != nil,
            !name.isEmpty, !name.hasPrefix("."), !name.contains("/")
        else { return nil }
        return contentsPath(ofVersion: name, inBundle: path)
    }

    private static func empty(_ path: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noVersions, "the bundle holds no model version that can be read", file: path,
                    range: .fileStart, help: "An .xcdatamodeld holds one .xcdatamodel folder for each version.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the files of a new bundle with one version.
    static func files(
        of model: Model, at path: String
    ) throws(InputFailure) -> [(path: String, bytes: [UInt8])] {
        let version = PathName.joined(path, model.name + ModelInputReader.modelExtension)
        return [
            (PathName.joined(version, "contents"), try ReconstructedSource(model, path: path).bytes),
            (PathName.joined(path, ".xccurrentversion"), CurrentVersionFile.contents(naming: model.name)),
        ]
    }

    /// Returns whether a path names a model that does not exist, and that can be created.
    package static func canCreate(_ path: String, files: any FileSystem) -> Bool {
        let path = PathName.withoutTrailingSlashes(path)
        let name = PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension)
        return name.map { !$0.isEmpty && !$0.hasPrefix(".") } == true && files.kind(of: path) == nil
            && files.linkTarget(of: path) == nil
    }

    /// Creates a model without entities.
    ///
    /// - Throws: If something exists at the path, or it cannot be written. In this case nothing is created.
    package static func create(_ path: String, files: any FileSystem) throws(InputFailure) {
        let path = PathName.withoutTrailingSlashes(path)
        guard canCreate(path, files: files),
            let name = PathName.name(of: path, withoutExtension: ModelInputReader.bundleExtension)
        else { throw Self.empty(path) }
        let new = try Self.files(of: Model(name: name), at: path)
        try InputFailure.wrapping { () throws(FileSystemError) in
            try replace(new.map { ($0.path, $0.bytes, nil) }, files: files)
        }
    }

    /// Undoes the writes of `replace(_:files:)` in one transaction: removes the new files, and folders that become
    /// empty.
    ///
    /// - Throws: If a file has changed since, or there are others beside the new ones. In this case nothing is changed.
    package static func restore(
        _ writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)], files: any FileSystem
    ) throws(FileSystemError) {
        var transaction = OutputTransaction(files: files)
        var folders: [String: Set<String>] = [:]
        for write in writes {
            guard let original = write.expected else {
                guard try files.read(write.path) == write.bytes else {
                    throw FileSystemError(
                        path: write.path, action: "remove", reason: "the file has changed since it was written")
                }
                transaction.remove(write.path)
                folders[PathName.parent(of: write.path), default: []].insert(PathName.name(of: write.path))
                continue
            }
            try transaction.write(write.path, original, expecting: write.bytes)
        }
        let modelFolders = folders.filter { $0.key.hasSuffix(ModelInputReader.modelExtension) }
        for (folder, names) in modelFolders {
            guard try Set(files.list(folder)).isSubset(of: names) else {
                throw FileSystemError(path: folder, action: "remove", reason: "there are files that were added since")
            }
        }
        try transaction.commit()
        for folder in modelFolders.keys { files.removeEmptyDirectory(folder) }
    }

    /// Replaces files in one transaction.
    ///
    /// - Parameter writes: The paths, their new bytes, and the bytes that must still be on disk; `nil` for a file that
    ///   must not exist yet.
    /// - Throws: If a file has changed meanwhile or cannot be written. In this case no file is replaced.
    package static func replace(
        _ writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)], files: any FileSystem
    ) throws(FileSystemError) {
        var transaction = OutputTransaction(files: files)
        for write in writes {
            if let expected = write.expected {
                try transaction.write(write.path, write.bytes, expecting: expected)
            } else {
                transaction.create(write.path, write.bytes)
            }
        }
        try transaction.commit()
    }
}
