public import Foundation
internal import RuntimeSupport

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
/// All methods are called under the coordinator's lock, one at a time, on the thread that uses the context that is
/// passed. A store may use objects of that context and of no other.
open class NSIncrementalStore: NSPersistentStore, StoreEngine, @unchecked Sendable {
    /// The nodes with values of to-many relationships, for objects in use.
    private var nodes: [NSManagedObjectID: NSIncrementalStoreNode] = [:]

    // MARK: Methods to override

    /// Reads the metadata when the store is added: sets `metadata` to a dictionary with at least `NSStoreUUIDKey` and
    /// `NSStoreTypeKey`, or throws an error if the store cannot be used. The default treats the store as a new one.
    ///
    /// - Throws: The reason why the store cannot be used; it is then not added. The default throws no error.
    open override func loadMetadata() throws {
        metadata = [
            NSStoreUUIDKey:
                "\(Swift.type(of: self).identifierForNewStore(at: url ?? URL(fileURLWithPath: "/dev/null")))",
            NSStoreTypeKey: type,
        ]
    }

    /// Executes a request.
    ///
    /// The result of an `NSFetchRequest` is an array which contains, depending on `resultType`, the matching objects,
    /// created with the context's `object(with:)`; their IDs; dictionaries; or a single number. The store must apply
    /// the request's predicate, order, limit and offset. The result of a batch request is an array of the IDs of the
    /// affected objects, or their number. The result of an `NSSaveChangesRequest` is an empty array; if the request's
    /// collections are `nil`, only the metadata must be written. `obtainPermanentIDs(for:)` has already been called for
    /// all inserted objects.
    ///
    /// - Parameters:
    ///   - request: A request of any kind. A store rejects unsupported ones with an error with the code 134091.
    ///   - context: The context that executes the request.
    /// - Throws: An error if the request could not be executed. For an error of Cocoa's domain with the code 134050 and
    ///   `NSMergeConflict`s under `NSPersistentStoreSaveConflictsErrorKey`, the context lets its merge policy resolve
    ///   the conflicts, and tries again.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        abstractMethod(self, "execute(_:with:)")
    }

    /// Returns the values of an object.
    ///
    /// - Throws: An error of Cocoa's domain with the code 133000 if there is no such object; otherwise the reason why
    ///   it cannot be read. A fault is then treated as that of a deleted object, or traps if the context's
    ///   `shouldDeleteInaccessibleFaults` is `false`.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        abstractMethod(self, "newValuesForObject(with:with:)")
    }

    /// Returns the objects of a relationship that is missing in an object's node.
    ///
    /// - Returns: For a to-one relationship an ID, or `NSNull` for none; for a to-many relationship a set or an array
    ///   of IDs, in order if the relationship is ordered.
    /// - Throws: An error if there is no such object or it cannot be read.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        abstractMethod(self, "newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns the UUID of a new store at a URL: a string or a number. Random unless overridden.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Returns IDs for new objects, created with `newObjectID(for:referenceObject:)`, in the same order. They never
    /// change again, even if the save that follows fails.
    ///
    /// - Throws: The reason why the store cannot reserve IDs; the save then fails with it.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        abstractMethod(self, "obtainPermanentIDs(for:)")
    }

    /// Called for each context that begins to use objects, whose values the store may want to cache.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called for each context that no longer uses objects, on any thread.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: Methods for subclasses

    /// Returns the ID for a reference value: a permanent number or string that is unique among the objects of an
    /// entity's hierarchy. The ID is the same for the same value. Other hashable values also work, but their objects
    /// cannot be found by their ID's URI.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        makeID(data, entity)
    }

    /// Returns the reference value of an ID. Traps on an ID of another store and on a temporary one.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { referenceValue(of: objectID) }

    // MARK: Access by contexts

    override final var engine: any StoreEngine { self }

    package final var traits: StoreTraits { [.tracksObjects, .executesBatches] }

    /// The calling context, which Apple's interface passes to the store.
    private var context: NSManagedObjectContext {
        guard let context = persistentStoreCoordinator?.requestingContext else {
            misuse("\(Swift.type(of: self)) was called without a context of its coordinator")
        }
        return context
    }

    package final func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
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
                values[index] = try layout.stored(value, at: index, type: type, id: id)
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

    package final func members(
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

    package final func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer {
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

    package final func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome {
        let result = try execute(batch.request, with: context)
        if let number = result as? NSNumber { return BatchOutcome(count: number.intValue) }
        guard let elements = StoredCollection.elements(result) else { wrongResult(result, batch.settings) }
        let ids = elements.map { element in
            guard let id = element as? NSManagedObjectID else { wrongResult(element, batch.settings) }
            return id
        }
        return BatchOutcome(count: ids.count, ids: ids)
    }

    package final func permanentIDs(for new: [NewObject]) throws -> [NSManagedObjectID] {
        let objects = new.map(\.handle.object)
        return checked(try obtainPermanentIDs(for: objects), for: objects)
    }

    /// Begins a save, which is written when it is committed.
    package final func prepare(_ save: StoreSave) throws -> PreparedSave {
        PreparedSave(isWritten: false, commit: { [self] in try write(save) }, rollBack: {})
    }

    private func write(_ save: StoreSave) throws -> SaveResult {
        let (changes, context) = (save.changes, context)
        do {
            _ = try execute(saveRequest(changes, save.locked), with: context)
        } catch let error as NSError {
            throw try conflicts(error, changes) ?? error
        }
        nodes = [:]
        return SaveResult(
            rows: changes.map { change in
                guard change.kind != .delete else { return nil }
                // Only the store knows its version numbers.
                let version = try? newValuesForObject(with: change.id, with: context).version
                return Row.make(change.row.values, version: version.map { Int(clamping: $0) } ?? change.row.version)
            })
    }

    private func saveRequest(_ changes: [ObjectChange], _ locked: [ObjectChange]) -> NSSaveChangesRequest {
        guard !changes.isEmpty || !locked.isEmpty else {
            return NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        }
        func objects(_ kind: ObjectChange.Kind) -> Set<NSManagedObject> {
            Set(changes.filter { $0.kind == kind }.map(\.object))
        }
        return NSSaveChangesRequest(
            inserted: objects(.insert), updated: objects(.update), deleted: objects(.delete),
            locked: Set(locked.map(\.object)))
    }

    /// Returns the conflicts that the store has found, or `nil` for another error or conflicts of other objects.
    private func conflicts(_ error: NSError, _ changes: [ObjectChange]) throws -> SaveConflicts? {
        guard error.domain == NSCocoaErrorDomain, error.code == NSPersistentStoreSaveConflictsError,
            let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        else { return nil }
        let objects = Set(list.map { ObjectIdentifier($0.sourceObject) })
        let found = changes.filter { objects.contains(ObjectIdentifier($0.object)) }
        guard !found.isEmpty else { return nil }
        return SaveConflicts(
            conflicts: try found.map { .init(change: $0, current: try row(for: $0.id, $0.layout)) })
    }

    // MARK: Objects in use

    package final func beginUse(of id: NSManagedObjectID) {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.lock.withLock { managedObjectContextDidRegisterObjects(with: [id]) }
    }

    package final func endUse(of id: NSManagedObjectID) {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.lock.withLock {
            nodes[id] = nil
            managedObjectContextDidUnregisterObjects(with: [id])
        }
    }
}
