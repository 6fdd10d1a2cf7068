internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// Finds the Swift files that are compiled together.
struct SwiftFileSelection {
    let reader: ModelSetReader
    private var files: any FileSystem { reader.files }

    private static let projectFile = "project.pbxproj"

    /// Returns whether a path names an Xcode project.
    static func isProject(_ path: String) -> Bool {
        path.hasSuffix(ProjectMembers.projectExtension) || PathName.name(of: path) == projectFile
    }

    /// Returns the Swift files at a path: the file itself, the files of a folder, or those of a target.
    ///
    /// - Parameter target: The target of a package or project.
    func paths(at path: String, target: String?) throws(InputFailure) -> [String] {
        let path = PathName.withoutTrailingSlashes(path)
        guard let kind = files.kind(of: path) else {
            throw reader.files.missing(path)
        }
        if Self.isProject(path) { return try projectFiles(path, target: target) }
        if let target { return try packageFiles(path, target: target) }
        guard kind == .directory else { return [path] }
        return try swiftFiles(below: path) { reader.swift.isIncluded($0, below: path) }
    }

    private func swiftFiles(
        below folder: String, where isIncluded: (String) -> Bool
    ) throws(InputFailure) -> [String] {
        try reader.swiftFiles(below: folder, where: isIncluded) { error throws(InputFailure) in
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }

    private func failure(_ path: String, _ message: String, help: String) -> InputFailure {
        InputFailure(path, rule: .noSuchTarget, message: message, help: help)
    }

    private func names(_ names: [String]) -> String {
        names.isEmpty ? "It has none." : "It has \(names.map { "“\($0)”" }.joined(separator: ", "))."
    }

    // MARK: Packages

    private func packageFiles(_ path: String, target name: String) throws(InputFailure) -> [String] {
        let folder = PathName.name(of: path) == PackageFolder.manifestName ? PathName.parent(of: path) : path
        let package = folder.isEmpty ? "." : folder
        let manifestPath = PathName.joined(package, PackageFolder.manifestName)
        guard case .file(let size)? = files.kind(of: manifestPath) else {
            throw failure(
                path, "there is neither a package nor an Xcode project, so “\(name)” cannot be found",
                help: "Specify the folder that contains Package.swift, or an .xcodeproj.")
        }
        let manifest = PackageManifest(try reader.sources.bytes(of: manifestPath, size: size))
        guard let target = manifest.target(named: name) else {
            throw failure(
                manifestPath, "the manifest declares no target “\(name)” with a literal name",
                help: EditDistance.question(for: name, among: manifest.targets.map(\.name))
                    + names(manifest.targets.map(\.name)))
        }
        guard let excluded = target.excluded else {
            throw failure(
                manifestPath, "the excluded files of the target “\(name)” are not literals",
                help: "Specify the files instead of the target.")
        }
        let folderReader = PackageFolder(files: files)
        guard let root = folderReader.folder(of: target, in: package, manifest) else {
            throw failure(manifestPath, "the folder of the target “\(name)” does not exist", help: "Create it.")
        }
        let others = manifest.targets.filter { $0.name != name }.compactMap {
            folderReader.folder(of: $0, in: package, manifest)
        }
        let group = try InputFailure.wrapping { () throws(FileSystemError) in
            try folderReader.group(name, root, otherFolders: others)
        }
        return group.sources.filter { path in
            !ExcludeList.covers(excluded, path) && target.sources.map { ExcludeList.covers($0, path) } ?? true
        }.map { PathName.joined(root, $0) }.filter { reader.swift.isIncluded($0, below: root) }
    }

    // MARK: Projects

    private func projectFiles(_ path: String, target: String?) throws(InputFailure) -> [String] {
        let members = try ProjectMembers(path, files)
        let file = path.hasSuffix(ProjectMembers.projectExtension) ? PathName.joined(path, Self.projectFile) : path
        let targets = members.targets
        let requested: ProjectFile.Target
        if let name = target {
            guard let found = targets.first(where: { $0.name == name }) else {
                throw failure(
                    file, "the project has no target “\(name)”",
                    help: EditDistance.question(for: name, among: targets.map(\.name)) + names(targets.map(\.name)))
            }
            requested = found
        } else {
            guard targets.count == 1 else {
                throw failure(
                    file, "the project has \(targets.count) targets",
                    help: "Specify one with --target. \(names(targets.map(\.name)))")
            }
            requested = targets[0]
        }
        var result = requested.files.map(members.full)
        for folder in requested.folders {
            let path = members.full(folder.path)
            let base = path.isEmpty ? "." : path
            let exceptions = Set(folder.exceptions.map { base == "." ? $0 : PathName.joined(base, $0) })
            result += try swiftFiles(below: base) { path in
                !exceptions.contains(path) && reader.swift.isIncluded(path, below: base)
            }
        }
        return result.filter { $0.hasSuffix(".swift") && reader.swift.isIncluded($0) }
    }
}
