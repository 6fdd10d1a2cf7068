internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration

/// The migrations from earlier versions of a model to one of them.
struct MigrationPlan {
    /// The migration of stores of one version to the target.
    struct Route {
        var version: String
        /// The migration in one step.
        var direct: LightweightMigration
        /// The steps from each version to the next one, from this version on.
        var steps: [Step]
        /// The mapping model that serves the migration in one step, if there is one.
        var mapping: ApplicableMapping?
        /// The chain of lightweight migrations, if there is one and the direct migration is not lightweight.
        var stages: Stages?

        var isLightweight: Bool { direct.isPossible }
        /// Whether Core Data migrates stores of the version in one step, with a mapping model or without.
        var isMigratable: Bool { isLightweight || mapping != nil }
    }

    /// The migration from a version to the next one.
    struct Step {
        var source: String
        var destination: String
        var migration: LightweightMigration
        /// The mapping model that serves the step, if there is one.
        var mapping: ApplicableMapping?
    }

    /// A chain of lightweight migrations.
    struct Stages {
        /// The versions, from the source to the target.
        var versions: [String]
        /// The migrations of the chain that remove stored values.
        var losses: [Step]
    }

    let target: String
    /// Whether the versions are those of a SwiftData schema, which mapping models cannot migrate.
    let isSwiftData: Bool
    private(set) var routes: [Route] = []
    /// The findings about versions that cannot be read.
    private(set) var diagnostics: [Diagnostic] = []
    /// The versions that could be read, up to the target.
    private var models: [NamedModel] = []

    private typealias NamedModel = (name: String, model: IndexedModel)

    init(_ set: ModelSet, to target: ModelSet.Version, from only: ModelSet.Version?) throws(InputFailure) {
        self.target = target.name
        isSwiftData = target.swiftData != nil
        let targetModel = try target.indexedModel()
        for version in set.versions {
            if version.name == target.name {
                models.append((version.name, targetModel))
                break
            }
            do throws(InputFailure) {
                models.append((version.name, try version.indexedModel()))
            } catch {
                diagnostics += error.diagnostics
                diagnostics.append(
                    Diagnostic(
                        .error, rule: .migrationImpossible, "the version “\(version.name)” has errors and is left out",
                        file: version.path, range: .fileStart, why: "Stores of the version cannot be migrated.",
                        help: "Correct it, or restore it from version control."))
            }
        }
        // A version that is named explicitly may be a later one, from which the migration runs backward.
        if let only, !models.contains(where: { $0.name == only.name }) {
            models.insert((only.name, try only.indexedModel()), at: 0)
        }
        let neighbors = zip(models, models.dropFirst()).map { Self.step($0, $1) }
        let direct = models.dropLast().map { Self.step($0, models[models.count - 1]).migration }
        let requested = direct.indices.filter { only == nil || models[$0].name == only?.name }
        let chains =
            requested.allSatisfy { direct[$0].isPossible }
            ? [:] : Self.chains(models, isDirect: direct.map(\.isPossible))
        for index in requested {
            var route = Route(version: models[index].name, direct: direct[index], steps: Array(neighbors[index...]))
            if !direct[index].isPossible, let chain = chains[index] {
                route.stages = Stages(
                    versions: chain.map { models[$0].name },
                    losses: zip(chain, chain.dropFirst()).map { Self.step(models[$0], models[$1]) }
                        .filter { $0.migration.steps.contains(where: \.losesData) })
            }
            routes.append(route)
        }
    }

    private static func step(_ source: NamedModel, _ destination: NamedModel) -> Step {
        Step(
            source: source.name, destination: destination.name,
            migration: LightweightMigration(from: source.model, to: destination.model))
    }

    /// Finds the mapping model for each migration.
    mutating func find(_ mappings: ProjectMappings) {
        let byName = Dictionary(models.map { ($0.name, $0.model) }) { first, _ in first }
        func mapping(_ source: String, _ destination: String) -> ApplicableMapping? {
            guard let source = byName[source], let destination = byName[destination] else { return nil }
            return mappings.mapping(from: source, to: destination)
        }
        // The steps of a route are the last ones of the longest route.
        let neighbors = zip(models, models.dropFirst()).map { mapping($0.name, $1.name) }
        for index in routes.indices {
            routes[index].mapping = mapping(routes[index].version, target)
            let first = neighbors.count - routes[index].steps.count
            for step in routes[index].steps.indices { routes[index].steps[step].mapping = neighbors[first + step] }
        }
    }

    /// Returns the shortest chains of lightweight migrations to the last version, by the version from which they lead
    /// there.
    ///
    /// Searches from the last version backward, so that no pair of versions is compared twice.
    ///
    /// - Parameter isDirect: Whether each version but the last migrates to the last one in one step.
    private static func chains(_ models: [NamedModel], isDirect: [Bool]) -> [Int: [Int]] {
        let last = models.count - 1
        var chains = [last: [last]]
        var layer = isDirect.indices.filter { isDirect[$0] }
        for index in layer { chains[index] = [index, last] }
        var open = isDirect.indices.filter { !isDirect[$0] }
        while !layer.isEmpty, !open.isEmpty {
            var next: [Int] = []
            for index in open {
                let stop = layer.first {
                    $0 > index && LightweightMigration.isPossible(from: models[index].model, to: models[$0].model)
                }
                guard let stop, let rest = chains[stop] else { continue }
                chains[index] = [index] + rest
                next.append(index)
            }
            layer = next
            open.removeAll { chains[$0] != nil }
        }
        return chains
    }
}
