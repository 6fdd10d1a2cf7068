internal import Diagnostics
internal import ModelEvolution

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
