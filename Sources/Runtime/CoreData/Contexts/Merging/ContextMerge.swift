internal import Foundation
internal import RuntimeSupport

/// Brings what was saved elsewhere into a context: new values appear beneath the context's own changes, and nothing is
/// marked as changed.
///
/// Used on the queue of the context.
struct ContextMerge {
    let context: NSManagedObjectContext

    // MARK: Refresh

    /// Turns objects into faults, or updates them to the store's values with their own changes reapplied. The values
    /// are read at once.
    func refresh(_ objects: [NSManagedObject], keepsChanges: Bool) {
        context.checkQueue()
        let readers = objects.filter { $0.managedObjectContext === context && readsRow($0, keepsChanges: keepsChanges) }
        guard readers.count > 1, let rows = try? context.valuesOfMany(readers.map(\.directID)) else {
            for object in objects where object.managedObjectContext === context {
                refresh(object, keepsChanges: keepsChanges)
            }
            return
        }
        let known = Dictionary(zip(readers.map(ObjectIdentifier.init), rows)) { first, _ in first }
        // What a refreshed object does when it awakes may reset the context.
        for object in objects where object.managedObjectContext === context {
            refresh(object, keepsChanges: keepsChanges, row: known[ObjectIdentifier(object)])
        }
    }

    /// Returns whether refreshing an object reads its row.
    private func readsRow(_ object: NSManagedObject, keepsChanges: Bool) -> Bool {
        if object.presence == .gone { return !object.flags.contains(.isUnreadable) }
        return keepsChanges && object.flags.contains(.updated) && !object.isInserted && !object.isDeleted
    }

    /// Turns an object into a fault, or updates it to the store's values with its own changes reapplied.
    ///
    /// - Parameter row: The object's row in the store, or that it has none, if this is known.
    func refresh(_ object: NSManagedObject, keepsChanges: Bool, row known: Row?? = nil) {
        WorkCount.record(1)
        context.checkQueue()
        guard object.managedObjectContext === context else {
            misuse("NSInvalidArgumentException", "the object \(object.debugName) is not in this context")
        }
        let isUnreadable = object.flags.contains(.isUnreadable)
        if object.presence == .gone, !isUnreadable {
            // A row that cannot be read now may be there all the same; the next access reports that.
            guard (known ?? (try? context.row(for: object.directID, object.layout))) != nil else { return }
            context.revive(object)
            context.recordRefresh(of: object)
            return
        }
        guard !object.isDeleted || isUnreadable else { return }
        if object.isInserted {
            if !keepsChanges { refreshNew(object) }
            return
        }
        let isChanged = object.flags.contains(.updated) || isUnreadable && object.flags.contains(.listed)
        if keepsChanges, isChanged {
            // The save reports changes of an object that could not be read.
            if isUnreadable { return }
            guard let row = known ?? (try? context.row(for: object.objectID, object.layout)) else { return }
            object.flags.insert(.silent)
            apply(row, to: object) { index in !object.isChangedFromSnapshot(at: index) }
            NSManagedObject.rebaseMembers(of: [object])
            object.flags.remove(.silent)
            object.forgetFetched()
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            if isChanged { forgetChanges(of: object) }
            object.turnIntoFault()
        }
        context.recordRefresh(of: object)
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
        context.recordRefresh(of: object)
    }

    /// Sets the included slots of an object to a row's values, and makes the row its snapshot. The caller rebases the
    /// members of to-many relationships.
    func apply(_ row: Row, to object: NSManagedObject, where isIncluded: (Int) -> Bool) {
        for index in object.layout.rowSlots where isIncluded(index) {
            if !object.realizedSlots()[index].isEqual(row[index]) { object.adopt(row[index], at: index) }
        }
        object.snapshot = row
    }

    /// Removes a saved object from the pending changes.
    func forgetChanges(of object: NSManagedObject) {
        object.unlist()
        object.flags.remove([.updated, .deletedInEvent, .locked])
        if object.presence == .deleted { object.become(.saved) }
    }

    // MARK: Merges from other contexts

    /// Where a save has arrived, as seen from the context that merges it.
    private enum Level {
        /// In the stores that this context reads from.
        case stores
        /// In this context: a child has saved.
        case here
        /// In another context, which may roll it back, or in stores that this context reads through its parent.
        case elsewhere
    }

    private func level(ofSaveBy source: NSManagedObjectContext?) -> Level {
        if let source, source.parent === context { return .here }
        return context.parent == nil && source?.parent == nil ? .stores : .elsewhere
    }

