internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ProjectConfiguration
internal import SwiftDataModel

// Swift sources with SwiftData models.

extension ModelSetReader {
    private static let swiftExtension = ".swift"
    private static let packageFolders: Set = ["Carthage", "DerivedData", "Pods", "node_modules"]

    /// Returns whether a path names Swift sources: a `.swift` file, or a folder that is not a model and holds one.
    func namesSwiftSources(_ path: String) -> Bool {
        switch files.kind(of: path) {
        case .file?: return path.hasSuffix(Self.swiftExtension)
        case .directory?:
            guard !path.hasSuffix(ModelInputReader.modelExtension), !path.hasSuffix(ModelInputReader.bundleExtension)
            else { return false }
            return !swiftFiles(below: path, limit: 1) { _ in
                true
            } unreadable: { _ in
            }.isEmpty
        default: return false
        }
    }

    /// Swift files that are compiled together.
    struct SwiftSourceSet {
        /// The folder of a SwiftPM target, or the folder that was searched.
        var path: String
        private var read: [SwiftSourceFile] = []
        private var failure: InputFailure?
        /// Whether a file has the attribute `@Model`.
        private(set) var declaresModels = false

        fileprivate init(path: String) { self.path = path }

        /// The files, or the reason why one of them cannot be read.
        var files: Result<[SwiftSourceFile], InputFailure> { failure.map { .failure($0) } ?? .success(read) }

        fileprivate mutating func add(_ file: Result<SwiftSourceFile, InputFailure>) {
            switch file {
            case .success(let file):
                read.append(file)
                declaresModels = declaresModels || file.mentionsModelMacro
            case .failure(let reason): failure = failure ?? reason
            }
        }
    }

    /// Returns the Swift files of a folder, by target.
    ///
    /// - Parameter isIncluded: Returns whether a file or folder is included.
    func swiftSets(in folder: String, where isIncluded: (String) -> Bool) -> [SwiftSourceSet] {
        var targets = SwiftTargetFolders(files: files)
        var sets: [String: SwiftSourceSet] = [:]
        // `ModelFinder` reports folders that cannot be read.
        for path in swiftFiles(below: folder, where: isIncluded, unreadable: { _ in }) {
            guard case .file(let size)? = files.kind(of: path) else { continue }
            var name = folder
            if let target = targets.target(of: path), folder == "." || target.hasPrefix(folder + "/") { name = target }
            let file = Result { () throws(InputFailure) in
                SwiftSourceFile(path: path, bytes: try sources.bytes(of: path, size: size))
            }
            sets[name, default: SwiftSourceSet(path: name)].add(file)
        }
        return sets.values.sorted { $0.path < $1.path }
    }

    /// Returns the Swift files in a folder and the folders inside it, in order.
    ///
    /// - Parameters:
    ///   - limit: The number of files after which the search ends.
    ///   - isIncluded: Returns whether a file or folder is included.
    ///   - unreadable: Handles a folder that cannot be listed.
    func swiftFiles<Failure>(
        below folder: String, limit: Int = .max, where isIncluded: (String) -> Bool,
        unreadable: (FileSystemError) throws(Failure) -> Void
    ) throws(Failure) -> [String] {
        var found: [String] = []
        var walk = FolderWalk(files: files)
        try walk.walk(folder) { (path, name) throws(Failure) in
            guard !name.hasPrefix("."), found.count < limit, isIncluded(path) else { return false }
            guard name.hasSuffix(Self.swiftExtension) else { return !Self.packageFolders.contains(name) }
            if case .file? = files.kind(of: path) { found.append(path) }
            return false
        } unreadable: { error throws(Failure) in
            try unreadable(error)
        }
        return found
    }

    /// Throws if one of several paths is neither a Swift file nor a folder.
    func checkSwiftPaths(_ paths: [String]) throws(InputFailure) {
        for path in paths where !SwiftFileSelection.isProject(path) {
            let isModel = ModelFinder.isModel(path) || path.hasSuffix(Self.compiledBundleExtension)
            switch files.kind(of: PathName.withoutTrailingSlashes(path)) {
            case .directory? where !isModel: continue
            case .file? where path.hasSuffix(Self.swiftExtension): continue
            case nil:
                throw files.missing(path)
            default:
                throw InputFailure(
                    path, rule: .noModels,
                    message: "only Swift sources can be read together, and this is something else",
                    help: "Specify one model, or Swift files and folders.")
            }
        }
    }

