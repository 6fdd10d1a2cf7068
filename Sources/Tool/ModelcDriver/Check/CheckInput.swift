internal import Diagnostics
internal import ModelEvolution
internal import ModelLint
internal import ModelSource
internal import ProjectConfiguration
internal import SwiftDataModel

/// What `modelc check` found and read, each file once.
struct CheckInput {
    struct Model {
        var path: String
        /// The model for lint.
        var target: LintedModel
        /// The model with its versions, or the reason why there is none.
        var set: Result<ModelSet, InputFailure>
        /// The only versions that were read, besides the current one, because the others have not changed; `nil` if all
        /// were read.
        var changedVersions: Set<String>?
    }

    struct Mapping {
        var path: String
        var result: Result<MappingInput, InputFailure>
        var target: MappingTarget
    }

    private(set) var models: [Model] = []
    private(set) var mappings: [Mapping] = []
    /// The models that only the released state has.
    private(set) var missingModels: [String] = []
    private(set) var lockPaths: [String] = []
    private(set) var schemaPaths: [String] = []
    private(set) var generatedPaths: [String] = []
    /// The findings about folders that cannot be read.
    private(set) var problems: [Diagnostic] = []
    /// The classes in the sources of Xcode projects; `nil` if none was named.
    private(set) var sourceClasses: SourceClasses?
    /// The findings about projects that do not build a model.
    private(set) var projectFindings: [Diagnostic] = []
    /// Whether everything below the paths was read, and not only what has changed.
    let isComplete: Bool

    /// The sources of mapping models, for lint.
    var sourceMappings: [MappingTarget] {
        mappings.filter { !$0.path.hasSuffix(MappingInputReader.compiledExtension) }.map(\.target)
    }

    init(
        options: CheckSession.Options, settings: RunSettings, reference: CheckReference,
        files: any FileSystem
    ) throws(InputFailure) {
        let isIncluded = { (path: String) in settings.isIncluded(path) && options.swift.isIncluded(path) }
        let reader = ModelSetReader(files: files, swift: options.swift)
        isComplete = !options.isLimitedToChanges
        let (found, changes) = try Self.search(
            options, settings: settings, reference: reference, isIncluded: isIncluded, files: files)
        reference.reference?.prepare(found.paths)
        sourceClasses = found.sourceClasses
        var membership = ModelMembership(files: files)
        problems = found.problems
        projectFindings = membership.findings(found.paths)
        models = ParallelMap.map(found.paths) { [changes] path in
            if !ModelFinder.isModel(path), reader.namesSwiftSources(path) {
                return Self.swiftModel(
                    path, sources: found.swiftSources(path, reader), reader: reader, settings: settings)
            }
            return Self.model(
                path, changed: changes?.versions(of: path, reader.sources), reader: reader, settings: settings)
        }
        // Of models in folders that are checked. A model that has changed is compared with sources that have not.
        if sourceClasses == nil, settings.sources.isEmpty, !found.sources.isEmpty || changes != nil {
            var classes = CompiledClasses(found, membership: membership, files: files, isIncluded: isIncluded)
            for index in models.indices where models[index].target.hasHandwrittenClasses {
                models[index].target.sourceClasses = classes.classes(besides: models[index].path)
            }
        }
        let mappingReader = MappingInputReader(files: files)
        mappings = ParallelMap.map(found.mappingPaths) { path in
            let result = mappingReader.result(path)
            return Mapping(path: path, result: result, target: MappingTarget(path, result))
        }
        lockPaths = Self.lockPaths(in: found, files: files)
        schemaPaths = found.otherPaths.filter { $0.hasSuffix(Self.schemaExtension) }
        generatedPaths = found.otherPaths.filter(Self.isGenerated)
        if let changes {
            missingModels = changes.missingModels
        } else {
            missingModels = try reference.reference?.missingModels(below: options.folders, isIncluded: isIncluded) ?? []
        }
        if isComplete, models.isEmpty, mappings.isEmpty, problems.isEmpty, missingModels.isEmpty {
            throw ModelFinder.noModels(below: options.paths)
        }
    }

    /// Returns what is checked and, if only changes are checked, what has changed.
    private static func search(
        _ options: CheckSession.Options, settings: RunSettings, reference: CheckReference,
        isIncluded: @escaping (String) -> Bool, files: any FileSystem
    ) throws(InputFailure) -> (found: ModelFinder.SearchResult, changes: ChangedModels?) {
        guard options.isLimitedToChanges else {
            return (try finder(settings, isIncluded: isIncluded, files: files).find(options.paths), nil)
        }
        guard let released = reference.reference, let revision = released.revision else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .gitRevision,
                        "--changed needs a git revision to compare with"
                            + (reference.failure.map { ": \($0.message)" } ?? ""),
                        help: "Specify one with --against, or leave out --changed.")
                ], exitCode: .couldNotRun)
        }
        let changes = try ChangedModels(
            below: options.folders, since: revision, isIncluded: isIncluded, released.git, files)
        let found = try changes.find(options.folders, settings: settings, isIncluded: isIncluded, files: files)
        return (found, changes)
    }

    /// Returns the locks that were found, and the one in the working directory.
    private static func lockPaths(in found: ModelFinder.SearchResult, files: any FileSystem) -> [String] {
        let paths = found.otherPaths.filter { PathName.name(of: $0) == LockFile.defaultName }
        let path = files.canonicalPath(LockFile.defaultName)
        guard !paths.contains(where: { files.canonicalPath($0) == path }),
            case .file? = files.kind(of: LockFile.defaultName)
        else { return paths }
        return paths + [LockFile.defaultName]
    }

    private static let schemaExtension = ".ckdb"

    /// Returns whether a file has a name that `modelc generate` gives to files of Core Data models.
    private static func isGenerated(_ name: String) -> Bool {
        name.contains("+CoreData") && [".swift", ".h", ".m"].contains(where: name.hasSuffix)
    }

    /// Returns the finder of everything that is checked.
    static func finder(
        _ settings: RunSettings, isIncluded: @escaping (String) -> Bool, files: any FileSystem
    ) -> ModelFinder {
        var finder = ModelFinder(files: files, isIncluded: isIncluded)
        finder.isIncludedModel = { settings.isIncluded(model: $0) }
        finder.findsSwiftSources = true
        finder.findsCompiledMappings = true
        finder.isOtherFile = { $0 == LockFile.defaultName || $0.hasSuffix(schemaExtension) || isGenerated($0) }
        return finder
    }

    private static func model(
        _ path: String, changed: Set<String>?, reader: ModelSetReader, settings: RunSettings
    ) -> Model {
        let selection: LoadedModel.Selection = changed.map { .only($0) } ?? .all
        let source = Result { () throws(InputFailure) in try reader.sources.readSource(path, selection) }
        return Model(
            path: path,
            target: LintedModel(path, source, onlyCurrent: settings.versions == .current),
            set: Result { () throws(InputFailure) in try reader.modelSet(of: try source.get(), version: nil) },
            changedVersions: changed)
    }

    private static func swiftModel(
        _ path: String, sources: Result<[SwiftSourceFile], InputFailure>, reader: ModelSetReader,
        settings: RunSettings
    ) -> Model {
        Model(
            path: path,
            target: LintedModel(swiftSources: path, sources, reader, onlyCurrent: settings.versions == .current),
            set: Result { () throws(InputFailure) in try reader.swiftModels(in: try sources.get(), path: path) })
    }
}