    /// Merges changes saved elsewhere: registered objects get the new values beneath their own changes, deleted ones
    /// are removed.
    ///
    /// - Parameters:
    ///   - ids: What was saved.
    ///   - source: The context that saved; `nil` if it is not known.
    func merge(_ ids: SavedIDs, savedBy source: NSManagedObjectContext?) {
        context.checkQueue()
        context.reading.advance()
        context.processChanges()
        let coordinator = context.persistentStoreCoordinator
        let ids = coordinator.map(ids.local) ?? ids
        if let parent = context.parent { context.ask(parent) {} }
        // The cache lacks what another coordinator has saved.
        coordinator?.dropStaleRows()
        let level = level(ofSaveBy: source)
        var userInfo = ids.userInfo
        context.undoRecording.suspended {
            // A child passes its changes on with the save: they are pending here already.
            if level != .here { context.announcing { adopt(ids, level) } }
            userInfo[NSRefreshedObjectIDsKey] = Set(context.contents.changes.refreshed.map(\.directID))
            context.processChanges()
        }
        NotificationCenter.default.post(
            name: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context, userInfo: userInfo)
    }

    private func adopt(_ ids: SavedIDs, _ level: Level) {
        let inserted = ids.inserted.filter { mayBeNew($0) }
        let deleted = ids.deleted.compactMap { id -> NSManagedObject? in
            guard let object = context.registeredObject(for: id) ?? followedObject(with: id),
                !object.isMarkedInserted, !object.flags.contains(.isReported)
            else { return nil }
            return object
        }
        // The notification may have temporary IDs that were replaced here.
        let currentIDs = inserted.map { context.registeredObject(for: $0)?.directID ?? $0 }
        // What has reached the stores needs no confirmation, unless a merge policy has restored a deleted object since.
        func isTrusted(_ object: NSManagedObject) -> Bool { level == .stores && !object.flags.contains(.isRestored) }
        let missing = missing(
            (level == .stores ? [] : currentIDs) + deleted.filter { !isTrusted($0) }.map(\.directID))
        for (id, own) in zip(inserted, currentIDs) where !missing.contains(own) {
            let object = context.registeredObject(for: id) ?? context.object(with: id)
            context.revive(object)
            context.contents.changes.insertedByMerge.append(object)
        }
        let updated = ids.updated.compactMap { context.registeredObject(for: $0) ?? followedObject(with: $0) }
        context.contents.changes.refreshed += updated.filter { $0.isFault && !$0.isMarkedDeleted }
        refresh(updated.filter { !$0.isFault || $0.isMarkedDeleted }, keepsChanges: true)
        mergeDeletions(of: deleted.filter { isTrusted($0) || missing.contains($0.directID) })
        rebaseMembers(after: ids)
    }

    /// Returns whether an insertion saved elsewhere may be new to this context: it was neither inserted nor deleted
    /// here.
    private func mayBeNew(_ id: NSManagedObjectID) -> Bool {
        switch context.registeredObject(for: id)?.presence {
        case .inserted, .scratched, .deleted: false
        case nil where id.isTemporaryID && context.parent == nil: false
        default: true
        }
    }

    /// Returns those of the IDs for which there is no object in what this context reads from.
    private func missing(_ ids: [NSManagedObjectID]) -> Set<NSManagedObjectID> {
        guard !ids.isEmpty else { return [] }
        do {
            return Set(zip(ids, try context.valuesOfMany(ids)).lazy.filter { $1 == nil }.map(\.0))
        } catch {
            if ids.count > 1 { return Set(ids.flatMap { missing([$0]) }) }
            // It may exist. Its next use reports the error.
            Log.error("\(ids[0].uriRepresentation()) cannot be read: \(error)")
            return []
        }
    }

    /// Marks to-many relationships that may contain changed objects to be looked up again, with this context's own
    /// changes.
    private func rebaseMembers(after ids: SavedIDs) {
        var roots: Set<String> = []
        for id in [ids.inserted, ids.updated, ids.deleted].joined() { roots.insert(id.layout.rootName) }
        guard !roots.isEmpty else { return }
        NSManagedObject.rebaseMembers(of: context.registry.objects(withMembersIn: roots), in: roots)
    }

    /// Returns an unregistered object if it may now match a live query.
    private func followedObject(with id: NSManagedObjectID) -> NSManagedObject? {
        guard !context.followers.isEmpty else { return nil }
        let rootName = context.layout(for: id.entity).rootName
        return context.followers.areTracking(rootName) ? context.object(with: id) : nil
    }

    /// Merges the deletion of objects elsewhere. It is saved already, so this context does not save it again.
    func mergeDeletions(of objects: [NSManagedObject]) {
        for object in objects {
            if object.isFault {
                // Its values were lost with its row.
                object.fill(with: Row.blank(object.layout, version: 0))
            }
            // A deletion that this context has made itself was reported.
            guard object.presence != .deleted, !object.flags.contains(.inEvent) else { continue }
            context.pending.record(EventRecord(object: object, slots: nil, flags: object.flags.subtracting(.deleted)))
            object.mark(.inEvent)
        }
        NSManagedObject.leaveRelationships(objects)
        for object in objects {
            object.become(.gone)
            object.flags.insert(.isReported)
        }
    }

    /// Reverts the changes or the deletion of an object to the store's values.
    func revert(_ object: NSManagedObject, to row: Row) {
        forgetChanges(of: object)
        object.flags.insert(.silent)
        object.revertMembers()
        for index in object.layout.toOneSlots { object.adopt(row[index], at: index) }
        object.fill(with: row)
        object.flags.remove(.silent)
    }
}
