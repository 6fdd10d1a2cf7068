internal import Diagnostics
internal import ModelSchema
internal import ModelSource
internal import SwiftDataModel
internal import SwiftSources

/// A target of an app that becomes a target of a package.
struct LaneTarget {
    /// The name of the module, which is that of the package's target.
    var name: String
    var isTest: Bool
    /// The files. Paths are relative to the folder of the project.
    var group: SourceGroup
}

/// The targets of an app that become a package.
struct LaneProject {
    /// The name of the project, for people.
    private(set) var title: String
    private(set) var targetName: String
    /// The folder that paths start at.
    private(set) var root: String
    /// The target, followed by its unit tests.
    private(set) var targets: [LaneTarget]
    /// The folders whose files belong to a target without being listed, from the working directory.
    private(set) var synchronizedFolders: [String] = []
    /// Remarks for the user.
    private(set) var notes: [String] = []

    /// Sources that are not Swift and that a package could have only in a target of their own.
    private static let otherSources = [".m", ".mm", ".c", ".cc", ".cpp"]

    /// Reads a project.
    ///
    /// - Parameters:
    ///   - path: An `.xcodeproj`, the folder of one, or a folder without one, which is a target with all files in it.
    ///   - name: The name of the target; `nil` for the app that has a model.
    init(_ path: String, target name: String?, _ files: any FileSystem) throws(InputFailure) {
        let path = PathName.withoutTrailingSlashes(path)
        if SwiftFileSelection.isProject(path) {
            try self.init(project: path, target: name, files)
            return
        }
        guard let kind = files.kind(of: path) else { throw files.missing(path) }
        guard kind == .directory else {
            throw InputFailure(
                path, rule: .noSuchFile, message: "it is not an Xcode project",
                help: "Specify an .xcodeproj, or the folder of an app.")
        }
        let names = try InputFailure.wrapping { () throws(FileSystemError) in try files.list(path) }
        let projects = names.filter { $0.hasSuffix(ProjectMembers.projectExtension) && !$0.hasPrefix(".") }
        guard projects.count <= 1 else {
            throw InputFailure(
                path, rule: .noSuchFile, message: "the folder has \(projects.count) Xcode projects",
                help: "Specify one of \(projects.map { "“\($0)”" }.joined(separator: ", ")).")
        }
        if let project = projects.first {
            try self.init(project: PathName.joined(path, project), target: name, files)
        } else if names.contains(PackageFolder.manifestName) {
            throw InputFailure(
                path, rule: .noSuchFile, message: "the folder is that of a Swift package",
                help: "Use `modelc prepare-for-linux`, which edits its manifest.")
        } else {
            try self.init(folder: path, name: name, files)
        }
    }

    // MARK: Xcode projects

    private init(project path: String, target name: String?, _ files: any FileSystem) throws(InputFailure) {
        let members = try ProjectMembers(path, files)
        let requested = try Self.target(named: name, of: members, path, files)
        let project = path.hasSuffix(ProjectMembers.projectExtension) ? path : PathName.parent(of: path)
        title = PathName.name(of: project)
        root = members.root.isEmpty ? "." : members.root
        targetName = requested.target.name
        notes = requested.notes
        synchronizedFolders = members.targets.flatMap { $0.folders.map { members.full($0.path) } }
        let tests = members.targets.filter { target in
            target.productType.hasSuffix(".unit-test") && target.dependencies.contains(requested.target.name)
        }
        targets = []
        for target in [requested.target] + tests {
            var group = SourceGroup(name: SwiftModuleName.valid(target.moduleName), isTarget: true, folder: root)
            for path in members.files(of: target, where: { _ in true }) {
                let inner = members.root.isEmpty ? path : String(path.dropFirst(members.root.count + 1))
                if ModelFinder.isModel(path) || path.hasSuffix(MappingInputReader.sourceExtension),
                    files.kind(of: path) == nil
                {
                    notes.append("left out “\(inner)”, which the project lists and which does not exist")
                    continue
                }
                group.add(inner, others: Self.otherSources)
            }
            targets.append(LaneTarget(name: group.name, isTest: target.name != requested.target.name, group: group))
        }
    }

