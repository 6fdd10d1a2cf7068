internal import Foundation

/// The three passes of a migration.
struct MigrationRun {
    private let manager: NSMigrationManager
    private let source: MigrationStack
    private let destination: MigrationStack
    private let migrations: [EntityMigration]
    /// Whether new objects are saved and turned back into faults once there are many, so that memory does not grow with
    /// the store.
    private let savesInBatches: Bool
    /// Whether objects were saved before they were validated.
    private var hasSaved = false

    init(
        manager: NSMigrationManager, source: MigrationStack, destination: MigrationStack,
        migrations: [EntityMigration], savesInBatches: Bool
    ) {
        self.manager = manager
        self.source = source
        self.destination = destination
        self.migrations = migrations
        self.savesInBatches = savesInBatches
    }

    /// Runs the migration and saves the destination.
    mutating func run() throws {
        for (index, migration) in migrations.enumerated() { try createInstances(migration, index) }
        for (index, migration) in migrations.enumerated() { try createRelationships(migration, index) }
        for (index, migration) in migrations.enumerated() {
            try begin(migration, pass: 2, index)
            try call(migration, hook: "performCustomValidation(forMapping:manager:)") {
                try $0.performCustomValidation(forMapping: migration.mapping, manager: manager)
            }
            try call(migration, hook: "end(_:manager:)") { try $0.end(migration.mapping, manager: manager) }
        }
        if hasSaved { try validateSaved() }
        try destination.context.save()
    }

    // MARK: The passes

    private mutating func createInstances(_ migration: EntityMigration, _ index: Int) throws {
        try begin(migration, pass: 0, index)
        try call(migration, hook: "begin(_:with:)") { try $0.begin(migration.mapping, with: manager) }
        let objects = try SourceObjects(migration: migration, manager: manager, stack: source)
        let count = Double(max(1, try objects.count()))
        var done = 0
        try objects.forEachBatch { batch in
            for object in batch {
                try call(migration, hook: "createDestinationInstances(forSource:in:manager:)") {
                    try $0.createDestinationInstances(forSource: object, in: migration.mapping, manager: manager)
                }
            }
            done += batch.count
            manager.record(migration.mapping, finished: Double(index) + min(1, Double(done) / count))
            try finishBatch()
        }
        try call(migration, hook: "endInstanceCreation(forMapping:manager:)") {
            try $0.endInstanceCreation(forMapping: migration.mapping, manager: manager)
        }
    }

    private mutating func createRelationships(_ migration: EntityMigration, _ index: Int) throws {
        try begin(migration, pass: 1, index)
        let count = migration.setsRelationships ? migration.associations.pairs.count : 0
        var start = 0
        while start < count {
            let end = min(start + SourceObjects.batchSize, count)
            for object in manager.destinationObjects(of: migration, start..<end) {
                try call(migration, hook: "createRelationships(forDestination:in:manager:)") {
                    try $0.createRelationships(forDestination: object, in: migration.mapping, manager: manager)
                }
            }
            start = end
            manager.record(
                migration.mapping, finished: Double(migrations.count + index) + Double(start) / Double(count))
            try finishBatch()
        }
        try call(migration, hook: "endRelationshipCreation(forMapping:manager:)") {
            try $0.endRelationshipCreation(forMapping: migration.mapping, manager: manager)
        }
    }

    private func begin(_ migration: EntityMigration, pass: Int, _ index: Int) throws {
        manager.record(migration.mapping, finished: Double(pass * migrations.count + index))
        try manager.checkCancellation()
    }

    /// Calls a hook of a policy.
    ///
    /// - Throws: An error, too, if the policy has read a value that cannot be read: the new store would have `nil` in
    ///   its place.
    private func call(
        _ migration: EntityMigration, hook: String, body: (NSEntityMigrationPolicy) throws -> Void
    ) throws {
        do {
            try UnreadableValue.throwing { try body(migration.policy) }
        } catch let error as UnreadableValue {
            throw MigrationErrors.mapping(
                migration.mapping,
                reason:
                    "the policy “\(type(of: migration.policy))” failed in \(hook): a value of the source cannot be read: \(error)",
                help: UnreadableValue.migrationHelp, code: .entityMigrationPolicy, underlying: error)
        } catch {
            throw Self.policyFailure(error, migration: migration, hook: hook)
        }
        try manager.checkCancellation()
    }

