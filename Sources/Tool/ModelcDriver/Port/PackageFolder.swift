/// The files of a folder that belong to one target, or to an app.
struct SourceGroup: Sendable {
    /// The name of the target, or of the folder.
    var name: String
    var isTarget: Bool
    /// The folder. All other paths are relative to it.
    var folder: String
    /// The Swift files.
    var sources: [String] = []
    /// The `.xcdatamodeld` bundles and stand-alone `.xcdatamodel` models.
    var models: [String] = []
    var mappings: [String] = []
    /// All other files.
    var others: [String] = []
    /// Whether SwiftData is available on Linux with the tools version of the group's package.
    var supportsSwiftData = true

    /// The models and mapping models, which modelc compiles.
    var bundles: [String] { models + mappings }
}

/// Finds the files of packages and apps.
struct PackageFolder {
    let files: any FileSystem

    /// The depth at which the search ends. No project nests folders as deep.
    private static let maximumDepth = 64
    /// Folders of third-party code or build products.
    private static let foreignFolders: Set = ["Carthage", "DerivedData", "Pods", "node_modules"]
    static let manifestName = "Package.swift"

    /// Returns the groups of a folder: the targets of each package in it, and one group of files that belong to no
    /// package.
    ///
    /// The targets of a package whose manifest can be read only in part are one group.
    func groups(below folder: String) throws(FileSystemError) -> [SourceGroup] {
        var packages: [String] = []
        var rest = SourceGroup(name: PathName.name(of: folder), isTarget: false, folder: folder)
        try walk(folder, folder: "", depth: 0, except: []) { path in
            isPackage(path, below: folder, recordingIn: &packages)
        } into: {
            rest.add($0)
        }
        var result: [SourceGroup] = []
        if !rest.sources.isEmpty || !rest.models.isEmpty { result.append(rest) }
        for package in packages { result += try targets(of: package) }
        return result
    }

    /// Returns whether a folder is that of a package, which is left out of the search for other files.
    private func isPackage(_ path: String, below root: String, recordingIn packages: inout [String]) -> Bool {
        let folder = path.isEmpty ? root : PathName.joined(root, path)
        guard case .file? = files.kind(of: PathName.joined(folder, Self.manifestName)) else { return false }
        packages.append(folder)
        return true
    }

    /// Returns the groups of a package's targets.
    private func targets(of package: String) throws(FileSystemError) -> [SourceGroup] {
        let path = PathName.joined(package, Self.manifestName)
        let manifest = PackageManifest(try files.read(path))
        let targetFolders = folders(of: manifest, in: package)
        guard !manifest.hasComputedTargets, !targetFolders.isEmpty else {
            var group = SourceGroup(name: PathName.name(of: package), isTarget: true, folder: package)
            try walk(package, folder: "", depth: 0, except: [], into: { group.add($0) })
            group.supportsSwiftData = manifest.supportsTraits
            return [group]
        }
        var result = try self.groups(targetFolders.map { ($0.name, $1) })
        for index in result.indices { result[index].supportsSwiftData = manifest.supportsTraits }
        return result
    }

    /// Returns the files of each target's folder, without those in the folders of the other targets.
    ///
    /// - Parameter targetFolders: The folders of all targets, with some that do not exist.
    func groups(_ targetFolders: [(name: String, folder: String)]) throws(FileSystemError) -> [SourceGroup] {
        let folders = Set(targetFolders.map { normalized($0.folder) })
        var result: [SourceGroup] = []
        for (name, folder) in targetFolders where files.kind(of: folder) == .directory {
            result.append(try group(name, folder, otherFolders: folders))
        }
        return result
    }

    /// Returns the files of a target's folder, without those in the folders of other targets.
    func group(
        _ name: String, _ folder: String, otherFolders: [String]
    ) throws(FileSystemError) -> SourceGroup {
        try group(name, folder, otherFolders: Set(otherFolders.map(normalized)))
    }

    /// - Parameter otherFolders: The normalized paths of the folders, which may include the target's own.
    private func group(
        _ name: String, _ folder: String, otherFolders: Set<String>
    ) throws(FileSystemError) -> SourceGroup {
        var group = SourceGroup(name: name, isTarget: true, folder: folder)
        try walk(
            folder, folder: "", depth: 0, except: otherFolders, own: normalized(folder), into: { group.add($0) })
        return group
    }

