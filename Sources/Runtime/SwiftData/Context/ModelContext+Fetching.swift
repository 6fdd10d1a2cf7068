internal import CoreData
public import Foundation

extension ModelContext {
    // MARK: Fetching

    /// Returns the models that a query finds.
    ///
    /// - Throws: `SwiftDataError` for a query that the stores do not support, or a store's error.
    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        let objects = try objects(descriptor)
        // A loop is compiled for the type of the objects, unlike `map`.
        var models: [T] = []
        models.reserveCapacity(objects.count)
        for object in objects { models.append(model(of: object, as: T.self)) }
        return models
    }

    /// Returns the models that a query finds, which are loaded in batches as they are accessed.
    ///
    /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the query includes unsaved changes.
    public func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> {
        guard !descriptor.includePendingChanges else { throw SwiftDataError.includePendingChangesWithBatchSize }
        let identifiers = try objectIDs(descriptor)
        let size = loadingSize(batchSize, of: identifiers.count)
        var batch: (range: Range<Int>, objects: [NSManagedObject]) = (0..<0, [])
        return FetchResultsCollection(count: identifiers.count) { position in
            if !batch.range.contains(position) {
                let start = position - position % size
                let range = start..<min(start + size, identifiers.count)
                batch = (range, self.load(Array(identifiers[range]), T.self))
            }
            return self.model(of: batch.objects[position - batch.range.lowerBound], as: T.self)
        }
    }

    /// Returns the number of models that a query finds.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` for a class that is not in the schema, `.unsupportedPredicate`,
    ///   `.unsupportedSortDescriptor` or `.unsupportedKeyPath` for a query without an equivalent in the store;
    ///   otherwise the store's `NSError`.
    public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
        try managed.count(for: request(descriptor))
    }

    /// Returns the identifiers of the models that a query finds.
    ///
    /// - Throws: `SwiftDataError.sortingPendingChangesWithIdentifiers` for a query with an order that includes unsaved
    ///   changes, if there are any.
    public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
    {
        if descriptor.includePendingChanges, !descriptor.sortBy.isEmpty, managed.hasChanges {
            throw SwiftDataError.sortingPendingChangesWithIdentifiers
        }
        return try objectIDs(descriptor).map { PersistentIdentifier($0) }
    }

    /// Returns the identifiers of the models that a query finds.
    ///
    /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` if the query includes unsaved changes.
    public func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        guard !descriptor.includePendingChanges else { throw SwiftDataError.includePendingChangesWithBatchSize }
        let identifiers = try objectIDs(descriptor)
        return FetchResultsCollection(count: identifiers.count) { PersistentIdentifier(identifiers[$0]) }
    }

    /// Calls a block for each model that a query finds, in batches.
    ///
    /// - Parameters:
    ///   - fetch: The query.
    ///   - batchSize: The number of models that are loaded at a time.
    ///   - allowEscapingMutations: Whether the block may leave unsaved changes after a batch, which keep the models in
    ///     memory.
    ///   - block: The code to call.
    /// - Throws: What the block throws; `SwiftDataError.includePendingChangesWithBatchSize` if it leaves unsaved
    ///   changes, which are kept; otherwise what `fetch(_:)` throws.
    public func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (T) throws -> Void
    ) throws {
        let request = try request(fetch)
        let isChecked = !allowEscapingMutations && !managed.hasChanges
        func check() throws {
            guard isChecked, managed.hasChanges else { return }
            throw SwiftDataError(
                .includePendingChangesWithBatchSize,
                "the block of enumerate left unsaved changes of \(T.self); save in the block, or pass "
                    + "allowEscapingMutations: true")
        }
        let size = max(batchSize, 1)
        var count = 0
        try managed.enumerate(request, batchSize: loadingSize(batchSize, of: .max)) { object in
            if count > 0, count.isMultiple(of: size) { try check() }
            count += 1
            try block(model(of: object, as: T.self))
        }
        try check()
    }

    // MARK: Identifiers

    /// Returns the model with an identifier. Its values are loaded when they are read, which traps if there is no such
    /// model.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        receiveSaves()
        guard let id = objectID(for: persistentModelID), let model = anyModel(of: managed.object(with: id)) else {
            fatalError(
                "SwiftData: \(persistentModelID.debugDescription) does not identify a model in the container's stores"
            )
        }
        return model
    }

    /// Returns the model with an identifier if it is in memory.
    public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
        guard let id = objectID(for: persistentModelID), let object = managed.registeredObject(for: id),
            object.directContext != nil, (object as? ModelObject)?.model != nil
        else { return nil }
        return anyModel(of: object) as? T
    }

    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        if let id = identifier.managed {
            // An identifier of another container with the same store has another coordinator's ID.
            if id.isTemporaryID { return managed.registeredObject(for: id)?.currentID ?? id }
            if let store = id.persistentStore, store.persistentStoreCoordinator === core.coordinator { return id }
        }
        if let object = formerIdentifiers.object(for: identifier) { return object.currentID }
        if let store = core.bridges.first(where: { $0.identifier == identifier.storeIdentifier }) {
            return store.objectID(for: identifier)
        }
        guard !identifier.isTemporary, let url = URL(string: identifier.uri) else { return nil }
        return core.coordinator.managedObjectID(forURIRepresentation: url)
    }

    /// Returns the object with an identifier for a predicate. For one that no store of the container has, it is an
    /// object that no model refers to: null would match the models without a value.
    func constant(for identifier: PersistentIdentifier) -> NSObject {
        objectID(for: identifier).map { managed.object(with: $0) } ?? UnknownModel()
    }

    /// Returns the object of a model for a predicate. A model of another context stands for the one with its
    /// identifier.
    func constant(for model: any PersistentModel) -> Any {
        if let object = model.core.object, object.directContext === managed { return object }
        return constant(for: model.core.requiredIdentifier)
    }

    // MARK: Requests

    /// Returns the number of models that are loaded at a time. A custom store has no request for some models by their
    /// identifiers, so each batch would read all models of the class.
    private func loadingSize(_ batchSize: Int, of count: Int) -> Int {
        max(core.bridges.isEmpty ? batchSize : count, 1)
    }

    func request<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> NSFetchRequest<NSManagedObject> {
        receiveSaves()
        let info = ModelInfo.of(T.self)
        guard core.schema.classes[info.entityName] === info else {
            throw SwiftDataError(
                .unknownSchema,
                "\(T.self) is not in the container's schema, whose models are "
                    + core.schema.entities.map(\.name).joined(separator: ", "))
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: info.entityName)
        request.predicate = try descriptor.predicate.map { try ModelPredicateResolver.translate($0, self) }
        if !core.bridges.isEmpty { managed.query = (descriptor, request.predicate) }
        request.sortDescriptors = try SortTranslation.translate(descriptor.sortBy)
        request.fetchLimit = descriptor.fetchLimit ?? 0
        request.fetchOffset = descriptor.fetchOffset ?? 0
        request.includesPendingChanges = descriptor.includePendingChanges
        for keyPath in descriptor.propertiesToFetch where ModelKeyPaths.key(keyPath, of: T.self) == nil {
            throw SwiftDataError(
                .unsupportedKeyPath, "\(keyPath) in propertiesToFetch is not a persistent property of \(T.self)")
        }
        let prefetched = descriptor.relationshipKeyPathsForPrefetching.compactMap { ModelKeyPaths.key($0, of: T.self) }
        if !prefetched.isEmpty { request.relationshipKeyPathsForPrefetching = prefetched }
        return request
    }

    private func objects<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [NSManagedObject] {
        try managed.fetch(request(descriptor))
    }

    private func objectIDs<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [NSManagedObjectID] {
        if managed.hasChanges { return try objects(descriptor).map(\.currentID) }
        let request = try NSFetchRequest<NSManagedObjectID>(request(descriptor))
        request.resultType = .managedObjectIDResultType
        return try managed.fetch(request)
    }

    /// Returns the objects with IDs, in order, with their values loaded by one query.
    private func load<T: PersistentModel>(_ identifiers: [NSManagedObjectID], _ type: T.Type) -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: ModelInfo.of(type).entityName)
        request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [identifiers as NSArray])
        let found = (try? managed.fetch(request)) ?? []
        return withExtendedLifetime(found) { identifiers.map { managed.object(with: $0) } }
    }

    // MARK: Deleting

    /// Deletes the models of a class that meet a condition, in their stores and immediately. Delete rules are applied
    /// by the store.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` for a class that is not in the schema, `.unsupportedPredicate`,
    ///   `.unsupportedSortDescriptor` or `.unsupportedKeyPath` for a query without an equivalent in the store;
    ///   otherwise the store's `NSError`.
    public func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        let request = try request(FetchDescriptor<T>(predicate: predicate))
        request.includesSubentities = includeSubclasses
        let unsaved = managed.insertedObjects.filter(request.includes)
        request.includesPendingChanges = false
        let deletion = NSBatchDeleteRequest(fetchRequest: request)
        deletion.resultType = .resultTypeObjectIDs
        let result = try managed.execute(deletion) as? NSBatchDeleteResult
        for object in unsaved {
            hasDeletions = true
            managed.delete(object)
        }
        let deleted = result?.result as? [NSManagedObjectID] ?? []
        guard !deleted.isEmpty else { return }
        var save = SaveInbox.Save(inserted: [], updated: [], deleted: deleted)
        // The store has followed the delete rules.
        if let entity = core.model.entitiesByName[ModelInfo.of(model).entityName] {
            save.unlisted = SaveInbox.Entities(roots: core.model.rootsAffected(byDeletionOf: entity))
        }
        merge(save)
        core.recordSave(save, by: inbox)
    }
}

