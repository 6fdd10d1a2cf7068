internal import Foundation

/// Rollback and reset. What they discard is in values that they replace as a whole, so that a new field cannot be
/// forgotten: a rollback replaces `pending`, a reset also `contents` and the registered objects.
extension NSManagedObjectContext {
    // MARK: Rollback

    /// Reverts all unsaved changes.
    final func discardChanges() {
        checkQueue()
        processChanges()
        let objects = pending.objects
        pending = PendingChanges()
        undoManager?.removeAllActions(withTarget: self)
        var invalidated: [NSManagedObject] = []
        var restored: [NSManagedObject] = []
        for object in objects {
            object.flags.remove([.updated, .deletedInEvent, .listed, .inEvent, .locked])
            switch object.presence {
            case .inserted, .scratched:
                object.leaveContext(.discarded)
                invalidated.append(object)
                continue
            case .deleted: object.become(.saved)
            case .gone where !object.flags.contains(.isUnreadable): continue
            case .gone, .saved, .outside, .left: break
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
        NSManagedObject.rebaseMembers(of: registry.objects)
        var userInfo: [String: Any] = [:]
        if !invalidated.isEmpty { userInfo[NSDeletedObjectsKey] = Set(invalidated) }
        if !restored.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(restored) }
        guard !userInfo.isEmpty else { return }
        NotificationCenter.default.post(name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
    }

    // MARK: Reset

    /// Drops all objects and changes.
    final func resetAll() {
        checkQueue()
        reading.advance()
        let objects = registry.objects
        let loaded = objects.filter { !$0.isFault }
        for object in loaded { object.willTurnIntoFault() }
        pending = PendingChanges()
        contents.reset()
        registry.removeAll()
        if let parent, childContexts.isEmpty { renames.follow(parent.renames) }
        for object in objects {
            object.leaveContext(.reset)
            object.forgetValues()
        }
        for object in loaded { object.didTurnIntoFault() }
        undoManager?.removeAllActions(withTarget: self)
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self,
            userInfo: [NSInvalidatedAllObjectsKey: objects.map(\.objectID)])
    }
}