    /// Returns the requested target, or else the one that a package is most useful for.
    private static func target(
        named name: String?, of members: ProjectMembers, _ path: String, _ files: any FileSystem
    ) throws(InputFailure) -> (target: ProjectFile.Target, notes: [String]) {
        let names = members.targets.map(\.name)
        let list = names.isEmpty ? "It has none." : "It has \(names.map { "“\($0)”" }.joined(separator: ", "))."
        if let name {
            guard let target = members.targets.first(where: { $0.name == name }) else {
                throw InputFailure(
                    path, rule: .noSuchTarget, message: "the project has no target “\(name)”",
                    help: EditDistance.question(for: name, among: names) + list)
            }
            return (target, [])
        }
        let withModel = members.targets.filter { target in
            !target.productType.contains("-test") && !target.productType.contains(".ui-testing")
                && members.files(of: target, where: { _ in true }).contains { isModel($0, files) }
        }
        let apps = withModel.filter { $0.productType.hasPrefix("com.apple.product-type.application") }
        let candidates = apps.isEmpty ? withModel : apps
        guard let target = candidates.first else {
            throw InputFailure(
                path, rule: .noSuchTarget, message: "no target of the project has a model",
                help: "Specify one with --target. \(list)")
        }
        guard candidates.count > 1 else { return (target, []) }
        let others = candidates.dropFirst().map { "“\($0.name)”" }.joined(separator: ", ")
        return (target, ["chose the target “\(target.name)”; \(others) also have a model (--target)"])
    }

    /// Returns whether a file is a model, or declares one for SwiftData.
    private static func isModel(_ path: String, _ files: any FileSystem) -> Bool {
        if ModelFinder.isModel(path) { return files.kind(of: path) != nil }
        guard path.hasSuffix(".swift"), case .file(let size)? = files.kind(of: path), size <= SourceReader.sizeLimit,
            let bytes = try? files.read(path)
        else { return false }
        return SwiftSourceFile(path: path, bytes: bytes).mentionsModelMacro
    }

    // MARK: Folders

    private init(folder path: String, name: String?, _ files: any FileSystem) throws(InputFailure) {
        let groups = try InputFailure.wrapping { () throws(FileSystemError) in
            try PackageFolder(files: files).groups(below: path)
        }
        guard let all = groups.first(where: { !$0.isTarget }) else {
            throw ModelFinder.noModels(below: [path])
        }
        title = PathName.name(of: files.fullPath(path) ?? path)
        root = path
        targetName = name ?? title
        var app = SourceGroup(name: SwiftModuleName.valid(targetName), isTarget: true, folder: path)
        var tests: [String: SourceGroup] = [:]
        for file in all.sources + all.bundles + all.others {
            // Xcode's templates put unit tests into “AppTests”, and tests of the user interface into “AppUITests”.
            let folder = file.split(separator: "/").dropLast().first { $0.hasSuffix("Tests") }
            guard let folder else {
                app.add(file, others: Self.otherSources)
                continue
            }
            guard !folder.hasSuffix("UITests") else { continue }
            let testName = SwiftModuleName.valid(String(folder))
            tests[testName, default: SourceGroup(name: testName, isTarget: true, folder: path)].add(
                file, others: Self.otherSources)
        }
        targets = [LaneTarget(name: app.name, isTest: false, group: app)]
        targets += tests.keys.sorted().compactMap { key in
            tests[key].map { LaneTarget(name: $0.name, isTest: true, group: $0) }
        }
    }
}

enum SwiftModuleName {
    /// Returns a name with each character that a module's name cannot have replaced by an underscore, as Xcode does.
    static func valid(_ name: String) -> String {
        var result = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        if result.isEmpty || result.first?.isNumber == true { result = "_" + result.dropFirst() }
        return result
    }
}

extension SourceGroup {
    /// Adds a file of a project that a package may have.
    ///
    /// - Parameter others: The extensions of sources in other languages, which are listed.
    fileprivate mutating func add(_ path: String, others extensions: [String]) {
        let isBundle = ModelFinder.isModel(path) || path.hasSuffix(MappingInputReader.sourceExtension)
        guard isBundle || path.hasSuffix(".swift") || extensions.contains(where: path.hasSuffix) else { return }
        add(path)
    }
}
