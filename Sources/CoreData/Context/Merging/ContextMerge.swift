internal import Foundation

/// Brings what was saved elsewhere into a context: new values appear beneath the context's own changes, and nothing is
/// marked as changed.
///
/// Used on the queue of the context.
struct ContextMerge {
    let context: NSManagedObjectContext

    // MARK: Refresh

    /// Turns an object into a fault, or updates it to the store's values with its own changes reapplied.
    func refresh(_ object: NSManagedObject, keepsChanges: Bool) {
        context.checkQueue()
        guard object.managedObjectContext === context else {
            misuse("NSInvalidArgumentException", "the object \(object.debugName) is not in this context")
        }
        guard !object.isDeleted || object.flags.contains(.isUnreadable) else { return }
        if object.isInserted {
            if !keepsChanges { refreshNew(object) }
            return
        }
        let isChanged = object.flags.contains(.updated)
        if keepsChanges, isChanged {
            guard let row = try? context.row(for: object.objectID, object.layout) else { return }
            object.flags.insert(.silent)
            apply(row, to: object) { index in !object.isChangedFromSnapshot(at: index) }
            object.flags.remove(.silent)
            object.forgetFetched()
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            if isChanged { forgetChanges(of: object) }
            object.turnIntoFault()
        }
        context.contents.news.refreshed.append(object)
    }

    /// Turns a new object into a fault. Its changes are lost; it stays inserted.
    private func refreshNew(_ object: NSManagedObject) {
        guard !object.isFault else { return }
        for index in object.layout.toOneSlots where object.toOne(at: index) != nil { object.setToOne(nil, at: index) }
        for index in object.layout.toManySlots where object.toMany(at: index).count > 0 {
            object.setToMany([], at: index)
        }
        // Undo records both sides of the relationships while the object has values.
        context.processChanges()
        object.turnIntoFault()
        context.contents.news.refreshed.append(object)
    }

    /// Sets the wanted slots of an object to a row's values, and makes the row its snapshot.
    func apply(_ row: Row, to object: NSManagedObject, where isWanted: (Int) -> Bool) {
        for index in object.layout.rowSlots where isWanted(index) {
            if !object.realizedSlots()[index].isEqual(row[index]) { object.takeOver(row[index], at: index) }
        }
        object.snapshot = row
        object.rebaseMembers()
    }

    /// Removes an object from the pending changes.
    func forgetChanges(of object: NSManagedObject) {
        object.flags.remove([.updated, .deleted, .deletedInEvent, .listed, .locked])
        context.pending.unlist(object)
        context.pending.takeBackDeletion(of: object)
    }

    // MARK: Merges from other contexts

    /// Merges changes saved elsewhere: registered objects get the new values beneath their own changes, deleted ones
    /// are removed.
    func merge(_ ids: SavedIDs) {
        context.checkQueue()
        context.reading.advance()
        context.processChanges()
        let coordinator = context.persistentStoreCoordinator
        let ids = coordinator.map(ids.local) ?? ids
        if let parent = context.parent { context.ask(parent) {} }
        // The cache lacks what another coordinator has saved.
        coordinator?.dropStaleRows()
        context.undoRecording.suspended {
            context.announcing { takeOver(ids) }
            context.processChanges()
        }
        NotificationCenter.default.post(
            name: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context, userInfo: ids.userInfo)
    }

    private func takeOver(_ ids: SavedIDs) {
        for id in ids.inserted {
            context.contents.news.insertedByMerge.append(context.object(with: id))
        }
        for id in ids.updated {
            guard let object = context.registeredObject(for: id) ?? followedObject(with: id), !object.isDeleted else {
                continue
            }
            if object.isFault {
                context.contents.news.refreshed.append(object)
            } else {
                refresh(object, keepsChanges: true)
            }
        }
        for id in ids.deleted {
            guard let object = context.registeredObject(for: id) ?? followedObject(with: id), !object.isInserted else {
                continue
            }
            mergeDeletion(of: object)
        }
        for object in context.registry.objects { object.rebaseMembers() }
    }

    /// Returns an unregistered object if it may now match a live query.
    private func followedObject(with id: NSManagedObjectID) -> NSManagedObject? {
        guard !context.followers.isEmpty else { return nil }
        let rootName = context.layout(for: id.entity).rootName
        return context.followers.areTracking(rootName) ? context.object(with: id) : nil
    }

    /// Merges the deletion of an object elsewhere. It is saved already, so this context does not save it again.
    func mergeDeletion(of object: NSManagedObject) {
        if object.isFault {
            // Its values were lost with its row.
            object.fill(with: Row.blank(object.layout, version: 0))
        }
        if !object.flags.contains(.inEvent) {
            context.pending.record(EventRecord(object: object, slots: nil, flags: object.flags.subtracting(.deleted)))
            object.mark(.inEvent)
        }
        object.leaveRelationships()
        context.pending.unlist(object)
        object.flags.remove([.listed, .updated, .deletedInEvent])
        object.flags.insert([.deleted, .isGone])
        context.registry[object.objectID] = nil
    }

    /// Reverts the changes or the deletion of an object to the store's values.
    func revert(_ object: NSManagedObject, to row: Row) {
        forgetChanges(of: object)
        object.flags.insert(.silent)
        object.takeBackMembers()
        for index in object.layout.toOneSlots { object.takeOver(row[index], at: index) }
        object.fill(with: row)
        object.flags.remove(.silent)
    }
}
