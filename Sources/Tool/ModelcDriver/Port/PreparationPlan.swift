internal import CodeGeneration
internal import Diagnostics

/// The changes that `prepare-for-linux` makes to a manifest, or the reason why it cannot.
struct PreparationPlan {
    private let manifest: PackageManifest
    private let path: String
    private var block = LinuxBlock(packageName: "package", targets: [])
    /// The reason why the manifest is not edited.
    private(set) var rejection: Diagnostic?
    private(set) var notes: [String] = []
    /// The sources to create, with their contents.
    private(set) var newSources: [(path: String, bytes: [UInt8])] = []
    private var needsAnything = false
    /// Whether a target has models or mapping models.
    private var hasModels = false
    /// Whether the manifest's tools version is too low for a target that uses SwiftData.
    private var lacksTraits = false

    /// Creates the plan for a manifest.
    ///
    /// - Parameters:
    ///   - folder: The folder of the package.
    ///   - location: The URL or folder of modelc, if the manifest does not depend on it.
    ///   - targets: The targets with their folders; empty for those that the manifest declares.
    init(
        manifest: PackageManifest, in packageFolder: String, modelc location: String?,
        targets: [(name: String, folder: String)] = [], files: any FileSystem
    ) throws(InputFailure) {
        self.manifest = manifest
        path = PathName.joined(packageFolder, PackageFolder.manifestName)
        block.supportsTraits = manifest.supportsTraits
        let folder = PackageFolder(files: files)
        let groups = try InputFailure.wrapping { () throws(FileSystemError) in
            let declared = folder.folders(of: manifest, in: packageFolder).map { ($0.name, $1) }
            return try folder.groups(targets.isEmpty ? declared : targets)
        }
        hasModels = groups.contains { !$0.bundles.isEmpty }
        for group in groups {
            let declared = manifest.target(named: group.name)
            if let target = target(group, declared: declared, files: files) { block.targets.append(target) }
        }
        // SwiftPM passes the targets in a different order than the manifest's.
        block.targets.sort { $0.name < $1.name }
        needsAnything = !block.targets.isEmpty
        block.packageName = manifest.packageNames.first ?? "package"
        if !manifest.dependsOnModelc {
            block.location =
                location.map { LinuxBlock.location($0, inPackage: packageFolder, files) }
                ?? LinuxBlock.location(inBlock: manifest.blockText)
        }
        rejection = makeRejection(knowsTargets: !targets.isEmpty)
        if rejection == nil { addNotes(packageFolder, files) }
    }

    // MARK: Targets

    /// Returns the needs of a target that its declaration does not meet; `nil` if there are none.
    private mutating func target(
        _ group: SourceGroup, declared: PackageManifest.Target?, files: any FileSystem
    ) -> LinuxBlock.Target? {
        let excluded = declared?.excluded ?? []
        var group = group
        group.sources.removeAll { path in declared?.sources.map { !ExcludeList.covers($0, path) } ?? false }
        let needs = needs(of: group, files)
        guard
            !group.bundles.isEmpty || needs.contains(where: { $0.usesCoreData || $0.usesSwiftData || $0.needsCopy })
        else { return nil }
        let requested = pathsToExclude(needs, group, excluded: excluded)
        let usesCombine = needs.contains { $0.usesCombine && $0.missingFramework == nil }
        if usesCombine {
            notes.append(
                manifest.namesCombine
                    ? "\(group.name): uses Combine; its copies import OpenCombineShim if the target depends on it"
                    : "\(group.name): copies import OpenCombineShim in place of Combine")
        }
        let importsSwiftData = needs.contains {
            $0.usesSwiftData && $0.missingFramework == nil && !ExcludeList.covers(excluded, $0.path)
        }
        if importsSwiftData, !manifest.supportsTraits { lacksTraits = true }
        let usesSwiftData = importsSwiftData && declared?.dependsOnSwiftData != true
        if usesSwiftData, manifest.dependsOnModelc {
            notes.append("\(group.name): uses SwiftData; the dependency on modelc needs traits: [\"SwiftData\"]")
        }
        addImportNote(needs, group)
        let needsPlugin =
            !group.bundles.isEmpty || needs.contains { $0.hasManagedDeclarations || $0.needsCopy || $0.lacksImport }
        let entries = ExcludeList.entries(for: requested, in: group)
        if !group.sources.isEmpty, group.sources.allSatisfy({ ExcludeList.covers(entries + excluded, $0) }) {
            addSource(to: group, isListed: declared?.sources == nil, files)
        }
        let removed = (declared?.resources ?? []).filter { path in
            group.bundles.contains { ExcludeList.covers([path], $0) && ExcludeList.covers([$0], path) }
        }
        let target = LinuxBlock.Target(
            name: group.name, addsDependency: declared?.dependsOnCoreData != true,
            addsCombine: usesCombine && !manifest.namesCombine, addsSwiftData: usesSwiftData,
            addsPlugin: needsPlugin && declared?.usesPlugin != true,
            excluded: entries, removedResources: removed)
        let isNeeded =
            target.addsDependency || target.addsCombine || target.addsSwiftData || target.addsPlugin
            || !target.excluded.isEmpty || !target.removedResources.isEmpty
        return isNeeded ? target : nil
    }

