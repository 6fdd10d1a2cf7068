internal import CoreData
internal import Diagnostics
internal import Foundation
package import ModelcDriver
internal import PostgreSQLSchema

extension SQLMigrateCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let reader = EvolutionReader(files: environment.files)
            let (sources, destinations) = (try reader.modelSet(sourcePath), try reader.modelSet(destinationPath))
            sources.addLines(to: &printer)
            destinations.addLines(to: &printer)
            let old = try sources.version(named: sourceVersion, option: "--from-version")
            let new = try destinations.version(named: destinationVersion, option: "--to-version")
            let source = try old.managedObjectModel(old.indexedModel())
            let destination = try new.managedObjectModel(new.indexedModel())
            printer.print((old.diagnostics + new.diagnostics).filter { $0.severity > .note })
            var entityNumbers: [String: Int] = [:]
            if let databaseURL {
                let database = try SQLDatabase<Client>(databaseURL, configuration: modelConfiguration, schema: schema)
                // After the first step of an online migration, the database differs from the old version.
                if onlineStep == nil || onlineStep == .expand {
                    let drift = try database.run { () throws(DatabaseFailure) in
                        try database.administration.drift(from: source, configuration: modelConfiguration)
                    }
                    guard drift.isEmpty else { throw SQLDatabase<Client>.failure(drift) }
                }
                entityNumbers = try database.run { () throws(DatabaseFailure) in
                    try database.administration.entityNumbers()
                }
            }
            let text: String
            do throws(PostgreSQLPlanScript.Failure) {
                let script = try PostgreSQLPlanScript(
                    from: source, to: destination, configuration: modelConfiguration, namespace: schema,
                    partitions: partitions, entityNumbers: entityNumbers)
                if let onlineStep { text = try script.text(online: onlineStep) } else { text = script.text }
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .migrationImpossible, error.reason, file: new.path, range: .fileStart,
                            help: error.help)
                    ],
                    exitCode: .findings)
            }
            environment.outputData(text)
            return .success
        }
    }
}

extension SQLApplyCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let bytes: [UInt8]
            do throws(FileSystemError) {
                bytes = try environment.files.read(planPath)
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .noSuchFile, "the plan cannot be read: \(error.reason)", file: planPath)
                    ],
                    exitCode: .couldNotRun)
            }
            let database = try SQLDatabase<Client>(databaseURL, configuration: nil, schema: schema)
            try database.run { () throws(DatabaseFailure) in
                try database.administration.apply(String(decoding: bytes, as: UTF8.self)) { _, _ in }
            }
            environment.outputLine("applied “\(planPath)”")
            return .success
        }
    }
}

extension SQLStatusCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try EvolutionReader(files: environment.files).modelSet(modelPath)
            set.addLines(to: &printer)
            let database = try SQLDatabase<Client>(databaseURL, configuration: modelConfiguration, schema: schema)
            let status = try database.run { () throws(DatabaseFailure) in
                try database.administration.status()
            }
            environment.outputLine("store: \(status.uuid)")
            for version in set.versions {
                guard let model = try? version.managedObjectModel(version.indexedModel()) else {
                    environment.outputLine("version “\(version.name)”: cannot be read")
                    continue
                }
                let opens = database.opens(status, model)
                environment.outputLine(
                    "version “\(version.name)”: \(opens ? "opens the store" : "does not open the store")")
            }
            if status.upcomingHashes != nil {
                environment.outputLine("online migration: under way, until its step “contract”")
            }
            for migration in status.migrations { environment.outputLine("migrated: \(migration)") }
            environment.outputLine("other connections: \(status.connections)")
            return .success
        }
    }
}

struct SQLDatabase<Client: DatabaseAdministration> {
    let administration: Client
    private let configuration: String?

    init(_ url: String, configuration: String?, schema: String?) throws(InputFailure) {
        self.configuration = configuration
        do throws(DatabaseFailure) {
            administration = try Client(url: url, configuration: configuration, namespace: schema)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Runs a closure, and converts its error.
    func run<Result>(
        _ body: () throws(DatabaseFailure) -> Result
    ) throws(InputFailure) -> Result {
        do throws(DatabaseFailure) {
            return try body()
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ failure: DatabaseFailure) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: .migrationFailed, failure.reason, help: failure.help)],
            exitCode: .findings)
    }

    /// Returns what was changed by hand in the database as a command's failure.
    static func failure(_ drift: [DatabaseDrift]) -> InputFailure {
        InputFailure(
            diagnostics: drift.map { drift in
                Diagnostic(
                    .error, rule: .migrationFailed,
                    "the database differs from the model: \(drift.location): \(drift.problem)",
                    why: "The plan assumes the tables that the old version makes.",
                    help: "Undo the change in the database, or give --from the model that the store has.")
            }, exitCode: .findings)
    }

    /// Returns whether a program with a version of the model opens a store.
    func opens(_ status: DatabaseStatus, _ model: NSManagedObjectModel) -> Bool {
        let names = Set((model.entities(forConfigurationName: configuration) ?? []).compactMap(\.name))
        let hashes = model.entityVersionHashesByName.filter { names.contains($0.key) }.mapValues(\.hexadecimal)
        return hashes == status.hashes || hashes == status.upcomingHashes
    }
}
