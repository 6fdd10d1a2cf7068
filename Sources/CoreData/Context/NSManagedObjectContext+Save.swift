internal import Foundation

/// Saving.
extension NSManagedObjectContext {
    /// The maximum number of rounds of `willSave()`, whose changes cause further calls; beyond it, they are considered
    /// endless.
    private static let mostRounds = 1000
    /// The maximum number of conflict resolutions in a save. Each may cause new conflicts, as when objects exchange
    /// unique values.
    private static let mostResolutions = 100

    /// Saves all changes or none.
    final func saveChanges() throws {
        checkQueue()
        processChanges()
        guard hasChanges || storesNeedMetadata else { return }
        if !propagatesDeletesAtEndOfEvent { propagateDeletes() }
        try callWillSave()
        NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
        processChanges()
        try validate()
        processChanges()
        let objects = pending.objects.filterUncounted { !$0.cameAndWent }
        try executor.asking {
            if let parent {
                try save(objects, to: parent)
            } else {
                try saveToStores(objects)
            }
        }
    }

    private var storesNeedMetadata: Bool { ownCoordinator?.storesWithUnsavedMetadata.isEmpty == false }

    // MARK: Hooks and validation

    private final func callWillSave() throws {
        var asked: Set<ObjectIdentifier> = []
        for _ in 0..<Self.mostRounds {
            if !pending.objects.containsPreparing { return }
            let waiting = pending.objects.filter { object in
                MethodOverrides.preparesSaves(type(of: object)) && !(object.isInserted && object.isDeleted)
                    && !asked.contains(ObjectIdentifier(object))
            }
            guard !waiting.isEmpty else { return }
            for object in waiting {
                asked.insert(ObjectIdentifier(object))
                object.willSave()
            }
            // Objects that a hook has changed are asked again.
            for record in pending.event { asked.remove(ObjectIdentifier(record.object)) }
            processChanges()
        }
        misuse("willSave() of some objects changes objects without end (\(Self.mostRounds) rounds)")
    }

