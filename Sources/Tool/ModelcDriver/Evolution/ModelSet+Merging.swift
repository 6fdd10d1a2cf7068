internal import Diagnostics
internal import ModelSchema

extension ModelSet {
    /// Returns the version that an app has after merging versions of several models at run time.
    ///
    /// - Throws: If two models declare different entities or composite types of the same name.
    package static func merged(_ first: Version, _ others: [Version]) throws(InputFailure) -> Version {
        guard !others.isEmpty, var model = first.model else { return first }
        var hashes = model.versionHashes().entities
        var result = first
        for version in others {
            guard let other = version.model else { continue }
            let own = other.versionHashes().entities
            for entity in other.entities {
                guard let existing = hashes[entity.name] else {
                    model.entities.append(entity)
                    continue
                }
                guard existing == own[entity.name] else {
                    throw conflict("another entity “\(entity.name)”", version)
                }
            }
            for composite in other.composites {
                guard let existing = model.composites.first(where: { $0.name == composite.name }) else {
                    model.composites.append(composite)
                    continue
                }
                guard existing.attributes == composite.attributes else {
                    throw conflict("another composite type “\(composite.name)”", version)
                }
            }
            hashes = model.versionHashes().entities
            result.name += " + \(version.name)"
            result.diagnostics += version.diagnostics
        }
        result.model = model
        (result.document, result.statedHashes, result.swiftData) = (nil, nil, nil)
        return result
    }

    private static func conflict(_ what: String, _ version: Version) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noSuchVersion, "“\(version.name)” has \(what) than the models before it",
                    file: version.path, range: .fileStart, why: "Core Data cannot merge such models.",
                    help: "Rename one of them, or specify one of the models only.")
            ],
            exitCode: .couldNotRun)
    }
}
