package import CompiledMapping
package import Diagnostics
internal import MappingModel
package import ModelMigration
internal import ModelSchema

/// The mapping model that Core Data uses for a migration.
package struct ApplicableMapping {
    /// The path of the `.xcmappingmodel` or `.cdm`.
    package var path: String
    /// The mapping model in the form that Core Data loads.
    package var compiled: CompiledMapping
    /// The entities of the destination that also exist in the source and are the destination of no entity mapping.
    package var unmappedEntities: [String]
}

/// The mapping models of a project, for the migrations between versions of a model.
package struct ProjectMappings {
    private var paths: [String] = []
    private var mappings: [CompiledMapping] = []
    /// The findings about mapping models of the model: unreadable ones, ones with outdated copies, and unused ones.
    package private(set) var diagnostics: [Diagnostic] = []
    /// The lines of the mapping models that diagnostics refer to, by path.
    package private(set) var lines: [String: LineIndex] = [:]

    /// Creates an empty collection.
    package init() {}

    /// Reads the mapping models at and below paths.
    ///
    /// - Parameters:
    ///   - isNamed: Whether the user named the paths.
    ///   - set: The model whose migrations matter. A mapping model that does not concern it is neither used nor
    ///     reported.
    /// - Throws: If a path does not exist, or a mapping model that the user named cannot be read.
    package init(
        searched: [String], isNamed: Bool, set: ModelSet, files: any FileSystem
    ) throws(InputFailure) {
        var finder = ModelFinder(files: files) { _ in true }
        finder.findsCompiledMappings = true
        let found = try finder.find(searched)
        let reader = MappingInputReader(files: files)
        let named = Set(isNamed ? searched.map(PathName.withoutTrailingSlashes) : [])
        try self.init(found.mappingPaths.map { ($0, reader.result($0)) }, named: named, set)
    }

    /// Creates the collection of mapping models that were read.
    ///
    /// - Parameters:
    ///   - inputs: The mapping models by path, or the reasons why they cannot be read.
    ///   - named: The paths that the user named.
    init(
        _ inputs: [(path: String, result: Result<MappingInput, InputFailure>)], named: Set<String> = [],
        _ set: ModelSet
    ) throws(InputFailure) {
        guard !inputs.isEmpty else { return }
        let hashes = set.versions.compactMap { $0.model?.versionHashes().entities }
        for (path, result) in inputs.sorted(by: { $0.path < $1.path }) {
            let input: MappingInput
            do throws(InputFailure) {
                input = try result.get()
            } catch {
                if named.contains(path) { throw error }
                lines.merge(error.lines) { first, _ in first }
                diagnostics += error.diagnostics.map(\.asWarning)
                continue
            }
            guard named.contains(path) || Self.concerns(input, set: set, hashes: hashes) else { continue }
            lines.merge(input.lines) { first, _ in first }
            diagnostics += input.diagnostics.filter { $0.severity == .error }.map(\.asWarning)
            let stale = input.checks.filter { $0.rule == .staleModelCopy }
            diagnostics += stale
            guard let mapping = input.mapping else { continue }
            let isUsed = hashes.indices.contains { source in
                hashes.indices.contains {
                    $0 != source && mapping.matches(sourceHashes: hashes[source], destinationHashes: hashes[$0])
                }
            }
            if isUsed {
                paths.append(path)
                mappings.append(mapping)
            } else if stale.isEmpty {
                // The finding about an outdated copy already gives the reason.
                diagnostics.append(Self.unused(input, of: set))
            }
        }
    }

    /// Returns the mapping model that serves a migration, or `nil` if none does or no migration is needed.
    package func mapping(from source: IndexedModel, to destination: IndexedModel) -> ApplicableMapping? {
        guard source.hashes.entities != destination.hashes.entities else { return nil }
        guard
            let index = CompiledMapping.bestMatch(
                mappings, sourceHashes: source.hashes.entities, destinationHashes: destination.hashes.entities,
                destination: destination.model)
        else { return nil }
        let kept = Set(ElementMatch(source, destination).pairs.map(\.destination.name))
        return ApplicableMapping(
            path: paths[index], compiled: mappings[index],
            unmappedEntities: mappings[index].unmappedEntities(of: destination.model).filter { kept.contains($0) })
    }

    /// Returns whether a mapping model belongs to a model: its source names the bundle, or else all of its entities are
    /// entities of the model.
    private static func concerns(_ input: MappingInput, set: ModelSet, hashes: [EntityVersionHashes]) -> Bool {
        let named = [input.document?.source.sourceModel.path, input.document?.source.destinationModel.path]
            .compactMap { $0 }
        if set.kind == .source, !named.isEmpty {
            return named.contains { $0.split(separator: "/").contains { $0 == set.fileName } }
        }
        let pairs = input.mapping?.entityPairs ?? []
        func isKnown(_ name: String?) -> Bool {
            guard let name else { return true }
            return hashes.contains { $0[name] != nil }
        }
        return !pairs.isEmpty && pairs.allSatisfy { isKnown($0.sourceName) && isKnown($0.destinationName) }
    }

    private static func unused(_ input: MappingInput, of set: ModelSet) -> Diagnostic {
        Diagnostic(
            .warning, rule: .unusedMapping, "the mapping model matches no pair of versions of “\(set.name)”",
            file: input.filePath, range: .fileStart,
            why: "Core Data finds mapping models by version hashes, and no two versions match those of this one.",
            help: input.isSource
                ? "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models, or delete it."
                : "Compile the mapping model again, or delete it.")
    }
}

extension Diagnostic {
    /// The diagnostic, as a warning at most.
    fileprivate var asWarning: Diagnostic {
        var result = self
        result.severity = min(severity, .warning)
        return result
    }
}
