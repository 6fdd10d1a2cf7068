internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver

/// The input of `modelc store migrate`: the store, and the steps from its version to the destination.
struct StoreMigrationInput {
    /// A migration from one version to another.
    struct Step {
        /// The name of the store's version, if known.
        let sourceName: String
        /// The model of the store.
        let source: IndexedModel
        let sourceModel: NSManagedObjectModel
        /// The version to migrate to.
        let destination: ModelSet.Version
        let destinationModel: NSManagedObjectModel
        let changes: LightweightMigration
        /// The mapping model for the migration, if there is one.
        let mapping: ApplicableMapping?
    }

    let storePath: String
    /// The name of the store's version, if known.
    let sourceName: String
    /// The version to migrate to.
    let destination: ModelSet.Version
    /// The migrations, in their order; none if the store has the version already.
    private(set) var steps: [Step] = []
    /// Findings in mapping models.
    private(set) var diagnostics: [Diagnostic] = []
    private var lines: [String: LineIndex] = [:]
    private let sets: [ModelSet]

    /// Whether the store has another version.
    var isNeeded: Bool { !steps.isEmpty }

    /// - Throws: If a file cannot be read, or no model has the hashes of the store.
    init(_ command: StoreMigrateCommand, _ files: any FileSystem) throws(InputFailure) {
        storePath = command.storePath
        let store = try StoreSide.storeVersion(command.storePath, files)
        let reader = EvolutionReader(files: files)
        var sets: [ModelSet] = []
        var targets: [ModelSet.Version] = []
        for path in command.modelPaths {
            let set = try reader.modelSet(path)
            sets.append(set)
            targets.append(try set.version(named: command.version, option: "--version"))
        }
        self.sets = sets
        guard let first = targets.first else { preconditionFailure("--to is required") }
        for target in targets.dropFirst() { _ = try target.indexedModel() }
        destination = try ModelSet.merged(first, Array(targets.dropFirst()))
        var candidates = sets.count == 1 ? sets.flatMap(\.versions) : []
        if let path = command.sourcePath { candidates = try reader.modelSet(path).versions + candidates }
        var found = candidates.first { $0.model != nil && $0.entityHashes == store.entityHashes }
        if found == nil, sets.count > 1 { found = try Self.merged(store, sets) }
        guard let source = found ?? (store.model != nil && command.usesStoreModel ? store : nil) else {
            throw Self.unknownVersion(command, hasModel: store.model != nil)
        }
        sourceName = found?.name ?? "the store’s own model"
        let target = try destination.indexedModel()
        guard store.entityHashes != target.hashes.entities else { return }
        var mappings: [ProjectMappings] = []
        if !command.ignoresMappings {
            for set in sets {
                let found = try Self.mappings(command.mappingPath.map { [$0] } ?? [], set: set, files: files)
                diagnostics += found.diagnostics.filter { $0.severity > .note && $0.rule != .unusedMapping }
                lines.merge(found.lines) { first, _ in first }
                mappings.append(found)
            }
        }
        var route = [source, destination]
        if command.isStepwise {
            route = try Self.route(source, destination: destination, set: sets[0], command: command)
        }
        for (old, new) in zip(route, route.dropFirst()) {
            let (before, after) = (try old.indexedModel(), try new.indexedModel())
            if before.hashes.entities == after.hashes.entities { continue }
            steps.append(
                Step(
                    sourceName: old.path == source.path && old.name == source.name ? sourceName : old.name,
                    source: before, sourceModel: try old.managedObjectModel(before), destination: new,
                    destinationModel: try new.managedObjectModel(after),
                    changes: LightweightMigration(from: before, to: after),
                    mapping: mappings.lazy.compactMap { $0.mapping(from: before, to: after) }.first))
        }
        if let path = command.mappingPath, !steps.contains(where: { $0.mapping != nil }) {
            throw InputFailure(
                diagnostics: diagnostics + [
                    Self.unusedMapping(path, from: "“\(sourceName)”", to: destination.name)
                ],
                lines: lines, exitCode: .couldNotRun)
        }
    }

