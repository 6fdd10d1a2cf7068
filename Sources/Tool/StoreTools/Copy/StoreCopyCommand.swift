internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import PostgreSQLSchema
internal import StoreDoctor

extension StoreCopyCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let start = ContinuousClock.now
            let source = try CopyEndpoint<Client>(sourcePath, schema: sourceSchema, environment.files)
            let destination = try CopyEndpoint<Client>(destinationPath, schema: destinationSchema, environment.files)
            let models = try CopyModels(self, of: source, environment.files)
            models.addLines(to: &printer)
            printer.print(models.diagnostics)
            if let obstacle = models.obstacle { throw obstacle }
            // Nothing is written yet: a destination that cannot be used is noticed first.
            try destination.requireNoStore()
            if destination.isDatabase { try requireReadableValues(in: source, models.source, environment) }
            let transactions = try source.transactionCount()
            if transactions > 0, source.isDatabase || destination.isDatabase {
                environment.errorLine(
                    "modelc: note: the copy has no history; \(counted(transactions, "transaction")) of the original "
                        + "\(transactions == 1 ? "is" : "are") not copied")
            }
            let counts = try copy(from: source, to: destination, models, environment)
            for (entity, count) in counts { environment.outputLine("\(entity): \(count)") }
            let total = counts.reduce(0) { $0 + $1.count }
            let duration = (ContinuousClock.now - start).components
            let seconds = Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
            environment.errorLine(
                "modelc: \(destination.name) written, \(counted(total, "object")) of "
                    + "\(counts.count) entit\(counts.count == 1 ? "y" : "ies") in \(String(format: "%.2f", seconds)) s")
            return .success
        }
    }

    private var newIdentifier: String? { changesIdentifier ? UUID().uuidString : nil }

    // MARK: Steps

    /// Checks that a file has only values of their types: SQLite keeps any value in any column, and PostgreSQL does
    /// not, so others would become zeros, parts of numbers, or strings with replacement characters.
    private func requireReadableValues(
        in source: CopyEndpoint<Client>, _ model: NSManagedObjectModel, _ environment: DriverEnvironment
    ) throws(InputFailure) {
        guard let file = source.path else { return }
        var options = StoreDoctor.Options()
        options.isQuick = true
        options.only = [
            .storageClass, .booleanRange, .integerRange, .uuidLength, .decimalText, .textEncoding, .uriInvalid,
        ]
        let doctor = StoreDoctor(path: environment.files.systemPath(file), model: model, options: options)
        let findings: [StoreFinding]
        do throws(StoreDoctor.Failure) {
            findings = try ProgressBar(environment, label: "checking").run { () throws(StoreDoctor.Failure) in
                try doctor.check().findings
            }
        } catch {
            throw StoreModelChoice.failure(error, path: source.name, environment: environment)
        }
        guard let first = findings.first else { return }
        throw Self.failure(
            first.message + (findings.count > 1 ? ", and \(counted(findings.count - 1, "finding")) more" : ""),
            help: "“modelc store check” lists the values, and “modelc store repair” corrects those that it can.",
            shownAs: source.name)
    }

    private func copy(
        from source: CopyEndpoint<Client>, to destination: CopyEndpoint<Client>, _ models: CopyModels,
        _ environment: DriverEnvironment
    ) throws(InputFailure) -> [(entity: String, count: Int)] {
        if let file = destination.path {
            let location = try StagingLocation(file, option: "path", replaces: false, environment.files)
            do throws(InputFailure) {
                try stage(source, at: location.temporaryPath, of: models.source, environment)
                if models.isMigrated { try migrate(location.temporaryPath, of: source, models, environment) }
                let counts = try Self.counts(location.temporaryPath, models.destination, shownAs: source.name)
                try location.publish()
                return counts
            } catch {
                location.discard()
                throw error
            }
        }
        guard models.isMigrated else {
            return try copyRows(
                of: models.source, source.address(), to: destination.address(), identifier: newIdentifier,
                shownAs: source.name, environment)
        }
        // A database is migrated by its own plans; what is copied from elsewhere is migrated in a file.
        let folder = try TemporaryFolder.scratch(for: source.name, environment.files)
        defer { folder.discard() }
        let path = folder.store(environment.files)
        try stage(source, at: path, of: models.source, environment)
        try migrate(path, of: source, models, environment)
        return try copyRows(
            of: models.destination, CopyEndpoint<Client>.address(ofFile: path), to: destination.address(),
            identifier: nil, shownAs: source.name, environment)
    }

    /// Writes a store of the same version to a file.
    private func stage(
        _ source: CopyEndpoint<Client>, at path: String, of model: NSManagedObjectModel,
        _ environment: DriverEnvironment
    ) throws(InputFailure) {
        guard let file = source.path else {
            _ = try copyRows(
                of: model, source.address(), to: CopyEndpoint<Client>.address(ofFile: path), identifier: newIdentifier,
                shownAs: source.name, environment)
            return
        }
        do throws(StoreMigrator.Failure) {
            try StoreMigrator(path: environment.files.systemPath(file), from: model, to: model).backUp(to: path)
        } catch {
            throw Self.failure(error.reason, help: error.help, shownAs: source.name)
        }
        if let identifier = newIdentifier {
            do {
                try NSPersistentStoreCoordinator.setIdentifier(identifier, ofStoreAt: path)
            } catch {
                throw Self.failure((error as NSError).localizedDescription, shownAs: source.name)
            }
        }
    }

    private func copyRows(
        of model: NSManagedObjectModel, _ source: StoreAddress, to destination: StoreAddress, identifier: String?,
        shownAs name: String, _ environment: DriverEnvironment
    ) throws(InputFailure) -> [(entity: String, count: Int)] {
        let copy = StoreCopy(of: model, from: source, to: destination, identifier: identifier)
        do {
            return try ProgressBar(environment, label: "copying").run { try copy.run() }
        } catch {
            throw Self.failure((error as NSError).localizedDescription, shownAs: name)
        }
    }

    private func migrate(
        _ path: String, of source: CopyEndpoint<Client>, _ models: CopyModels, _ environment: DriverEnvironment
    ) throws(InputFailure) {
        let migrator: StoreMigrator
        let preview: StoreMigrator.Preview
        do throws(StoreMigrator.Failure) {
            migrator = try StoreMigrator(
                path: path, from: models.source, to: models.destination, mapping: models.mapping)
            preview = try migrator.preview()
        } catch {
            throw Self.failure(error.reason, help: error.help, shownAs: source.name)
        }
        let losses = preview.losses.map(StoreMigrationReport.text).joined(separator: ", ")
        guard allowsLoss || losses.isEmpty else {
            throw Self.failure(
                "the migration would drop \(losses)",
                help: "Keep them with a mapping model or another version of the model, or pass --allow-loss.",
                shownAs: source.name)
        }
        if !losses.isEmpty { environment.errorLine("modelc: note: the migration drops \(losses)") }
        if preview.droppedTransactions > 0 {
            environment.errorLine(
                "modelc: note: the migration with a mapping model drops the history: "
                    + counted(preview.droppedTransactions, "transaction"))
        }
        do throws(StoreMigrator.Failure) {
            try ProgressBar(environment, label: "migrating").run { () throws(StoreMigrator.Failure) in
                try migrator.run()
            }
        } catch {
            throw Self.failure(error.reason, help: error.help, shownAs: source.name)
        }
    }

    private static func counts(
        _ path: String, _ model: NSManagedObjectModel, shownAs name: String
    ) throws(InputFailure) -> [(entity: String, count: Int)] {
        do {
            return try StoreCopy.counts(of: model, in: CopyEndpoint<Client>.address(ofFile: path))
        } catch {
            throw failure((error as NSError).localizedDescription, shownAs: name)
        }
    }

    static func failure(_ reason: String, help: String? = nil, shownAs name: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .migrationFailed, "\(name) cannot be copied: \(reason)",
                    why: "Nothing was written, and the original is unchanged.", help: help)
            ],
            exitCode: .findings)
    }
}
