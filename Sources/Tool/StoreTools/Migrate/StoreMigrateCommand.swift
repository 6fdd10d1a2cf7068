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

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let input = try StoreMigrationInput(self, environment.files)
            input.addLines(to: &printer)
            printer.print(input.diagnostics)
            guard input.isNeeded else {
                report(StoreMigrationReport(input, []), environment)
                return .success
            }
            for step in input.steps where step.mapping == nil { try rejectObstacles(step) }
            let path = environment.files.systemPath(storePath)
            var report = StoreMigrationReport(input, try previews(input, path: path, environment.files))
            report.isDryRun = isDryRun
            guard allowsLoss || report.losses.isEmpty else {
                self.report(report, environment)
                throw lossFailure(report)
            }
            if !isDryRun {
                if format == .text { environment.output(report.plan) }
                try migrate(input, path: path, report: &report, environment: environment)
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

    private func migrator(
        _ step: StoreMigrationInput.Step, _ path: String, timeout: Double? = nil
    ) throws(StoreMigrator.Failure) -> StoreMigrator {
        try StoreMigrator(
            path: path, from: step.sourceModel, to: step.destinationModel, mapping: step.mapping?.compiled,
            timeout: timeout ?? self.timeout)
    }

    /// Waits for other processes, and returns the time that is left, in seconds.
    private func waitForOtherProcesses(_ path: String, _ environment: DriverEnvironment) -> Double {
        let limit = timeout ?? StoreMigrator.defaultTimeout
        let start = ContinuousClock.now
        StoreLock.awaitWriters(ofStoreAt: path, timeout: limit) { holders in
            environment.errorLine("modelc: waiting for \(holders ?? "another process"), which writes to the store")
        }
        // At least a moment for locks that are held only briefly.
        return min(limit, max(1, limit - Double((ContinuousClock.now - start).components.seconds)))
    }

    /// Returns what each step does. All but the last are performed on a copy, so that a later step cannot fail
    /// unforeseen.
    private func previews(
        _ input: StoreMigrationInput, path: String, _ files: any FileSystem
    ) throws(InputFailure) -> [StoreMigrator.Preview] {
        let folder = input.steps.count > 1 ? try TemporaryFolder.scratch(for: storePath, files) : nil
        defer { folder?.discard() }
        var path = path
        var result: [StoreMigrator.Preview] = []
        do throws(StoreMigrator.Failure) {
            for (index, step) in input.steps.enumerated() {
                let original = try migrator(step, path)
                result.append(try original.preview())
                guard let folder, index + 1 < input.steps.count else { break }
                if index == 0 {
                    let copy = folder.store(files)
                    try original.backUp(to: copy)
                    path = copy
                }
                try migrator(step, path).run()
            }
        } catch {
            throw failure(error, at: input.steps.count > 1 ? input.steps[result.count] : nil)
        }
        return result
    }

    private func migrate(
        _ input: StoreMigrationInput, path: String, report: inout StoreMigrationReport,
        environment: DriverEnvironment
    ) throws(InputFailure) {
        guard let first = input.steps.first else { return }
        let rows = (try? StoreRows(path: path)).map { first.source.rowCount($0) } ?? 0
        let timeLeft = waitForOtherProcesses(path, environment)
        if let backupPath { try backUp(first, path: path, to: backupPath, files: environment.files) }
        let start = ContinuousClock.now
        for (index, step) in input.steps.enumerated() {
            do throws(StoreMigrator.Failure) {
                let migrator = try migrator(step, path, timeout: timeLeft)
                try ProgressBar(environment, label: "migrating").run { () throws(StoreMigrator.Failure) in
                    try migrator.run()
                }
            } catch {
                throw failure(error, at: input.steps.count > 1 ? step : nil, isChanged: index > 0)
            }
        }
        let duration = (ContinuousClock.now - start).components
        report.result = StoreMigrationReport.Result(
            rows: rows, seconds: Double(duration.seconds) + Double(duration.attoseconds) * 1e-18, backup: backupPath)
    }

    private func backUp(
        _ step: StoreMigrationInput.Step, path: String, to backup: String, files: any FileSystem
    ) throws(InputFailure) {
        let location = try StagingLocation(backup, option: "--backup", replaces: false, files)
        do throws(StoreMigrator.Failure) {
            try migrator(step, path).backUp(to: location.temporaryPath)
        } catch {
            location.discard()
            throw failure(error)
        }
        try location.publish()
    }

    // MARK: Failures

    private func rejectObstacles(_ step: StoreMigrationInput.Step) throws(InputFailure) {
        guard !step.changes.isPossible else { return }
        throw step.destination.failure(
            step.changes.obstacles.map { obstacle in
                ModelFinding(
                    .error, rule: .migrationImpossible, "“\(obstacle.element)” \(obstacle.reason)",
                    at: obstacle.origin,
                    why:
                        "No mapping model migrates from “\(step.sourceName)” to “\(step.destination.name)”, and none can be "
                        + "inferred (134140). The store was not changed.",
                    help: obstacle.help)
            })
    }

    private func lossFailure(_ report: StoreMigrationReport) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .migrationFailed, "the migration would drop \(report.losses.joined(separator: ", "))",
                    file: storePath, range: .fileStart,
                    why: "“\(report.input.destination.name)” cannot store them. The store was not changed.",
                    help: "Keep them with a mapping model or another version of the model, or pass --allow-loss.")
            ],
            exitCode: .findings)
    }

    /// - Parameters:
    ///   - step: The step that failed, if it is not the only one.
    ///   - isChanged: Whether the steps before it have migrated the store.
    private func failure(
        _ failure: StoreMigrator.Failure, at step: StoreMigrationInput.Step? = nil, isChanged: Bool = false
    ) -> InputFailure {
        let location = step.map { ", from “\($0.sourceName)” to “\($0.destination.name)”" } ?? ""
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .migrationFailed,
                    "the store cannot be migrated\(location): \(failure.reason)"
                        + (failure.code == 0 ? "" : " (\(failure.code))"), file: storePath, range: .fileStart,
                    why: isChanged
                        ? "The store has the version “\(step?.sourceName ?? "")” now; the next run continues there."
                        : "The store was not changed.",
                    help: failure.isTimeout
                        ? "Close the store in the other process, or wait longer with --timeout." : failure.help)
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
