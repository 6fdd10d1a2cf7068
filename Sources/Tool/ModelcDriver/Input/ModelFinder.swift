internal import Diagnostics
internal import ModelLint
internal import ModelSource
internal import SwiftDataModel

/// Finds the models and mapping models below paths.
struct ModelFinder {
    let files: any FileSystem
    /// Returns whether a path is searched.
    let isIncluded: (String) -> Bool
    /// Returns whether a model that is found in a folder is one of the results.
    var isIncludedModel: (String) -> Bool = { _ in true }
    /// Whether to find compiled mapping models (`.cdm`) too.
    var findsCompiledMappings = false
    /// Whether Swift files that declare models for SwiftData count as a model. The files of each SwiftPM target form
    /// one model, and other files of the folder another.
    var findsSwiftSources = false

    /// Returns whether a file that is not a model belongs to `SearchResult.otherPaths`, from its name.
    var isOtherFile: (String) -> Bool = { _ in false }

    /// Folders of third-party code or build products.
    private static let foreignFolders: Set = ["Carthage", "DerivedData", "Pods", "node_modules"]
    struct SearchResult {
        /// The paths of bundles, of versions outside bundles, and of files, in order.
        var paths: [String] = []
        /// The paths of mapping models, in order.
        var mappingPaths: [String] = []
        /// The paths of other files, in order.
        var otherPaths: [String] = []
        /// The findings about folders that cannot be read.
        var problems: [Diagnostic] = []
        /// The classes in the sources of Xcode projects; `nil` if none was named.
        var sourceClasses: SourceClasses?
        /// The files of Swift sources among `paths`.
        fileprivate var swiftFiles: [String: Result<[SwiftSourceFile], InputFailure>] = [:]
        /// The Swift files of the folders that were searched.
        fileprivate(set) var sources: [SwiftSourceFile] = []

        /// Returns the files of Swift sources, which have been read already if they were found in a folder.
        func swiftSources(_ path: String, _ reader: ModelSetReader) -> Result<[SwiftSourceFile], InputFailure> {
            swiftFiles[path] ?? Result { () throws(InputFailure) in try reader.swiftSourceFiles(at: path).files }
        }

        /// Reads a model that was found; Swift sources have been read already.
        func read(_ path: String, _ reader: ModelSetReader) throws(InputFailure) -> ModelSet {
            guard let files = swiftFiles[path] else { return try reader.read(path) }
            return try reader.swiftModels(in: try files.get(), path: path)
        }
    }

    init(files: any FileSystem, isIncluded: @escaping (String) -> Bool) {
        self.files = files
        self.isIncluded = isIncluded
    }

    /// Returns the models at and below some paths, each once. A path that names a model itself is included even if
    /// settings exclude it.
    func find(_ paths: [String]) throws(InputFailure) -> SearchResult {
        for path in paths where files.kind(of: PathName.withoutTrailingSlashes(path)) == nil {
            throw files.missing(path)
        }
        var found = SearchResult()
        var walk = FolderWalk(files: files)
        for path in paths.map(PathName.withoutTrailingSlashes) {
            if SwiftFileSelection.isProject(path) {
                try addMembers(of: path, into: &found)
            } else if MappingInputReader(files: files).isMapping(path) {
                found.mappingPaths.append(path)
            } else if Self.isModel(path) || files.kind(of: path) != .directory {
                found.paths.append(path)
            } else {
                search(path, &walk, into: &found)
                guard findsSwiftSources else { continue }
                for set in ModelSetReader(files: files).swiftSets(in: path, where: isIncluded) {
                    if case .success(let files) = set.files { found.sources += files }
                    guard set.declaresModels, isIncludedModel(set.path) else { continue }
                    found.paths.append(set.path)
                    found.swiftFiles[set.path] = set.files
                }
            }
        }
        var seen: Set<String> = []
        let isNew = { [files] path in seen.insert(files.canonicalPath(path) ?? path).inserted }
        found.paths = found.paths.filter(isNew)
        found.mappingPaths = found.mappingPaths.filter(isNew)
        found.otherPaths = found.otherPaths.filter(isNew)
        return found
    }