    /// Returns the error for a policy's failure. Errors that the manager has found keep their code.
    private static func policyFailure(_ error: any Error, migration: EntityMigration, hook: String) -> any Error {
        let cocoa = error as NSError
        if cocoa.domain == NSCocoaErrorDomain, cocoa.userInfo[MigrationErrors.Key.entity] != nil { return error }
        if error is MigrationCancellation { return error }
        let name = "\(type(of: migration.policy))"
        // This framework's descriptions end with the help, which is appended anyway.
        let reason = cocoa.userInfo[MigrationErrors.Key.reason] as? String ?? cocoa.localizedDescription
        return MigrationErrors.mapping(
            migration.mapping, reason: "the policy “\(name)” failed in \(hook): \(reason)",
            help: cocoa.localizedRecoverySuggestion ?? "Correct the policy", code: .entityMigrationPolicy,
            underlying: error)
    }

    // MARK: Batches

    /// Saves the objects that were created and changed, and releases them, if there are as many as in a batch. Fewer
    /// stay in the context until the end, as all do with Apple's framework.
    private mutating func finishBatch() throws {
        if savesInBatches, destination.context.pending.objects.count >= SourceObjects.batchSize {
            hasSaved = true
            // Relationships and values may still be missing: everything is validated at the end.
            destination.context.settings.skipsValidation = true
            defer { destination.context.settings.skipsValidation = false }
            try destination.context.save()
            manager.finishAssociations()
            destination.context.refreshAllObjects()
        }
        source.context.refreshAllObjects()
    }

    /// Validates the objects that were saved without validation.
    private func validateSaved() throws {
        destination.context.settings.skipsValidation = true
        defer { destination.context.settings.skipsValidation = false }
        try destination.context.save()
        manager.finishAssociations()
        for entity in destination.coordinator.managedObjectModel.entities where !entity.isAbstract {
            guard !entity.objectLayout().conditionSlots.isEmpty, let name = entity.name else { continue }
            try SourceObjects(allOf: name, destination).forEachBatch { batch in
                for object in batch { try object.validateForInsert() }
                destination.context.refreshAllObjects()
                try manager.checkCancellation()
            }
        }
    }

    // MARK: Failures

    /// Returns the error that `migrateStore` throws for an error.
    static func failure(_ error: any Error, from sourceURL: URL, to destinationURL: URL) -> any Error {
        if let cancellation = error as? MigrationCancellation { return cancellation.error }
        let cocoa = error as NSError
        guard cocoa.domain == NSCocoaErrorDomain else {
            return wrapped(error, code: .migration, sourceURL: sourceURL, destinationURL: destinationURL)
        }
        switch cocoa.code {
        case NSMigrationError..<NSExternalRecordImportError: return error
        case NSManagedObjectConstraintMergeError, NSManagedObjectConstraintValidationError:
            return wrapped(
                error, code: .migrationConstraintViolation, sourceURL: sourceURL, destinationURL: destinationURL)
        default: return wrapped(error, code: .migration, sourceURL: sourceURL, destinationURL: destinationURL)
        }
    }

    private static func wrapped(
        _ error: any Error, code: CocoaError.Code, sourceURL: URL, destinationURL: URL
    ) -> NSError {
        let cocoa = error as NSError
        let first = (cocoa.userInfo[NSDetailedErrorsKey] as? [NSError])?.first ?? cocoa
        var userInfo: [String: Any] = [
            NSUnderlyingErrorKey: error, MigrationErrors.Key.sourceURL: sourceURL,
            MigrationErrors.Key.destinationURL: destinationURL,
        ]
        let object = first.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        userInfo[MigrationErrors.Key.entity] = object?.entity.name
        userInfo[MigrationErrors.Key.property] = first.userInfo[NSValidationKeyErrorKey]
        let help =
            code == .migrationConstraintViolation
            ? "Merge or rename the duplicates in a migration policy, or remove the uniqueness constraint"
            : object.map { _ in "Set the value in a migration policy, or give the attribute a default value" }
        return MigrationErrors.error(code, reason: first.localizedDescription, help: help, userInfo)
    }
}