    /// Returns what each source of a group needs on Linux.
    private func needs(of group: SourceGroup, _ files: any FileSystem) -> [LinuxNeeds] {
        let read = PortedGroup(group, files)
        let rejected = read.pathsToExclude()
        let prefix = PathName.joined(group.folder, "a").count - 1
        return ParallelMap.map(read.sources) { source in
            let path = String(source.path.dropFirst(prefix))
            return LinuxNeeds(source, path: path, read.rewriter, isRejected: rejected.contains(source.path))
        }
    }

    /// Returns the files and bundles of a group that the target has to exclude, except those that it excludes already,
    /// and notes which sources are left out.
    private mutating func pathsToExclude(
        _ needs: [LinuxNeeds], _ group: SourceGroup, excluded: [String]
    ) -> Set<String> {
        var requested = Set(group.bundles)
        for file in needs where file.needsCopy || file.missingFramework != nil {
            // A copy with another name could not have top-level statements.
            guard PathName.name(of: file.path) != "main.swift" else { continue }
            requested.insert(file.path)
            guard !ExcludeList.covers(excluded, file.path) else { continue }
            if let framework = file.missingFramework {
                notes.append("\(group.name): “\(file.path)” needs \(framework) and is left out on Linux")
            } else if let obstacle = file.obstacle {
                notes.append(
                    "\(group.name): “\(file.path)” is left out on Linux because of line "
                        + "\(obstacle.range?.start.line ?? 1): \(obstacle.message)")
            }
        }
        return requested.filter { !ExcludeList.covers(excluded, $0) }
    }

    private mutating func addImportNote(_ needs: [LinuxNeeds], _ group: SourceGroup) {
        let lacking = needs.filter(\.lacksImport)
        guard let first = lacking.first else { return }
        notes.append(
            "\(group.name): “\(first.path)”\(lacking.count > 1 ? " and \(lacking.count - 1) more" : "") use"
                + "\(lacking.count > 1 ? "" : "s") Core Data without importing it; the plugin imports it for the target"
        )
    }

    /// Plans a source without code: SwiftPM drops a target whose sources are all excluded.
    ///
    /// - Parameter isListed: Whether a new file in the target's folder is one of its sources.
    private mutating func addSource(to group: SourceGroup, isListed: Bool, _ files: any FileSystem) {
        let name = "\(group.name)+Linux.swift"
        let source = PathName.joined(group.folder, name)
        guard isListed, PathName.name(of: name) == name, !name.hasPrefix("."), files.kind(of: source) == nil else {
            notes.append(
                "\(group.name): SwiftPM drops a target whose sources are all excluded; add a Swift file to it, which may be empty"
            )
            return
        }
        newSources.append((source, Self.emptySource))
        notes.append(
            "\(group.name): all sources are excluded on Linux; “\(name)” keeps SwiftPM from dropping the target")
    }

