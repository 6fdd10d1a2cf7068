internal import Diagnostics
internal import SwiftDataModel

/// Finds the models and mapping models below paths.
struct ModelFinder {
    let files: any FileSystem
    /// Returns whether a path is included.
    let isWanted: (String) -> Bool
    /// Whether to find compiled mapping models (`.cdm`) too.
    var findsCompiledMappings = false
    /// Whether Swift files that declare models for SwiftData count as a model. The files of each SwiftPM target form one model,
    /// and other files of the folder another.
    var findsSwiftSources = false

    /// Folders of third-party code or build products.
    private static let foreignFolders: Set = ["Carthage", "DerivedData", "Pods", "node_modules"]
    /// The depth at which the search ends. No project nests folders as deep, but a cycle of symbolic links does.
    private static let maximumDepth = 64

    /// The results of a search.
    struct Found {
        /// The paths of bundles, of versions outside bundles, and of files, in order.
        var paths: [String] = []
        /// The paths of mapping models, in order.
        var mappingPaths: [String] = []
        /// The findings about folders that cannot be read.
        var problems: [Diagnostic] = []
        /// The files of Swift sources among `paths`.
        fileprivate var swiftFiles: [String: Result<[SwiftSourceFile], InputFailure>] = [:]

        /// Returns the files of Swift sources, which have been read already if they were found in a folder.
        func swiftSources(_ path: String, _ reader: ModelSetReader) -> Result<[SwiftSourceFile], InputFailure> {
            swiftFiles[path] ?? Result { () throws(InputFailure) in try reader.swiftSourceFiles(at: path) }
        }

        /// Reads a model that was found; Swift sources have been read already.
        func read(_ path: String, _ reader: ModelSetReader) throws(InputFailure) -> ModelSet {
            guard let files = swiftFiles[path] else { return try reader.read(path) }
            return try reader.swiftModels(in: try files.get(), path: path)
        }
    }

    init(files: any FileSystem, isWanted: @escaping (String) -> Bool) {
        self.files = files
        self.isWanted = isWanted
    }

    /// Returns the models at and below some paths. A path that names a model itself is included even if settings
    /// exclude it.
    func find(_ paths: [String]) throws(InputFailure) -> Found {
        for path in paths where files.kind(of: PathName.withoutTrailingSlashes(path)) == nil {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "there is no such file or folder", file: path, range: .fileStart,
                        help: "Check the path.")
                ],
                exitCode: .couldNotRun)
        }
        var found = Found()
        for path in paths.map(PathName.withoutTrailingSlashes) {
            if MappingInputReader(files: files).isMapping(path) {
                found.mappingPaths.append(path)
            } else if Self.isModel(path) || files.kind(of: path) != .directory {
                found.paths.append(path)
            } else {
                search(path, depth: 0, into: &found)
                guard findsSwiftSources else { continue }
                for set in ModelSetReader(files: files).swiftDataSets(in: path, where: isWanted) {
                    found.paths.append(set.path)
                    found.swiftFiles[set.path] = set.files
                }
            }
        }
        var seen: Set<String> = []
        found.paths = found.paths.filter { seen.insert($0).inserted }
        found.mappingPaths = found.mappingPaths.filter { seen.insert($0).inserted }
        return found
    }

    /// Returns the error for paths without models.
    static func noModels(below paths: [String]) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noModels, "there is no model at or below \(paths.joined(separator: ", "))",
                    help: "Specify a folder that holds an .xcdatamodeld, or the model itself.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns whether a folder has the name of a model.
    static func isModel(_ path: String) -> Bool {
        path.hasSuffix(ModelInputReader.bundleExtension) || path.hasSuffix(ModelInputReader.modelExtension)
    }

    /// Returns whether a folder of a name is searched for models.
    static func isSearched(_ name: String) -> Bool { !name.hasPrefix(".") && !foreignFolders.contains(name) }

    private func search(_ folder: String, depth: Int, into found: inout Found) {
        let names: [String]
        do throws(FileSystemError) {
            names = try files.list(folder)
        } catch {
            found.problems.append(error.diagnostic)
            return
        }
        for name in names where !name.hasPrefix(".") {
            let path = folder == "." ? name : PathName.joined(folder, name)
            guard isWanted(path) else { continue }
            if Self.isModel(name) {
                if files.kind(of: path) == .directory { found.paths.append(path) }
            } else if name.hasSuffix(MappingInputReader.sourceExtension) {
                if files.kind(of: path) == .directory { found.mappingPaths.append(path) }
            } else if findsCompiledMappings, name.hasSuffix(MappingInputReader.compiledExtension) {
                if case .file? = files.kind(of: path) { found.mappingPaths.append(path) }
            } else if depth < Self.maximumDepth, Self.isSearched(name), files.kind(of: path) == .directory {
                search(path, depth: depth + 1, into: &found)
            }
        }
    }
}
