internal import Diagnostics
internal import ModelLint
internal import ModelSource
internal import SwiftDataModel

/// The models below folders that differ from a git revision, and their versions that do.
struct ChangedModels {
    private let revision: String
    private let git: GitReader
    private let files: any FileSystem
    /// The changed files of each model, relative to the model.
    private var changes: [String: [String]] = [:]
    /// The changed models that exist.
    private var paths: [String] = []
    /// The changed models that only the revision has.
    private(set) var missingModels: [String] = []
    private var swiftFiles: Set<String> = []
    /// The other changed files.
    private var otherPaths: [String] = []
    /// Whether a mapping model is among them, which may serve a model that has not changed.
    private var changesMappings = false

    init(
        below searched: [String], since revision: String, isIncluded: (String) -> Bool, _ git: GitReader,
        _ files: any FileSystem
    ) throws(InputFailure) {
        self.revision = revision
        self.git = git
        self.files = files
        var seen: Set<String> = []
        for path in searched.map(PathName.withoutTrailingSlashes) {
            let isFolder = files.kind(of: path) == .directory
            let parent = PathName.parent(of: path)
            let folder = isFolder ? path : parent.isEmpty ? "." : parent
            for file in try git.changedFiles(below: folder, since: revision)
            where (isFolder || file == path) && seen.insert(file).inserted {
                add(file, below: folder, isNamed: ModelFinder.isModel(path), isIncluded)
            }
        }
    }

    private mutating func add(
        _ file: String, below folder: String, isNamed: Bool, _ isIncluded: (String) -> Bool
    ) {
        let parts = file.split(separator: "/").map(String.init)
        let index = parts.firstIndex(where: ModelFinder.isModel)
        // As in a search, the names of the searched folder itself do not matter.
        let depth = folder == "." ? 0 : folder.split(separator: "/").count
        let folders = parts[..<(index ?? parts.count - 1)].dropFirst(depth)
        guard isNamed || folders.allSatisfy(ModelFinder.isSearched) else { return }
        guard let index else {
            if file.hasSuffix(".swift"), isIncluded(file) { swiftFiles.insert(file) }
            otherPaths.append(file)
            if Self.mapping(of: file) != nil { changesMappings = true }
            return
        }
        let prefix = file.hasPrefix("/") ? "/" : ""
        let model = prefix + parts[...index].joined(separator: "/")
        guard isNamed || isIncluded(model) else { return }
        if changes[model] == nil {
            if files.kind(of: model) == .directory { paths.append(model) } else { missingModels.append(model) }
        }
        changes[model, default: []].append(parts[(index + 1)...].joined(separator: "/"))
    }

    /// Returns what has changed, in the form of a search, with the files that a changed model may affect.
    func find(
        _ searched: [String], settings: RunSettings, isIncluded: @escaping (String) -> Bool,
        files: any FileSystem
    ) throws(InputFailure) -> ModelFinder.SearchResult {
        let finder = CheckInput.finder(settings, isIncluded: isIncluded, files: files)
        var found = ModelFinder.SearchResult()
        if !swiftFiles.isEmpty || changesMappings {
            // Whether a Swift file belongs to a schema depends on the other files of its target.
            found = try finder.find(searched)
            let reader = ModelSetReader(files: files)
            found.paths = found.paths.filter { path in
                if ModelFinder.isModel(path) { return changesMappings && changes[path] == nil }
                guard case .success(let sources) = found.swiftSources(path, reader) else { return false }
                return sources.contains { swiftFiles.contains($0.path) }
            }
        }
        found.paths = paths.filter { settings.isIncluded(model: $0) } + found.paths
        var others = otherPaths
        if !paths.isEmpty || changesMappings {
            // The index is read faster than the folders are.
            for folder in searched where files.kind(of: folder) == .directory && !ModelFinder.isModel(folder) {
                others += try git.trackedFiles(below: folder)
            }
        }
        var seen: Set<String> = []
        let isNew = { (path: String) in seen.insert(path).inserted }
        found.mappingPaths = others.compactMap(Self.mapping).filter { isNew($0) && isIncluded($0) && exists($0) }
        found.otherPaths = others.filter { path in
            finder.isOtherFile(PathName.name(of: path)) && isNew(path) && isIncluded(path) && exists(path)
        }
        return found
    }

    private func exists(_ path: String) -> Bool { files.kind(of: path) != nil }

    /// Returns the mapping model that a file is or belongs to.
    private static func mapping(of file: String) -> String? {
        if file.hasSuffix(MappingInputReader.compiledExtension) { return file }
        guard let end = file.firstRange(of: MappingInputReader.sourceExtension + "/") else { return nil }
        return String(file[..<end.upperBound].dropLast())
    }

    /// Returns the versions of a model that have to be read besides the current one; `nil` if all have to be.
    func versions(of path: String, _ reader: ModelInputReader) -> Set<String>? {
        guard !changesMappings, path.hasSuffix(ModelInputReader.bundleExtension), let changed = changes[path],
            let current = try? reader.openBundle(path).currentVersionFile?.versionName
        else { return nil }
        var result: Set = [current]
        for file in changed {
            let parts = file.split(separator: "/").map(String.init)
            guard parts.count > 1 else {
                // The version that was current has to be compared too.
                guard file == ".xccurrentversion", let old = currentVersion(of: path) else { return nil }
                result.insert(old)
                continue
            }
            guard let name = PathName.name(of: parts[0], withoutExtension: ModelInputReader.modelExtension),
                // A version that is gone may have another name now.
                files.kind(of: PathName.joined(path, parts[0])) != nil
            else { return nil }
            result.insert(name)
        }
        return result
    }

    /// Returns the name of the version that was current in the revision.
    private func currentVersion(of path: String) -> String? {
        let file = PathName.joined(path, ".xccurrentversion")
        let location = GitReader.Location(revision: revision, ofModel: file)
        guard let snapshot = try? git.read(location), let bytes = snapshot.allFiles.first?.bytes
        else { return nil }
        return CurrentVersionFile(bytes: bytes, path: file).versionName
    }
}
