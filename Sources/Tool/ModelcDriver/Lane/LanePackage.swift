internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema

/// The package that `modelc lane` writes.
struct LanePackage {
    let project: LaneProject
    /// The URL or folder of modelc.
    let location: String
    let files: any FileSystem
    /// The files of models and mapping models, by their path in the package.
    private let modelFiles: [String: [UInt8]]

    /// The file that lists the files that a run has written, which a later run may replace.
    static let listName = ".lane-files"
    static let reportName = "lane.json"
    private static let listHeader = "# modelc lane 1"
    private static let sizeLimit = 64 << 20

    /// Reads the models.
    ///
    /// - Throws: If one has errors.
    init(_ project: LaneProject, modelc location: String, _ files: any FileSystem) throws(InputFailure) {
        self.project = project
        self.location = location
        self.files = files
        var contents: [String: [UInt8]] = [:]
        var origins: [String: String] = [:]
        for target in project.targets {
            for bundle in target.group.bundles {
                let path = PathName.joined(target.group.folder, bundle)
                let destination = LaneSelection.destination(of: bundle, in: target)
                if let other = origins.updateValue(path, forKey: destination), other != path {
                    throw InputFailure(
                        path, rule: .packageSetup,
                        message: "“\(other)” would have the same path in the package, “\(destination)”",
                        help: "Rename one of the two, or move it.")
                }
                for (name, bytes) in try Self.contents(of: path, files) { contents["\(destination)/\(name)"] = bytes }
                guard ModelFinder.isModel(path) else { continue }
                let compilation = Compilation(try ModelSetReader(files: files).read(path), moduleName: target.name)
                guard compilation.product == nil else { continue }
                throw InputFailure(diagnostics: compilation.diagnostics, exitCode: .findings)
            }
        }
        modelFiles = contents
    }

    private static func contents(
        of bundle: String, _ files: any FileSystem
    ) throws(InputFailure) -> [(name: String, bytes: [UInt8])] {
        var result: [(name: String, bytes: [UInt8])] = []
        var walk = FolderWalk(files: files)
        try InputFailure.wrapping { () throws(FileSystemError) in
            try walk.walk(bundle) { path, name throws(FileSystemError) in
                guard !name.hasPrefix(".") || name == ".xccurrentversion" else { return false }
                guard case .file(let size)? = files.kind(of: path) else { return true }
                guard size <= sizeLimit else {
                    throw FileSystemError(path: path, action: "copy", reason: "the file is too large")
                }
                result.append((String(path.dropFirst(bundle.count + 1)), try files.read(path)))
                return false
            } unreadable: { error throws(FileSystemError) in
                throw error
            }
        }
        return result
    }

    // MARK: Contents

    /// Returns the files of the package without its manifest, by path.
    private func contents(_ selection: LaneSelection) -> [String: [UInt8]] {
        var result = modelFiles
        for file in selection.included { result[file.destination] = file.bytes }
        for (index, target) in targets(selection) {
            // SwiftPM drops a target whose sources are all compiled as copies.
            let path = "\(target.isTest ? "Tests" : "Sources")/\(target.name)/ModelcLane\(index).swift"
            result[path] = Array(
                "// This target is never empty, even if all of its other sources are compiled as copies.\n".utf8)
        }
        return result
    }

    /// Returns the targets with sources or models, with their indices; the first target is always there.
    private func targets(_ selection: LaneSelection) -> [(index: Int, target: LaneTarget)] {
        let used = Set(selection.included.map(\.target))
        return project.targets.enumerated().filter { $0.offset == 0 || used.contains($0.offset) }.map {
            ($0.offset, $0.element)
        }
    }

    /// Returns all files of the package, by path. The manifest has what `prepare-for-linux` adds to it.
    ///
    /// - Parameter findsAllErrors: Whether the compiler continues after errors.
    func files(_ selection: LaneSelection, findsAllErrors: Bool) throws(InputFailure) -> [String: [UInt8]] {
        var contents = contents(selection)
        let manifest = PackageManifest(Array(manifest(selection, findsAllErrors: findsAllErrors).utf8))
        let root = "Package"
        let snapshot = SnapshotFileSystem(
            root: root,
            files: Dictionary(contents.map { ("\(root)/\($0.key)", $0.value) }) { first, _ in first })
        let plan = try PreparationPlan(manifest: manifest, in: root, modelc: location, files: snapshot)
        if let refusal = plan.rejection { throw InputFailure(diagnostics: [refusal], exitCode: .couldNotRun) }
        contents[PackageFolder.manifestName] = plan.edited
        return contents
    }