/// A constant in predicates for a model of another store, or of no store.
private final class UnknownModel: NSObject {}

extension NSFetchRequest<NSManagedObject> {
    /// Returns whether an object has the request's entity and meets its condition.
    fileprivate func includes(_ object: NSManagedObject) -> Bool {
        let entities = sequence(first: object.entity) { [includesSubentities] in
            includesSubentities ? $0.superentity : nil
        }
        return entities.contains { $0.name == entityName } && predicate?.evaluate(with: object) ?? true
    }
}

extension NSManagedObjectModel {
    /// Returns the names of the root entities whose objects may be deleted or changed by the deletion of an entity's
    /// objects: those that delete rules cascade to, and those with relationships to deleted ones. Empty if no other
    /// object is affected.
    fileprivate func rootsAffected(byDeletionOf entity: NSEntityDescription) -> Set<String> {
        let relationships = entities.flatMap { entity in
            entity.relationshipsByName.values.compactMap { relationship in
                relationship.destinationEntity.map { (entity.rootName, relationship.deleteRule, $0.rootName) }
            }
        }
        var deleted: Set = [entity.rootName]
        var count = 0
        while count < deleted.count {
            count = deleted.count
            for (owner, rule, destination) in relationships where rule == .cascadeDeleteRule && deleted.contains(owner)
            {
                deleted.insert(destination)
            }
        }
        let affected = relationships.filter { deleted.contains($0.2) }.map(\.0)
        return deleted.subtracting([entity.rootName]).union(affected)
    }
}
