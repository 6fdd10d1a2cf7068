internal import Foundation
internal import RuntimeSupport

/// How objects enter a context, get their values, and leave it.
extension NSManagedObjectContext {
    /// Registers a new object.
    ///
    /// - Parameter awakes: Whether the object's hook is called.
    final func insertNew(_ object: NSManagedObject, awakes: Bool = true) {
        checkQueue()
        object.enter(self)
        if object.isFault { object.fillWithDefaults() }
        if !object.hasTemporaryID { forgetRow(of: object) }
        object.setTemporary()
        registry.insert(object)
        contents.retained?.append(object)
        recordEvent(object, isNew: true)
        object.become(.inserted)
        object.mark(.listed)
        pending.list(object)
        let objectClass = type(of: object)
        if insertedClasses.insert(objectClass) { ManagedObjectClasses.record(objectClass, of: object.layout) }
        guard awakes else { return }
        processing.awakening += 1
        object.awakeFromInsert()
        processing.awakening -= 1
    }

    /// Makes an object that enters the context after its deletion was saved a new one, without an ID.
    final func forgetRow(of object: NSManagedObject) {
        registry.forget(Unmanaged.passUnretained(object))
        object.identity = NSManagedObject.Identity(key: 0)
        object.snapshot = nil
    }

    /// Creates and registers a fault for an ID.
    final func makeFault(_ id: NSManagedObjectID) -> NSManagedObject {
        if id.isTemporaryID {
            if let permanent = renames[id] { return makeFault(permanent) }
            renames.setNeedsEntries(true)
        }
        let object = makeUnregisteredFault(faultKind(id.layout))
        object.setID(id)
        registry.insert(object)
        if id.isTracked { object.beginUse() }
        return object
    }

    /// Creates and registers a fault for a row.
    final func makeFault(_ key: Int64, kind: FaultKind, storeIdentity: StoreIdentity) -> NSManagedObject {
        let object = makeUnregisteredFault(kind)
        object.setRow(key, storeIdentity)
        registry.insert(object, key: key, layout: kind.layout, storeIdentity: storeIdentity)
        return object
    }

    /// Creates a fault that is not registered yet.
    private final func makeUnregisteredFault(_ kind: FaultKind) -> NSManagedObject {
        EntityLayout.offer(kind.offer)
        let object = kind.objectClass.init(entity: kind.entity, insertInto: nil)
        object.clearSlots()
        object.enter(self)
        contents.retained?.append(object)
        return object
    }

    /// Fills a fault with the values from its store or parent.
    final func fireFault(_ object: NSManagedObject) {
        checkQueue()
        guard object.lacksValues, !object.flags.contains(.isFaulting) else { return }
        // A new object is a fault if a refresh has discarded its values.
        if object.isMarkedInserted { return object.fillWithDefaults() }
        dropStaleRows(of: [object.objectID])
        if reading.token == nil, object.adoptPending() { return wake(object) }
        if !contents.faultBatches.isEmpty, loadBatch(of: object) { return }
        let found: Row?
        do {
            found = try row(for: object.objectID, object.layout)
        } catch {
            // An accessor cannot throw. The row may still exist, so a save must not treat the object as deleted.
            Log.error("the values of \(object.objectID.uriRepresentation()) cannot be read: \(error)")
            // With this code, an incremental store reports that the object does not exist.
            if (error as NSError).code != NSManagedObjectReferentialIntegrityError {
                object.flags.insert(.isUnreadable)
            }
            found = nil
        }
        guard let row = found else { return fillInaccessible(object) }
        fill(object, with: row)
    }

    /// Fills an object with a row's values, and awakes it.
    final func fill(_ object: NSManagedObject, with row: Row) {
        object.fill(with: row)
        wake(object)
    }

    /// Drops cached rows older than the context's staleness interval, if another coordinator or process has written to
    /// their store. Each store is checked once. Without an interval, the IDs are not asked for: most objects that load
    /// their values have none yet.
    private final func dropStaleRows(of ids: @autoclosure () -> [NSManagedObjectID]) {
        guard settings.stalenessInterval >= 0, reading.token == nil, let coordinator = persistentStoreCoordinator else {
            return
        }
        var checked: Set<ObjectIdentifier> = []
        for id in ids() {
            guard let store = id.persistentStore, checked.insert(ObjectIdentifier(store)).inserted else { continue }
            do {
                try coordinator.lock.withLock { try store.engine.dropStaleRows(olderThan: settings.stalenessInterval) }
            } catch {
                Log.error("the store of \(id.uriRepresentation()) cannot be checked for changes: \(error)")
            }
        }
    }

