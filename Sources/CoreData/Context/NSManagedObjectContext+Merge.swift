internal import Foundation

/// Refreshes, rollback, conflicts, and merges of changes saved elsewhere.
extension NSManagedObjectContext {
    // MARK: Refresh

    /// Turns an object into a fault, or updates it to the store's values with its own changes reapplied.
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

    /// Turns a new object into a fault. Its changes are lost; it stays inserted.
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

    /// Sets the wanted slots of an object to a row's values, and makes the row its snapshot.
    private final func apply(_ row: Row, to object: NSManagedObject, where isWanted: (Int) -> Bool) {
        for index in object.layout.rowSlots where isWanted(index) {
            if !object.realizedSlots()[index].isEqual(row[index]) { object.takeOver(row[index], at: index) }
        }
        object.snapshot = row
        object.rebaseMembers()
    }

    /// Removes an object from the pending changes.
    private final func forgetChanges(of object: NSManagedObject) {
        object.flags.remove([.updated, .deleted, .deletedInEvent, .listed, .locked])
        pending.unlist(object)
        pending.takeBackDeletion(of: object)
    }

    // MARK: Rollback

    /// Reverts all unsaved changes.
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
        // Saved objects may have relationships to objects that no longer exist.
        for object in registry.objects { object.rebaseMembers() }
        var userInfo: [String: Any] = [:]
        if !invalidated.isEmpty { userInfo[NSDeletedObjectsKey] = Set(invalidated) }
        if !restored.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(restored) }
        guard !userInfo.isEmpty else { return }
        NotificationCenter.default.post(name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
    }

    // MARK: Merges from other contexts

    /// Merges a save of another context to the same coordinator or parent, if this context does so automatically.
    final func parentDidSave(_ ids: SavedIDs) {
        guard automaticallyMergesChangesFromParent else { return }
        executor.async { [weak self] in
            self?.merge(ids)
        }
    }

    /// Merges changes saved elsewhere: registered objects get the new values beneath their own changes, deleted ones
    /// are removed.
    final func merge(_ ids: SavedIDs) {
        checkQueue()
        reading.advance()
        processChanges()
        let ids = persistentStoreCoordinator.map(ids.local) ?? ids
        if let parent { ask(parent) {} }
        // The cache lacks what another coordinator has saved.
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

    /// Returns an unregistered object if it may now match a live query.
    private final func followedObject(with id: NSManagedObjectID) -> NSManagedObject? {
        guard !followers.isEmpty else { return nil }
        return followers.areTracking(layout(for: id.entity).rootName) ? object(with: id) : nil
    }

    /// Merges the deletion of an object elsewhere. It is saved already, so this context does not save it again.
    final func mergeDeletion(of object: NSManagedObject) {
        if object.isFault {
            // Its values were lost with its row.
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

    /// Lets the merge policy resolve conflicts, and applies its decision.
    final func resolve(_ conflicts: SaveConflicts) throws {
        let policy = (mergePolicy as? NSMergePolicy) ?? .error
        let list = conflicts.conflicts.map { NSMergeConflict($0) }
        try policy.resolve(optimisticLockingConflicts: list)
        announcing { for conflict in list { settle(conflict, policy.mergeType) } }
    }

    /// Applies a policy's decision.
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
            // The store's value if both sides have changed it; this context's if only it has.
            let snapshot = object.snapshot
            apply(current, to: object) { index in
                !object.isChangedFromSnapshot(at: index)
                    || snapshot.map { !$0.values[index].isEqual(current[index]) } ?? true
            }
        }
        // Reported when the save is over.
        if type != .overwriteMergePolicyType { news.refreshed.append(object) }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }
}

extension NSManagedObjectContext {
    /// Reinserts an object that was deleted elsewhere, with the same ID.
    ///
    /// Objects whose own rows hold the relationship keep the store's value: the deletion removed them from the
    /// relationship, unless they were changed here.
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

    /// Reverts the changes or the deletion of an object to the store's values.
    final func takeBack(_ object: NSManagedObject, _ row: Row) {
        forgetChanges(of: object)
        object.flags.insert(.silent)
        object.takeBackMembers()
        for index in object.layout.toOneSlots { object.takeOver(row[index], at: index) }
        object.fill(with: row)
        object.flags.remove(.silent)
    }
}
