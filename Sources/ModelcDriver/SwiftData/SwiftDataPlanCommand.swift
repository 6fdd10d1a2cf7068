internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

extension SwiftDataPlanCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            guard SwiftIdentifier.isValid(name), !SwiftIdentifier.isKeyword(name) else {
                throw failure("“\(name)” is not a valid type name", help: "Use letters, digits and underscores.")
            }
            let sources = try ModelSetReader(files: environment.files, definitions: conditions.definitions).read(
                sourcesPath)
            sources.addLines(to: &printer)
            printer.print(sources.allDiagnostics, includesNotes: false)
            guard !sources.allDiagnostics.hasErrors else { return .findings }
            guard sources.kind == .swift, sources.currentName != nil else {
                throw failure(
                    "the sources declare no `VersionedSchema`",
                    help: "Write the first one with “modelc swiftdata freeze SchemaV1”.")
            }
            let text = SwiftDataPlan(sources.versions, name: name).text
            guard let outputPath else {
                environment.output(text)
                return .success
            }
            try InputFailure.wrapping { () throws(FileSystemError) in
                var transaction = OutputTransaction(files: environment.files)
                transaction.create(outputPath, Array(text.utf8))
                try transaction.commit()
            }
            environment.errorLine("modelc: wrote \(outputPath)")
            return .success
        }
    }

    private func failure(_ message: String, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .swiftDataUnsupported, message, file: sourcesPath, range: .fileStart, help: help)
            ],
            exitCode: .couldNotRun)
    }
}

/// The source of a `SchemaMigrationPlan`, with a stage between each two consecutive versions.
struct SwiftDataPlan {
    let text: String

    init(_ versions: [ModelSet.Version], name: String) {
        var names: [String] = []
        var stages: [[String]] = []
        for (old, new) in zip(versions, versions.dropFirst()) {
            guard let oldModel = old.model, let newModel = new.model else { continue }
            let migration = LightweightMigration(from: IndexedModel(oldModel), to: IndexedModel(newModel))
            names.append(Self.stageName(old.name, new.name))
            stages.append(Self.stage(names[names.count - 1], from: old.name, to: new.name, migration))
        }
        let schemas = versions.map { "\($0.name).self" }.joined(separator: ", ")
        // One statement for each part, because a single expression takes the compiler many seconds.
        var lines = [
            "import SwiftData", "", "enum \(name): SchemaMigrationPlan {",
            "    static var schemas: [any VersionedSchema.Type] {", "        [\(schemas)]", "    }", "",
            "    static var stages: [MigrationStage] {", "        [\(names.joined(separator: ", "))]", "    }",
        ]
        for stage in stages {
            lines.append("")
            for line in stage { lines.append("    " + line) }
        }
        lines += ["}", ""]
        text = lines.joined(separator: "\n")
    }

    /// Returns the name of a stage, such as `migrateSchemaV1ToSchemaV2`, also for versions nested in other types.
    private static func stageName(_ old: String, _ new: String) -> String {
        let parts = [old, new].map { $0.split(separator: ".").joined(separator: "_") }
        return "migrate\(parts[0])To\(parts[1])"
    }

    private static func stage(
        _ name: String, from old: String, to new: String, _ migration: LightweightMigration
    ) -> [String] {
        let versions = "    fromVersion: \(old).self, toVersion: \(new).self"
        let risks = migration.risks.map { "// “\($0.element)” \($0.reason)" }
        guard !migration.obstacles.isEmpty else {
            return risks + ["static let \(name) = MigrationStage.lightweight(", versions + ")"]
        }
        let reasons = migration.obstacles.map { "// “\($0.element)” \($0.reason)" }
        return ["// A lightweight migration is not possible:"] + reasons + risks + [
            "static let \(name) = MigrationStage.custom(", versions + ",",
            "    willMigrate: { context in", "        // Read here what the new version has no place for.",
            "        try context.save()", "    },", "    didMigrate: { context in",
            "        // Fill here what the new version requires.", "        try context.save()", "    })",
        ]
    }
}
