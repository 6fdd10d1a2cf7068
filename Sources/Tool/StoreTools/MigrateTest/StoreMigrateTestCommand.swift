internal import Diagnostics
internal import Foundation
package import ModelcDriver

extension StoreMigrateTestCommand {
    /// The format of the report.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text, with a line for each migration.
        case text
        /// JSON, for programs.
        case json
        /// JUnit XML, for CI systems.
        case junit
    }

    /// Runs the command. The exit code is 1 if a migration failed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let start = ContinuousClock.now
            let set = try EvolutionReader(files: environment.files).modelSet(modelPath)
            set.addLines(to: &printer)
            let mappings = try StoreMigrationInput.mappings(
                self.mappings.mappingPaths, set: set, files: environment.files)
            for (path, lines) in mappings.lines { printer.addLines(lines, of: path) }
            printer.print((set.diagnostics + mappings.diagnostics).filter { $0.severity > .note })
            let target = try set.version(named: version, option: "--to")
            let plan = try MigrationTestPlan(set, to: target, mappings)
            let stores = try storesPath.map { path throws(InputFailure) in
                try FoundStores(path, environment.files).stores
            }
            let folder = try TemporaryFolder.scratch(for: modelPath, environment.files)
            defer { folder.discard() }
            let runner = MigrationTestRun(
                plan, rows: rows, seed: seed, folder: URL(fileURLWithPath: environment.files.systemPath(folder.work)))
            let results: [MigrationTestResult]
            do {
                results = try ProgressBar(environment, label: "testing").run { try runner.run(stores) }
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .fileSystem, "no temporary stores can be made: \(error.localizedDescription)",
                            file: modelPath, range: .fileStart)
                    ],
                    exitCode: .couldNotRun)
            }
            let report = MigrationTestReport(model: set.path, target: target.name, results: results)
            try write(report, environment)
            let seconds = (ContinuousClock.now - start).components
            let time = Double(seconds.seconds) + Double(seconds.attoseconds) * 1e-18
            environment.errorLine("modelc: \(report.summary) in \(String(format: "%.1f", time)) s")
            return report.isSuccess ? .success : .findings
        }
    }

    private func write(_ report: MigrationTestReport, _ environment: DriverEnvironment) throws(InputFailure) {
        let text =
            switch format {
            case .text: report.text
            case .json: report.json.text + "\n"
            case .junit: report.junit
            }
        guard let outputPath else { return environment.output(text) }
        try environment.writeReport(text, to: outputPath, sources: [modelPath])
    }
}
