package import CompiledMapping
internal import Foundation

/// Migrates a closed SQLite store between two models that the caller provides, for `modelc-store`.
///
/// A coordinator finds the models and the mapping model in bundles; this type uses the given ones. The thread's current
/// `Progress` reports the progress of the migration, and can cancel it.
package struct StoreMigrator {
    private let request: MigrationRequest
    private let source: NSManagedObjectModel
    private let mapping: NSMappingModel?
    private let cache: MigrationCache

    /// The time to wait for other processes, in seconds.
    package static let defaultTimeout = MigrationRequest.defaultTimeout

    /// The error of a migration.
    package struct Failure: Error {
        /// The problem.
        package var reason: String
        /// The fix; `nil` if none is known.
        package var help: String?
        /// The code in Cocoa's domain; 0 for errors in another domain.
        package var code: Int
        /// Whether other processes have used the store for longer than the timeout.
        package var isTimeout: Bool { code == CocoaError.Code.persistentStoreTimeout.rawValue }
    }

    /// - Parameters:
    ///   - path: The path of the store.
    ///   - source: The model that the store was created with.
    ///   - destination: The model that the store is migrated to.
    ///   - mapping: The mapping model; `nil` for an inferred migration.
    ///   - pragmas: The SQLite pragmas for the migration.
    ///   - cache: The results of other migrations between the same models.
    ///   - timeout: The time to wait for other processes, in seconds; `nil` for the default.
    /// - Throws: `Failure` if the file is not a store.
    package init(
        path: String, from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        mapping: CompiledMapping? = nil, pragmas: [String: String] = [:], cache: MigrationCache = MigrationCache(),
        timeout: Double? = nil
    ) throws(Failure) {
        let url = URL(fileURLWithPath: path)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSSQLitePragmasOption: pragmas, NSPersistentStoreTimeoutOption: timeout ?? Self.defaultTimeout,
            NSSQLiteRemovesLogOption: true,
        ]
        source.makeImmutable()
        destination.makeImmutable()
        do {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: options)
            request = MigrationRequest(
                url: url, storeType: NSSQLiteStoreType, configuration: nil, options: options, metadata: metadata,
                destination: destination)
        } catch {
            throw Self.failure(error)
        }
        self.source = source
        self.cache = cache
        self.mapping = mapping.map { NSMappingModel($0) }
    }

    /// What a migration does, without doing it.
    package struct Preview {
        /// The statements that create the tables and move the rows; none for a migration with a mapping model, whose
        /// objects a manager copies one by one.
        package var statements: [String] = []
        /// What an inferred migration drops.
        package var losses: [Loss] = []
        /// The number of transactions of the history, if the migration writes a new store without one.
        package var droppedTransactions = 0
    }

    package typealias Loss = MigrationLoss

    /// Returns what the migration does, without changing the file.
    ///
    /// - Throws: `Failure` if the migration cannot be inferred, values do not fit the new version, or a mapping model
    ///   needs classes that this program does not have.
    package func preview() throws(Failure) -> Preview {
        do {
            guard let mapping else {
                let (plan, losses) = try inPlace().preview()
                return Preview(statements: plan.statements.map { $0.displayText(maximumBytes: 32) }, losses: losses)
            }
            try NSMigrationManager(sourceModel: source, destinationModel: request.destination).check(mapping)
            return Preview(droppedTransactions: try SQLiteFile(request.url).transactionCount())
        } catch {
            throw Self.failure(error)
        }
    }

    /// Copies the store with its external files.
    package func backUp(to path: String) throws(Failure) {
        do {
            try StoreFiles(SQLiteFile(URL(fileURLWithPath: path))).copy(SQLiteFile(request.url))
        } catch {
            throw Self.failure(error)
        }
    }

    /// Migrates the store.
    ///
    /// - Throws: `Failure`. The store is then unchanged.
    package func run() throws(Failure) {
        do {
            guard let mapping else { return try inPlace().run() }
            try CopyingMigration(StoreMigration(request), from: source, mapping).run()
        } catch {
            throw Self.failure(error)
        }
    }

    private func inPlace() throws -> InPlaceMigration {
        try InPlaceMigration(request, from: source, cache: cache)
    }

    private static func failure(_ error: any Error) -> Failure {
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let help =
            (error.userInfo[NSLocalizedRecoverySuggestionErrorKey]
            ?? underlying?.userInfo[NSLocalizedRecoverySuggestionErrorKey]) as? String
        var reason = error.userInfo["reason"] as? String ?? error.localizedDescription
        // The detail of a general failure from SQLite or the system.
        if let detail = underlying?.localizedDescription, help == nil, !reason.contains(detail) {
            reason += " (\(detail))"
        }
        return Failure(reason: reason, help: help, code: error.domain == NSCocoaErrorDomain ? error.code : 0)
    }
}
