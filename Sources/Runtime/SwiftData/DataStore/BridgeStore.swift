internal import CoreData
internal import Foundation

/// A custom `DataStore` as a store of Core Data, whose objects are made from the store's snapshots.
final class BridgeStore: NSIncrementalStore, @unchecked Sendable {
    static let type = "SwiftData.DataStore"
    private static let key = "SwiftData.DataStore"
    private static let lock = NSLock()
    nonisolated(unsafe) private static var waiting: [String: (AnyDataStore, Schema)] = [:]

    private(set) var store: AnyDataStore?
    private var classes: [String: ModelInfo] = [:]
    private var snapshots: [NSManagedObjectID: (snapshot: DefaultSnapshot, version: UInt64)] = [:]
    /// The store's identifiers of objects, and the objects of identifiers.
    private var identifiers: [NSManagedObjectID: PersistentIdentifier] = [:]
    private var objects: [PersistentIdentifier: NSManagedObjectID] = [:]
    /// The tables are also used when identifiers are made, outside of the coordinator's lock.
    private let tableLock = NSLock()

    /// Adds a custom store to a coordinator.
    static func add(
        _ store: AnyDataStore, _ schema: Schema, to coordinator: NSPersistentStoreCoordinator, configuration: String?
    ) throws {
        NSPersistentStoreCoordinator.registerStoreClass(BridgeStore.self, forStoreType: type)
        let token = UUID().uuidString
        lock.withLock { waiting[token] = (store, schema) }
        defer { lock.withLock { waiting[token] = nil } }
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: URL(fileURLWithPath: "/dev/null"), options: [key: token]
        )
    }

    override func loadMetadata() throws {
        guard let token = options?[Self.key] as? String,
            let (store, schema) = Self.lock.withLock({ Self.waiting[token] })
        else {
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSPersistentStoreOpenError,
                userInfo: [NSLocalizedDescriptionKey: "a custom store is opened by a ModelContainer only"])
        }
        self.store = store
        classes = schema.classes
        metadata = [NSStoreUUIDKey: store.identifier, NSStoreTypeKey: Self.type]
    }

    private var required: AnyDataStore {
        get throws {
            guard let store else { throw DataStoreError.unsupportedFeature }
            return store
        }
    }

    private func state(_ context: NSManagedObjectContext?) -> EditingState {
        (context as? ManagedContext)?.owner?.editingState
            ?? EditingState(id: UUID(), author: context?.transactionAuthor)
    }

    // MARK: Identifiers

    /// Returns the store's identifier of an object, or a temporary one if the object is new.
    func persistentIdentifier(_ id: NSManagedObjectID) -> PersistentIdentifier {
        tableLock.withLock {
            if let known = identifiers[id] { return known }
            let new = PersistentIdentifier(temporary: id.primaryKeyText, entity: id.entity.name ?? "")
            identifiers[id] = new
            objects[new] = id
            return new
        }
    }

    /// Returns the ID of the object with an identifier.
    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        if let known = tableLock.withLock({ objects[identifier] }) { return known }
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[identifier.entityName] else {
            return nil
        }
        let id = newObjectID(for: entity, referenceObject: identifier.primaryKey)
        name(id, identifier)
        return id
    }

    private func name(_ id: NSManagedObjectID, _ identifier: PersistentIdentifier) {
        tableLock.withLock {
            identifiers[id] = identifier
            objects[identifier] = id
        }
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    // MARK: Requests

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request {
        case let fetch as NSFetchRequest<any NSFetchRequestResult>:
            guard let context else { return [Any]() }
            return try result(fetch, context)
        case let save as NSSaveChangesRequest:
            try self.save(save, context)
            return [Any]()
        case let deletion as NSBatchDeleteRequest:
            guard let context else { return [Any]() }
            let found = try matching(deletion.fetchRequest, context)
            _ = try required.save(
                inserted: [], updated: [], deleted: found.compactMap { snapshots[$0.currentID]?.snapshot },
                state(context))
            for object in found { snapshots[object.currentID] = nil }
            return found.map(\.currentID)
        default: throw DataStoreError.unsupportedFeature
        }
    }

    private func result(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> Any {
        let found = try matching(request, context)
        switch request.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return found.map(\.currentID)
        case .managedObjectResultType: return found
        default: throw DataStoreError.unsupportedFeature
        }
    }

    private func matching(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        guard let info = classes[request.entityName ?? ""],
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[info.entityName]
        else { throw DataStoreError.unsupportedFeature }
        // Requests for the objects of a batch have other predicates.
        let query = (context as? ManagedContext)?.query
        let isCurrent = query?.predicate === request.predicate
        let found = try fetch(info, isCurrent ? query?.descriptor : nil, of: request, context)
        func names(_ entity: NSEntityDescription) -> [String] {
            [entity.name ?? ""] + entity.subentities.flatMap(names)
        }
        let entities = Set(request.includesSubentities ? names(entity) : [info.entityName])
        var objects = found.snapshots.filter { entities.contains($0.persistentIdentifier.entityName) }
            .compactMap { register($0) }.map { context.object(with: $0) }
        guard !found.isComplete else { return objects }
        if let predicate = request.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
        if let order = request.sortDescriptors, !order.isEmpty {
            objects = (objects as NSArray).sortedArray(using: order) as? [NSManagedObject] ?? objects
        }
        objects = Array(objects.dropFirst(request.fetchOffset))
        return request.fetchLimit > 0 ? Array(objects.prefix(request.fetchLimit)) : objects
    }

    private func fetch(
        _ info: ModelInfo, _ query: Any?, of request: NSFetchRequest<any NSFetchRequestResult>?,
        _ context: NSManagedObjectContext
    ) throws -> AnyDataStore.Found {
        func fetch<T: PersistentModel>(_ type: T.Type) throws -> AnyDataStore.Found {
            var descriptor = query as? FetchDescriptor<T>
            // With unsaved changes, the context asks for more, and applies its own limits.
            if let request {
                descriptor?.fetchOffset = request.fetchOffset > 0 ? request.fetchOffset : nil
                descriptor?.fetchLimit = request.fetchLimit > 0 ? request.fetchLimit : nil
            }
            return try required.fetch(type, descriptor, editing: state(context))
        }
        let found = try fetch(info.type)
        for snapshot in found.related { register(snapshot) }
        return found
    }

    /// Keeps a snapshot, and returns the ID of its object.
    @discardableResult
    private func register(_ snapshot: DefaultSnapshot) -> NSManagedObjectID? {
        guard let id = objectID(for: snapshot.persistentIdentifier) else { return nil }
        if let known = snapshots[id] {
            if known.snapshot != snapshot { snapshots[id] = (snapshot, known.version + 1) }
        } else {
            snapshots[id] = (snapshot, 1)
        }
        return id
    }

    private func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext?) throws {
        func snapshots(_ objects: Set<NSManagedObject>?) -> [DefaultSnapshot] {
            (objects ?? []).map { object in
                DefaultSnapshot(object, of: classes[object.entity.name ?? ""]) { persistentIdentifier($0) }
            }.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        }
        let (inserted, updated) = (snapshots(request.insertedObjects), snapshots(request.updatedObjects))
        let deleted = (request.deletedObjects ?? []).map { object in
            self.snapshots[object.currentID]?.snapshot
                ?? DefaultSnapshot(persistentIdentifier(object.currentID), [:])
        }
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return }
        let saved = try required.save(inserted: inserted, updated: updated, deleted: deleted, state(context))
        for (temporary, permanent) in saved.remapped {
            guard let id = tableLock.withLock({ objects[temporary] }) else { continue }
            name(id, permanent)
        }
        for object in request.deletedObjects ?? [] { self.snapshots[object.currentID] = nil }
        for snapshot in inserted + updated {
            let identifier = saved.remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            register(
                saved.changed[identifier]
                    ?? snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: saved.remapped))
        }
    }

    // MARK: Values

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        guard let info = classes[objectID.entity.name ?? ""] else { throw DataStoreError.unsupportedFeature }
        if snapshots[objectID] == nil {
            for snapshot in try fetch(info, nil, of: nil, context).snapshots { register(snapshot) }
        }
        guard let (snapshot, version) = snapshots[objectID] else {
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError,
                userInfo: [NSLocalizedDescriptionKey: "the store \(identifier ?? "") has no such model"])
        }
        return NSIncrementalStoreNode(
            objectID: objectID, withValues: try snapshot.storedValues(info) { self.objectID(for: $0) }, version: version
        )
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        guard let context else { return NSNull() }
        return try newValuesForObject(with: objectID, with: context).value(for: relationship)
            ?? (relationship.isToMany ? [NSManagedObjectID]() : NSNull())
    }
}
