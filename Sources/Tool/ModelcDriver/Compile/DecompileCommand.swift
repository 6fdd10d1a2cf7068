internal import Diagnostics
internal import ModelSource

extension DecompileCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            if MappingInputReader(files: environment.files).isMapping(modelPath) {
                return try decompileMapping(environment, &printer)
            }
            let set = try ModelSetReader(files: environment.files, swift: conditions.reading).read(
                modelPath)
            set.addLines(to: &printer)
            try set.requireModels()
            printer.print(set.allDiagnostics)
            guard !set.allDiagnostics.hasErrors else { return .findings }
            let contents = try contents(of: set)
            let path = path(for: set)
            try InputFailure.wrapping { () throws(FileSystemError) in
                if outputPath?.isEmpty == true { throw OutputDestination.rejection("", "the path is empty") }
                try SourceProtection([modelPath], files: environment.files).check(path)
            }
            guard environment.files.kind(of: path) == nil else {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .fileExists, "a file or folder with this name already exists", file: path,
                            range: .fileStart, help: "Nothing was written. Specify another path.")
                    ],
                    exitCode: .couldNotRun)
            }
            _ = try InputFailure.wrapping { () throws(FileSystemError) in
                try FolderReplacement(files: environment.files).write(contents, to: path)
            }
            environment.errorLine("modelc: \(path) written")
            return .success
        }
    }

    private func path(for set: ModelSet) -> String {
        let fileExtension = set.isBundle ? ModelInputReader.bundleExtension : ModelInputReader.modelExtension
        guard let outputPath else { return set.name + fileExtension }
        let plain = PathName.withoutTrailingSlashes(outputPath)
        return plain.hasSuffix(fileExtension) ? plain : PathName.joined(plain, set.name + fileExtension)
    }

    /// Returns the files of the source, by path.
    private func contents(of set: ModelSet) throws(InputFailure) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for version in set.versions {
            guard let model = version.model else { continue }
            let folder = set.isBundle ? version.name + ModelInputReader.modelExtension + "/" : ""
            files[folder + "contents"] = try ReconstructedSource(model, path: version.path).bytes
        }
        if set.isBundle, set.statesCurrent, let current = set.currentName {
            files[".xccurrentversion"] = CurrentVersionFile.contents(naming: current)
        }
        return files
    }
}
