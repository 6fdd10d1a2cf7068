internal import Foundation

/// Conflicts, refreshes, and what other contexts have saved.
extension NSManagedObjectContext {
    // MARK: Refresh

    /// Makes an object a fault, or gives it the values of the store and its own changes on top.
    final func refreshObject(_ object: NSManagedObject, keepsChanges: Bool) {
        checkQueue()
        guard object.managedObjectContext === self else {
            misuse("NSInvalidArgumentException", "the object \(object.debugName) is not in this context")
        }
        guard !object.isDeleted || object.flags.contains(.isUnreadable) else { return }
        if object.isInserted {
            if !keepsChanges { refreshNew(object) }
            return
        }
        let isChanged = object.flags.contains(.updated)
        if keepsChanges, isChanged {
            guard let row = try? row(for: object.objectID, object.layout) else { return }
            object.flags.insert(.silent)
            apply(row, to: object) { index in !object.isChangedFromSnapshot(at: index) }
            object.flags.remove(.silent)
            object.forgetFetched()
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            if isChanged { forgetChanges(of: object) }
            object.turnIntoFault()
        }
        news.refreshed.append(object)
    }

    /// Makes a new object a fault: its changes are lost, it stays new.
    private final func refreshNew(_ object: NSManagedObject) {
        guard !object.isFault else { return }
        for index in object.layout.toOneSlots where object.toOne(at: index) != nil { object.setToOne(nil, at: index) }
        for index in object.layout.toManySlots where object.toMany(at: index).count > 0 {
            object.setToMany([], at: index)
        }
        // Undo records both sides of the relationships while the object has values.
        processChanges()
        object.turnIntoFault()
        news.refreshed.append(object)
    }

    /// Gives an object the values of a row where they are wanted, and makes the row its snapshot.
    private final func apply(_ row: Row, to object: NSManagedObject, where isWanted: (Int) -> Bool) {
        for index in object.layout.rowSlots where isWanted(index) {
            if !object.realizedSlots()[index].isEqual(row[index]) { object.takeOver(row[index], at: index) }
        }
        object.snapshot = row
        object.rebaseMembers()
    }

    /// Takes an object from the list of changed ones.
    private final func forgetChanges(of object: NSManagedObject) {
        object.flags.remove([.updated, .deleted, .deletedInEvent, .listed, .locked])
        pending.unlist(object)
        pending.takeBackDeletion(of: object)
    }

    // MARK: Rollback

    /// Takes all unsaved changes back.
    final func takeBackChanges() {
        checkQueue()
        processChanges()
        let objects = pending.objects
        pending = PendingChanges()
        undoManager?.removeAllActions(withTarget: self)
        var invalidated: [NSManagedObject] = []
        var restored: [NSManagedObject] = []
        for object in objects {
            let wasInserted = object.isInserted
            object.flags.remove([.inserted, .updated, .deleted, .deletedInEvent, .listed, .inEvent, .locked])
            if wasInserted {
                registry[object.objectID] = nil
                object.leaveContext()
                invalidated.append(object)
                continue
            }
            if let snapshot = object.snapshot, !object.isFault {
                object.flags.insert(.silent)
                object.fill(with: snapshot)
                object.awake(fromSnapshotEvents: .rollback)
                object.flags.remove(.silent)
            }
            restored.append(object)
        }
        // What was saved may hold relationships to what is gone now.
        for object in registry.objects { object.rebaseMembers() }
        var userInfo: [String: Any] = [:]
        if !invalidated.isEmpty { userInfo[NSDeletedObjectsKey] = Set(invalidated) }
        if !restored.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(restored) }
        guard !userInfo.isEmpty else { return }
        NotificationCenter.default.post(name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
    }

    // MARK: Other contexts

    /// Another context has saved to the same coordinator or parent.
    final func parentDidSave(_ ids: SavedIDs) {
        guard automaticallyMergesChangesFromParent else { return }
        executor.async { [weak self] in
            self?.merge(ids)
        }
    }

    /// Merges what was saved elsewhere: registered objects get the new values beneath their own changes, deleted ones are removed.
    final func merge(_ ids: SavedIDs) {
        checkQueue()
        reading.advance()
        processChanges()
        let ids = persistentStoreCoordinator.map(ids.local) ?? ids
        if let parent { ask(parent) {} }
        // What another coordinator has saved is not in the cache.
        persistentStoreCoordinator?.dropStaleRows()
        undoRecording.suspended {
            announcing { takeOver(ids) }
            processChanges()
        }
        NotificationCenter.default.post(
            name: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: self, userInfo: ids.userInfo)
    }

