internal import CodeGeneration
internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema
internal import SwiftSources

extension BuildCommand {
    /// The Swift files in the target's folder that its manifest excludes.
    var excludedSourcePaths: [String] { excludedSource + modelFolderSourcePaths }

    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            var build = TargetBuild(self, environment.files)
            try build.readSources()
            build.readModels()
            build.readMappings()
            build.checkNames()
            try build.lint(environment)
            try build.generate(try TemplateLoader(files: environment.files).load(nil))
            let moved = try movedVersions(environment.files)
            for (path, lines) in build.lines { printer.addLines(lines, of: path) }
            printer.print(build.diagnostics + moved)
            if let lines = build.linesToPaste { environment.errorOutput(lines) }
            guard !(build.diagnostics + moved).hasErrors else { return .findings }
            try build.write()
            return .success
        }
    }

    /// Returns a finding for each released version of a SwiftData model in the target's folder whose hashes differ from
    /// the lock's.
    private func movedVersions(_ files: any FileSystem) throws(InputFailure) -> [Diagnostic] {
        guard let lockPath, let folder = targetDirectory.flatMap(files.canonicalPath),
            let lock = try LockFile(files: files, path: lockPath).read()
        else { return [] }
        let base = PathName.parent(of: lockPath)
        let reader = ModelSetReader(files: files)
        let paths = Set(lock.entries.keys.map(\.model)).sorted()
            .map { base.isEmpty ? $0 : PathName.joined(base, $0) }
            .filter { path in
                guard let canonical = files.canonicalPath(path) else { return false }
                return (canonical == folder || canonical.hasPrefix(folder + "/")) && reader.namesSwiftSources(path)
            }
        guard !paths.isEmpty else { return [] }
        return try LockSession(paths: paths, lockPath: lockPath, swift: SwiftReading(), action: .check).movedVersions(
            lock, files)
    }

    /// The name of the file with the accessors of `@NSManaged` declarations.
    static func accessorsFileName(ofModule name: String) -> String { "\(name)+CoreDataManaged.swift" }

    static func codeFileName(ofModel name: String) -> String { "\(name)+CoreDataModel.swift" }

    /// The name of the copy of an excluded source.
    static func copyName(ofSource path: String) -> String { "\(PathName.stem(of: path))+modelc.swift" }
}