    private final func validate() throws {
        guard !skipsValidation else { return }
        var errors: [any Error] = []
        // Validation may change the pending changes, but not this array.
        let objects = pending.objects
        // Objects of the same class and entity are mostly adjacent.
        var (lastClass, lastLayout): (NSManagedObject.Type?, UnsafeMutableRawPointer?) = (nil, nil)
        var (isTrivial, isDeletionTrivial) = (false, false)
        objects.forEachUncounted { object in
            let (objectClass, layout) = (type(of: object), Unmanaged.passUnretained(object.layout).toOpaque())
            if objectClass != lastClass || layout != lastLayout {
                (lastClass, lastLayout) = (objectClass, layout)
                isTrivial = Validation.isTrivial(objectClass, object.layout)
                isDeletionTrivial = Validation.isDeletionTrivial(objectClass, object.layout)
            }
            do {
                switch (object.isMarkedInserted, object.isMarkedDeleted) {
                case (true, true): return
                case (false, true): if !isDeletionTrivial { try object.validateForDelete() }
                case (true, false):
                    if !isTrivial { try object.validateForInsert() }
                    try validateReferences(of: object)
                case (false, false):
                    if !isTrivial { try object.validateForUpdate() }
                    try validateReferences(of: object)
                }
            } catch {
                errors += ((error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error]
            }
        }
        guard let first = errors.first else { return }
        // An error of the app's own type keeps its type: `as NSError` cannot be reversed on Linux.
        throw errors.count == 1 ? first : Validation.combined(errors.map { $0 as NSError })
    }

    // MARK: Writing to the stores

    private final func saveToStores(_ objects: [NSManagedObject]) throws {
        guard let coordinator = ownCoordinator else {
            misuse("the context has neither a coordinator nor a parent to save to")
        }
        var objects = objects
        let new = objects.filterUncounted { $0.isMarkedInserted && $0.hasTemporaryID }
        var old: [NSManagedObject.Identity] = []
        if !new.isEmpty {
            old.reserveCapacity(new.count)
            let ids = try coordinator.newIDs(for: new, pending.stores)
            let tellsChildren = !childContexts.isEmpty
            var number = 0
            new.forEachUncounted { object in
                old.append(object.identity)
                setID(ids[number], of: object, isNews: tellsChildren)
                number += 1
            }
        }
        do {
            try saveResolving(&objects, coordinator)
        } catch {
            for (object, identity) in zip(new, old) { setIdentity(identity, of: object) }
            throw error
        }
        finishSave(objects)
        guard !news.refreshed.isEmpty || !pending.event.isEmpty else { return }
        // A merge policy's changes are not the user's and cannot be undone.
        undoRecording.suspended { processChanges() }
    }

    /// Saves, and lets the merge policy resolve conflicts, which may cause new ones.
    private final func saveResolving(
        _ objects: inout [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        for _ in 0..<Self.mostResolutions {
            do {
                var changes: [ObjectChange] = []
                changes.reserveCapacity(objects.count)
                var locked: [ObjectChange] = []
                try objects.forEachUncounted { object in
                    guard object.isMarkedChanged else { return }
                    if let change = try change(of: object) {
                        changes.append(change)
                    } else if object.flags.contains(.locked), let row = object.snapshot {
                        locked.append(
                            ObjectChange(
                                kind: .update, object: object, id: object.objectID, layout: object.layout, row: row,
                                oldVersion: row.version, changesRow: true))
                    }
                }
                let saved = try coordinator.save(changes, locked: locked, by: self)
                var number = 0
                changes.forEachUncounted { change in
                    if let row = saved.rows[number] { change.object.takeOverDerived(row) }
                    number += 1
                }
                for (id, row) in saved.derived { registeredObject(for: id)?.takeOverDerived(row) }
                return
            } catch let conflicts as SaveConflicts {
                try resolving(&objects) { try resolve(conflicts) }
            } catch let conflicts as ReferenceConflicts {
                try resolving(&objects) { try resolve(conflicts) }
            } catch let conflicts as ConstraintConflicts {
                try resolving(&objects) { try resolve(conflicts) }
            }
        }
        throw CoreDataError.error(
            .persistentStoreSaveConflicts, "other contexts keep saving the same objects",
            [NSAffectedObjectsErrorKey: objects])
    }

    /// Resolves conflicts, which may change objects that are not in conflict and leave some invalid.
    private final func resolving(_ objects: inout [NSManagedObject], _ resolve: () throws -> Void) throws {
        // A merge policy's changes are not the user's and cannot be undone.
        reading.readsNewest = true
        defer { reading.readsNewest = false }
        try undoRecording.suspended {
            try resolve()
            processChanges()
        }
        let gone = objects.filter { $0.flags.contains(.isGone) && !$0.flags.contains(.listed) }
        objects = pending.objects.filter { !$0.cameAndWent } + gone
        try validate()
    }

    /// Returns the change to write for an object, or nil if there is none.
    final func change(of object: NSManagedObject) throws -> ObjectChange? {
        let layout = object.layout
        let version = object.snapshot?.version ?? 0
        if object.flags.contains(.isUnreadable) {
            throw CoreDataError.error(
                .persistentStoreSave,
                "the values of \(object.objectID.uriRepresentation()) could not be read, so its changes are not saved",
                [NSAffectedObjectsErrorKey: [object]])
        }
        let isInserted = object.isMarkedInserted
        if object.isMarkedDeleted {
            let row = object.snapshot ?? Row.blank(layout, version: version)
            return ObjectChange(
                kind: .delete, object: object, id: object.ownID, layout: layout, row: row, oldVersion: version)
        }
        let slots = isInserted ? [] : object.changedSlots()
        guard isInserted || !slots.isEmpty else { return nil }
        let change = ObjectChange(
            kind: isInserted ? .insert : .update, object: object, id: object.ownID, layout: layout,
            row: object.row(version: version + 1), oldVersion: version, changedSlots: slots)
        for index in layout.toOneSlots {
            guard case .reference(let id) = change.row[index] else { continue }
            if !id.isInStore(of: change.id) {
                throw externalRelationship(object, layout.slots[index].name)
            }
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            guard case .many(let storage) = object.realizedSlots()[index], isInserted || storage.isChanged else {
                continue
            }
            let members = members(storage, index, isNew: isInserted)
            // With a to-one inverse, the other side's check covers this.
            if layout.slots[index].inverse < 0 || layout.slots[index].inverseIsToMany,
                !members.added.allSatisfy({ $0.isInStore(of: change.id) })
            {
                throw externalRelationship(object, layout.slots[index].name)
            }
            change.members.append(members)
        }
        return change
    }

    private final func members(_ storage: ToManyStorage, _ index: Int, isNew: Bool) -> ObjectChange.MemberChange {
        if isNew {
            let ids = storage.members.map(\.ownID)
            return ObjectChange.MemberChange(slot: index, added: ids, removed: [], order: storage.isOrdered ? ids : nil)
        }
        let old = storage.lastSaved
        let before = Set(old.map { ObjectIdentifier($0) })
        return ObjectChange.MemberChange(
            slot: index, added: storage.members.filter { !before.contains(ObjectIdentifier($0)) }.map(\.objectID),
            removed: old.filter { !storage.contains($0) }.map(\.objectID),
            order: storage.isOrdered ? storage.members.map(\.objectID) : nil)
    }

    private final func externalRelationship(_ object: NSManagedObject, _ key: String) -> NSError {
        CoreDataError.error(
            .managedObjectExternalRelationship,
            "“\(object.layout.name).\(key)” leads to an object that is in another store, in no context, or not saved",
            [NSAffectedObjectsErrorKey: [object], NSValidationKeyErrorKey: key])
    }

    /// Makes the saved state the base of later comparisons, and posts notifications.
    final func finishSave(_ objects: [NSManagedObject]) {
        reading.advance()
        var saved = SavedObjects()
        let all = pending.objects
        all.forEachUncounted { if $0.cameAndWent { $0.leave(self) } }
        saved.sort(objects)
        objects.forEachUncounted { object in
            let hadChanges = object.isMarkedChanged
            object.flags.remove(.listed)
            guard hadChanges else { return }
            object.flags.remove([.inserted, .updated, .deleted, .locked])
            for index in object.layout.toManySlots {
                if case .many(let storage) = object.loadedSlots?[index] { storage.noteSaved() }
            }
        }
        // Observers of the parent may have inserted objects in the meantime, which are not saved.
        pending.unlistSaved()
        retained?.removeAll { $0.managedObjectContext !== self }
        if parent == nil, childContexts.isEmpty { renames.removeAll() }
        saved.deleted.forEachUncounted { $0.leave(self) }
        for list in [saved.inserted, saved.updated, saved.deleted] { list.forEachUncounted { $0.didSave() } }
        postDidSave(saved)
    }
}

extension [NSManagedObject] {
    /// Whether the class of one of the objects has a hook to be called before a save.
    fileprivate var containsPreparing: Bool {
        var last: NSManagedObject.Type?
        return !allSatisfyUncounted { object in
            let objectClass = type(of: object)
            if objectClass == last { return true }
            last = objectClass
            return !MethodOverrides.preparesSaves(objectClass)
        }
    }
}

extension NSManagedObject {
    /// Whether the object was both inserted and deleted since the last save, so there is nothing to save.
    fileprivate final var cameAndWent: Bool { flags.contains([.inserted, .deleted]) }

    /// Whether the object is new, changed or deleted: what `hasChanges` returns unless a subclass overrides that.
    fileprivate final var isMarkedChanged: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Makes a row the last saved state, including the derived values that the store has computed.
    fileprivate final func takeOverDerived(_ row: Row) {
        guard state.pointee.slots != nil else { return }
        snapshot = row
        guard !layout.derivedSlots.isEmpty else { return }
        let slots = ownSlots()
        for index in layout.derivedSlots { slots[index] = row[index] }
    }

    /// Leaves the context after the object's deletion was saved.
    fileprivate final func leave(_ context: NSManagedObjectContext) {
        context.registry.forget(.passUnretained(self))
        endUse()
        state.pointee.flags.formIntersection(.shared)
        state.pointee.context = nil
    }
}

/// The objects that a save has written.
struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []

    /// Sorts objects by the kind of their change. Skips unchanged objects.
    mutating func sort(_ objects: [NSManagedObject]) {
        if objects.allSatisfyUncounted({ $0.flags.contains(.inserted) && !$0.flags.contains(.deleted) }) {
            inserted = objects
            return
        }
        objects.forEachUncounted { object in
            if object.isMarkedDeleted {
                deleted.append(object)
            } else if object.isMarkedInserted {
                inserted.append(object)
            } else if object.flags.contains(.updated) {
                updated.append(object)
            }
        }
    }

    var ids: SavedIDs {
        func ids(_ objects: [NSManagedObject]) -> [NSManagedObjectID] {
            var ids: [NSManagedObjectID] = []
            ids.reserveCapacity(objects.count)
            objects.forEachUncounted { ids.append($0.ownID) }
            return ids
        }
        return SavedIDs(inserted: ids(inserted), updated: ids(updated), deleted: ids(deleted))
    }
}
