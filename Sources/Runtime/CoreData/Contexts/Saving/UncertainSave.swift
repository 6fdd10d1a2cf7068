internal import Foundation
internal import RuntimeSupport

/// A save of which it is unknown whether it took place. The next save asks for its outcome first, so that nothing is
/// inserted twice.
struct UncertainSave {
    private let changes: [ObjectChange]
    /// Retains the objects of the changes.
    private let objects: [NSManagedObject]
    /// The number of the transaction in the store, if it has one.
    private let transaction: Int64?

    init(_ changes: [ObjectChange], transaction: Int64?) {
        self.changes = changes
        self.transaction = transaction
        objects = changes.map(\.object)
    }

    /// What an uncertain save has written.
    struct Saved {
        var objects: [NSManagedObject] = []
        /// Those of the objects that have changed since.
        var changed: [NSManagedObject] = []
        /// Those of the objects that were deleted since, and are to be marked as deleted again.
        var deleted: [NSManagedObject] = []
    }

    /// Determines the outcome of the uncertain save of a context, if there is one.
    ///
    /// - Returns: What the save has written, for the caller to end it; `nil` if it has not taken place, or there is
    ///   none.
    /// - Throws: An error of the store if it cannot be asked. Nothing has changed then.
    static func resolve(_ context: NSManagedObjectContext) throws -> Saved? {
        guard let coordinator = context.rootCoordinator, let save = context.pending.uncertain else { return nil }
        // If the store cannot tell, its rows have the versions that tell: changed ones are conflicts.
        let didArrive = try coordinator.outcome(ofUncertain: save.changes, transaction: save.transaction)
        context.pending.uncertain = nil
        return didArrive == true ? save.adopt(context) : nil
    }

    /// Commits the saved state, with which later comparisons begin. The objects may have changed since.
    private func adopt(_ context: NSManagedObjectContext) -> Saved {
        var saved = Saved()
        for change in changes where change.object.directContext === context {
            let object = change.object
            guard change.kind != .delete else {
                if object.isMarkedDeleted { saved.objects.append(object) }
                continue
            }
            if change.changesRow, object.loadedSlots != nil { object.snapshot = change.row }
            for members in change.members { object.recordSaved(members, isNew: change.kind == .insert, context) }
            saved.objects.append(object)
            let isNewer = object.layout.slots.indices.contains { index in
                guard let slots = object.loadedSlots, !object.layout.slots[index].isTransient else { return false }
                if let storage = slots[index].memberStorage { return storage.isChanged }
                return object.layout.rowSlots.contains(index) && !slots[index].isEqual(change.row[index])
            }
            if isNewer || object.isMarkedDeleted { saved.changed.append(object) }
        }
        saved.deleted = saved.changed.filter(\.isMarkedDeleted)
        for object in saved.deleted { object.become(object.presence == .scratched ? .inserted : .saved) }
        return saved
    }
}

extension NSManagedObject {
    /// Records the members that a save has written as those last saved.
    fileprivate final func recordSaved(
        _ change: ObjectChange.MemberChange, isNew: Bool, _ context: NSManagedObjectContext
    ) {
        guard let slots = loadedSlots, let storage = slots[change.slot].memberStorage else { return }
        let removed = Set(change.removed)
        let saved =
            change.order.map { $0.map(context.object(with:)) }
            ?? (isNew ? [] : storage.lastSaved.filter { !removed.contains($0.directID) })
            + change.added.map(context.object)
        storage.recordSaved(as: saved)
    }
}

extension IncompleteSave {
    /// Returns the error for the caller of the save.
    ///
    /// - Parameter unsaved: The objects whose changes were not saved, or may not have been.
    func error(unsaved: [NSManagedObject]) -> NSError {
        var userInfo: [String: Any] = [
            NSAffectedStoresErrorKey: [store], NSAffectedObjectsErrorKey: unsaved, NSUnderlyingErrorKey: reason,
        ]
        if !uncertain.isEmpty { userInfo[NSPersistentStoreSaveOutcomeUnknownKey] = NSNumber(value: true) }
        if uncertain.isEmpty {
            return CoreDataError.error(
                .persistentStoreIncompleteSave,
                text:
                    "other stores were saved, but not the one at \(path): \(Self.text(reason)); the objects that were not saved "
                    + "still have their changes, and the next save writes them",
                userInfo: userInfo)
        }
        return CoreDataError.error(
            .persistentStoreSaveOutcomeUnknown,
            text:
                "it is unknown whether the changes were saved to \(path): \(Self.text(reason)); the next save finds out and "
                + "does not insert any object twice",
            userInfo: userInfo)
    }

    private static func text(_ reason: any Error) -> String {
        switch reason {
        case is SaveConflicts: "another context or program has saved the same objects"
        case is ConstraintConflicts: "values violate a uniqueness constraint"
        case is ReferenceConflicts: "another context or program has deleted objects of relationships"
        default: (reason as NSError).localizedDescription
        }
    }
}