    /// Reads the Swift files that are compiled together: a file, the files of a folder or a target, and those of the
    /// other paths.
    ///
    /// - Returns: The files, and a warning for each file that a project lists and that does not exist.
    func swiftSourceFiles(
        at path: String
    ) throws(InputFailure) -> (files: [SwiftSourceFile], missing: [Diagnostic]) {
        let selection = SwiftFileSelection(reader: self)
        var paths: [String] = []
        var seen: Set<String> = []
        for (index, path) in ([path] + swift.otherPaths).enumerated() {
            for found in try selection.paths(at: path, target: index == 0 ? swift.target : nil) {
                if seen.insert(files.canonicalPath(found) ?? found).inserted { paths.append(found) }
            }
        }
        var sourceFiles: [SwiftSourceFile] = []
        var missing: [Diagnostic] = []
        for path in paths {
            guard case .file(let size)? = files.kind(of: path) else {
                missing.append(
                    Diagnostic(
                        .warning, rule: .noSuchFile, "the project lists the file, which does not exist", file: path,
                        why: "Models that it declares are missing.",
                        help: "Build the project first if the file is generated, or leave it out with "
                            + "`--exclude \(ShellWord.quoted(path))`."))
                continue
            }
            sourceFiles.append(SwiftSourceFile(path: path, bytes: try sources.bytes(of: path, size: size)))
        }
        return (sourceFiles, missing)
    }

    /// Returns the models that files declare.
    func swiftDataSources(
        _ files: [SwiftSourceFile], lints: Bool = false
    ) throws(InputFailure) -> SwiftDataSources {
        SwiftDataSources(files, definitions: try allDefinitions(), lints: lints)
    }

    /// Returns the conditions of `#if` that are known: those of `--define`, and of `define:` in the nearest
    /// `.modelc.yml`.
    ///
    /// `NAME` holds, and `NAME=false` does not.
    func allDefinitions() throws(InputFailure) -> [String: Bool] {
        var texts: [String] = []
        if let path = RunSettings.nearestConfiguration(files) {
            texts = try RunSettings.read(path, files).definitions
        }
        var definitions: [String: Bool] = [:]
        for text in texts + swift.definitions {
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard let name = parts.first else { continue }
            definitions[name] = parts.count < 2 || !["false", "0"].contains(parts[1].lowercased())
        }
        return definitions
    }

    /// Reads the SwiftData models in a Swift file, or in the files of a folder.
    func readSwiftSources(_ path: String, version: String?) throws(InputFailure) -> ModelSet {
        let found = try swiftSourceFiles(at: path)
        var set: ModelSet
        do throws(InputFailure) {
            set = try swiftModels(in: found.files, path: path, version: version)
        } catch {
            var failure = error
            failure.diagnostics += found.missing
            throw failure
        }
        set.diagnostics += found.missing
        return set
    }

    /// Returns the SwiftData models in files that were read.
    func swiftModels(
        in sourceFiles: [SwiftSourceFile], path: String, version: String? = nil
    ) throws(InputFailure) -> ModelSet {
        let read = try swiftDataSources(sourceFiles)
        var lines: [String: LineIndex] = [:]
        let named = Set(read.findings.compactMap(\.file) + read.versions.flatMap { $0.locations.map(\.file) })
        for file in sourceFiles where named.contains(file.path) { lines[file.path] = LineIndex(file.bytes) }
        if read.versions.isEmpty {
            guard read.findings.isEmpty else {
                throw InputFailure(
                    diagnostics: Self.advising(read.findings, in: sourceFiles), lines: lines, exitCode: .findings)
            }
            throw InputFailure(
                path, rule: .noModels, message: "the Swift sources declare no class marked “@Model”",
                help: "Specify the file or folder that declares the models.")
        }
        let stem = PathName.stem(of: path)
        var set = ModelSet(
            name: stem.allSatisfy { $0 == "." } ? "Schema" : stem, kind: .swift, path: path,
            currentName: read.isVersioned ? read.versions.last?.name : nil, statesCurrent: read.isVersioned,
            versions: [], diagnostics: read.findings, otherLines: lines)
        set.chains = read.chains
        for found in read.versions where version == nil || version == found.name || version == found.identifier {
            set.versions.append(
                ModelSet.Version(
                    name: found.name, model: found.model, diagnostics: [], path: path, swiftData: found))
        }
        if set.versions.isEmpty, let version {
            let names = read.versions.map { "“\($0.name)”" }.joined(separator: ", ")
            throw InputFailure(
                path, rule: .noSuchVersion, message: "the sources have no version “\(version)”",
                help: EditDistance.question(for: version, among: read.versions.map(\.name)) + "They have \(names).")
        }
        return set
    }

    /// Returns findings with the advice to leave out files in the last one, if there are several files.
    static func advising(_ findings: [Diagnostic], in files: [SwiftSourceFile]) -> [Diagnostic] {
        var findings = findings
        guard files.count > 1, let last = findings.last, let help = last.help, let file = last.file else {
            return findings
        }
        findings[findings.count - 1].help =
            help + "; if “\(file)” is not part of the schema, pass `--exclude \(ShellWord.quoted(file))`"
        return findings
    }
}
