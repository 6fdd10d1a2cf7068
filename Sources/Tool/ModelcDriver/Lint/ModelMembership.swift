internal import Diagnostics
internal import ModelSource

/// Checks whether the packages and Xcode projects around a model build it.
struct ModelMembership {
    private let files: any FileSystem
    /// What is known of folders, by path.
    private var folders: [String: Folder] = [:]
    /// The sources of models that have been found, by identifier.
    private var sourcesByID: [String: Sources] = [:]

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
        for (name, inner, folder) in folders(above: path) {
            if folder.hasOtherProject { isMember = true }
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
                isMember = isMember || project.members.target(of: inner) != nil
            }
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

    /// Returns the folders above a model, up to the root of the repository, with the path of the model in each.
    private mutating func folders(above path: String) -> [(name: String, inner: String, folder: Folder)] {
        var result: [(name: String, inner: String, folder: Folder)] = []
        var parent = path
        for _ in 0..<Self.depthLimit {
            guard !parent.isEmpty, parent != ".", parent != "/", PathName.name(of: parent) != ".." else { break }
            parent = PathName.parent(of: parent)
            let name = parent.isEmpty ? "." : parent
            let inner =
                parent.isEmpty ? path : String(path.dropFirst(parent.hasSuffix("/") ? parent.count : parent.count + 1))
            result.append((name, inner, folder(name)))
            if files.kind(of: PathName.joined(name, ".git")) != nil { break }
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
        guard Self.hasKnownTargets(package) else { return (true, nil) }
        guard let (target, _, inner) = target(of: path, in: package, at: root) else { return (false, nil) }
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

    private static func hasKnownTargets(_ package: PackageManifest) -> Bool {
        !package.hasComputedTargets && !package.targets.isEmpty
    }

    /// Returns the target of a package that has a model, with its folder and the path of the model in it.
    private func target(
        of path: String, in package: PackageManifest, at root: String
    ) -> (target: PackageManifest.Target, folder: String, inner: String)? {
        let own = Self.plain(path)
        for target in package.targets {
            guard let folder = PackageFolder(files: files).folder(of: target, in: root, package) else { continue }
            let base = Self.plain(folder)
            guard base.isEmpty || own.hasPrefix(base + "/") else { continue }
            return (target, folder, base.isEmpty ? own : String(own.dropFirst(base.count + 1)))
        }
        return nil
    }

    /// Returns a path without `.` and `..`, to compare it with others.
    static func plain(_ path: String) -> String {
        PathName.normalizedComponents(path).joined(separator: "/")
    }

    // MARK: Sources

    /// The sources that are compiled with a model.
    struct Sources {
        /// What identifies them: a folder, or a target of a project.
        var id: String
        /// The paths of Swift and Objective-C files.
        var paths: [String] = []
        /// Whether these are all sources of the model's target.
        var isTarget: Bool
    }

    /// Returns the sources that are compiled with a model: those of its target in the innermost package or project that
    /// builds it, or those beside it if nothing declares targets; `nil` if it is in no target.
    mutating func sources(of path: String) -> Sources? {
        var isDeclared = false
        for (name, inner, folder) in folders(above: path) {
            if let package = folder.package {
                guard Self.hasKnownTargets(package) else { break }
                if let (_, folder, _) = target(of: path, in: package, at: name) {
                    return sources(in: folder, isTarget: true)
                }
            }
            for (project, members) in folder.projects {
                guard let target = members.target(of: inner) else { continue }
                return sources("\(project)#\(target.name)", isTarget: true) { [files] sources in
                    // Folders have to be included, too.
                    sources.paths = members.files(of: target) { _ in true }
                        .filter { Self.isSource(PathName.name(of: $0)) && files.kind(of: $0) != nil }
                }
            }
            if folder.hasOtherProject { break }
            isDeclared = isDeclared || folder.package != nil || !folder.projects.isEmpty
        }
        return isDeclared ? nil : sources(in: PathName.parent(of: path), isTarget: false)
    }

    /// Returns the sources in a folder and the folders inside it.
    private mutating func sources(in folder: String, isTarget: Bool) -> Sources {
        sources(folder, isTarget: isTarget) { [files] sources in
            var walk = FolderWalk(files: files)
            walk.walk(folder.isEmpty ? "." : folder) { path, name in
                guard ModelFinder.isSearched(name), !ModelFinder.isModel(name) else { return false }
                guard Self.isSource(name), case .file? = files.kind(of: path) else { return true }
                sources.paths.append(path)
                return false
            } unreadable: { _ in
                sources.isTarget = false
            }
        }
    }

    /// Returns the cached sources with an identifier, or finds them.
    private mutating func sources(_ id: String, isTarget: Bool, find: (inout Sources) -> Void) -> Sources {
        if let cached = sourcesByID[id] { return cached }
        var sources = Sources(id: id, isTarget: isTarget)
        find(&sources)
        sourcesByID[id] = sources
        return sources
    }

    private static func isSource(_ name: String) -> Bool {
        ([".swift"] + SourceReader.objectiveCExtensions).contains(where: name.hasSuffix)
    }
}
