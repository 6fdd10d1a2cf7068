internal import Diagnostics
internal import SwiftDataModel

/// `modelc swiftdata freeze`: a self-contained copy of a version of a SwiftData schema.
package struct SwiftDataFreezeCommand: Sendable {
    /// The name of the version, or of the new one if the sources declare none.
    package var version: String
    /// The Swift file, or the folder of Swift files, that declares the models.
    package var sourcesPath: String
    /// The file that is written; `nil` for standard output.
    package var outputPath: String?
    /// Conditions of `#if` that are known to hold.
    package var definitions: [String] = []
    /// The version identifier, or `nil` for that of the sources.
    package var identifier: String?

    /// Creates the command.
    package init(version: String, sourcesPath: String) {
        self.version = version
        self.sourcesPath = sourcesPath
    }

    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            if let identifier,
                identifier.split(separator: ".", omittingEmptySubsequences: false).contains(where: { Int($0) == nil })
            {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .swiftDataUnsupported, "“\(identifier)” is not a version identifier",
                            help: "Write numbers separated by dots, such as 1.2.0.")
                    ],
                    exitCode: .couldNotRun)
            }
            let reader = ModelSetReader(files: environment.files, definitions: definitions)
            let files = try reader.swiftSourceFiles(at: sourcesPath)
            let known = try reader.allDefinitions()
            let schema: FrozenSchema
            do throws(FrozenSchema.Failure) {
                schema = try FrozenSchema(
                    freezing: version, identifier: identifier, in: files, definitions: known)
            } catch {
                var lines: [String: LineIndex] = [:]
                for file in files where error.findings.contains(where: { $0.file == file.path }) {
                    lines[file.path] = LineIndex(file.bytes)
                }
                throw InputFailure(diagnostics: error.findings, lines: lines, exitCode: .findings)
            }
            guard let outputPath else {
                environment.output(schema.text)
                return .success
            }
            try InputFailure.wrapping { () throws(FileSystemError) in
                var transaction = OutputTransaction(files: environment.files)
                transaction.create(outputPath, Array(schema.text.utf8))
                try transaction.commit()
            }
            environment.errorLine("modelc: wrote \(outputPath)")
            return .success
        }
    }
}

/// `modelc swiftdata freeze --check`: whether the released versions in Swift sources have the hashes in a lock.
package struct SwiftDataFreezeCheck: Sendable {
    /// The Swift file, or the folder of Swift files, that declares the versions.
    package var sourcesPath: String
    /// The path of the lock.
    package var lockPath = LockCommand.defaultFileName
    /// Conditions of `#if` that are known to hold.
    package var definitions: [String] = []

    /// Creates the command.
    package init(sourcesPath: String) {
        self.sourcesPath = sourcesPath
    }

    /// Runs the command. A released version with other hashes is exit code 1.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        var command = LockCommand(action: .check)
        command.paths = [sourcesPath]
        command.lockPath = lockPath
        command.definitions = definitions
        command.checksReleasesOnly = true
        return command.run(in: environment)
    }
}
