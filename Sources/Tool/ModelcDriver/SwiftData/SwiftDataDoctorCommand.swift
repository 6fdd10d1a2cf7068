internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
internal import SwiftDataModel

extension SwiftDataDoctorCommand {
    /// Runs the command. The exit code is 1 if the store matches no version.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let reader = ModelSetReader(files: environment.files, swift: reading)
            let storeSet = try ModelSetReader(files: environment.files).read(storePath)
            guard storeSet.kind == .store, let store = storeSet.versions.first, let hashes = store.statedHashes else {
                throw InputFailure(
                    storePath, rule: .notAStore, message: "this is not a SQLite store",
                    help: "Specify a store of SwiftData or Core Data."
                )
            }
            let sources = try reader.read(sourcesPath)
            sources.addLines(to: &printer)
            printer.print(sources.allDiagnostics, includesNotes: false)
            let candidates = sources.versions.compactMap { version in
                version.model.map { SwiftDataDiagnosis.Candidate(version: version, model: $0, hashes: hashes) }
            }
            guard
                let diagnosis = SwiftDataDiagnosis(
                    store: store, hashes: hashes, candidates, sources)
            else {
                throw InputFailure(
                    sourcesPath, rule: .noModels, message: "the sources have no version that can be read",
                    help: "Fix the errors.")
            }
            let names = (store: storePath, sources: sourcesPath)
            environment.output(format == .json ? diagnosis.json(names).text + "\n" : try diagnosis.text(names))
            return diagnosis.isKnown && !sources.allDiagnostics.hasErrors ? .success : .findings
        }
    }
}

/// The comparison of a store's version hashes with the versions in sources.
struct SwiftDataDiagnosis {
    /// A version of the sources, compared with the store.
    struct Candidate {
        var version: ModelSet.Version
        var model: Model
        var hashes: EntityVersionHashes
        /// The entities that differ, are missing, or are not in the store.
        var different: [String]

        init(version: ModelSet.Version, model: Model, hashes store: EntityVersionHashes) {
            self.version = version
            self.model = model
            hashes = model.versionHashes().entities
            let own = hashes
            let names = Set(store.elements.map(\.name)).union(own.elements.map(\.name))
            different = names.filter { store[$0] != own[$0] }.sorted()
        }

        var title: String {
            let identifier = version.swiftData?.identifier.map { " (\($0))" } ?? ""
            return "“\(DisplayText.line(version.name))”\(identifier)"
        }
    }

    private let store: ModelSet.Version
    private let entityCount: Int
    /// The version with the hashes of the store, or the one with the fewest differences.
    private let nearest: Candidate
    private let current: Candidate?

    /// Whether a version has exactly the hashes of the store.
    var isKnown: Bool { nearest.different.isEmpty }

    init?(store: ModelSet.Version, hashes: EntityVersionHashes, _ candidates: [Candidate], _ sources: ModelSet) {
        // Of equally near versions, the latest.
        guard let nearest = candidates.reversed().min(by: { $0.different.count < $1.different.count }) else {
            return nil
        }
        self.store = store
        self.nearest = nearest
        entityCount = Set(hashes.elements.map(\.name)).union(nearest.hashes.elements.map(\.name)).count
        // The store migrates to the last version of the same schema.
        let chain = sources.chains.first { $0.versions.contains(nearest.version.name) }
        let name = sources.currentName == nil ? nil : chain?.versions.last ?? sources.currentName
        self.current = candidates.first { $0.version.name == name }
    }

    func text(_ names: (store: String, sources: String)) throws(InputFailure) -> String {
        let store = DisplayText.line(names.store)
        guard !isKnown else {
            var text = "\(store) was written by \(nearest.title).\n"
            if let current, current.version.name != nearest.version.name {
                let migration = LightweightMigration(from: IndexedModel(nearest.model), to: IndexedModel(current.model))
                let isPossible = migration.obstacles.isEmpty
                text +=
                    "The current version is \(current.title): lightweight migration is \(isPossible ? "" : "not ")possible.\n"
                for obstacle in migration.obstacles { text += "  “\(obstacle.element)” \(obstacle.reason)\n" }
            }
            return text
        }
        var text = """
            \(store) was written by none of the versions in \(DisplayText.line(names.sources)).
            SwiftData rejects it in a staged migration with error 134504. A released version was probably edited.
            The nearest version is \(nearest.title): \(entityCount - nearest.different.count) of \(entityCount) entities are equal.


            """
        if let model = self.store.model {
            let report = DiffReport(
                oldTitle: store, newTitle: nearest.title, old: IndexedModel(model.namingCompositesByUse),
                new: IndexedModel(nearest.model.namingCompositesByUse))
            text += DiffText(report).text
        } else {
            text += "The store does not hold its model. These entities differ:\n"
            for name in nearest.different { text += "  \(DisplayText.line(name))\n" }
        }
        text +=
            "\nhelp: Restore \(nearest.title) so that it declares what the store has, and make the change in a new version.\n"
        return text
    }

    func json(_ names: (store: String, sources: String)) -> JSONValue {
        .object([
            ("store", .string(names.store)), ("sources", .string(names.sources)),
            ("writtenBy", .optional(isKnown ? nearest.version.name : nil)),
            ("nearest", .string(nearest.version.name)),
            ("differentEntities", .array(nearest.different.map { .string($0) })),
            ("current", .optional(current?.version.name)),
        ])
    }
}

extension Model {
    /// The model with composite types that are named after the attributes that have them.
    ///
    /// The names of composite types are not part of a SwiftData schema: two models with equal attributes may use
    /// different ones.
    fileprivate var namingCompositesByUse: Model {
        let types = Dictionary(composites.map { ($0.name, $0) }) { first, _ in first }
        var result = self
        result.composites = []
        func rename(_ attribute: inout Attribute, _ name: String, depth: Int) {
            guard depth < 16, var type = attribute.compositeName.flatMap({ types[$0] }) else { return }
            type.name = name
            for index in type.attributes.indices {
                rename(&type.attributes[index], "\(name).\(type.attributes[index].name)", depth: depth + 1)
            }
            attribute.compositeName = name
            result.composites.append(type)
        }
        for index in result.entities.indices {
            let entity = result.entities[index].name
            for location in result.entities[index].attributes.indices {
                var attribute = result.entities[index].attributes[location]
                rename(&attribute, "\(entity).\(attribute.name)", depth: 0)
                result.entities[index].attributes[location] = attribute
            }
        }
        return result
    }
}
