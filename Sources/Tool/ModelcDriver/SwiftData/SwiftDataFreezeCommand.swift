internal import Diagnostics
internal import SwiftDataModel

extension SwiftDataFreezeCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        guard let version, !check else {
            // The exit code is 1 if a released version has different hashes.
            return LockSession(
                paths: [sourcesPath], lockPath: lockPath, swift: reading, action: .check,
                checksReleasesOnly: true
            ).run(in: environment)
        }
        return freeze(version, in: environment)
    }

    /// Returns whether a text has the three numbers of `Schema.Version(_:_:_:)`.
    private static func isVersion(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                Int(part) != nil && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }

    private func freeze(_ version: String, in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            if let identifier, !Self.isVersion(identifier) {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .swiftDataUnsupported, "“\(identifier)” is not a version identifier",
                            help: "Write three numbers separated by dots, such as 1.2.0.")
                    ],
                    exitCode: .couldNotRun)
            }
            let reader = ModelSetReader(files: environment.files, swift: reading)
            let (files, missing) = try reader.swiftSourceFiles(at: sourcesPath)
            printer.print(missing)
            let definitions = try reader.allDefinitions()
            let schema: FrozenSchema
            do throws(FrozenSchema.Failure) {
                schema = try FrozenSchema(
                    freezing: version, identifier: identifier, in: files, definitions: definitions)
            } catch {
                var lines: [String: LineIndex] = [:]
                for file in files where error.findings.contains(where: { $0.file == file.path }) {
                    lines[file.path] = LineIndex(file.bytes)
                }
                throw InputFailure(
                    diagnostics: ModelSetReader.advising(error.findings, in: files), lines: lines, exitCode: .findings)
            }
            guard let outputPath else {
                environment.outputData(schema.text)
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
