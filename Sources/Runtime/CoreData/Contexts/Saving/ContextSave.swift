internal import Foundation
internal import RuntimeSupport

/// One save of a context, to its stores or to its parent: hooks, validation, and the writing of all changes or none.
///
/// Used on the queue of the context.
struct ContextSave {
    let context: NSManagedObjectContext

    /// The maximum number of rounds of hooks, processing and validation, whose changes cause another round; beyond it,
    /// they are considered endless. Apple's framework gives up after as many attempts.
    private static let maximumRounds = 1000
    /// The maximum number of conflict resolutions in a save. Each may cause new conflicts, as when objects exchange
    /// unique values.
    private static let maximumResolutions = 100

    /// Saves all changes or none.
    func run() throws {
        context.checkQueue()
        context.processChanges()
        try resolveUncertainSave()
        // Also without changes: the notifications are about the save, and observers of the first one may make changes.
        try stabilize(callsHooks: true)
        guard context.hasChanges || storesNeedMetadata else {
            context.discardInsertedAndDeleted(context.pending.objects)
            return context.postDidSave(SavedObjects())
        }
        let objects = context.pending.objects.filterUncounted { !$0.isInsertedAndDeleted }
        try context.executor.performingRequest {
            if let parent = context.parent {
                try ParentSave(child: context, parent: parent).run(objects)
                finish(objects)
            } else {
                try saveToStores(objects)
            }
        }
    }

    private var storesNeedMetadata: Bool { context.rootCoordinator?.storesWithUnsavedMetadata.isEmpty == false }

    /// Ends an earlier save whose outcome was unknown, if it has taken place.
    private func resolveUncertainSave() throws {
        guard let saved = try UncertainSave.resolve(context) else { return }
        finish(saved.objects, changed: saved.changed)
        for object in saved.deleted { object.mark([.deleted]) }
    }

    // MARK: Hooks and validation

