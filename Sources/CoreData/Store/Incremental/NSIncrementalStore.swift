public import Foundation

/// The base class of stores that load and write objects one by one: over a service, a database, or custom files.
///
/// A subclass overrides `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)`, `obtainPermanentIDs(for:)` and, optionally, the class's
/// `identifierForNewStore(at:)`.
///
/// ```swift
/// class ServiceStore: NSIncrementalStore {
///     override func loadMetadata() throws {
///         metadata = [NSStoreTypeKey: "ServiceStore", NSStoreUUIDKey: UUID().uuidString]
///     }
///     override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
///         []
///     }
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, forStoreType: "ServiceStore")
/// ```
///
/// All methods are called under the coordinator's lock, one at a time, on the thread that uses the context that is passed. A
/// store may use objects of that context and of no other.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
    /// The nodes that came with objects of to-many relationships, while these are in use.
    private var nodes: [NSManagedObjectID: NSIncrementalStoreNode] = [:]

    // MARK: What a subclass overrides

    /// Reads the metadata when the store is added: sets `metadata` to a dictionary with at least `NSStoreUUIDKey` and
    /// `NSStoreTypeKey`, or throws when the store cannot be used. Without an override the store is a new one.
    open override func loadMetadata() throws {
        metadata = [
            NSStoreUUIDKey:
                "\(Swift.type(of: self).identifierForNewStore(at: url ?? URL(fileURLWithPath: "/dev/null")))",
            NSStoreTypeKey: type,
        ]
    }

    /// Executes a request.
    ///
    /// The result of an `NSFetchRequest` is an array: of the objects that match, made with the context's `object(with:)`; of
    /// their IDs; of dictionaries; or of one number, as `resultType` says. It comes with predicate, order, limit and offset to
    /// be respected. The result of a batch request is an array of the IDs of the objects that it was about, or their number.
    /// The result of an `NSSaveChangesRequest` is an empty array; one whose collections are nil asks to write the metadata.
    /// `obtainPermanentIDs(for:)` was called before for all inserted objects.
    ///
    /// - Parameters:
    ///   - request: a request of any kind. One that the store does not know it refuses with an error with the code
    ///     134091.
    ///   - context: the context that asks.
    /// - Throws: why the request could not be executed. An error of Cocoa's domain with the code 134050 and
    ///   `NSMergeConflict`s under `NSPersistentStoreSaveConflictsErrorKey` lets the context's merge policy decide, and try
    ///   again.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        abstractMethod(self, "execute(_:with:)")
    }

    /// Returns the values of an object.
    ///
    /// - Throws: when there is no such object: an error of Cocoa's domain with the code 133000; or why it cannot be read. A
    ///   fault is then treated as that of a deleted object, or the program stops if the context's
    ///   `shouldDeleteInaccessibleFaults` is not set.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        abstractMethod(self, "newValuesForObject(with:with:)")
    }

    /// Returns the objects of a relationship that the node of an object does not have.
    ///
    /// - Returns: of a to-one relationship an ID, or `NSNull` for none; of a to-many relationship a set or an array of IDs,
    ///   which is the order of an ordered relationship.
    /// - Throws: when there is no such object, or it cannot be read.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        abstractMethod(self, "newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns the UUID of a store that is made at a URL: a text, or a number. Random unless overridden.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Returns IDs for new objects, made with `newObjectID(for:referenceObject:)`, in the same order. They are never
    /// changed again, even if the save that follows fails.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        abstractMethod(self, "obtainPermanentIDs(for:)")
    }

    /// Says that a context has begun to use objects: the store may want to keep their values at hand. Called for each context.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Says that a context does not use objects anymore. Called for each context, on any thread.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: What a subclass uses

    /// Returns the ID of the object that a value stands for: a number or a text that is unique among the objects of an
    /// entity's hierarchy, and stays the same. The ID is the same for the same value. Other hashable values work too,
    /// but are not found by their ID's URI.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        makeID(data, entity)
    }

    /// Returns the value that an ID was made of. An ID of another store, or a temporary one, traps.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { referenceValue(of: objectID) }

    // MARK: What contexts ask for

    override final var tracksObjects: Bool { true }

    /// The context that asks, which Apple's interface of the store names.
    private var context: NSManagedObjectContext {
        guard let context = persistentStoreCoordinator?.askingContext else {
            misuse("\(Swift.type(of: self)) was called without a context of its coordinator")
        }
        return context
    }

    override final func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        let context = self.context
        nodes[id] = nil
        let node: NSIncrementalStoreNode
        do {
            node = try newValuesForObject(with: id, with: context)
        } catch let error as NSError where Self.isMissing(error) {
            return nil
        }
        if layout.toManySlots.contains(where: { node.value(for: layout.slots[$0].property) != nil }) {
            nodes[id] = node
        }
        var values = [SlotValue](repeating: .null, count: layout.slots.count)
        for index in layout.rowSlots {
            let property = layout.slots[index].property
            let value = node.value(for: property)
            if case .attribute(let type) = layout.slots[index].kind {
                values[index] = try layout.stored(value, at: index, type, id)
            } else if let relationship = property as? NSRelationshipDescription {
                let other = try value ?? newValue(forRelationship: relationship, forObjectWith: id, with: context)
                if other is NSNull { continue }
                guard let other = other as? NSManagedObjectID else { throw layout.wrong(other, at: index, id) }
                values[index] = .reference(other)
            }
        }
        return Row.make(values, version: Int(clamping: node.version))
    }

    private static func isMissing(_ error: NSError) -> Bool {
        error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
    }

    override final func members(
        of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout
    ) throws -> [NSManagedObjectID] {
        guard let relationship = layout.slots[index].property as? NSRelationshipDescription else { return [] }
        let value: Any
        do {
            value =
                try nodes[id]?.value(for: relationship)
                ?? newValue(forRelationship: relationship, forObjectWith: id, with: context)
        } catch let error as NSError where Self.isMissing(error) {
            return []
        }
        guard let elements = StoredCollection.elements(value) else { throw layout.wrong(value, at: index, id) }
        return try elements.map { element in
            guard let id = element as? NSManagedObjectID else { throw layout.wrong(element, at: index, id) }
            return id
        }
    }

    override final func fetch(_ search: FetchSearch) throws -> StoreAnswer {
        let (context, request) = (context, search.settings)
        let result = try execute(NSFetchRequest<any NSFetchRequestResult>(settings: request), with: context)
        guard let elements = StoredCollection.elements(result) else { wrongResult(result, request) }
        switch request.resultType {
        case .dictionaryResultType: return StoreAnswer(.dictionaries(elements.map { $0 as AnyObject }))
        case .countResultType: return StoreAnswer(.count((elements.first as? NSNumber)?.intValue ?? 0))
        default:
            let ids = elements.map { element in
                switch element {
                case let object as NSManagedObject where object.managedObjectContext === context: object.objectID
                case let id as NSManagedObjectID: id
                default: wrongResult(element, request)
                }
            }
            var answer = StoreAnswer(.ids(ids))
            answer.keepAlive = elements.map { $0 as AnyObject }
            return answer
        }
    }

    private func wrongResult(_ result: Any, _ request: FetchSettings) -> Never {
        misuse(
            "\(Swift.type(of: self)) gives a \(Swift.type(of: result)) for a fetch of “\(request.entityName ?? "")” with the "
                + "result type \(request.resultType.rawValue): an array of objects of the context, or of what the request "
                + "asks for, is expected")
    }

    override final func execute(_ batch: BatchChange) throws -> BatchOutcome {
        let result = try execute(batch.request, with: context)
        if let number = result as? NSNumber { return BatchOutcome(count: number.intValue) }
        guard let elements = StoredCollection.elements(result) else { wrongResult(result, batch.settings) }
        let ids = elements.map { element in
            guard let id = element as? NSManagedObjectID else { wrongResult(element, batch.settings) }
            return id
        }
        return BatchOutcome(count: ids.count, ids: ids)
    }

    override final func newIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        checked(try obtainPermanentIDs(for: objects), for: objects)
    }

    override final func save(_ save: StoreSave) throws -> [Row?] {
        let (changes, context) = (save.changes, context)
        do {
            _ = try execute(saveRequest(changes, save.locked), with: context)
        } catch let error as NSError {
            throw try conflicts(error, changes) ?? error
        }
        nodes = [:]
        return changes.map { change in
            guard change.kind != .delete else { return nil }
            // Only the store knows how it counts versions.
            let version = try? newValuesForObject(with: change.id, with: context).version
            return Row.make(change.row.values, version: version.map { Int(clamping: $0) } ?? change.row.version)
        }
    }

    private func saveRequest(_ changes: [ObjectChange], _ locked: [NSManagedObject]) -> NSSaveChangesRequest {
        guard !changes.isEmpty || !locked.isEmpty else {
            return NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        }
        func objects(_ kind: ObjectChange.Kind) -> Set<NSManagedObject> {
            Set(changes.filter { $0.kind == kind }.map(\.object))
        }
        return NSSaveChangesRequest(
            inserted: objects(.insert), updated: objects(.update), deleted: objects(.delete), locked: Set(locked))
    }

    /// Returns the conflicts that the store has found; nil for another error, or when the conflicts are about other
    /// objects.
    private func conflicts(_ error: NSError, _ changes: [ObjectChange]) throws -> SaveConflicts? {
        guard error.domain == NSCocoaErrorDomain, error.code == NSPersistentStoreSaveConflictsError,
            let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        else { return nil }
        let objects = Set(list.map { ObjectIdentifier($0.sourceObject) })
        let found = changes.filter { objects.contains(ObjectIdentifier($0.object)) }
        guard !found.isEmpty else { return nil }
        return SaveConflicts(
            conflicts: try found.map { change in
                .init(
                    object: change.object, current: try row(for: change.id, change.layout),
                    isDeletion: change.kind == .delete)
            })
    }

    // MARK: Objects in use

    override final func beginUse(of id: NSManagedObjectID) {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.lock.withLock { managedObjectContextDidRegisterObjects(with: [id]) }
    }

    override final func endUse(of id: NSManagedObjectID) {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.lock.withLock {
            nodes[id] = nil
            managedObjectContextDidUnregisterObjects(with: [id])
        }
    }
}
