internal import Diagnostics
internal import ModelMigration
internal import ModelSchema

/// Writes Swift for an `NSStagedMigrationManager`.
///
/// Names of models get into the code only as string literals and, escaped, in comments.
struct StagedMigrationCode {
    /// A version with its checksum.
    struct Version {
        var name: String
        var checksum: String
        var model: IndexedModel
    }

    let modelName: String
    /// The versions, from the earliest to the last.
    let versions: [Version]
    /// The migration between the versions of each custom stage, by the index of its first version.
    let migrations: [Int: LightweightMigration]
    let stages: [MigrationStages.Stage]

    init(modelName: String, versions: [Version]) {
        self.modelName = modelName
        self.versions = versions
        stages =
            MigrationStages(count: versions.count) { source, destination in
                LightweightMigration.isPossible(from: versions[source].model, to: versions[destination].model)
            }.stages
        var migrations: [Int: LightweightMigration] = [:]
        for case .custom(let source, let destination) in stages {
            migrations[source] = LightweightMigration(from: versions[source].model, to: versions[destination].model)
        }
        self.migrations = migrations
    }

    /// The name of the type that the code declares.
    static func typeName(for modelName: String) -> String {
        let name = SwiftIdentifier.prefix(from: modelName) + "Migration"
        return SwiftIdentifier.isValid(name) ? name : "ModelMigration"
    }

    /// The code, ending in a line feed.
    var text: String {
        let name = Self.typeName(for: modelName)
        let (first, last) = (quoted(0), quoted(versions.count - 1))
        var lines = [
            "// A start, written by `modelc migrate scaffold`. modelc does not change it again.", "", "import CoreData",
            "", "/// The staged migration of \(DisplayText.line("“\(modelName)”")) from \(first) to \(last).", "///",
            "/// Set it with `NSPersistentStoreDescription.setOption(_:forKey:)` under",
            "/// `NSPersistentStoreStagedMigrationManagerOptionKey`, and leave automatic migration and inferred mapping models on.",
            "@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)", "enum \(name) {",
            "    /// Makes the manager.", "    ///",
            "    /// - Parameter bundle: The bundle that holds the compiled model.",
            "    static func manager(in bundle: Bundle) -> NSStagedMigrationManager {",
        ]
        for (index, stage) in stages.enumerated() {
            lines += self.lines(stage, number: index + 1).map { $0.isEmpty ? "" : "        " + $0 } + [""]
        }
        let all = stages.indices.map { "stage\($0 + 1)" }.joined(separator: ", ")
        lines += ["        return NSStagedMigrationManager([\(all)])", "    }"]
        if !migrations.isEmpty { lines += [""] + modelFunction.map { $0.isEmpty ? "" : "    " + $0 } }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private var modelFunction: [String] {
        let folder = SwiftIdentifier.stringLiteral(modelName + ModelSetReader.compiledBundleExtension)
        return [
            "private static func model(", "    _ name: String, versionChecksum: String, in bundle: Bundle",
            ") -> NSManagedObjectModelReference {",
            "    guard let url = bundle.url(forResource: name, withExtension: \"mom\", subdirectory: \(folder)) else {",
            "        preconditionFailure(\"the bundle has no model “\\(name)”\")", "    }",
            "    return NSManagedObjectModelReference(fileURL: url, versionChecksum: versionChecksum)", "}",
        ]
    }

    private func lines(_ stage: MigrationStages.Stage, number: Int) -> [String] {
        switch stage {
        case .lightweight(let members): lightweight(members, number: number)
        case .custom(let source, let destination): custom(source, destination, number: number)
        }
    }

    private func lightweight(_ members: [Int], number: Int) -> [String] {
        let checksums = members.map {
            "    \(SwiftIdentifier.stringLiteral(versions[$0].checksum)),  // \(quoted($0))"
        }
        return ["let stage\(number) = NSLightweightMigrationStage(["] + checksums + ["])"]
            + ["stage\(number).label = \(label(members.map { versions[$0].name }.joined(separator: ", ")))"]
    }

    private func custom(_ source: Int, _ destination: Int, number: Int) -> [String] {
        var lines: [String] = []
        let obstacles = migrations[source]?.obstacles ?? []
        if obstacles.isEmpty {
            lines += [
                "// This step is lightweight. It is a separate stage because no lightweight migration leads from all earlier",
                "// versions past it.",
            ]
        } else {
            lines += [
                "// TODO: Core Data migrates from \(quoted(source)) to \(quoted(destination)) between the two handlers, and that",
                "// migration must be lightweight too. It is not: divide the change with a version in between",
                "// (`modelc new-version`) that has the old and the new elements, and move the values in a handler.",
            ]
            for obstacle in obstacles {
                lines.append(comment("- “\(obstacle.element)” \(obstacle.reason)"))
                lines.append(comment("  \(obstacle.help)"))
            }
        }
        lines.append("let stage\(number) = NSCustomMigrationStage(")
        for (argument, index) in [("migratingFrom", source), ("to", destination)] {
            let name = SwiftIdentifier.stringLiteral(versions[index].name)
            let checksum = SwiftIdentifier.stringLiteral(versions[index].checksum)
            lines += [
                "    \(argument): model(", "        \(name),", "        versionChecksum: \(checksum),",
                "        in: bundle)" + (index == source ? "," : ")"),
            ]
        }
        return lines + [
            "stage\(number).label = \(label("\(versions[source].name) to \(versions[destination].name)"))",
            "stage\(number).willMigrateHandler = { manager, stage in",
            "    // The store still has the model \(quoted(source)). `manager.container` opens it.", "}",
            "stage\(number).didMigrateHandler = { manager, stage in",
            "    // The store has the model \(quoted(destination)). `manager.container` opens it.", "}",
        ]
    }

    private func quoted(_ index: Int) -> String { DisplayText.line("“\(versions[index].name)”") }
    private func comment(_ text: String) -> String { "// " + DisplayText.line(text) }
    private func label(_ text: String) -> String { SwiftIdentifier.stringLiteral(text) }
}