    final func wake(_ object: NSManagedObject) {
        object.flags.insert(.silent)
        object.awakeFromFetch()
        object.flags.remove(.silent)
    }

    private final func fillInaccessible(_ object: NSManagedObject) {
        guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: nil) else {
            misuse(
                "NSObjectInaccessibleException",
                "CoreData could not fulfill a fault for “\(object.objectID.uriRepresentation())”")
        }
        let blank = Row.blank(object.layout, version: 0)
        object.fill(with: blank)
        if object.presence != .gone { object.become(.gone) }
    }

    /// Returns the row of an object in the store or in the parent context, or `nil` if it does not exist.
    final func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        if parent != nil { return try valuesOfMany([id])[0] }
        dropStaleRows(of: [id])
        return try rootCoordinator?.row(for: id, layout, for: self)
    }

    /// Returns the rows of objects in the stores or in the parent context; `nil` for those that do not exist.
    final func valuesOfMany(_ ids: [NSManagedObjectID]) throws -> [Row?] {
        dropStaleRows(of: ids)
        if let parent {
            return try ask(parent) {
                // The parent may have given objects permanent IDs in the meantime.
                try parent.objectsForChild(ids.map { renames[$0] ?? $0 }).map { $0?.row(version: 1) }
            }
        }
        return try rootCoordinator?.rows(for: ids, for: self) ?? ids.map { _ in nil }
    }

    /// Returns the objects that a child context asks for, with their values; `nil` for those that do not exist here.
    final func objectsForChild(_ ids: [NSManagedObjectID]) throws -> [NSManagedObject?] {
        let objects = ids.map { object(with: $0) }
        let usesPending = reading.token == nil && settings.stalenessInterval < 0
        let unknown = objects.filter { object in
            // What was missing when it was read may have been saved since.
            if object.presence == .gone { return object.canRevive }
            guard object.isFault, !object.isInserted else { return false }
            guard usesPending, object.adoptPending() else { return true }
            wake(object)
            return false
        }
        var missing: Set<ObjectIdentifier> = []
        if !unknown.isEmpty {
            for (object, row) in zip(unknown, try valuesOfMany(unknown.map(\.directID))) {
                guard let row else {
                    missing.insert(ObjectIdentifier(object))
                    continue
                }
                revive(object)
                if object.lacksValues { fill(object, with: row) }
            }
        }
        return try objects.map { object in
            guard !missing.contains(ObjectIdentifier(object)) else { return nil }
            object.realize()
            try object.checkReadable()
            return object.isDeleted ? nil : object
        }
    }

    /// Returns the row of an object as it is in the store now, even if an older one is cached.
    final func newestRow(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        if let parent { return try ask(parent) { try parent.newestRow(for: renames[id] ?? id, layout) } }
        rootCoordinator?.dropStaleRows()
        return try rootCoordinator?.row(for: id, layout, for: self)
    }

    /// Returns the objects of a to-many relationship that has not been looked up yet; `nil` if they cannot be read.
    final func members(ofRelationshipAt index: Int, of object: NSManagedObject) -> [NSManagedObject]? {
        // A new object may have got its ID before it is saved.
        if parent == nil, object.isInserted || object.hasTemporaryID { return [] }
        let id = object.objectID
        do {
            let ids: [NSManagedObjectID]
            if let parent {
                ids = try ask(parent) { () throws -> [NSManagedObjectID] in
                    let storage = try parent.objectsForChild([renames[id] ?? id])[0]?.toMany(at: index)
                    guard storage?.isUnread != true else {
                        throw CoreDataError.error(
                            .persistentStoreOperation, text: "the parent context could not read it")
                    }
                    return storage?.members.map(\.objectID) ?? []
                }
            } else {
                ids = try rootCoordinator?.members(of: id, at: index, object.layout, for: self) ?? []
            }
            return members(ids, at: index, of: object)
        } catch {
            Log.error(
                "the relationship “\(object.layout.name).\(object.layout.slots[index].name)” of \(id.uriRepresentation()) "
                    + "cannot be read: \(error)")
            return nil
        }
    }

    /// Returns the objects in a relationship according to the store, corrected by this context's own changes.
    final func members(
        _ ids: [NSManagedObjectID], at index: Int, of object: NSManagedObject
    ) -> [NSManagedObject] {
        members(ids.map { self.object(with: $0) }, at: index, of: object)
    }

    /// Returns those of the found objects that are still in a relationship, given this context's own changes.
    final func members(_ found: [NSManagedObject], at index: Int, of object: NSManagedObject) -> [NSManagedObject] {
        WorkCount.record(found.count)
        let slot = object.layout.slots[index]
        let isOne = slot.inverse >= 0 && !slot.inverseIsToMany
        let owner = object.directID
        revive(found: found)
        return found.filterUncounted { member in
            if member.isMarkedDeleted { return member.flags.contains(.deletedInEvent) }
            // This context's changes take precedence over what was saved elsewhere.
            return !(isOne && member.hasOtherDestination(than: owner, at: slot.inverse))
        }
    }

    /// Returns the object with an ID, with its values loaded.
    final func loadedObject(_ id: NSManagedObjectID) throws -> NSManagedObject {
        let object = object(with: id)
        if object.isInserted {
            object.realize()
        } else if object.isFault {
            guard let row = try row(for: id, object.layout) else {
                object.leaveContext(.discarded)
                throw missing(id)
            }
            fill(object, with: row)
        }
        if object.flags.contains(.isGone) {
            if !object.canRevive { try object.checkReadable() }
            guard try reviveIfStored(object) else { throw missing(id) }
            object.realize()
        }
        guard !object.flags.contains(.isGone) else { throw missing(id) }
        return object
    }

    private final func missing(_ id: NSManagedObjectID) -> NSError {
        CoreDataError.error(
            .managedObjectReferentialIntegrity,
            text: "Attempt to access an object not found in store: \(id.uriRepresentation())",
            userInfo: ["objectID": id])
    }

    /// Assigns permanent IDs to objects. Objects that were saved to the parent receive them from it.
    final func makeIDsPermanent(_ objects: [NSManagedObject]) throws {
        checkQueue()
        let temporary = objects.filter { $0.hasTemporaryID && $0.managedObjectContext === self }
        if let parent {
            let saved = temporary.filter { !$0.isInserted }.map(\.objectID)
            if !saved.isEmpty {
                try ask(parent) { try parent.makeIDsPermanent(saved.map(parent.object)) }
                ask(parent) {}
            }
        }
        let new = temporary.filter { $0.isInserted && $0.hasTemporaryID }
        guard !new.isEmpty, let coordinator = persistentStoreCoordinator else { return }
        for (object, id) in zip(new, try coordinator.newIDs(for: new, pending.stores)) {
            setID(id, of: object, isNew: true)
        }
    }

    /// Replaces an object's ID.
    ///
    /// - Parameter isNew: Whether child contexts may know the object by a temporary ID.
    final func setID(_ id: NSManagedObjectID, of object: NSManagedObject, isNew: Bool? = nil) {
        if object.hasTemporaryID, !id.isTemporaryID, isNew ?? !childContexts.isEmpty || parent != nil {
            renames.add(object.objectID, id)
        }
        setIdentity(NSManagedObject.Identity(id: id, storeIdentity: nil, key: 0), of: object)
    }

    /// Replaces the parts that make up an object's ID.
    final func setIdentity(_ identity: NSManagedObject.Identity, of object: NSManagedObject) {
        registry.forget(Unmanaged.passUnretained(object))
        object.endUse()
        object.identity = identity
        registry.insert(object)
        if let id = identity.id, id.isTracked { object.beginUse() }
    }
}

extension NSManagedObject {
    /// Drops the values of an object that has left its context, without calling hooks.
    final func forgetValues() {
        clearSlots()
        state.pointee.snapshot = nil
        state.pointee.pending.take()?.release()
    }

    /// Drops the values, calling the hooks.
    final func turnIntoFault() {
        guard !isFault else { return }
        willTurnIntoFault()
        clearSlots()
        // Its row is read again on demand; only a save that checks for conflicts needs the old version.
        if !flags.contains(.locked) { state.pointee.snapshot = nil }
        if flags.contains(.isUnreadable) { become(.saved) }
        didTurnIntoFault()
    }
}
