internal import Diagnostics
internal import ModelSource

/// Checks whether the packages and Xcode projects around a model build it.
struct ModelMembership {
    private let files: any FileSystem
    /// What is known of folders, by path.
    private var folders: [String: Folder] = [:]

    /// What builds models in a folder.
    private struct Folder {
        var package: PackageManifest?
        var packageBytes: [UInt8] = []
        /// The Xcode projects by name.
        var projects: [(name: String, members: ProjectMembers)] = []
        /// Whether the folder has a project that modelc does not read.
        var hasOtherProject = false
    }

    /// Files that declare targets in other ways.
    private static let otherProjects: Set = [
        "BUILD", "BUILD.bazel", "Project.swift", "Tuist", "Workspace.swift", "project.yaml", "project.yml",
    ]
    /// The maximum number of folders above a model that are looked at.
    private static let depthLimit = 32

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns the findings about models.
    ///
    /// - Parameter paths: The paths of models. Only the folders that they name are looked at, down from the working
    ///   directory or the root of the repository.
    mutating func findings(_ paths: [String]) -> [Diagnostic] {
        paths.filter(ModelFinder.isModel).flatMap { findings($0) }
    }

    private mutating func findings(_ path: String) -> [Diagnostic] {
        var result: [Diagnostic] = []
        var owners: [String] = []
        var isMember = false
        var parent = path
        for _ in 0..<Self.depthLimit {
            guard !parent.isEmpty, parent != ".", parent != "/", PathName.name(of: parent) != ".." else { break }
            parent = PathName.parent(of: parent)
            let name = parent.isEmpty ? "." : parent
            let folder = folder(name)
            if folder.hasOtherProject { isMember = true }
            let inner =
                parent.isEmpty ? path : String(path.dropFirst(parent.hasSuffix("/") ? parent.count : parent.count + 1))
            if let package = folder.package {
                let manifest =
                    name == "." ? PackageFolder.manifestName : PathName.joined(name, PackageFolder.manifestName)
                owners.append(manifest)
                let (isIn, finding) = membership(of: path, in: package, at: name, manifest, folder.packageBytes)
                isMember = isMember || isIn
                if let finding { result.append(finding) }
            }
            for project in folder.projects {
                owners.append(project.name)
                isMember = isMember || project.members.contains(model: inner)
            }
            if files.kind(of: PathName.joined(name, ".git")) != nil { break }
        }
        if let owner = owners.first, !isMember {
            result.append(
                Diagnostic(
                    .warning, rule: .modelInNoTarget, "the model is in no target of \(owner)", file: path,
                    range: .fileStart,
                    why: "No build compiles it, so the app finds no model when it runs.",
                    help: "Add the model to a target, or delete it."))
        }
        return result
    }

    private mutating func folder(_ path: String) -> Folder {
        if let cached = folders[path] { return cached }
        var folder = Folder()
        for name in (try? files.list(path)) ?? [] {
            let full = path == "." ? name : PathName.joined(path, name)
            if name == PackageFolder.manifestName, let bytes = try? PackageManifest.bytes(full, files) {
                folder.package = PackageManifest(bytes)
                folder.packageBytes = bytes
            } else if name.hasSuffix(ProjectMembers.projectExtension), files.kind(of: full) == .directory {
                // A project that cannot be read may have the model.
                if let members = try? ProjectMembers(full, files) {
                    folder.projects.append((full, members))
                } else {
                    folder.hasOtherProject = true
                }
            } else if Self.otherProjects.contains(name) || name.hasSuffix(".podspec") {
                folder.hasOtherProject = true
            }
        }
        folders[path] = folder
        return folder
    }

    /// Returns whether a target of a package has a model, and the finding about the target's resources.
    private func membership(
        of path: String, in package: PackageManifest, at root: String, _ manifest: String, _ bytes: [UInt8]
    ) -> (isMember: Bool, finding: Diagnostic?) {
        guard !package.hasComputedTargets, !package.targets.isEmpty else { return (true, nil) }
        func plain(_ path: String) -> String { PathName.normalizedComponents(path).joined(separator: "/") }
        let own = plain(path)
        for target in package.targets {
            guard let folder = PackageFolder(files: files).folder(of: target, in: root, package) else { continue }
            let base = plain(folder)
            guard base.isEmpty || own.hasPrefix(base + "/") else { continue }
            let inner = base.isEmpty ? own : String(own.dropFirst(base.count + 1))
            guard let resource = target.resources.first(where: { ExcludeList.covers([$0], inner) }) else {
                let isExcluded = target.excluded.map { ExcludeList.covers($0, inner) } ?? false
                return (!isExcluded || target.usesPlugin || package.sharesModelc || package.block != nil, nil)
            }
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .firstIndex { !$0.ranges(of: Array("\"\(resource)\"".utf8)).isEmpty }
            let location = line.map { SourcePosition(line: $0 + 1, column: 1) }
            return (
                true,
                Diagnostic(
                    .warning, rule: .modelNotCompiled,
                    "the target “\(target.name)” declares the model “\(inner)” as a resource (“\(resource)”)",
                    file: manifest,
                    range: location.map { SourceRange(start: $0, end: $0) },
                    why:
                        "A copied model is not compiled, and Xcode 27 does not compile a processed one either, so the app "
                        + "finds no .momd and traps when it loads the model.",
                    help: "Remove the resource. For Linux, exclude the model and use \(LinuxBlock.pluginName).")
            )
        }
        return (false, nil)
    }
}