    /// Applies delete rules, calls `willSave()`, notifies observers and validates until none of these changes anything.
    ///
    /// - Parameter callsHooks: `false` to only validate, after a merge policy's changes.
    private func stabilize(callsHooks: Bool) throws {
        // The objects whose hook was called, and that have not changed since.
        var notified: Set<ObjectIdentifier> = []
        var isAnnounced = !callsHooks
        for _ in 0..<Self.maximumRounds {
            if !context.propagatesDeletesAtEndOfEvent { context.propagateDeletes() }
            if !notified.isEmpty {
                for record in context.pending.event.list { notified.remove(ObjectIdentifier(record.object)) }
            }
            context.processChanges()
            if context.pending.isUnprocessed || callsHooks && callWillSave(&notified) { continue }
            if !isAnnounced {
                isAnnounced = true
                NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: context)
                continue
            }
            try validate()
            if !context.pending.isUnprocessed { return }
        }
        misuse(
            "NSInternalInconsistencyException",
            "Failed to process pending changes before save. The context is still dirty after \(Self.maximumRounds) attempts: "
                + "willSave(), a validation method or an observer of a notification changes objects each time it is called"
        )
    }

    /// Calls `willSave()` of the objects that were not notified yet. Returns whether there were any.
    private func callWillSave(_ notified: inout Set<ObjectIdentifier>) -> Bool {
        let objects = context.pending.objects
        WorkCount.record(objects.count)
        guard objects.containsPreparing else { return false }
        var hasCalledHooks = false
        for object in objects
        where MethodOverrides.preparesSaves(type(of: object)) && !object.isInsertedAndDeleted
            && notified.insert(ObjectIdentifier(object)).inserted
        {
            hasCalledHooks = true
            object.willSave()
        }
        return hasCalledHooks
    }

    private func validate() throws {
        guard !context.settings.skipsValidation else { return }
        var errors: [any Error] = []
        // Validation may change the pending changes, but not this array.
        let objects = context.pending.objects
        WorkCount.record(objects.count)
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
                    try object.validateReferences()
                case (false, false):
                    if !isTrivial { try object.validateForUpdate() }
                    try object.validateReferences()
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

    private func saveToStores(_ objects: [NSManagedObject]) throws {
        guard let coordinator = context.rootCoordinator else {
            misuse("the context has neither a coordinator nor a parent to save to")
        }
        var objects = objects
        var ids = NewIDs(context) { [context] in try coordinator.newIDs(for: $0, context.pending.stores) }
        try ids.assign(to: objects)
        context.beforeSaveHandler?()
        do {
            try saveResolving(&objects, ids: &ids, by: coordinator)
        } catch let incomplete as IncompleteSave {
            throw finishIncomplete(incomplete, objects: objects, ids: ids)
        } catch {
            ids.restoreTemporaryIDs { _ in true }
            throw error
        }
        ids.announcePermanentIDs { $0.presence == .inserted }
        finish(objects)
        processChangesOfSave()
    }

    /// Processes changes that the save itself has made.
    private func processChangesOfSave() {
        guard !context.contents.changes.refreshed.isEmpty || !context.pending.event.isEmpty else { return }
        // A merge policy's changes are not the user's and cannot be undone.
        context.undoRecording.suspended { context.processChanges() }
    }

    /// Ends a save that has reached only some of the stores: its objects there are saved. Returns the error to throw.
    private func finishIncomplete(_ incomplete: IncompleteSave, objects: [NSManagedObject], ids: NewIDs) -> any Error {
        let changes = incomplete.changes
        let saved = Set(incomplete.committed.map { ObjectIdentifier(changes[$0].object) })
        let uncertain = incomplete.uncertain.map { changes[$0] }
        let kept = saved.union(uncertain.map { ObjectIdentifier($0.object) })
        ids.restoreTemporaryIDs { !kept.contains(ObjectIdentifier($0)) }
        ids.announcePermanentIDs { kept.contains(ObjectIdentifier($0)) }
        takeSnapshots(from: incomplete.saved, changes)
        if !saved.isEmpty { finish(objects.filter { saved.contains(ObjectIdentifier($0)) }) }
        processChangesOfSave()
        if !uncertain.isEmpty {
            context.pending.uncertain = UncertainSave(uncertain, transaction: incomplete.transaction)
        }
        let rest = changes.map(\.object).filter { !saved.contains(ObjectIdentifier($0)) }
        return incomplete.error(unsaved: rest)
    }

    /// Sets each object's snapshot to its saved row.
    private func takeSnapshots(from saved: SaveResult, _ changes: [ObjectChange]) {
        var number = 0
        changes.forEachUncounted { change in
            if let row = saved.rows[number] { change.object.adoptSavedRow(row, of: change) }
            number += 1
        }
        for (id, row) in saved.derived { context.registeredObject(for: id)?.adoptDerivedValues(row) }
    }

    /// Saves, and lets the merge policy resolve conflicts, which may cause new ones.
    private func saveResolving(
        _ objects: inout [NSManagedObject], ids: inout NewIDs, by coordinator: NSPersistentStoreCoordinator
    ) throws {
        for _ in 0..<Self.maximumResolutions {
            do {
                var changes: [ObjectChange] = []
                changes.reserveCapacity(objects.count)
                var locked: [ObjectChange] = []
                try objects.forEachUncounted { object in
                    guard object.isMarkedChanged else { return }
                    if let change = try object.unsavedChange() {
                        changes.append(change)
                    } else if object.flags.contains(.locked), let row = object.snapshot {
                        locked.append(
                            ObjectChange(
                                kind: .update, object: object, id: object.objectID, layout: object.layout, row: row,
                                base: row, changesRow: true))
                    }
                }
                takeSnapshots(from: try coordinator.save(changes, locked: locked, by: context), changes)
                return
            } catch let conflicts as SaveConflicts {
                try resolving(&objects) { try $0.resolve(conflicts) }
                // Hooks may have inserted objects.
                try ids.assign(to: objects)
            } catch let conflicts as ReferenceConflicts {
                try resolving(&objects) { try $0.resolve(conflicts) }
                // Hooks may have inserted objects.
                try ids.assign(to: objects)
            } catch let conflicts as ConstraintConflicts {
                try resolving(&objects) { try $0.resolve(conflicts) }
                // Hooks may have inserted objects.
                try ids.assign(to: objects)
            }
        }
        throw CoreDataError.error(
            .persistentStoreSaveConflicts, text: "other contexts keep saving the same objects",
            userInfo: [NSAffectedObjectsErrorKey: objects])
    }

    /// Resolves conflicts, which may change objects that are not in conflict and leave some invalid.
    private func resolving(_ objects: inout [NSManagedObject], _ resolve: (ConflictResolution) throws -> Void) throws {
        // A merge policy's changes are not the user's and cannot be undone.
        context.reading.readsNewest = true
        defer { context.reading.readsNewest = false }
        try context.undoRecording.suspended {
            try resolve(ConflictResolution(context))
            context.processChanges()
        }
        try stabilize(callsHooks: false)
        let gone = objects.filter { $0.flags.contains(.isGone) && !$0.flags.contains(.listed) }
        objects = context.pending.objects.filter { !$0.isInsertedAndDeleted } + gone
    }

    // MARK: The end

    /// Commits the saved state, with which later comparisons begin, and posts notifications.
    ///
    /// - Parameter changed: The objects that have changed since they were saved.
    private func finish(_ objects: [NSManagedObject], changed: [NSManagedObject] = []) {
        context.reading.advance()
        var saved = SavedObjects()
        let all = context.pending.objects
        context.discardInsertedAndDeleted(all)
        saved.classify(objects)
        objects.forEachUncounted { object in
            let hadChanges = object.isMarkedChanged
            object.flags.remove(.listed)
            guard hadChanges else { return }
            if object.presence == .inserted { object.become(.saved) }
            object.flags.remove([.updated, .locked])
            for index in object.layout.toManySlots {
                if let storage = object.loadedSlots?[index].memberStorage { storage.recordSaved() }
            }
        }
        changed.forEachUncounted { $0.mark([.updated, .listed]) }
        // Observers of the parent may have inserted objects in the meantime, which are not saved.
        context.pending.unlistSaved()
        context.contents.retained?.removeAll { $0.directContext !== context }
        let children = context.childContexts
        if context.parent == nil, children.isEmpty {
            context.renames.removeAll()
        } else {
            context.renames.sweep(context.registry, children: children)
        }
        saved.deleted.forEachUncounted { $0.leaveContext(.deletion) }
        for list in [saved.inserted, saved.updated, saved.deleted] { list.forEachUncounted { $0.didSave() } }
        context.postDidSave(saved)
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

extension NSManagedObjectContext {
    /// Returns whether a save has to give an object derived values that it has changed.
    final func showsDerivedValues(of id: NSManagedObjectID) -> Bool {
        guard let object = registeredObject(for: id) else { return false }
        return !object.lacksValues && !object.isMarkedDeleted && !object.layout.derivedSlots.isEmpty
    }
}

extension NSManagedObject {
    /// Whether the object was both inserted and deleted since the last save, so there is nothing to save.
    fileprivate final var isInsertedAndDeleted: Bool { flags.contains([.inserted, .deleted]) }

    /// Whether the object is new, changed or deleted: what `hasChanges` returns unless a subclass overrides that.
    fileprivate final var isMarkedChanged: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Sets the snapshot to the row that a save has written, including the derived values that the store has computed.
    fileprivate final func adoptSavedRow(_ row: Row, of change: ObjectChange) {
        // Only to-many relationships of the object were written: another context may have saved its values in the
        // meantime.
        guard change.changesRow else { return adoptDerivedValues(row) }
        guard !lacksValues else { return }
        snapshot = row
        takeDerivedValues(of: row)
        keepDecodedValues(of: row)
    }

    /// Records which stored bytes the object's decoded values now stand for.
    private final func keepDecodedValues(of row: Row) {
        for index in layout.bytesSlots {
            guard case .stored(let stored) = row[index] else { continue }
            let slots = writableSlots()
            if case .stored(let own) = slots[index], own.undecoded === stored { continue }
            slots[index] = .stored(StoredBytes(stored, decoded: slots[index].readable))
        }
    }

    /// Adopts the derived values of a row that another context may have written since the object's own was read, and
    /// whose other values the object therefore does not adopt: its next save must still find the conflict.
    fileprivate final func adoptDerivedValues(_ row: Row) {
        guard !lacksValues, !layout.derivedSlots.isEmpty else { return }
        takeDerivedValues(of: row)
        guard let snapshot, snapshot !== row else { return }
        // Decoded values stand for the bytes of the snapshot.
        guard snapshot.version != row.version || !layout.bytesSlots.isEmpty else { return self.snapshot = row }
        let derived = layout.derivedSlots
        self.snapshot = Row.make(
            snapshot.values.indices.map { derived.contains($0) ? row[$0] : snapshot[$0] }, version: snapshot.version)
    }

    private final func takeDerivedValues(of row: Row) {
        guard !layout.derivedSlots.isEmpty else { return }
        let slots = writableSlots()
        for index in layout.derivedSlots { slots[index] = row[index] }
    }

}
