internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import StoreFile

extension StoreMigrateCommand {
    /// The format of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text.
        case text
        /// JSON, for programs.
        case json
    }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let input = try StoreMigrationInput(self, environment.files)
            input.addLines(to: &printer)
            printer.print(input.diagnostics)
            guard input.isNeeded else {
                report(StoreMigrationReport(input, statements: []), environment)
                return .success
            }
            if input.mapping == nil { try refuseObstacles(input) }
            let path = environment.files.systemPath(storePath)
            let migrator: StoreMigrator
            let statements: [String]
            do throws(StoreMigrator.Failure) {
                migrator = try StoreMigrator(
                    path: path, from: input.sourceModel, to: input.destinationModel, mapping: input.mapping?.compiled)
                statements = try migrator.statements()
            } catch {
                throw failure(error)
            }
            var report = StoreMigrationReport(input, statements: statements)
            report.isDryRun = isDryRun
            if !isDryRun {
                if format == .text { environment.output(report.plan) }
                try migrate(migrator, path, &report, environment)
            }
            self.report(report, environment)
            return .success
        }
    }

    private func report(_ report: StoreMigrationReport, _ environment: DriverEnvironment) {
        switch format {
        case .json: environment.output(report.json.text + "\n")
        case .text:
            if report.result == nil { environment.output(report.plan) }
            environment.errorLine("modelc: " + report.summary)
        }
    }

    // MARK: The migration

    private func migrate(
        _ migrator: StoreMigrator, _ path: String, _ report: inout StoreMigrationReport,
        _ environment: DriverEnvironment
    ) throws(InputFailure) {
        let rows = (try? StoreRows(path: path)).map { report.input.source.rowCount($0) } ?? 0
        if let backupPath { try backUp(migrator, to: backupPath, environment.files) }
        let start = ContinuousClock.now
        do throws(StoreMigrator.Failure) {
            try ProgressBar(environment, label: "migrating").run { () throws(StoreMigrator.Failure) in
                try migrator.run()
            }
        } catch {
            throw failure(error)
        }
        let duration = (ContinuousClock.now - start).components
        report.result = StoreMigrationReport.Result(
            rows: rows, seconds: Double(duration.seconds) + Double(duration.attoseconds) * 1e-18, backup: backupPath)
    }

    private func backUp(
        _ migrator: StoreMigrator, to backup: String, _ files: any FileSystem
    ) throws(InputFailure) {
        let place = try StorePlace(backup, option: "--backup", replaces: false, files)
        do throws(StoreMigrator.Failure) {
            try migrator.backUp(to: place.temporaryPath)
        } catch {
            place.discard()
            throw failure(error)
        }
        do throws(FileSystemError) {
            try place.put()
        } catch {
            place.discard()
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }

    // MARK: Failures

    private func refuseObstacles(_ input: StoreMigrationInput) throws(InputFailure) {
        guard !input.changes.isPossible else { return }
        throw input.destination.failure(
            input.changes.obstacles.map { obstacle in
                ModelFinding(
                    .error, rule: .migrationImpossible, "“\(obstacle.element)” \(obstacle.reason)",
                    at: obstacle.origin,
                    why:
                        "No mapping model migrates from “\(input.sourceName)” to “\(input.destination.name)”, and none can be "
                        + "inferred (134140). The store was not changed.",
                    help: obstacle.help)
            })
    }

    private func failure(_ failure: StoreMigrator.Failure) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .migrationFailed,
                    "the store cannot be migrated: \(failure.reason)"
                        + (failure.code == 0 ? "" : " (\(failure.code))"), file: storePath, range: .fileStart,
                    why: "The store was not changed.", help: failure.help)
            ],
            exitCode: .findings)
    }
}

extension IndexedModel {
    /// Returns the number of all rows in a store with this model.
    fileprivate func rowCount(_ rows: StoreRows) -> Int {
        sortedEntities.filter(\.ancestors.isEmpty).reduce(0) { $0 + (rows.counts[$1.name] ?? 0) }
    }
}