    private final func takeOver(_ ids: SavedIDs) {
        for id in ids.inserted {
            news.insertedByMerge.append(object(with: id))
        }
        for id in ids.updated {
            guard let object = registeredObject(for: id) ?? followedObject(with: id), !object.isDeleted else {
                continue
            }
            if object.isFault { news.refreshed.append(object) } else { refreshObject(object, keepsChanges: true) }
        }
        for id in ids.deleted {
            guard let object = registeredObject(for: id) ?? followedObject(with: id), !object.isInserted else {
                continue
            }
            mergeDeletion(of: object)
        }
        for object in registry.objects { object.rebaseMembers() }
    }

    /// An object that is not registered here, if it may now match a live query.
    private final func followedObject(with id: NSManagedObjectID) -> NSManagedObject? {
        guard !followers.isEmpty else { return nil }
        return followers.areTracking(layout(for: id.entity).rootName) ? object(with: id) : nil
    }

    /// An object was deleted elsewhere, and the deletion was saved, so this context does not save it again.
    final func mergeDeletion(of object: NSManagedObject) {
        if object.isFault {
            // Its values are gone with its row.
            object.fill(with: Row.blank(object.layout, version: 0))
        }
        if !object.flags.contains(.inEvent) {
            pending.record(EventRecord(object: object, slots: nil, flags: object.flags.subtracting(.deleted)))
            object.mark(.inEvent)
        }
        object.leaveRelationships()
        pending.unlist(object)
        object.flags.remove([.listed, .updated, .deletedInEvent])
        object.flags.insert([.deleted, .isGone])
        registry[object.objectID] = nil
    }

    // MARK: Conflicts

    /// Lets the merge policy decide on conflicts.
    final func resolve(_ conflicts: SaveConflicts) throws {
        let policy = (mergePolicy as? NSMergePolicy) ?? .error
        let list = conflicts.conflicts.map { NSMergeConflict($0) }
        try policy.resolve(optimisticLockingConflicts: list)
        announcing { for conflict in list { settle(conflict, policy.mergeType) } }
    }

    /// Does what a policy has decided.
    private final func settle(_ conflict: NSMergeConflict, _ type: NSMergePolicyType) {
        let object = conflict.sourceObject
        guard let current = conflict.currentRow else {
            // Deleted elsewhere.
            switch type {
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                restoreDeleted(object)
            default:
                forgetChanges(of: object)
                mergeDeletion(of: object)
            }
            return
        }
        switch type {
        case .rollbackMergePolicyType: takeBack(object, current)
        case .mergeByPropertyStoreTrumpMergePolicyType where object.isDeleted: takeBack(object, current)
        case .overwriteMergePolicyType:
            object.snapshot = current
        case .mergeByPropertyObjectTrumpMergePolicyType:
            apply(current, to: object) { !object.isChangedFromSnapshot(at: $0) }
        default:
            // The store's value where both have changed one; our own where only we have.
            let snapshot = object.snapshot
            apply(current, to: object) { index in
                !object.isChangedFromSnapshot(at: index)
                    || snapshot.map { !$0.values[index].isEqual(current[index]) } ?? true
            }
        }
        // Told when the save is over.
        if type != .overwriteMergePolicyType { news.refreshed.append(object) }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }
}

extension NSManagedObjectContext {
    /// Makes an object that was deleted elsewhere a new one of the same ID.
    ///
    /// Objects whose own rows hold the relationship are what the store has: the deletion has taken them out of it, unless they
    /// were changed here.
    private final func restoreDeleted(_ object: NSManagedObject) {
        object.snapshot = nil
        object.flags.remove(.updated)
        object.flags.insert(.inserted)
        for (index, slot) in object.layout.slots.enumerated() where slot.inverse >= 0 && !slot.inverseIsToMany {
            let members: [NSManagedObject]
            switch object.realizedSlots()[index] {
            case .many(let storage): members = storage.members
            case .managed(let other): members = [other]
            case .reference(let id): members = [self.object(with: id)]
            default: continue
            }
            for member in members where !member.isInserted && !member.isDeleted {
                if !member.isFault, member.flags.contains(.updated), member.isChangedFromSnapshot(at: slot.inverse) {
                    continue
                }
                object.lose(member, at: index)
                if !member.hasChanges { refreshObject(member, keepsChanges: false) }
            }
        }
    }

    /// Takes the changes or the deletion of an object back, and gives it the values of the store.
    final func takeBack(_ object: NSManagedObject, _ row: Row) {
        forgetChanges(of: object)
        object.flags.insert(.silent)
        object.takeBackMembers()
        for index in object.layout.toOneSlots { object.takeOver(row[index], at: index) }
        object.fill(with: row)
        object.flags.remove(.silent)
    }
}
