internal import ArgumentParser
internal import Diagnostics
internal import ModelSource

extension NewVersionCommand {
    private var becomesCurrent: Bool { !noCurrent }

    /// Whether projects that list the versions are updated.
    private var changesProject: Bool { !noProject }

    /// What the command writes.
    package struct Addition: Sendable {
        /// The name of the version.
        package var name: String
        /// What is done, each in a few words.
        package var actions: [String]
        /// The files, with their new bytes, and the bytes that they have now; `nil` for a new file.
        package var writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)]
    }

    /// Returns what adding a version that continues the current one to a bundle writes, as the command does without
    /// other options.
    ///
    /// - Parameter name: The name; `nil` for the one that the command chooses.
    /// - Throws: If the version cannot be added.
    package static func addition(
        to path: String, named name: String?, in environment: DriverEnvironment
    ) throws(InputFailure) -> Addition {
        var result: Result<Addition, InputFailure> = .failure(InputFailure(diagnostics: [], exitCode: .couldNotRun))
        if let command = try? parse(["--", path] + (name.map { [$0] } ?? [])) {
            _ = environment.run { printer in
                result = Result { () throws(InputFailure) in try command.addition(in: environment, &printer) }
                return .success
            }
        }
        return try result.get()
    }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let addition = try addition(in: environment, &printer)
            if !isDryRun {
                try InputFailure.wrapping { () throws(FileSystemError) in
                    try ModelFileSet.replace(addition.writes, files: environment.files)
                }
            }
            for action in addition.actions {
                environment.errorLine("modelc: \(isDryRun ? "would have " : "")\(action)")
            }
            return .success
        }
    }

    private func addition(
        in environment: DriverEnvironment, _ printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> Addition {
        let path = PathName.withoutTrailingSlashes(modelPath)
        guard path.hasSuffix(ModelInputReader.bundleExtension), environment.files.kind(of: path) == .directory
        else {
            throw InputFailure(
                path, rule: .notAModel, message: "only an .xcdatamodeld has versions",
                help: "Specify the bundle. In Xcode, Editor ▸ Add Model Version makes a bundle of an .xcdatamodel.")
        }
        let reader = ModelInputReader(files: environment.files)
        let bundle = try reader.openBundle(path)
        let original: String
        do throws(ModelBundle.NoVersion) {
            original = try bundle.version(requested: source)
        } catch {
            throw InputFailure(
                diagnostics: error.diagnostics, lines: bundle.currentVersionFile.map { [$0.path: $0.lines] } ?? [:],
                exitCode: .couldNotRun)
        }
        let newName: String
        if let name {
            newName = PathName.name(of: name, withoutExtension: ModelInputReader.modelExtension) ?? name
        } else {
            newName = try nextName(after: original, in: bundle)
        }
        try check(newName, in: bundle, path)
        var addition = Addition(
            name: newName, actions: ["added “\(newName)”, a copy of “\(original)”"],
            writes: try copies(of: original, named: newName, in: path, reader: reader))
        if becomesCurrent {
            addition.writes.append(try currentVersion(newName, bundle: bundle, reader: reader))
            addition.actions.append("made it the current version")
        }
        if let project = try changedProject(newName, modelPath: path, environment: environment, printer: &printer) {
            addition.writes.append((project.path, project.new, project.old))
            addition.actions.append("listed it in \(project.path)")
        }
        return addition
    }

    // MARK: Names

    /// Returns the name with its last number increased, or with ` 2` appended, as Xcode suggests.
    private func nextName(after original: String, in bundle: ModelBundle) throws(InputFailure) -> String {
        let digits = String(original.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        let stem = String(original.dropLast(digits.count))
        // A name that consists of a date or a build number is increased too; digits that overflow `Int` are not.
        guard let start = digits.isEmpty ? 1 : Int(digits), start < Int.max - 10_000 else { return original + " 2" }
        let prefix = digits.isEmpty ? original + " " : stem
        let taken = Set(bundle.allVersionNames.map { $0.lowercased() })
        for number in (start + 1)...(start + 10_000) {
            let text = String(number)
            let padding = String(repeating: "0", count: max(0, digits.count - text.count))
            let candidate = prefix + padding + text
            if !taken.contains(candidate.lowercased()) { return candidate }
        }
        throw InputFailure(
            bundle.path, rule: .invalidName, message: "cannot derive an unused version name from “\(original)”",
            help: "Specify a name for the version.")
    }

    private func check(_ name: String, in bundle: ModelBundle, _ path: String) throws(InputFailure) {
        let isUnsafe =
            name.isEmpty || name.hasPrefix(".") || name.utf8.count > 200
            || name.unicodeScalars.contains {
                $0.value < 0x20 || $0 == "/" || $0 == "\\" || $0 == ":" || $0.value == 0x7F
            }
        if isUnsafe {
            throw InputFailure(
                path, rule: .invalidName, message: "“\(name)” is not a valid version name",
                help:
                    "It is the name of a folder: leave out “/”, “\\”, “:”, control characters and a “.” at the beginning."
            )
        }
        // On a Mac, two names that differ only in case are the same folder.
        if let other = bundle.allVersionNames.first(where: { $0.lowercased() == name.lowercased() }) {
            throw InputFailure(
                path, rule: .fileExists, message: "the model already has a version “\(other)”",
                help: "Choose another name.")
        }
    }

    // MARK: Files

    private func copies(
        of original: String, named name: String, in path: String, reader: ModelInputReader
    ) throws(InputFailure) -> [(path: String, bytes: [UInt8], expected: [UInt8]?)] {
        let folder = PathName.joined(path, original + ModelInputReader.modelExtension)
        let target = PathName.joined(path, name + ModelInputReader.modelExtension)
        guard reader.files.kind(of: target) == nil else {
            throw InputFailure(
                target, rule: .fileExists, message: "a file or folder with this name already exists",
                help: "Choose another name.")
        }
        // The version is read first, so that an invalid one is not copied.
        let input = try reader.readModelFolder(folder)
        guard !input.document.diagnostics.hasErrors else {
            throw InputFailure(
                diagnostics: input.document.diagnostics, lines: [input.document.path: input.document.lines],
                exitCode: .findings)
        }
        var writes: [(path: String, bytes: [UInt8], expected: [UInt8]?)] = []
        for file in try reader.files.listInput(folder) {
            let source = PathName.joined(folder, file)
            guard case .file(let size)? = reader.files.kind(of: source), !file.hasPrefix(".") else { continue }
            writes.append((PathName.joined(target, file), try reader.bytes(of: source, size: size), nil))
        }
        return writes
    }

    /// Returns the file that makes a version current.
    private func currentVersion(
        _ name: String, bundle: ModelBundle, reader: ModelInputReader
    ) throws(InputFailure) -> (path: String, bytes: [UInt8], expected: [UInt8]?) {
        let path = PathName.joined(bundle.path, ".xccurrentversion")
        guard case .file(let size)? = reader.files.kind(of: path) else {
            return (path, CurrentVersionFile.contents(naming: name), nil)
        }
        let old = try reader.bytes(of: path, size: size)
        guard let file = bundle.currentVersionFile, let new = file.naming(name) else {
            throw InputFailure(
                path, rule: .malformedCurrentVersion,
                message: "the file contains more than the name of the current version",
                help: "Choose the current version in Xcode, or run this with --no-current.")
        }
        return (path, new, old)
    }

    // MARK: Projects

    private func changedProject(
        _ name: String, modelPath path: String, environment: DriverEnvironment, printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> (path: String, old: [UInt8], new: [UInt8])? {
        guard changesProject else { return nil }
        let files = environment.files
        let projects =
            try projectPath.map { path throws(InputFailure) in [try Self.projectFile(path, files)] }
            ?? Self.projects(near: path, files)
        let fileName = PathName.name(of: path)
        for projectPath in projects {
            let bytes = try files.readInput(projectPath)
            let project: ProjectFile
            do throws(ProjectFile.Malformed) {
                project = try ProjectFile(bytes: bytes)
            } catch {
                let diagnostic = Diagnostic(
                    .warning, rule: .malformedProject, "the project cannot be read: \(error.message)",
                    file: projectPath, range: error.range, why: "The new version is not listed in it.",
                    help: "Open the project in Xcode and choose Add Files for the new version.")
                printer.print([diagnostic])
                continue
            }
            let groups = project.versionGroups.filter { PathName.name(of: $0.path) == fileName }
            guard groups.count < 2 else {
                printer.print([
                    Diagnostic(
                        .warning, rule: .malformedProject,
                        "the project has \(groups.count) models called “\(fileName)”", file: projectPath,
                        why: "The new version is not listed in it.", help: "Add the new version in Xcode.")
                ])
                continue
            }
            guard let group = groups.first else { continue }
            let version = name + ModelInputReader.modelExtension
            if let new = project.adding(version: version, to: group, becomesCurrent: becomesCurrent) {
                return (projectPath, bytes, new)
            }
            guard !group.versions.contains(where: { $0.path == version }) else { continue }
            printer.print([
                Diagnostic(
                    .warning, rule: .malformedProject, "the project is not laid out as Xcode saves it",
                    file: projectPath, why: "The new version is not listed in it.",
                    help: "Add the new version in Xcode.")
            ])
        }
        return nil
    }

    private static func projectFile(_ path: String, _ files: any FileSystem) throws(InputFailure) -> String {
        let path = PathName.withoutTrailingSlashes(path)
        let file = path.hasSuffix(".xcodeproj") ? PathName.joined(path, "project.pbxproj") : path
        guard case .file? = files.kind(of: file) else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "the project does not exist", file: file, help: "Check the path.")
                ],
                exitCode: .couldNotRun)
        }
        return file
    }

    /// Returns the projects in the folders above a model, nearest first, up to the root of the repository.
    private static func projects(near path: String, _ files: any FileSystem) -> [String] {
        var folder = PathName.parent(of: path)
        var result: [String] = []
        for _ in 0..<32 {
            let names = (try? files.list(folder.isEmpty ? "." : folder)) ?? []
            for name in names where name.hasSuffix(".xcodeproj") {
                let file = PathName.joined(PathName.joined(folder, name), "project.pbxproj")
                if case .file? = files.kind(of: file) { result.append(file) }
            }
            if names.contains(".git") { return result }
            let isClimbing = folder.isEmpty || folder.hasSuffix("..")
            let parent = isClimbing ? PathName.joined(folder, "..") : PathName.parent(of: folder)
            guard parent != folder, files.canonicalPath(parent.isEmpty ? "." : parent) != "/" else { return result }
            folder = parent
        }
        return result
    }
}
