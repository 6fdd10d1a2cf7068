internal import Foundation

/// Saving.
extension NSManagedObjectContext {
    /// An object's hook may change objects, whose hooks may change others; more rounds than this do not end.
    private static let mostRounds = 1000
    /// Each resolution of conflicts may meet others, as when objects pass unique values on to each other.
    private static let mostResolutions = 100

    /// Saves everything, or nothing.
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
        let objects = pending.objects.filter { !($0.isInserted && $0.isDeleted) }
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
            let waiting = pending.objects.filter { object in
                MethodOverrides.preparesSaves(type(of: object)) && !(object.isInserted && object.isDeleted)
                    && !asked.contains(ObjectIdentifier(object))
            }
            guard !waiting.isEmpty else { return }
            for object in waiting {
                asked.insert(ObjectIdentifier(object))
                object.willSave()
            }
            // What a hook has changed is asked again.
            for record in pending.event { asked.remove(ObjectIdentifier(record.object)) }
            processChanges()
        }
        misuse("willSave() of some objects changes objects without end (\(Self.mostRounds) rounds)")
    }

    private final func validate() throws {
        guard !skipsValidation else { return }
        var errors: [any Error] = []
        for object in pending.objects {
            do {
                switch (object.isInserted, object.isDeleted) {
                case (true, true): continue
                case (false, true): try object.validateForDelete()
                case (true, false):
                    try object.validateForInsert()
                    try validateReferences(of: object)
                case (false, false):
                    try object.validateForUpdate()
                    try validateReferences(of: object)
                }
            } catch {
                errors += ((error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error]
            }
        }
        guard let first = errors.first else { return }
        // An error of the app's own type stays one: `as NSError` cannot be taken back on Linux.
        throw errors.count == 1 ? first : Validation.combined(errors.map { $0 as NSError })
    }

    // MARK: To the stores

    private final func saveToStores(_ objects: [NSManagedObject]) throws {
        guard let coordinator = ownCoordinator else {
            misuse("the context has neither a coordinator nor a parent to save to")
        }
        var objects = objects
        let new = objects.filter { $0.isInserted && $0.hasTemporaryID }
        let old = new.map(\.identity)
        let tellsChildren = !childContexts.isEmpty
        for (object, id) in zip(new, try coordinator.newIDs(for: new, pending.stores)) {
            setID(id, of: object, isNews: tellsChildren)
        }
        do {
            try saveResolving(&objects, coordinator)
        } catch {
            for (object, identity) in zip(new, old) { setIdentity(identity, of: object) }
            throw error
        }
        finishSave(objects)
        guard !news.refreshed.isEmpty || !pending.event.isEmpty else { return }
        // What a merge policy has changed is no change of the user's, which could be undone.
        undoRecording.suspended { processChanges() }
    }

    /// Saves, and lets the merge policy decide on conflicts; its decisions may meet others.
    private final func saveResolving(
        _ objects: inout [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        for _ in 0..<Self.mostResolutions {
            do {
                var changes: [ObjectChange] = []
                var locked: [ObjectChange] = []
                for object in objects where object.hasChanges {
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
                for (change, row) in zip(changes, saved.rows) {
                    if let row { change.object.takeOverDerived(row) }
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

    /// Resolves conflicts, which may change other objects than those in conflict, and leave some that are not valid.
    private final func resolving(_ objects: inout [NSManagedObject], _ resolve: () throws -> Void) throws {
        // What a merge policy has changed is no change of the user's, which could be undone.
        reading.readsNewest = true
        defer { reading.readsNewest = false }
        try undoRecording.suspended {
            try resolve()
            processChanges()
        }
        let gone = objects.filter { $0.flags.contains(.isGone) && !$0.flags.contains(.listed) }
        objects = pending.objects.filter { !($0.isInserted && $0.isDeleted) } + gone
        try validate()
    }

    /// What is to be written of an object; nil for nothing.
    final func change(of object: NSManagedObject) throws -> ObjectChange? {
        let layout = object.layout
        let version = object.snapshot?.version ?? 0
        if object.flags.contains(.isUnreadable) {
            throw CoreDataError.error(
                .persistentStoreSave,
                "the values of \(object.objectID.uriRepresentation()) could not be read, so its changes are not saved",
                [NSAffectedObjectsErrorKey: [object]])
        }
        if object.isDeleted {
            let row = object.snapshot ?? Row.blank(layout, version: version)
            return ObjectChange(
                kind: .delete, object: object, id: object.objectID, layout: layout, row: row, oldVersion: version)
        }
        let slots = object.isInserted ? [] : object.changedSlots()
        guard object.isInserted || !slots.isEmpty else { return nil }
        let change = ObjectChange(
            kind: object.isInserted ? .insert : .update, object: object, id: object.objectID, layout: layout,
            row: object.row(version: version + 1), oldVersion: version, changedSlots: slots)
        for index in layout.toOneSlots {
            guard case .reference(let id) = change.row[index] else { continue }
            if !id.isInStore(of: change.id) {
                throw externalRelationship(object, layout.slots[index].name)
            }
        }
        for index in layout.toManySlots where !layout.slots[index].isTransient {
            guard case .many(let storage) = object.realizedSlots()[index], object.isInserted || storage.isChanged else {
                continue
            }
            let members = members(storage, index, isNew: object.isInserted)
            // With a to-one inverse the other side is checked.
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
        let old = isNew ? [] : storage.lastSaved
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

    /// Makes what was saved the state that later changes are compared with, and tells everybody.
    final func finishSave(_ objects: [NSManagedObject]) {
        reading.advance()
        var saved = SavedObjects()
        for object in pending.objects where object.isInserted && object.isDeleted { object.leave(self) }
        for object in objects {
            object.flags.remove(.listed)
            guard object.hasChanges else { continue }
            if object.isMarkedDeleted {
                saved.deleted.append(object)
            } else if object.isMarkedInserted {
                saved.inserted.append(object)
            } else {
                saved.updated.append(object)
            }
            object.flags.remove([.inserted, .updated, .deleted, .locked])
            for index in object.layout.toManySlots {
                if case .many(let storage) = object.loadedSlots?[index] { storage.noteSaved() }
            }
        }
        // Observers of the parent may have inserted objects meanwhile, which are not saved.
        pending.unlistSaved()
        if retainsRegisteredObjects { retained.removeAll { $0.managedObjectContext !== self } }
        if parent == nil, childContexts.isEmpty { renames.removeAll() }
        for object in saved.deleted { object.leave(self) }
        for object in saved.inserted + saved.updated + saved.deleted { object.didSave() }
        postDidSave(saved)
    }
}

extension NSManagedObject {
    /// Makes a row the state that was saved last, with what the store has computed for it.
    fileprivate final func takeOverDerived(_ row: Row) {
        guard state.pointee.slots != nil else { return }
        snapshot = row
        guard !layout.derivedSlots.isEmpty else { return }
        let slots = ownSlots()
        for index in layout.derivedSlots { slots[index] = row[index] }
    }

    /// Leaves the context after its deletion was saved.
    fileprivate final func leave(_ context: NSManagedObjectContext) {
        context.registry[objectID] = nil
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

    var ids: SavedIDs {
        SavedIDs(
            inserted: inserted.map { $0.ownID }, updated: updated.map { $0.ownID }, deleted: deleted.map { $0.ownID })
    }
}
