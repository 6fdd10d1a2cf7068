internal import Foundation

/// The notification of what an event has changed in a context.
struct EventNotification {
    let context: NSManagedObjectContext
    let records: [EventRecord]
    let changes: UnpostedChanges

    /// Posts the notification, unless nothing has changed.
    func post() {
        var inserted = changes.insertedByMerge
        var updated: [NSManagedObject] = []
        var deleted: [NSManagedObject] = []
        let own = Unmanaged.passUnretained(context).toOpaque()
        for index in records.indices {
            let before = records[index].flags
            let object = records[index].object
            let now = object.flags
            let existed = !before.contains(.deleted) && object.state.pointee.context?.toOpaque() == own
            switch (now.contains(.deleted), before.contains(.deleted)) {
            case (true, false):
                // An object inserted and deleted within the event is not reported.
                if before.contains(.inserted) || !now.contains(.inserted) { deleted.append(object) }
            case (false, true): inserted.append(object)
            case (false, false) where existed:
                if now.contains(.inserted), !before.contains(.inserted) {
                    inserted.append(object)
                } else {
                    updated.append(object)
                }
            default: break
            }
        }
        var userInfo: [String: Any] = [:]
        if !inserted.isEmpty {
            // Objects merged from elsewhere must not be kept alive until the next save here.
            userInfo[NSInsertedObjectsKey] =
                changes.insertedByMerge.isEmpty ? context.pending.announced.inserted.set(of: inserted) : Set(inserted)
        }
        if !updated.isEmpty { userInfo[NSUpdatedObjectsKey] = context.pending.announced.updated.set(of: updated) }
        if !deleted.isEmpty { userInfo[NSDeletedObjectsKey] = context.pending.announced.deleted.set(of: deleted) }
        var refreshedObjects = changes.refreshed
        if !refreshedObjects.isEmpty, !(inserted.isEmpty && deleted.isEmpty) {
            // Each object is in one set: new and deleted ones are not refreshed.
            let others = Set((inserted + deleted).map { ObjectIdentifier($0) })
            refreshedObjects.removeAll { others.contains(ObjectIdentifier($0)) }
        }
        if !refreshedObjects.isEmpty { userInfo[NSRefreshedObjectsKey] = Set(refreshedObjects) }
        guard !userInfo.isEmpty else { return }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: context, userInfo: userInfo)
    }
}
