internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver

/// The input of `modelc store migrate`: the store, both versions, and the mapping model for them.
struct StoreMigrationInput {
    /// The path of the store.
    let storePath: String
    /// The name of the store's version, if known.
    let sourceName: String
    /// The model of the store.
    let source: IndexedModel
    let sourceModel: NSManagedObjectModel
    /// The version to migrate to.
    let destination: ModelSet.Version
    let destinationModel: NSManagedObjectModel
    /// The changes of a lightweight migration.
    let changes: LightweightMigration
    /// The mapping model for the migration, if there is one.
    let mapping: ServingMapping?
    /// Whether the store has another version.
    let isNeeded: Bool
    /// Findings in mapping models.
    private(set) var diagnostics: [Diagnostic] = []
    private var lines: [String: LineIndex] = [:]
    private let set: ModelSet

    /// - Throws: If a file cannot be read, or no model has the hashes of the store.
    init(_ command: StoreMigrateCommand, _ files: any FileSystem) throws(InputFailure) {
        storePath = command.storePath
        let store = try StoreSide.storeVersion(command.storePath, files)
        let reader = EvolutionReader(files: files)
        set = try reader.modelSet(command.modelPath)
        destination = try set.version(named: command.version, option: "--version")
        let indexed = try destination.indexedModel()
        destinationModel = try destination.managedObjectModel(indexed)
        var candidates = set.versions
        if let path = command.sourcePath { candidates = try reader.modelSet(path).versions + candidates }
        let found = candidates.first { $0.model != nil && $0.entityHashes == store.entityHashes }
        guard let version = found ?? (store.model == nil ? nil : store) else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noModelInStore,
                        "no version of the model has the hashes of the store, which does not contain its own model",
                        file: command.storePath, range: .fileStart,
                        why: "A migration needs both versions (134130).",
                        help: "Specify the model that the store was written with: --from MODEL.")
                ],
                exitCode: .couldNotRun)
        }
        sourceName = found?.name ?? "the store’s own model"
        source = try version.indexedModel()
        sourceModel = try version.managedObjectModel(source)
        changes = LightweightMigration(from: source, to: indexed)
        isNeeded = store.entityHashes != indexed.hashes.entities
        guard isNeeded else {
            mapping = nil
            return
        }
        let mappings = try Self.mappings(command.mappingPath.map { [$0] } ?? [], set, files)
        mapping = mappings.mapping(from: source, to: indexed)
        diagnostics = mappings.diagnostics.filter { $0.severity > .note && $0.rule != .unusedMapping }
        lines = mappings.lines
        if mapping == nil, let path = command.mappingPath {
            throw InputFailure(
                diagnostics: diagnostics + [
                    Diagnostic(
                        .error, rule: .unusedMapping,
                        "the mapping model does not migrate from “\(sourceName)” to “\(destination.name)”", file: path,
                        range: .fileStart,
                        why: "Core Data finds mapping models by the version hashes of both versions.",
                        help: "Compile it again with the current versions, or omit --mapping.")
                ],
                lines: lines, exitCode: .couldNotRun)
        }
    }

    /// Returns the mapping models at the given paths, or else those in and below the folder of a model.
    static func mappings(
        _ paths: [String], _ set: ModelSet, _ files: any FileSystem
    ) throws(InputFailure) -> ProjectMappings {
        if !paths.isEmpty { return try ProjectMappings(paths, isNamed: true, set, files) }
        // The neighbors of a model in a git revision are not read.
        guard files.kind(of: set.path) != nil else { return ProjectMappings() }
        let folder = PathName.parent(of: set.path)
        return try ProjectMappings([folder.isEmpty ? "." : folder], isNamed: false, set, files)
    }

    /// Adds the lines of all files to a printer.
    func addLines(to printer: inout DiagnosticPrinter) {
        set.addLines(to: &printer)
        for (path, lines) in lines { printer.addLines(lines, of: path) }
    }
}
