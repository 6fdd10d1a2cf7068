internal import Diagnostics
internal import ModelSource

/// The models and sources of the targets of an Xcode project, with the folders that Xcode 16 synchronizes.
struct ProjectMembers {
    static let projectExtension = ".xcodeproj"
    private static let projectFile = "project.pbxproj"

    let targets: [ProjectFile.Target]
    /// The folder that paths of the project start at; empty for the working directory.
    let root: String
    private let files: any FileSystem

    /// Reads a project.
    ///
    /// - Parameter path: An `.xcodeproj` or its `project.pbxproj`.
    init(_ path: String, _ files: any FileSystem) throws(InputFailure) {
        let sources = ModelInputReader(files: files)
        let path = PathName.withoutTrailingSlashes(path)
        let file = path.hasSuffix(Self.projectExtension) ? PathName.joined(path, Self.projectFile) : path
        guard case .file(let size)? = files.kind(of: file) else {
            throw InputFailure(file, rule: .noSuchFile, message: "there is no such file", help: "Check the path.")
        }
        let bytes = try sources.bytes(of: file, size: size)
        do throws(ProjectFile.Malformed) {
            targets = try ProjectFile(bytes: bytes).targets
        } catch {
            throw InputFailure(
                file, rule: .malformedProject, message: "the project cannot be read: \(error.message)",
                help: "Restore the file from version control.")
        }
        root = PathName.parent(of: PathName.parent(of: file))
        self.files = files
    }

    /// Returns a path of the project from the working directory.
    func full(_ path: String) -> String {
        path.hasPrefix("/") || root.isEmpty ? path : path.isEmpty ? root : PathName.joined(root, path)
    }

    /// Returns the first target that has a model.
    ///
    /// - Parameter path: The path from the folder of the project.
    func target(of path: String) -> ProjectFile.Target? {
        targets.first { target in
            target.files.contains(path)
                || target.folders.contains { folder in
                    let inner =
                        folder.path.isEmpty
                        ? path
                        : path.hasPrefix(folder.path + "/")
                            ? String(path.dropFirst(folder.path.count + 1)) : nil
                    return inner.map { !ExcludeList.covers(folder.exceptions, $0) } ?? false
                }
        }
    }

    /// The files of a target: models, mapping models and sources, as paths from the working directory. Those that the
    /// project lists need not exist.
    ///
    /// - Parameter isIncluded: Returns whether a path is included.
    func files(of target: ProjectFile.Target, where isIncluded: (String) -> Bool) -> [String] {
        var result = target.files.map(full).filter(isIncluded)
        for folder in target.folders {
            let base = full(folder.path)
            let start = base.isEmpty ? "." : base
            var walk = FolderWalk(files: files)
            walk.walk(start) { path, name in
                let inner = start == "." ? path : String(path.dropFirst(start.count + 1))
                guard !name.hasPrefix("."), !folder.exceptions.contains(inner), isIncluded(path) else { return false }
                let isBundle = ModelFinder.isModel(name) || name.hasSuffix(MappingInputReader.sourceExtension)
                guard !isBundle, files.kind(of: path) == .directory else {
                    result.append(path)
                    return false
                }
                return ModelFinder.isSearched(name)
            } unreadable: { _ in
            }
        }
        var seen: Set<String> = []
        return result.filter { seen.insert($0).inserted }
    }
}
