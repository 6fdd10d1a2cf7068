public import Foundation
internal import RuntimeSupport

/// Migrates a store to another version of a model, using a mapping model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///     from: oldURL, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: newURL,
///     destinationType: NSSQLiteStoreType)
/// ```
///
/// Objects of both contexts are plain `NSManagedObject`s. Use a manager on one thread at a time; only
/// `cancelMigrationWithError(_:)` and `migrationProgress` are thread-safe.
open class NSMigrationManager: NSObject, KeyValueReadable, MigrationCallable {
    private let givenSource: NSManagedObjectModel
    private let givenDestination: NSManagedObjectModel
    private let shared = MigrationStatus()
    private var givenMapping: NSMappingModel?
    private var stacks: (source: MigrationStack, destination: MigrationStack)?
    private var migrations: [EntityMigration] = []
    private var migrationsByMapping: [ObjectIdentifier: EntityMigration] = [:]
    private var current: NSEntityMapping?
    /// The property whose expression is being evaluated.
    private var currentProperty: NSRelationshipDescription?
    private var evaluationError: (any Error)?
    final var observers = MigrationObservers()
    private var sourceKeys = MigrationKeys()
    private var destinationKeys = MigrationKeys()
    /// The members of to-many relationships without an inverse, if the destination is a store in which these have one
    /// owner.
    final var exclusiveMembers: ExclusiveMembers?

