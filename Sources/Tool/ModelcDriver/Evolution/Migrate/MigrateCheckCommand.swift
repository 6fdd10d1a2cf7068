internal import Diagnostics
internal import ModelEvolution
internal import SwiftDataModel

extension MigrateCheckCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try EvolutionReader(
                files: environment.files, swift: conditions.reading(with: otherPaths)
            ).modelSet(modelPath)
            set.addLines(to: &printer)
            let target = try set.version(named: destination, option: "--to")
            let only = try source.map { name throws(InputFailure) in try set.version(named: name, option: "--from") }
            var plan = try MigrationPlan(set, to: target, from: only)
            var mappings = ProjectMappings()
            if let paths = searchedPaths(set, plan: plan, files: environment.files) {
                let isNamed = !self.mappings.mappingPaths.isEmpty
                mappings = try ProjectMappings(searched: paths, isNamed: isNamed, set: set, files: environment.files)
                for (path, lines) in mappings.lines { printer.addLines(lines, of: path) }
                plan.find(mappings)
            }
            let equal = set.equalVersions
            printer.print(equal)
            printer.print((set.diagnostics + plan.diagnostics + mappings.diagnostics).filter { $0.severity > .note })
            switch format {
            case .text:
                environment.output(MigrationPlanText(plan, path: set.path, showsSteps: showsSteps).text)
            case .json: environment.output(plan.json(path: set.path).text + "\n")
            }
            let isMigratable = plan.routes.allSatisfy(\.isMigratable) && !plan.diagnostics.hasErrors
            return isMigratable && equal.isEmpty ? .success : .findings
        }
    }

    /// Returns the paths that are searched for mapping models; `nil` if no migration needs one, or if the model is from
    /// a git revision, whose neighboring files are not read.
    private func searchedPaths(_ set: ModelSet, plan: MigrationPlan, files: any FileSystem) -> [String]? {
        if !mappings.mappingPaths.isEmpty { return mappings.mappingPaths }
        guard !plan.routes.isEmpty, files.kind(of: set.path) != nil else { return nil }
        let folder = PathName.parent(of: set.path)
        return [folder.isEmpty ? "." : folder]
    }
}

extension ModelSet {
    /// The errors for versions of a SwiftData schema that a migration plan cannot distinguish.
    fileprivate var equalVersions: [Diagnostic] {
        EqualVersions.all(versions.compactMap(\.swiftData), chains).map { equal in
            Diagnostic(
                .error, rule: .swiftDataEqualVersions, equal.message, file: equal.later.declaration?.file,
                range: equal.later.declaration?.range, why: EqualVersions.why, help: EqualVersions.help)
        }
    }
}
