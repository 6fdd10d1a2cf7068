internal import Diagnostics
internal import MappingModel
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

extension MigrateScaffoldCommand {
    /// The form of the output.
    package enum Form: String, CaseIterable, Sendable {
        /// An `.xcmappingmodel`.
        case mapping
        /// Swift for an `NSStagedMigrationManager`.
        case staged
    }

    /// A file or folder that is to be written.
    struct Result {
        /// Its name, unless the user chose another.
        var name: String
        /// The contents: for a folder, those of its files by name.
        var contents: Contents
        /// The findings about parts that are left to the user.
        var diagnostics: [Diagnostic]
        /// The description of the contents, for the summary.
        var summary: String

        enum Contents {
            case file([UInt8])
            case folder([String: [UInt8]])
        }
    }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let files = environment.files
            let set = try EvolutionReader(files: files).modelSet(modelPath)
            set.addLines(to: &printer)
            let (old, new) = (
                try set.version(named: source, option: "FROM"), try set.version(named: destination, option: "TO")
            )
            let models = (try old.indexedModel(), try new.indexedModel())
            guard models.0.hashes.entities != models.1.hashes.entities else {
                throw impossible(
                    set, "“\(old.name)” and “\(new.name)” have the same version hashes",
                    help: "Stores need no migration between them. Name two other versions.")
            }
            let result =
                switch form {
                case .mapping: try mapping(from: (old, models.0), to: (new, models.1), set)
                case .staged: try staged(from: old, to: new, set)
                }
            let path = try freePath(for: result, files)
            printer.print(set.skippedVersionWarnings + result.diagnostics)
            try write(result, to: path, files)
            environment.errorLine("modelc: \(path) written, \(result.summary)")
            return .success
        }
    }

    /// Returns the path to write to.
    ///
    /// - Throws: If the path already exists, or is in a model.
    private func freePath(for result: Result, _ files: any FileSystem) throws(InputFailure) -> String {
        let path = outputPath(for: result)
        try InputFailure.wrapping { () throws(FileSystemError) in
            if outputPath?.isEmpty == true { throw OutputDestination.rejection("", "the path is empty") }
            try SourceProtection([modelPath], files: files).check(path)
        }
        guard files.kind(of: path) == nil, files.linkTarget(of: path) == nil else {
            throw InputFailure(
                path, rule: .fileExists, message: "a file or folder with this name already exists",
                help: "Nothing was written. Specify another path.")
        }
        return path
    }

    private func write(_ result: Result, to path: String, _ files: any FileSystem) throws(InputFailure) {
        try InputFailure.wrapping { () throws(FileSystemError) in
            switch result.contents {
            case .file(let bytes):
                var transaction = OutputTransaction(files: files)
                transaction.create(path, bytes)
                try transaction.commit()
            case .folder(let contents): _ = try FolderReplacement(files: files).write(contents, to: path)
            }
        }
    }

    private func outputPath(for result: Result) -> String {
        guard let outputPath else { return result.name }
        let plain = PathName.withoutTrailingSlashes(outputPath)
        let suffix = form == .mapping ? MappingInputReader.sourceExtension : ".swift"
        return plain.hasSuffix(suffix) ? plain : PathName.joined(plain, result.name)
    }

    func impossible(_ set: ModelSet, _ message: String, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .migrationImpossible, message, file: set.path, range: .fileStart, help: help)
            ],
            exitCode: .couldNotRun)
    }

    // MARK: Swift

    private func staged(
        from old: ModelSet.Version, to new: ModelSet.Version, _ set: ModelSet
    ) throws(InputFailure) -> Result {
        guard let first = set.versions.firstIndex(where: { $0.name == old.name }),
            let last = set.versions.firstIndex(where: { $0.name == new.name }), first < last
        else {
            throw impossible(
                set, "“\(old.name)” comes after “\(new.name)”",
                help: "Staged migration never goes back (134506). Name the earlier version first.")
        }
        var versions: [StagedMigrationCode.Version] = []
        var diagnostics: [Diagnostic] = []
        for version in set.versions[first...last] {
            let model = try version.indexedModel()
            guard let checksum = model.hashes.checksum else {
                throw impossible(
                    set, "“\(version.name)” has no version checksum", help: "Correct the errors of the model first.")
            }
            if let index = versions.firstIndex(where: { $0.checksum == checksum }) {
                // A checksum in two stages is an error of Core Data. The first version stays, unless it is not the one
                // asked for.
                let left = version.name == new.name ? versions.remove(at: index).name : version.name
                let kept = left == version.name ? versions[index].name : version.name
                diagnostics.append(
                    Diagnostic(
                        .warning, rule: .migrationImpossible,
                        "“\(left)” is left out: it has the same version hashes as “\(kept)”", file: set.path,
                        range: .fileStart, why: "A version checksum can be in one stage only."))
                if left == version.name { continue }
            }
            versions.append(StagedMigrationCode.Version(name: version.name, checksum: checksum, model: model))
        }
        let code = StagedMigrationCode(modelName: set.name, versions: versions)
        for (index, migration) in code.migrations.sorted(by: { $0.key < $1.key }) where !migration.isPossible {
            let (before, after) = (versions[index].name, versions[index + 1].name)
            diagnostics.append(
                Diagnostic(
                    .warning, rule: .migrationImpossible,
                    "the step from “\(before)” to “\(after)” is not lightweight", file: set.path, range: .fileStart,
                    why: "A custom stage runs code before and after a migration, which must be lightweight itself.",
                    help: "Divide the change with a version in between; comments in the code name the elements."))
        }
        let count = code.stages.count
        return Result(
            name: StagedMigrationCode.typeName(for: set.name) + ".swift", contents: .file(Array(code.text.utf8)),
            diagnostics: diagnostics,
            summary: "\(counted(count, "stage")), \(code.migrations.count) custom"
        )
    }
}
