internal import CompiledMapping
internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver
internal import PostgreSQLSchema

/// The models of the original and of the copy.
struct CopyModels {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// Whether the copy has another version.
    let isMigrated: Bool
    /// The mapping model; `nil` for an inferred migration.
    private(set) var mapping: CompiledMapping?
    /// Why no migration can be inferred; `nil` if one can, or none is needed.
    private(set) var obstacle: InputFailure?
    /// Findings in models and mapping models.
    private(set) var diagnostics: [Diagnostic] = []
    private var sets: [ModelSet] = []
    private var mappingLines: [String: LineIndex] = [:]

    init<Client>(
        _ command: StoreCopyCommand<Client>, of endpoint: CopyEndpoint<Client>, _ files: any FileSystem
    ) throws(InputFailure) {
        let reader = EvolutionReader(files: files)
        let set: ModelSet? = if let path = command.modelPath { try reader.modelSet(path) } else { nil }
        var candidates = set?.versions ?? []
        sets = [set].compactMap(\.self)
        if let path = command.sourceModelPath {
            let other = try reader.modelSet(path)
            sets.append(other)
            candidates = other.versions + candidates
        }
        source = try Self.sourceModel(of: endpoint, among: candidates, files)
        guard let set else {
            (destination, isMigrated) = (source, false)
            return
        }
        let target = try set.version(named: command.version, option: "--version")
        let after = try target.indexedModel()
        destination = try target.managedObjectModel(after)
        isMigrated = destination.entityVersionHashesByName != source.entityVersionHashesByName
        guard isMigrated else { return }
        let before = IndexedModel(SchemaConverter.schema(of: source))
        let mappings = try StoreMigrationInput.mappings(
            command.mappingPath.map { [$0] } ?? [], set: set, files: files)
        diagnostics = mappings.diagnostics.filter { $0.severity > .note && $0.rule != .unusedMapping }
        mapping = mappings.mapping(from: before, to: after)?.compiled
        mappingLines = mappings.lines
        if let path = command.mappingPath, mapping == nil {
            throw InputFailure(
                diagnostics: diagnostics + [
                    StoreMigrationInput.unusedMapping(path, from: "the store’s version", to: target.name)
                ],
                lines: mappingLines, exitCode: .couldNotRun)
        }
        guard mapping == nil else { return }
        let changes = LightweightMigration(from: before, to: after)
        guard !changes.isPossible else { return }
        obstacle = target.failure(
            changes.obstacles.map { obstacle in
                ModelFinding(
                    .error, rule: .migrationImpossible, "“\(obstacle.element)” \(obstacle.reason)",
                    at: obstacle.origin,
                    why:
                        "No mapping model migrates to “\(target.name)”, and none can be inferred. Nothing was written.",
                    help: obstacle.help)
            })
    }

    private static func sourceModel<Client>(
        of endpoint: CopyEndpoint<Client>, among candidates: [ModelSet.Version], _ files: any FileSystem
    ) throws(InputFailure) -> NSManagedObjectModel {
        let (found, stored) = try version(of: endpoint, among: candidates, files)
        if let found { return try found.managedObjectModel(found.indexedModel()) }
        if let stored { return stored }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .noModelInStore, "\(endpoint.name) does not contain the model it was written with",
                    help: "Specify the model with --from-model.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the version of a model that a store has, and the model that it holds.
    private static func version<Client>(
        of endpoint: CopyEndpoint<Client>, among candidates: [ModelSet.Version], _ files: any FileSystem
    ) throws(InputFailure) -> (found: ModelSet.Version?, stored: NSManagedObjectModel?) {
        if let path = endpoint.path {
            let store = try StoreSide.storeVersion(path, files)
            if let version = candidates.first(where: { $0.model != nil && $0.entityHashes == store.entityHashes }) {
                return (version, nil)
            }
            return (store.model == nil ? nil : store, nil)
        }
        guard let contents = try endpoint.contents() else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "there is no store in \(endpoint.name)",
                        help: "Specify its schema with --from-schema.")
                ],
                exitCode: .couldNotRun)
        }
        if let model = contents.model { return (nil, model) }
        for version in candidates where version.model != nil {
            let model = try version.managedObjectModel(version.indexedModel())
            if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: contents.metadata) {
                return (version, nil)
            }
        }
        return (nil, nil)
    }

    /// Adds the lines of all files to a printer.
    func addLines(to printer: inout DiagnosticPrinter) {
        for set in sets { set.addLines(to: &printer) }
        for (path, index) in mappingLines { printer.addLines(index, of: path) }
    }
}
