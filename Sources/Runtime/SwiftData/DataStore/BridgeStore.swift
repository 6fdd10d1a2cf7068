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
    /// The values of the objects that contexts use, and of those that the last fetch has found.
    private var snapshots: [NSManagedObjectID: (snapshot: DefaultSnapshot, version: UInt64)] = [:]
    private var lastVersion: UInt64 = 0
    /// The number of contexts that use an object.
    private var uses: [NSManagedObjectID: Int] = [:]
    /// The objects with values that no context uses.
    private var unused: Set<NSManagedObjectID> = []
    /// The references of the store's identifiers.
    private let references = BridgeReferences()

    /// Adds a custom store to a coordinator.
    static func add(
        _ store: AnyDataStore, _ schema: Schema, to coordinator: NSPersistentStoreCoordinator, configuration: String?
    ) throws {
        NSPersistentStoreCoordinator.registerStoreClass(BridgeStore.self, forStoreType: type)
        let token = UUID().uuidString
        lock.withLock { waiting[token] = (store, schema) }
        defer { lock.withLock { waiting[token] = nil } }
        // A coordinator has no two stores with the same URL.
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: URL(string: "swiftdata-store:///\(token)"),
            options: [key: token])
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

    /// Returns the identifier of an object of a custom store; a temporary one if the object is new. Nil for other
    /// stores.
    static func identifier(of id: NSManagedObjectID) -> PersistentIdentifier? {
        (id.referenceValue as? BridgeReference)?.identifier
    }

    private func persistentIdentifier(_ id: NSManagedObjectID) -> PersistentIdentifier {
        Self.identifier(of: id) ?? PersistentIdentifier(id)
    }

    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[identifier.entityName] else {
            return nil
        }
        return newObjectID(for: entity, referenceObject: references.reference(of: identifier))
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            let new = PersistentIdentifier(unattached: object.entity.name ?? "")
            return newObjectID(for: object.entity, referenceObject: references.reference(of: new))
        }
    }

    // MARK: Contexts

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs {
            uses[id, default: 0] += 1
            unused.remove(id)
        }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs {
            guard let count = uses[id], count <= 1 else {
                uses[id]? -= 1
                continue
            }
            uses[id] = nil
            remove(id)
        }
    }

    /// The number of objects whose values are kept.
    var keptCount: Int { snapshots.count }

    private func remove(_ id: NSManagedObjectID) {
        snapshots[id] = nil
        unused.remove(id)
    }

    /// Notifies the store that a context begins or ends to use it.
    func announce(_ state: EditingState, isBeginning: Bool) {
        persistentStoreCoordinator?.performAndWait {
            if isBeginning { store?.initializeState(for: state) } else { store?.invalidateState(for: state) }
        }
    }

    /// Deletes the contents.
    func erase() throws {
        try persistentStoreCoordinator?.performAndWait {
            // After a failure it is unknown what is left.
            defer { (snapshots, unused) = ([:], []) }
            try required.erase()
        }
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
            for object in found { remove(object.currentID) }
            return found.map(\.currentID)
        default: throw DataStoreError.unsupportedFeature
        }
    }

    private func result(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> Any {
        if let answer = try answer(request, context) { return answer }
        let found = try matching(request, context)
        switch request.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return found.map(\.currentID)
        case .managedObjectResultType: return found
        default: throw DataStoreError.unsupportedFeature
        }
    }

    /// Returns the number or IDs of the objects that a query finds if the store itself can tell.
    private func answer(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> Any? {
        guard [.countResultType, .managedObjectIDResultType].contains(request.resultType),
            let info = classes[request.entityName ?? ""], request.includesSubentities,
            let query = (context as? ManagedContext)?.query, query.predicate === request.predicate
        else { return nil }
        func answer<T: PersistentModel>(_ type: T.Type) throws -> Any? {
            guard let descriptor = limited(query.descriptor, of: request) as FetchDescriptor<T>? else { return nil }
            if request.resultType == .countResultType {
                return try required.count(descriptor, editing: state(context)).map { [NSNumber(value: $0)] }
            }
            return try required.identifiers(descriptor, editing: state(context))?.compactMap { objectID(for: $0) }
        }
        return try answer(info.type)
    }

    /// Returns a query with the limits of a request: with unsaved changes, the context asks for more, and applies its
    /// own limits.
    private func limited<T: PersistentModel>(
        _ query: Any?, of request: NSFetchRequest<any NSFetchRequestResult>?
    ) -> FetchDescriptor<T>? {
        guard var descriptor = query as? FetchDescriptor<T> else { return nil }
        guard let request else { return descriptor }
        descriptor.fetchOffset = request.fetchOffset > 0 ? request.fetchOffset : nil
        descriptor.fetchLimit = request.fetchLimit > 0 ? request.fetchLimit : nil
        return descriptor
    }

    private func matching(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        guard let info = classes[request.entityName ?? ""],
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[info.entityName]
        else { throw DataStoreError.unsupportedFeature }
        for id in unused { snapshots[id] = nil }
        unused = []
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
    ) throws -> AnyDataStore.FetchResult {
        func fetch<T: PersistentModel>(_ type: T.Type) throws -> AnyDataStore.FetchResult {
            try required.fetch(type, limited(query, of: request), editing: state(context))
        }
        let found = try fetch(info.type)
        for snapshot in found.related { register(snapshot) }
        return found
    }

    /// Keeps a snapshot, and returns the ID of its object.
    @discardableResult
    private func register(_ snapshot: DefaultSnapshot) -> NSManagedObjectID? {
        guard let id = objectID(for: snapshot.persistentIdentifier), let info = classes[id.entity.name ?? ""] else {
            return nil
        }
        let snapshot = snapshot.normalized(info)
        guard snapshots[id]?.snapshot != snapshot else { return id }
        lastVersion += 1
        snapshots[id] = (snapshot, lastVersion)
        if uses[id] == nil { unused.insert(id) }
        return id
    }

    private func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext?) throws {
        func snapshots(_ objects: Set<NSManagedObject>?) throws -> [DefaultSnapshot] {
            try (objects ?? []).map { object in
                try DefaultSnapshot(object, of: classes[object.entity.name ?? ""]) { persistentIdentifier($0) }
            }.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        }
        let (inserted, updated) = (try snapshots(request.insertedObjects), try snapshots(request.updatedObjects))
        let deleted = (request.deletedObjects ?? []).map { object in
            self.snapshots[object.currentID]?.snapshot
                ?? DefaultSnapshot(persistentIdentifier(object.currentID), [:])
        }
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty else { return }
        let saved = try required.save(inserted: inserted, updated: updated, deleted: deleted, state(context))
        for (temporary, permanent) in saved.remapped { references.rename(temporary, to: permanent) }
        for object in request.deletedObjects ?? [] { remove(object.currentID) }
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
            let identifier = persistentIdentifier(objectID)
            let cached = try required.cachedSnapshots(for: [identifier], editing: state(context))
            for snapshot in cached { register(snapshot) }
        }
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
