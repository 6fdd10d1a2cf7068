internal import CompiledMapping
internal import Diagnostics
internal import MappingModel
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

extension MigrateScaffoldCommand {
    /// Returns an `.xcmappingmodel`. Throws unless it compiles to a mapping model for the two versions.
    func mapping(
        from old: (version: ModelSet.Version, model: IndexedModel),
        to new: (version: ModelSet.Version, model: IndexedModel), _ set: ModelSet
    ) throws(InputFailure) -> Result {
        let name = "\(old.version.name) to \(new.version.name)"
        guard !name.hasPrefix("."),
            !name.unicodeScalars.contains(where: { $0.value < 0x20 || "/\u{7F}".contains(Character($0)) })
        else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .invalidName, "“\(name)” is not a valid name for a mapping model", file: set.path,
                        range: .fileStart, help: "Rename the versions.")
                ],
                exitCode: .couldNotRun)
        }
        let scaffold = MappingScaffold.make(
            named: name, from: .init(path: projectPath(of: old.version, set), model: old.model.model),
            to: .init(path: projectPath(of: new.version, set), model: new.model.model),
            names(from: old.model, to: new.model))
        let findings = [old, new].map { ($0.version, EditorModel.encoded($0.model.model).findings) }
        var diagnostics = findings.flatMap { version, findings in findings.map(version.diagnostic(for:)) }
        let bytes = scaffold.xmlBytes()
        guard serves(bytes, named: name, old: old.model, new: new.model) else {
            throw InputFailure(
                diagnostics: diagnostics + [
                    Diagnostic(
                        .error, rule: .sourceMismatch,
                        "a mapping model cannot represent the version hashes of these versions",
                        file: set.path, range: .fileStart,
                        why:
                            "Xcode computes the hashes from its copies of the models, whose format lacks newer features.",
                        help: "Nothing was written. Use staged migration: --form staged.")
                ],
                exitCode: .findings)
        }
        for obstacle in LightweightMigration(from: old.model, to: new.model).obstacles {
            diagnostics.append(
                new.version.diagnostic(
                    for: ModelFinding(
                        .note, rule: .migrationImpossible,
                        "the mapping of “\(obstacle.element)” needs a value expression or a migration policy",
                        at: obstacle.origin, why: "“\(obstacle.element)” \(obstacle.reason).")))
        }
        return Result(
            name: name + MappingInputReader.sourceExtension, contents: .folder([MappingDocument.fileName: bytes]),
            diagnostics: diagnostics, summary: counted(scaffold.entityMappings.count, "entity mapping"))
    }

    /// Returns whether a source, read back, compiles to a mapping model for two versions. Like Apple's compiler, uses
    /// the source's copies of the models.
    private func serves(_ bytes: [UInt8], named name: String, old: IndexedModel, new: IndexedModel) -> Bool {
        guard let document = try? MappingDocument(bytes: bytes, path: name, name: name),
            !document.diagnostics.hasErrors,
            let sourceCopy = document.source.sourceModel.data, let newCopy = document.source.destinationModel.data,
            let source = try? EditorModel(sourceCopy, name: name).model,
            let destination = try? EditorModel(newCopy, name: name).model
        else { return false }
        let result = MappingCompiler.compile(document.source, source: source, destination: destination)
        return !result.findings.contains { $0.severity == .error }
            && source.versionHashes().entities == old.hashes.entities
            && destination.versionHashes().entities == new.hashes.entities
            && result.mapping.matches(sourceHashes: old.hashes.entities, destinationHashes: new.hashes.entities)
    }

    /// Returns the path of a version as the mapping model names it, relative to the project if that is known.
    private func projectPath(of version: ModelSet.Version, _ set: ModelSet) -> String {
        let fileName = version.name + ModelInputReader.modelExtension
        guard set.kind == .source, set.fileName.hasSuffix(ModelInputReader.bundleExtension) else { return fileName }
        let isInside =
            !set.path.hasPrefix("/") && !set.path.contains(":") && !set.path.split(separator: "/").contains("..")
        return PathName.joined(isInside ? set.path : set.fileName, fileName)
    }

    /// Pairs the elements of two versions.
    private func names(from old: IndexedModel, to new: IndexedModel) -> MappingScaffold.Names {
        var names = MappingScaffold.Names()
        for pair in ElementMatch(old, new).pairs {
            names.entities[pair.destination.name] = pair.source.name
            guard let before = old.entities[pair.source.name], let after = new.entities[pair.destination.name] else {
                continue
            }
            let isUnchanged = before.isUnchanged(in: after)
            let properties = ElementMatch(
                source: Array(before.properties.values), destination: Array(after.properties.values)
            ) { isUnchanged || before.declaresUnchanged($0, as: $1, in: after) }
            for property in properties.pairs {
                names.properties[pair.destination.name, default: [:]][property.destination.name] = property.source.name
            }
        }
        return names
    }
}
