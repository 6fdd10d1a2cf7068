internal import Diagnostics
package import ModelSchema

/// A version of a model that becomes a `VersionedSchema`.
package struct SwiftDataInput: Sendable {
    /// The step from one version to the next.
    package enum Stage: Sendable {
        /// SwiftData migrates without code.
        case lightweight
        /// SwiftData needs custom code, for these reasons.
        case custom([String])
    }

    /// The name of the version.
    package var name: String
    package var model: Model
    /// The step from the previous version; `nil` for the first one.
    package var stage: Stage?

    /// Creates a version.
    package init(name: String, model: Model, stage: Stage? = nil) {
        self.name = name
        self.model = model
        self.stage = stage
    }
}

/// Writes `@Model` classes, a `VersionedSchema` for each version of a model, and their `SchemaMigrationPlan`.
package struct SwiftDataGenerator: Sendable {
    /// The generated code.
    package struct Result: Sendable {
        /// The files: one for each version, the migration plan, and one for each custom stage. Empty if there are
        /// errors.
        package var files: [GeneratedFile]
        /// The findings of each version, in the order of the versions.
        package var findings: [[ModelFinding]]
        /// The names of the `VersionedSchema`s.
        package var schemaNames: [String]
    }

    private let versions: [SwiftDataInput]
    private let source: GenerationSource
    private let options: GenerationOptions
    private let templates: TemplateSet
    private let prefix: String

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - versions: The versions, from the earliest to the current one.
    ///   - source: The names of the model.
    ///   - options: The options; only the access level is used.
    ///   - templates: The templates; only that of the header is used.
    package init(
        versions: [SwiftDataInput], source: GenerationSource, options: GenerationOptions, templates: TemplateSet
    ) {
        self.versions = versions
        self.source = source
        self.options = options
        self.templates = templates
        let prefix = SwiftIdentifier.prefix(from: source.modelName)
        self.prefix = SwiftIdentifier.isValid(prefix) ? prefix : "Model"
    }

    /// Generates the files. The models must have no errors at the level `.compiles` (`Model.findings(at:)`).
    package func generate() -> Result {
        let names = versions.indices.map { "\(prefix)SchemaV\($0 + 1)" }
        var findings: [[ModelFinding]] = []
        var files: [GeneratedFile] = []
        for (version, name) in zip(versions, names) {
            let schema = SwiftDataSchema(version.model, access: options.access)
            let own = SwiftDataNames.findings(
                version.model, source: source, isKnown: names + ["\(prefix)MigrationPlan"])
            guard !own.contains(where: { $0.severity == .error }) else {
                findings.append(own)
                continue
            }
            findings.append(own + SwiftDataLimits(schema: schema).findings)
            let number = files.count + 1
            files.append(
                file(
                    "\(source.modelName)+SchemaV\(number).swift", schema.text(named: name, number: number, version.name)
                ))
        }
        guard files.count == versions.count else { return Result(files: [], findings: findings, schemaNames: names) }
        files.append(file("\(source.modelName)+MigrationPlan.swift", plan(names)))
        files += customStages()
        return Result(files: files, findings: findings, schemaNames: names)
    }

    private func file(_ name: String, _ text: String, isRegenerated: Bool = true) -> GeneratedFile {
        let context = RenderContext(model: Model(name: source.modelName), source: source, options: options)
        let header = context.headerObject(fileName: name, isRegenerated: isRegenerated)
        return GeneratedFile(
            name: name, kind: .model, text: (templates.render(TemplateSet.header, header) ?? "") + text,
            isRegenerated: isRegenerated)
    }

    // MARK: The plan

    private func plan(_ names: [String]) -> String {
        let access = options.access.prefix
        var lines = ["import SwiftData", ""]
        if let current = versions.last, let name = names.last {
            let availability = SwiftDataSchema.availability(ifAny: [current.model]).map { [$0] } ?? []
            for entity in current.model.entities {
                let alias = SwiftIdentifier.declared(entity.name)
                lines += availability
                lines.append("\(access)typealias \(alias) = \(name).\(alias)")
            }
            lines.append("")
        }
        lines += SwiftDataSchema.availability(ifAny: versions.map(\.model)).map { [$0] } ?? []
        lines += [
            "\(access)enum \(prefix)MigrationPlan: SchemaMigrationPlan {",
            "    \(access)static var schemas: [any VersionedSchema.Type] {",
            "        [\(names.map { "\($0).self" }.joined(separator: ", "))]", "    }", "",
            "    \(access)static var stages: [MigrationStage] {",
        ]
        let stages = versions.indices.dropFirst().map { stage($0, names) }
        lines += stages.isEmpty ? ["        []"] : ["        ["] + stages.flatMap { $0 } + ["        ]"]
        return (lines + ["    }", "}"]).joined(separator: "\n") + "\n"
    }

    private func stage(_ index: Int, _ names: [String]) -> [String] {
        let ends = "fromVersion: \(names[index - 1]).self, toVersion: \(names[index]).self"
        guard case .custom? = versions[index].stage else { return ["            .lightweight(\(ends)),"] }
        let step = "V\(index)ToV\(index + 1)"
        return [
            "            // \(SwiftDataSchema.comment("The step needs code: see \(stageFileName(index))."))",
            "            .custom(", "                \(ends),",
            "                willMigrate: willMigrate\(step), didMigrate: didMigrate\(step)),",
        ]
    }

    private func stageFileName(_ index: Int) -> String {
        "\(source.modelName)+MigrationV\(index)ToV\(index + 1).swift"
    }

    /// Returns the files with the handlers of custom stages, which the user completes.
    private func customStages() -> [GeneratedFile] {
        versions.indices.dropFirst().compactMap { index in
            guard case .custom(let reasons)? = versions[index].stage else { return nil }
            let (old, new) = (versions[index - 1].name, versions[index].name)
            let step = "V\(index)ToV\(index + 1)"
            let steps =
                [
                    "// TODO: migrate from “\(old)” to “\(new)”. No lightweight migration does it:"
                ] + reasons.map { "// - \($0)" } + [
                    "// Between the two functions SwiftData makes a lightweight migration. Where that is impossible, add a version in",
                    "// between that has the old and the new properties, and move the values in one of the functions.",
                ]
            let access = SwiftDataSchema.availability(ifAny: versions.map(\.model)).map { [$0] } ?? []
            let lines =
                ["import SwiftData", ""] + steps.map(SwiftDataSchema.comment) + access + [
                    "extension \(prefix)MigrationPlan {",
                    "    static func willMigrate\(step)(_ context: ModelContext) throws {", "    }", "",
                    "    static func didMigrate\(step)(_ context: ModelContext) throws {", "    }", "}",
                ]
            return file(stageFileName(index), lines.joined(separator: "\n") + "\n", isRegenerated: false)
        }
    }
}
