internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
internal import SwiftDataModel

extension SwiftDataPlanCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            if let name, !SwiftIdentifier.isValid(name) || SwiftIdentifier.isKeyword(name) {
                throw failure("“\(name)” is not a valid type name", help: "Use letters, digits and underscores.")
            }
            let sources = try ModelSetReader(files: environment.files, swift: reading).read(
                sourcesPath)
            sources.addLines(to: &printer)
            printer.print(sources.allDiagnostics, includesNotes: false)
            guard !sources.allDiagnostics.hasErrors else { return .findings }
            guard sources.kind == .swift, sources.currentName != nil else {
                throw failure(
                    "the sources declare no `VersionedSchema`",
                    help: "Write the first one with “modelc swiftdata freeze SchemaV1”.")
            }
            let plan = SwiftDataPlan(sources, name: name)
            for note in plan.notes { environment.errorLine("modelc: \(note)") }
            let text = plan.text
            guard let outputPath else {
                environment.outputData(text)
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

/// The source of the migration plans of a schema, with a stage between each two consecutive versions.
struct SwiftDataPlan {
    let text: String
    /// What the text leaves out.
    private(set) var notes: [String] = []

    /// - Parameter name: The name of the plan; `nil` for that of the plan in the sources, or `MigrationPlan`.
    init(_ sources: ModelSet, name: String?) {
        var chains = sources.chains
        // Schemas that no plan lists need none, if there is a plan for others.
        if chains.contains(where: { $0.planName != nil }) {
            for chain in chains where chain.planName == nil {
                let names = chain.versions.map { "“\($0)”" }.joined(separator: ", ")
                notes.append("no plan in the sources lists \(names), so the new plan leaves them out")
            }
            chains.removeAll { $0.planName == nil }
        }
        var lines = ["import SwiftData"]
        let byName = Dictionary(sources.versions.map { ($0.name, $0) }) { first, _ in first }
        var taken: Set<String> = []
        for chain in chains {
            let requested = (chains.count == 1 ? name : nil) ?? chain.planName ?? name ?? "MigrationPlan"
            let shortName = requested.split(separator: ".").last.map(String.init) ?? requested
            var planName = shortName
            var number = 2
            while !taken.insert(planName).inserted {
                planName = "\(shortName)\(number)"
                number += 1
            }
            let equal = EqualVersions.all(sources.versions.compactMap(\.swiftData), [chain])
            for pair in equal { notes.append("\(pair.message) and is left out: \(EqualVersions.why)") }
            let left = Set(equal.map(\.later.name))
            lines.append("")
            lines += Self.plan(chain.versions.filter { !left.contains($0) }.compactMap { byName[$0] }, name: planName)
        }
        lines.append("")
        text = lines.joined(separator: "\n")
    }

    private static func plan(_ versions: [ModelSet.Version], name: String) -> [String] {
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
            "enum \(name): SchemaMigrationPlan {",
            "    static var schemas: [any VersionedSchema.Type] {", "        [\(schemas)]", "    }", "",
            "    static var stages: [MigrationStage] {", "        [\(names.joined(separator: ", "))]", "    }",
        ]
        for stage in stages {
            lines.append("")
            for line in stage { lines.append("    " + line) }
        }
        return lines + ["}"]
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
            "    willMigrate: { context in", "        // Read here what the new version cannot store.",
            "        try context.save()", "    },", "    didMigrate: { context in",
            "        // Fill here what the new version requires.", "        try context.save()", "    })",
        ]
    }
}
