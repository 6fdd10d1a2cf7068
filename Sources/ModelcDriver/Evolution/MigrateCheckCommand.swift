internal import Diagnostics
internal import ModelEvolution
internal import ModelSchema

/// `modelc migrate check`: how stores of each earlier version become stores of the current one.
package struct MigrateCheckCommand: Sendable {
    /// The model: a path, or `REVISION:PATH`.
    package var modelPath: String
    /// The version that is migrated from; `nil` for all earlier ones.
    package var source: String?
    /// The version that is migrated to; `nil` for the current one.
    package var destination: String?
    /// The form of the output.
    package var format = OutputFormat.text
    /// Whether the steps of each migration are printed.
    package var showsSteps = false
    /// Mapping models, or folders that hold some; empty for the folder that holds the model.
    package var mappingPaths: [String] = []

    /// Makes a command.
    package init(modelPath: String) {
        self.modelPath = modelPath
    }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try EvolutionReader(files: environment.files).modelSet(modelPath)
            set.addLines(to: &printer)
            let target = try set.version(named: destination, option: "--to")
            let only = try source.map { name throws(InputFailure) in try set.version(named: name, option: "--from") }
            var plan = try MigrationPlan(set, to: target, from: only)
            var mappings = ProjectMappings()
            if let paths = searchedPaths(set, plan, environment.files) {
                mappings = try ProjectMappings(paths, isNamed: !mappingPaths.isEmpty, set, environment.files)
                for (path, lines) in mappings.lines { printer.addLines(lines, of: path) }
                plan.find(mappings)
            }
            printer.print((set.diagnostics + plan.diagnostics + mappings.diagnostics).filter { $0.severity > .note })
            switch format {
            case .text:
                environment.output(MigrationPlanText(plan, path: set.path, showsSteps: showsSteps).text)
            case .json: environment.output(plan.json(path: set.path).text + "\n")
            }
            return plan.routes.allSatisfy(\.isMigratable) && !plan.diagnostics.hasErrors ? .success : .findings
        }
    }

    /// Returns the paths where mapping models are looked for, or `nil` if none can matter or the model is that of a git revision,
    /// whose neighbors are not read.
    private func searchedPaths(_ set: ModelSet, _ plan: MigrationPlan, _ files: any FileSystem) -> [String]? {
        if !mappingPaths.isEmpty { return mappingPaths }
        guard !plan.routes.isEmpty, files.kind(of: set.path) != nil else { return nil }
        let folder = PathName.parent(of: set.path)
        return [folder.isEmpty ? "." : folder]
    }
}

/// The migrations from earlier versions of a model to one of them.
struct MigrationPlan {
    /// The way of one version.
    struct Route {
        var version: String
        /// The migration in one step.
        var direct: LightweightMigration
        /// The steps from each version to the next one, from this version on.
        var steps: [Step]
        /// The mapping model that serves the migration in one step, if there is one.
        var mapping: ServingMapping?
        /// The versions of a chain of lightweight migrations, if there is one and the direct migration is not lightweight.
        var stages: [String]?

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
        var mapping: ServingMapping?
    }

    let target: String
    private(set) var routes: [Route] = []
    /// Versions that cannot be looked at.
    private(set) var diagnostics: [Diagnostic] = []
    /// The versions that could be read, up to the target.
    private var models: [(name: String, model: IndexedModel)] = []

    init(_ set: ModelSet, to target: ModelSet.Version, from only: ModelSet.Version?) throws(InputFailure) {
        self.target = target.name
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
        // A version that is named explicitly may be a later one, which is a migration backwards.
        if let only, !models.contains(where: { $0.name == only.name }) {
            models.insert((only.name, try only.indexedModel()), at: 0)
        }
        for index in models.indices.dropLast() where only == nil || models[index].name == only?.name {
            routes.append(Self.route(from: index, models))
        }
    }

    /// Finds the mapping model for each migration.
    mutating func find(_ mappings: ProjectMappings) {
        let byName = Dictionary(models.map { ($0.name, $0.model) }) { first, _ in first }
        func mapping(_ source: String, _ destination: String) -> ServingMapping? {
            guard let source = byName[source], let destination = byName[destination] else { return nil }
            return mappings.mapping(from: source, to: destination)
        }
        for index in routes.indices {
            routes[index].mapping = mapping(routes[index].version, target)
            for step in routes[index].steps.indices {
                let (source, destination) = (routes[index].steps[step].source, routes[index].steps[step].destination)
                routes[index].steps[step].mapping = mapping(source, destination)
            }
        }
    }

    private static func route(from index: Int, _ models: [(name: String, model: IndexedModel)]) -> Route {
        let direct = LightweightMigration(from: models[index].model, to: models[models.count - 1].model)
        var steps: [Step] = []
        for position in index..<(models.count - 1) {
            steps.append(
                Step(
                    source: models[position].name, destination: models[position + 1].name,
                    migration: LightweightMigration(from: models[position].model, to: models[position + 1].model)))
        }
        var route = Route(version: models[index].name, direct: direct, steps: steps, stages: nil)
        if !direct.isPossible { route.stages = chain(from: index, models) }
        return route
    }

    /// Returns the shortest chain of lightweight migrations to the last version, or `nil` if there is none.
    private static func chain(from start: Int, _ models: [(name: String, model: IndexedModel)]) -> [String]? {
        var previous: [Int: Int] = [start: start]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let index = queue[next]
            next += 1
            for candidate in (start + 1)..<models.count where previous[candidate] == nil && candidate > index {
                guard LightweightMigration(from: models[index].model, to: models[candidate].model).isPossible else {
                    continue
                }
                previous[candidate] = index
                queue.append(candidate)
            }
        }
        let last = models.count - 1
        guard previous[last] != nil else { return nil }
        var names: [String] = []
        var index = last
        while index != start {
            names.append(models[index].name)
            index = previous[index] ?? start
        }
        return [models[start].name] + names.reversed()
    }
}