    /// Returns the finding for a mapping model that was named and has the hashes of other versions.
    static func unusedMapping(_ path: String, from source: String, to destination: String) -> Diagnostic {
        Diagnostic(
            .error, rule: .unusedMapping, "the mapping model does not migrate from \(source) to “\(destination)”",
            file: path, range: .fileStart,
            why: "Core Data finds mapping models by the version hashes of both versions.",
            help: "Compile it again with the current versions, or omit --mapping.")
    }

    /// Returns the versions from that of the store to the destination, in order.
    private static func route(
        _ source: ModelSet.Version, destination: ModelSet.Version, set: ModelSet, command: StoreMigrateCommand
    ) throws(InputFailure) -> [ModelSet.Version] {
        let names = set.versions.map(\.name)
        guard source.path != command.storePath, let first = names.firstIndex(of: source.name),
            let last = names.firstIndex(of: destination.name), first < last,
            set.versions[first].entityHashes == source.entityHashes
        else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchVersion,
                        "there are no steps from the version of the store to “\(destination.name)”",
                        file: command.storePath, range: .fileStart,
                        why: "Steps lead from each version of the model to the next one.",
                        help: "Omit --step-by-step to migrate in one step.")
                ],
                exitCode: .couldNotRun)
        }
        return Array(set.versions[first...last]).filter { $0.model != nil }
    }

    /// Returns the version of a store that was written with several models: of each, the largest version whose entities
    /// the store has; `nil` if they do not make up the store's model.
    private static func merged(
        _ store: ModelSet.Version, _ sets: [ModelSet]
    ) throws(InputFailure) -> ModelSet.Version? {
        guard let hashes = store.entityHashes else { return nil }
        var parts: [ModelSet.Version] = []
        for set in sets {
            let fitting = set.versions.filter { version in
                version.entityHashes?.elements.allSatisfy { hashes[$0.name] == $0.hash } ?? false
            }
            let largest = fitting.max { ($0.model?.entities.count ?? 0) < ($1.model?.entities.count ?? 0) }
            if let largest { parts.append(largest) }
        }
        guard let first = parts.first else { return nil }
        let merged = try ModelSet.merged(first, Array(parts.dropFirst()))
        return merged.entityHashes == hashes ? merged : nil
    }

    /// Returns the error for a store whose version no model has. It may be a store of another app, or of a newer
    /// version.
    private static func unknownVersion(_ command: StoreMigrateCommand, hasModel: Bool) -> InputFailure {
        let own = hasModel ? "" : ", which does not contain its own model"
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noModelInStore, "no version of the model has the hashes of the store\(own)",
                    file: command.storePath, range: .fileStart,
                    why:
                        "An app rejects such a store (134130): it may belong to another app, to a newer version of this one, or "
                        + "to several models.",
                    help: "Specify the model that the store was written with: --from MODEL"
                        + (hasModel ? ", or pass --from-store-model to use the copy in the store." : "."))
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the mapping models at the given paths, or else those in and below the folder of a model.
    static func mappings(
        _ paths: [String], set: ModelSet, files: any FileSystem
    ) throws(InputFailure) -> ProjectMappings {
        if !paths.isEmpty { return try ProjectMappings(searched: paths, isNamed: true, set: set, files: files) }
        // The neighbors of a model in a git revision are not read.
        guard files.kind(of: set.path) != nil else { return ProjectMappings() }
        let folder = PathName.parent(of: set.path)
        return try ProjectMappings(searched: [folder.isEmpty ? "." : folder], isNamed: false, set: set, files: files)
    }

    /// Adds the lines of all files to a printer.
    func addLines(to printer: inout DiagnosticPrinter) {
        for set in sets { set.addLines(to: &printer) }
        for (path, lines) in lines { printer.addLines(lines, of: path) }
    }
}