    /// Returns the targets of a manifest with their folders, without those that have none.
    func folders(
        of manifest: PackageManifest, in package: String
    ) -> [(target: PackageManifest.Target, folder: String)] {
        manifest.targets.compactMap { target in
            folder(of: target, in: package, manifest).map { (target, $0) }
        }
    }

    private func normalized(_ path: String) -> String {
        files.canonicalPath(path) ?? PathName.normalizedComponents(path).joined(separator: "/")
    }

    /// Returns the folder of a target, as SwiftPM finds it, or `nil` if there is none.
    func folder(of target: PackageManifest.Target, in package: String, _ manifest: PackageManifest) -> String? {
        if let path = target.path {
            let folder = path == "." || path.isEmpty ? package : PathName.joined(package, path)
            return files.kind(of: folder) == .directory ? folder : nil
        }
        let parents = (target.isTest ? ["Tests"] : []) + ["Sources", "Source", "src", "srcs"]
        for parent in parents {
            let folder = PathName.joined(package, "\(parent)/\(target.name)")
            if files.kind(of: folder) == .directory { return folder }
        }
        // Since Swift 5.9, a package with a single target may have its sources directly in this folder.
        guard manifest.count(areTests: target.isTest) == 1 else { return nil }
        for parent in parents {
            let folder = PathName.joined(package, parent)
            if files.kind(of: folder) == .directory { return folder }
        }
        return nil
    }

    /// Returns whether a file is a manifest: `Package.swift`, or `Package@swift-6.2.swift` for one version of Swift.
    ///
    /// SwiftPM takes only those in the folder of the package itself for manifests. Elsewhere, and without the line that
    /// every manifest has, they are sources: an app may have an entity `Package`.
    private func isManifest(_ name: String, at path: String, depth: Int) -> Bool {
        guard depth == 0, name == Self.manifestName || name.hasPrefix("Package@swift-") && name.hasSuffix(".swift"),
            let bytes = try? files.read(path)
        else { return false }
        return PackageManifest(bytes).toolsVersion != nil
    }

    private static func isModel(_ name: String) -> Bool {
        name.hasSuffix(ModelInputReader.bundleExtension) || name.hasSuffix(ModelInputReader.modelExtension)
            || name.hasSuffix(MappingInputReader.sourceExtension)
    }

    /// Visits the files below a folder, in order. A model is visited as one file.
    ///
    /// Manifests, hidden files and symbolic links to folders, which may form cycles, are skipped.
    private func walk(
        _ root: String, folder: String, depth: Int, except others: Set<String>, own: String = "",
        isSkipped: (String) -> Bool = { _ in false },
        into visit: (String) -> Void
    ) throws(FileSystemError) {
        guard !isSkipped(folder) else { return }
        func isOther(_ path: String) -> Bool { path != own && others.contains(path) }
        for name in try files.list(folder.isEmpty ? root : PathName.joined(root, folder)) where !name.hasPrefix(".") {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let full = PathName.joined(root, path)
            switch files.kind(of: full) {
            case .directory? where Self.isModel(name): visit(path)
            case .directory?:
                guard depth < Self.maximumDepth, !Self.foreignFolders.contains(name),
                    files.linkTarget(of: full) == nil, others.isEmpty || !isOther(normalized(full))
                else { continue }
                try walk(
                    root, folder: path, depth: depth + 1, except: others, own: own, isSkipped: isSkipped, into: visit)
            case .file?: if !isManifest(name, at: full, depth: depth) { visit(path) }
            case .other?, nil: continue
            }
        }
    }
}

extension SourceGroup {
    /// Adds a file by its kind.
    mutating func add(_ path: String) {
        if path.hasSuffix(ModelInputReader.bundleExtension) || path.hasSuffix(ModelInputReader.modelExtension) {
            models.append(path)
        } else if path.hasSuffix(MappingInputReader.sourceExtension) {
            mappings.append(path)
        } else if path.hasSuffix(".swift") {
            sources.append(path)
        } else {
            others.append(path)
        }
    }
}