    /// Creates a manager for a migration between two versions of a model. The models must no longer change.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        givenSource = sourceModel
        givenDestination = destinationModel
        sourceModel.makeImmutable()
        destinationModel.makeImmutable()
        super.init()
    }

    // MARK: Models and contexts

    /// The model of the store.
    open var sourceModel: NSManagedObjectModel { givenSource }

    /// The model that the store is migrated to.
    open var destinationModel: NSManagedObjectModel { givenDestination }

    /// The mapping model of the current or last migration; empty before the first.
    open var mappingModel: NSMappingModel { givenMapping ?? NSMappingModel() }

    /// The context of the source objects.
    open var sourceContext: NSManagedObjectContext { currentStacks.source.context }

    /// The context of the destination objects.
    open var destinationContext: NSManagedObjectContext { currentStacks.destination.context }

    /// Whether a migration may be executed without this manager's three passes. The default is `true`. Has no effect:
    /// `migrateStore` always executes the passes, and SQLite stores that are migrated in place need no manager.
    open var usesStoreSpecificMigrationManager = true

    /// Custom values for policies.
    open var userInfo: [AnyHashable: Any]?

    /// Returns the source entity of a mapping, for the source context; `nil` for a mapping that adds objects.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { currentStacks.source.entity(named: $0) }
    }

    /// Returns the destination entity of a mapping, for the destination context; `nil` for a mapping that removes
    /// objects.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { currentStacks.destination.entity(named: $0) }
    }

    // MARK: Progress

    /// The entity mapping that is being executed: each one once in each of the three passes. Empty before the first.
    open var currentEntityMapping: NSEntityMapping { current ?? NSEntityMapping() }

    /// The finished fraction, from 0 to 1. Also reported to the `Progress` that is current when the migration begins.
    open var migrationProgress: Float { shared.progress }

    /// Cancels the migration: `migrateStore` throws the error, and removes a destination that it has created.
    open func cancelMigrationWithError(_ error: any Error) { shared.cancel(error) }

    // MARK: Migrating

    /// Migrates a store.
    ///
    /// A destination that does not exist is created, and removed again after a failure. An existing one must have the
    /// destination model; either all objects are added to it or none.
    ///
    /// - Parameters:
    ///   - sourceURL: The location of the store, which is only read.
    ///   - sStoreType: Its type.
    ///   - sOptions: The options with which it is added.
    ///   - mappings: The mapping model.
    ///   - dURL: The location of the destination.
    ///   - dStoreType: Its type.
    ///   - dOptions: The options with which it is added.
    /// - Throws: An error of Cocoa's domain: 134110 for a mapping model that does not fit the models, or invalid
    ///   objects; 134111 for values that violate a uniqueness constraint; 134120 or the error of
    ///   `cancelMigrationWithError(_:)`; 134150 and 134160 for a store that cannot be opened; 134170 for a policy that
    ///   is missing or throws.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw MigrationErrors.error(
                .migrationMissingMappingModel, reason: "there is no mapping model",
                help: "Load one with NSMappingModel(contentsOf:), or use NSMappingModel.inferredMappingModel")
        }
        try migrate(
            StoreAddress(url: sourceURL, type: sStoreType, options: sOptions), mappings,
            to: StoreAddress(url: dURL, type: dStoreType, options: dOptions))
    }

    /// Migrates a store (newer spelling).
    ///
    /// - Throws: See `migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)`.
    public final func migrateStore(
        from sourceURL: URL, type sStoreType: NSPersistentStore.StoreType, options sOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type dStoreType: NSPersistentStore.StoreType,
        options dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sStoreType.rawValue, options: sOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: dStoreType.rawValue, destinationOptions: dOptions)
    }

    /// Migrates a store.
    ///
    /// - Parameter prepare: Called before objects are created, to set the destination's metadata.
    final func migrate(
        _ source: StoreAddress, _ mapping: NSMappingModel, to destination: StoreAddress,
        prepare: (_ source: NSPersistentStore, _ destination: NSPersistentStore) throws -> Void = { _, _ in }
    ) throws {
        reset()
        givenMapping = mapping
        shared.begin(passes: 3 * (mapping.entityMappings ?? []).count)
        let stacks = (source: MigrationStack(givenSource), destination: MigrationStack(givenDestination))
        self.stacks = stacks
        migrations = try MappingValidation(stacks.source, stacks.destination).migrations(for: mapping, manager: self)
        migrationsByMapping = Dictionary(
            migrations.map { (ObjectIdentifier($0.mapping), $0) }, uniquingKeysWith: { first, _ in first })
        defer {
            stacks.source.close()
            stacks.destination.close()
        }
        let isNew = !destination.exists
        let folders = destination.missingFolders
        do {
            let sourceStore = try stacks.source.open(source, isReadOnly: true)
            let destinationStore = try stacks.destination.open(destination, isReadOnly: false)
            try prepare(sourceStore, destinationStore)
            let isExclusive = destinationStore.engine.traits.contains(.hasExclusiveMembers)
            exclusiveMembers = isExclusive ? ExclusiveMembers(destinationKeys) : nil
            // Objects are saved to an existing destination all at once, so that a failure adds nothing; non-SQLite
            // stores write the whole file.
            let savesInBatches = isNew && destination.type == NSSQLiteStoreType
            var run = MigrationRun(
                manager: self, source: stacks.source, destination: stacks.destination, migrations: migrations,
                savesInBatches: savesInBatches)
            try run.run()
            let changes = observers.willChange()
            shared.end()
            for report in changes { report() }
        } catch {
            stacks.destination.close()
            if isNew { destination.remove() }
            for folder in folders { rmdir(folder.path) }
            throw MigrationRun.failure(error, from: source.url, to: destination.url)
        }
    }

    /// Checks that a mapping model fits the models, and that its policies and transformers exist.
    ///
    /// - Throws: An error with the code 134110 or 134170.
    final func check(_ mapping: NSMappingModel) throws {
        let (source, destination) = currentStacks
        _ = try MappingValidation(source, destination).migrations(for: mapping, manager: self)
    }

    /// Removes all associations of source and destination objects. The contexts keep their objects.
    open func reset() {
        for migration in migrations { migration.associations = MigrationAssociations() }
        sourceKeys = MigrationKeys()
        destinationKeys = MigrationKeys()
        if exclusiveMembers != nil { exclusiveMembers = ExclusiveMembers(destinationKeys) }
        evaluationError = nil
    }

    private var currentStacks: (source: MigrationStack, destination: MigrationStack) {
        if let stacks { return stacks }
        let made = (source: MigrationStack(givenSource), destination: MigrationStack(givenDestination))
        stacks = made
        return made
    }

    // MARK: Associations

    /// Records that a destination object was created from a source object.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        guard let migration = migration(of: entityMapping) else {
            misuse(
                "NSInvalidArgumentException",
                "the entity mapping “\(entityMapping.name ?? "")” is not in the mapping model")
        }
        migration.associations.add(sourceKeys.key(of: sourceInstance), destinationKeys.key(of: destinationInstance))
    }

    /// Returns the destination objects that a mapping has created from source objects, in the order of the latter.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping. One that does not exist has no objects.
    ///   - sourceInstances: The source objects; `nil` for all.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let migration = migrations.last(where: { $0.mapping.name == mappingName }) else { return [] }
        let keys = sourceInstances.map { objects in
            objects.flatMap { migration.associations.destinations(of: sourceKeys.key(of: $0)) }
        }
        return objects(
            keys ?? migration.associations.pairs.map(\.destination), table: destinationKeys, context: destinationContext
        )
    }

    /// Returns the source objects from which a mapping has created destination objects.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping. One that does not exist has no objects.
    ///   - destinationInstances: The destination objects; `nil` for all.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let migration = migrations.last(where: { $0.mapping.name == mappingName }) else { return [] }
        let keys = destinationInstances.map { objects in
            objects.flatMap { migration.associations.sources(of: destinationKeys.key(of: $0)) }
        }
        return objects(keys ?? migration.associations.pairs.map(\.source), table: sourceKeys, context: sourceContext)
    }

    /// Returns the objects with keys, without duplicates.
    private func objects(
        _ keys: [MigrationKey], table: MigrationKeys, context: NSManagedObjectContext
    ) -> [NSManagedObject] {
        if keys.count == 1 { return keys.compactMap { table.object(of: $0, in: context) } }
        var seen: Set<MigrationKey> = []
        return keys.filter { seen.insert($0).inserted }.compactMap { table.object(of: $0, in: context) }
    }

    /// Returns the destination objects of the objects in a source relationship, from any mapping.
    private func destinationInstances(ofRelationshipFrom sources: [NSManagedObject]) -> [NSManagedObject] {
        sources.flatMap { source -> [NSManagedObject] in
            let key = sourceKeys.key(of: source)
            let keys = migrations.filter { leadsToCurrentProperty($0) }.flatMap {
                $0.associations.destinations(of: key)
            }
            return objects(keys, table: destinationKeys, context: destinationContext)
        }
    }

    /// Returns whether a mapping's objects can be in the relationship that is being set.
    private func leadsToCurrentProperty(_ migration: EntityMigration) -> Bool {
        guard let target = currentProperty?.destinationEntity else { return true }
        return migration.destination?.isKindOf(entity: target) == true
    }

    // MARK: Expressions

    /// Returns a property of the manager for expressions, such as `$manager.sourceContext`. Traps on an unknown key.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "sourceContext": return sourceContext
        case "destinationContext": return destinationContext
        case "sourceModel": return sourceModel
        case "destinationModel": return destinationModel
        case "mappingModel": return mappingModel
        case "currentEntityMapping": return currentEntityMapping
        case "migrationProgress": return NSNumber(value: migrationProgress)
        case "userInfo": return userInfo.map { $0 as NSDictionary }
        default: misuseOfUndefinedKey(key, type: "NSMigrationManager", description: "the migration manager")
        }
    }

    final func callMigrationMethod(_ selector: String, arguments: [Any?]) -> Any? {
        let first = arguments.first.flatMap { $0 } as? String ?? ""
        let second = arguments.count > 1 ? arguments[1] : nil
        switch selector {
        case MigrationSelectors.instancesOfMapping:
            return destinationInstances(
                forEntityMappingName: first, sourceInstances: MigrationValue.objects(in: second))
        case MigrationSelectors.sourceInstances:
            return sourceInstances(
                forEntityMappingName: first, destinationInstances: MigrationValue.objects(in: second))
        case MigrationSelectors.instancesOfRelationship:
            return destinationInstances(ofRelationshipFrom: MigrationValue.objects(in: second))
        case MigrationSelectors.fetchRequest:
            do {
                return try SourceObjects.request(entityName: first, predicate: second as? String, currentStacks.source)
            } catch {
                record(error)
                return nil
            }
        default: return nil
        }
    }

    /// Records the error of a method that an expression has called. Only the first is kept.
    final func record(_ error: any Error) { evaluationError = evaluationError ?? error }

    /// Returns the value of an expression of a mapping model.
    ///
    /// - Throws: The error of a method that the expression calls.
    final func value(
        of expression: NSExpression, in migration: EntityMigration, property: NSPropertyMapping?,
        source: NSManagedObject?, destination: NSManagedObject?
    ) throws -> Any? {
        currentProperty = property?.name.flatMap { migration.destination?.relationshipsByName[$0] }
        migration.policy.callingManager = self
        let variables: [String: Any] = [
            NSMigrationManagerKey: self, NSMigrationSourceObjectKey: source ?? NSNull(),
            NSMigrationDestinationObjectKey: destination ?? NSNull(), NSMigrationEntityMappingKey: migration.mapping,
            NSMigrationPropertyMappingKey: property ?? NSNull(), NSMigrationEntityPolicyKey: migration.policy,
        ]
        let value = ExpressionEvaluator.cached(expression).value(with: source, substitutionVariables: variables)
        if let error = evaluationError {
            evaluationError = nil
            throw error
        }
        return value
    }

    // MARK: Default behavior of policies

    /// Returns the migration of an entity mapping, or `nil` if the mapping model does not contain it.
    final func migration(of mapping: NSEntityMapping) -> EntityMigration? {
        migrationsByMapping[ObjectIdentifier(mapping)]
    }

    /// Creates and associates the destination object of a source object.
    final func createInstance(for source: NSManagedObject, in mapping: NSEntityMapping) throws {
        guard let migration = migration(of: mapping), let entity = migration.destination else { return }
        let object = NSManagedObject(entity: entity, insertInto: destinationContext)
        try migration.setAttributes(of: object, from: source, self)
        associate(sourceInstance: source, withDestinationInstance: object, for: mapping)
    }

    /// Sets the relationships of a destination object.
    final func createRelationships(of object: NSManagedObject, in mapping: NSEntityMapping) throws {
        guard let migration = migration(of: mapping), !migration.relationships.isEmpty else { return }
        let key = destinationKeys.key(of: object)
        let source = migration.associations.sources(of: key).first.flatMap {
            sourceKeys.object(of: $0, in: sourceContext)
        }
        try migration.setRelationships(of: object, from: source, self)
    }

    // MARK: Support for runs

    /// Records the mapping that is being executed, and the progress of the migration.
    final func record(_ mapping: NSEntityMapping, finished: Double) {
        let changes = observers.willChange()
        current = mapping
        shared.record(finished)
        for report in changes { report() }
    }

    /// Throws an error if the migration was canceled.
    final func checkCancellation() throws { try shared.check() }

    /// Returns the destination objects of a mapping in a range of positions.
    final func destinationObjects(of migration: EntityMigration, _ range: Range<Int>) -> [NSManagedObject] {
        objects(
            migration.associations.pairs[range].map(\.destination), table: destinationKeys, context: destinationContext)
    }

    /// Assigns permanent keys to saved objects.
    final func finishAssociations() {
        for migration in migrations { migration.associations.finish(destinationKeys) }
        exclusiveMembers?.finish()
        destinationKeys.releaseKept()
    }
}