    /// Adds the models and sources of the targets of an Xcode project.
    private func addMembers(of project: String, into found: inout SearchResult) throws(InputFailure) {
        let members = try ProjectMembers(project, files)
        let reader = ModelInputReader(files: files)
        var classes = found.sourceClasses ?? SourceClasses(declarations: [:])
        // A file may be in several targets.
        var texts: [String: [UInt8]] = [:]
        var missing: Set<String> = []
        for target in members.targets {
            var schema: [SwiftSourceFile] = []
            for path in members.files(of: target, where: isIncluded) {
                let name = PathName.name(of: path)
                if files.kind(of: path) == nil {
                    if Self.isModel(name), isIncludedModel(path), missing.insert(path).inserted {
                        found.problems.append(Self.missingModel(path))
                    }
                } else if Self.isModel(name) {
                    if isIncludedModel(path) { found.paths.append(path) }
                } else if MappingInputReader(files: files).isMapping(path) {
                    found.mappingPaths.append(path)
                } else if isOtherFile(name) {
                    found.otherPaths.append(path)
                }
                let isSwift = name.hasSuffix(".swift")
                guard isSwift || SourceReader.objectiveCExtensions.contains(where: name.hasSuffix),
                    case .file(let size)? = files.kind(of: path), size <= SourceReader.sizeLimit
                else { continue }
                let bytes: [UInt8]
                if let cached = texts[path] {
                    bytes = cached
                } else {
                    bytes = try reader.bytes(of: path, size: size)
                    texts[path] = bytes
                    classes.add(bytes, path: path)
                }
                if isSwift { schema.append(SwiftSourceFile(path: path, bytes: bytes)) }
            }
            let models = schema.filter(\.mentionsModelMacro).map { PathName.parent(of: $0.path) }
            guard findsSwiftSources, let first = models.first else { continue }
            // The files of a target have no folder of their own; that of the models stands for them.
            let folder = models.reduce(first, PathName.sharedFolder)
            let path = folder.isEmpty ? "." : folder
            guard isIncludedModel(path), found.swiftFiles[path] == nil else { continue }
            found.paths.append(path)
            found.swiftFiles[path] = .success(schema)
        }
        found.sourceClasses = classes
    }

    /// Returns the error for paths without models.
    static func noModels(below paths: [String]) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noModels, "there is no model at or below \(paths.joined(separator: ", "))",
                    help:
                        "Specify a folder that holds an .xcdatamodeld, or the model itself. Models that the settings exclude "
                        + "are not found.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the warning about a model that a link or a project names.
    private static func missingModel(_ path: String) -> Diagnostic {
        Diagnostic(
            .warning, rule: .noSuchFile, "the model does not exist", file: path,
            why: "It is not checked. A project lists it, or a symbolic link leads to it.",
            help: "Restore it, for example with “git submodule update --init”, or remove the reference.")
    }

    /// Returns whether a folder has the name of a model.
    static func isModel(_ path: String) -> Bool {
        path.hasSuffix(ModelInputReader.bundleExtension) || path.hasSuffix(ModelInputReader.modelExtension)
    }

    static func isSearched(_ name: String) -> Bool { !name.hasPrefix(".") && !foreignFolders.contains(name) }

    private func search(_ folder: String, _ walk: inout FolderWalk, into found: inout SearchResult) {
        // A model is found by its own path rather than by a link to it.
        var links: [String] = []
        walk.walk(folder) { path, name in
            guard !name.hasPrefix(".") || name == ModelInputReader.bundleExtension, isIncluded(path) else {
                return false
            }
            if Self.isModel(name) {
                guard isIncludedModel(path) else { return false }
                guard let kind = files.kind(of: path) else {
                    found.problems.append(Self.missingModel(path))
                    return false
                }
                guard kind == .directory else { return false }
                if files.linkTarget(of: path) == nil { found.paths.append(path) } else { links.append(path) }
                return false
            }
            if name.hasSuffix(MappingInputReader.sourceExtension) {
                if files.kind(of: path) == .directory, isIncludedModel(path) { found.mappingPaths.append(path) }
                return false
            }
            if findsCompiledMappings, name.hasSuffix(MappingInputReader.compiledExtension) {
                if case .file? = files.kind(of: path), isIncludedModel(path) { found.mappingPaths.append(path) }
                return false
            }
            if isOtherFile(name), case .file? = files.kind(of: path) {
                found.otherPaths.append(path)
                return false
            }
            return Self.isSearched(name)
        } unreadable: { error in
            found.problems.append(error.diagnostic)
        }
        found.paths += links
    }
}