    /// Returns the manifest without what `prepare-for-linux` adds to it.
    private func manifest(_ selection: LaneSelection, findsAllErrors: Bool) -> String {
        let used = targets(selection).map(\.target)
        let main = used.first { !$0.isTest }
        let name = SwiftIdentifier.stringLiteral(main?.name ?? "")
        let settings =
            findsAllErrors ? ", swiftSettings: [.unsafeFlags([\"-continue-building-after-errors\"])]" : ""
        var text = """
            // swift-tools-version: 6.1
            // Written by “modelc lane”: models and sources that compile on Linux. lane.json lists those that are left out.
            import PackageDescription

            let package = Package(
                name: \(name),
                platforms: [.iOS(.v17), .macOS(.v14)],
                products: [.library(name: \(name), targets: [\(name)])],
                targets: [

            """
        for target in used {
            let ownName = SwiftIdentifier.stringLiteral(target.name)
            text +=
                target.isTest
                ? "        .testTarget(name: \(ownName), dependencies: [\(name)], path: \"Tests/\(target.name)\"\(settings)),\n"
                : "        .target(name: \(ownName), path: \"Sources/\(target.name)\"\(settings)),\n"
        }
        return text + "    ],\n    swiftLanguageModes: [.v5]\n)\n"
    }

    // MARK: Writing

    /// Throws if the folder contains anything other than a package that modelc has written.
    func check(_ folder: String) throws(InputFailure) {
        let listedFiles = try Self.listed(in: folder, files)
        guard listedFiles.isEmpty else { return }
        try InputFailure.wrapping { () throws(FileSystemError) in
            guard try OutputFolder(folder, files: files).exists else { return }
            guard let stranger = try files.list(folder).first(where: { !$0.hasPrefix(".") }) else { return }
            throw OutputDestination.rejection(
                folder,
                "the folder contains “\(stranger)”, and `modelc lane` has not written to it; specify another folder")
        }
    }

    /// Returns the paths that earlier runs have written in a folder.
    private static func listed(in folder: String, _ files: any FileSystem) throws(InputFailure) -> Set<String> {
        let path = PathName.joined(folder, listName)
        guard case .file(let size)? = files.kind(of: path), files.linkTarget(of: path) == nil, size <= sizeLimit else {
            return []
        }
        let bytes = try InputFailure.wrapping { () throws(FileSystemError) in try files.read(path) }
        let lines = TextLines.split(String(decoding: bytes, as: UTF8.self)).map(String.init)
        guard lines.first == listHeader else { return [] }
        return Set(lines.dropFirst()).filter { path in
            !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
        }
    }

    /// Throws if a link leads from a path in the folder to elsewhere: the folder and its list may come from an
    /// untrusted repository.
    private func requireInside(_ name: String, _ folder: String) throws(FileSystemError) {
        let parent = PathName.parent(of: PathName.joined(folder, name))
        guard let root = files.fullPath(folder) else { return }
        let expected = PathName.withoutTrailingSlashes(PathName.joined(root, PathName.parent(of: name)))
        guard files.fullPath(parent.isEmpty ? "." : parent) != expected else { return }
        throw OutputDestination.rejection(
            PathName.joined(folder, name), "a symbolic link points outside of “\(folder)”")
    }

    /// Writes the package into its folder, all files or none, and removes the files of earlier runs that are no longer
    /// part of it.
    func write(_ contents: [String: [UInt8]], to folder: String) throws(InputFailure) {
        let output = try InputFailure.wrapping { () throws(FileSystemError) in
            try OutputFolder(folder, files: files)
        }
        try output.exclusively { () throws(InputFailure) in
            let listedFiles = try Self.listed(in: folder, files)
            var all = contents
            let list = [Self.listHeader] + contents.keys.sorted()
            all[Self.listName] = Array((list.joined(separator: "\n") + "\n").utf8)
            try InputFailure.wrapping { [all] () throws(FileSystemError) in
                var transaction = OutputTransaction(files: files)
                for name in all.keys.sorted() {
                    let path = PathName.joined(folder, name)
                    try requireInside(name, folder)
                    guard let bytes = all[name] else { continue }
                    guard let kind = files.kind(of: path) else {
                        transaction.create(path, bytes)
                        continue
                    }
                    guard listedFiles.contains(name) || name == Self.listName else {
                        throw OutputDestination.rejection(
                            path, "`modelc lane` has not written the file; move it elsewhere")
                    }
                    if case .file(let size) = kind, size == bytes.count, try files.read(path) == bytes { continue }
                    try transaction.write(generated: path, bytes)
                }
                for name in listedFiles.subtracting(all.keys).sorted() {
                    let path = PathName.joined(folder, name)
                    guard case .file? = files.kind(of: path) else { continue }
                    try requireInside(name, folder)
                    transaction.remove(path)
                }
                try transaction.commit()
            }
        }
    }
}
