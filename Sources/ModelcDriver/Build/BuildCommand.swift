internal import CodeGeneration
internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema
internal import SwiftSources

/// `modelc build-target`: all that SwiftPM's build plugin has to have done for a target, in one process.
///
/// Models are checked, compiled and turned into code; `@NSManaged` declarations in the sources get their accessors. The names of
/// the files that are written follow from the names of those that are read, since a build system wants to know them before.
/// Only errors of models are printed: what a build prints is gone with the next one.
package struct BuildCommand: Sendable {
    /// The module that the target is compiled into.
    package var moduleName: String
    /// The folder of everything that is written.
    package var outputDirectory: String
    /// The models: `.xcdatamodeld` bundles, and `.xcdatamodel` that stand by themselves.
    package var modelPaths: [String] = []
    /// The mapping models.
    package var mappingPaths: [String] = []
    /// Models that the target's manifest does not exclude, so that Xcode would compile them too.
    package var sharedModelPaths: [String] = []
    /// The Swift sources that the compiler sees.
    package var sourcePaths: [String] = []
    /// The Swift files in the target's folder that its manifest excludes.
    package var excludedSourcePaths: [String] = []
    /// Those of them that are in an excluded folder with a model: copies of them are compiled whatever they hold.
    package var modelFolderSourcePaths: [String] = []
    /// The target's folder, which `exclude:` entries are relative to. `nil` if it is not known.
    package var targetDirectory: String?
    /// The settings of the checks; nil for none.
    package var configurationPath: String?

    /// The lock whose released versions the target's SwiftData models must not change; `nil` for none.
    package var lockPath: String?

    /// Makes a command for a target without files.
    package init(moduleName: String, outputDirectory: String) {
        self.moduleName = moduleName
        self.outputDirectory = outputDirectory
    }

    /// Runs the command. When it does not succeed, nothing on disk has changed.
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

    /// Returns the released versions of SwiftData models in the target's folder that have other hashes than in the lock.
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
        var check = LockCommand(action: .check)
        check.paths = paths
        check.lockPath = lockPath
        return try check.movedVersions(lock, files)
    }

    /// The name of the file with the accessors of `@NSManaged` declarations.
    static func accessorsFileName(ofModule name: String) -> String { "\(name)+CoreDataManaged.swift" }

    /// The name of the file with the code of a model.
    static func codeFileName(ofModel name: String) -> String { "\(name)+CoreDataModel.swift" }

    /// The name of the copy of an excluded source.
    static func copyName(ofSource path: String) -> String { "\(PathName.stem(of: path))+modelc.swift" }
}