    /// The contents of a file that SwiftPM lists as the only source of a target.
    private static let emptySource = Array(
        "// Written by “modelc prepare-for-linux”: SwiftPM drops a target whose sources are all excluded.\n".utf8)

    // MARK: Refusals

    private func makeRejection(knowsTargets: Bool) -> Diagnostic? {
        var reason: (message: String, help: String)?
        let version = manifest.toolsVersion
        if String(validUTF8: manifest.bytes) == nil {
            reason = ("the manifest is not UTF-8", "Save it as UTF-8.")
        } else if manifest.hasBrokenBlock {
            reason = (
                "the manifest has “\(LinuxBlock.firstLine)” or “\(LinuxBlock.lastLine)” without the other, or twice",
                "Remove what is left of the lines that modelc has written."
            )
        } else if !manifest.isBalanced {
            reason = ("the manifest's brackets or #if conditions are not balanced", "Correct the manifest.")
        } else if version.map({ $0 < (5, 5) }) ?? true {
            reason = (
                "the manifest does not state a tools version of 5.5 or later, which plugins need",
                "Change its first line, for example to “// swift-tools-version: 5.9”."
            )
        } else if hasModels, version.map({ $0 < (5, 7) }) ?? true {
            reason = (
                "the manifest does not state a tools version of 5.7 or later, without which compiled models are not in the bundle",
                "Change its first line, for example to “// swift-tools-version: 5.7”."
            )
        } else if lacksTraits {
            reason = (
                "the manifest does not state a tools version of 6.1 or later, which a package that uses SwiftData needs on Linux",
                "Change its first line to “// swift-tools-version: 6.1”, or exclude the sources that use SwiftData."
            )
        } else if manifest.packageNames.count != 1 || manifest.isPackageConditional {
            reason = (
                "the manifest does not declare its package as one unconditional “let package = Package(…)”",
                "Add these lines where they apply, with the name of the package's constant:"
            )
        } else if !knowsTargets, manifest.hasComputedTargets || manifest.targets.isEmpty {
            reason = (
                "the manifest computes the names or paths of its targets",
                "Run “swift package prepare-for-linux”, which asks SwiftPM for them, or add such lines for your targets:"
            )
        } else if manifest.sharesModelc {
            reason = (
                "the manifest names \(LinuxBlock.pluginName) or CoreData outside of its targets, so it is not known which use them",
                "Write them into the targets, or add what is missing of these lines:"
            )
        } else if needsAnything, !manifest.dependsOnModelc, block.location == nil {
            reason = (
                "the manifest does not depend on modelc, and its location is not known",
                "Specify the URL or folder of the package with --modelc, or add these lines:"
            )
        }
        return reason.map {
            Diagnostic(
                .error, rule: .manifestNotEditable, $0.message, file: path, range: .fileStart, help: $0.help)
        }
    }

    /// The block that the user can paste instead of the edit; empty if the manifest must be corrected first.
    var linesToPaste: String {
        if manifest.hasBrokenBlock || !manifest.isBalanced || lacksTraits { return "" }
        var block = block
        if block.location == nil, !manifest.dependsOnModelc { block.location = "url: \"…/modelc\", from: \"0.2.0\"" }
        if block.targets.isEmpty {
            block.targets = [LinuxBlock.Target(name: "TARGET", excluded: ["MODEL.xcdatamodeld"])]
        }
        return "\n" + block.text
    }

    // MARK: The edit

    private mutating func addNotes(_ folder: String, _ files: any FileSystem) {
        if !needsAnything, manifest.block == nil {
            notes.append("no target needs anything from modelc on Linux")
        }
        let names = (try? files.list(folder)) ?? []
        for name in names where name.hasPrefix("Package@swift-") && name.hasSuffix(".swift") {
            notes.append("\(name) is not edited; versions of Swift that use it need the same lines there")
        }
    }

    var edited: [UInt8] { manifest.applying(needsAnything ? block : nil) }
}
