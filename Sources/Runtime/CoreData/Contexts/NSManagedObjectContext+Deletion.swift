internal import RuntimeSupport

/// Deletion of objects, and their relationships' delete rules.
extension NSManagedObjectContext {
    final func markDeleted(_ object: NSManagedObject) {
        checkQueue()
        guard
            object.state.pointee.context?.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
                || object.managedObjectContext === self
        else {
            misuse(
                "NSInvalidArgumentException",
                "An NSManagedObjectContext cannot delete objects in other contexts (\(object.objectID.uriRepresentation()))"
            )
        }
        if object.flags.contains(.isUnreadable) {
            // It may be readable by now.
            revive(object)
        } else if object.isMarkedDeleted {
            return
        }
        object.realize()
        // The save reports that the deletion cannot take place.
        if object.flags.contains(.isUnreadable) { return list(object) }
        // Its row may no longer exist.
        guard !object.isMarkedDeleted else { return }
        recordEvent(object)
        object.become(object.isMarkedInserted ? .scratched : .deleted)
        object.flags.insert(.deletedInEvent)
        list(object)
        pending.recordDeletion(of: object)
        object.prepareForDeletion()
    }

    /// Lists an object that is to be deleted. It needs no values, unlike one that `mark(_:)` prepares for changes.
    private final func list(_ object: NSManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.flags.insert(.listed)
        pending.list(object)
    }

    /// Reverts an unsaved deletion.
    final func undelete(_ object: NSManagedObject) {
        guard object.isDeleted, !object.flags.contains(.isGone) else { return }
        recordEvent(object)
        object.flags.remove(.deletedInEvent)
        object.become(object.isMarkedInserted ? .inserted : .saved)
        if !object.isMarkedInserted { object.flags.insert(.updated) }
    }

    /// Applies the delete rules of all objects deleted so far.
    final func propagateDeletes() {
        while !pending.deleted.isEmpty {
            let objects = pending.takeDeleted()
            lookUpCascades(of: objects)
            var departures = Departures()
            let own = Unmanaged.passUnretained(self).toOpaque()
            objects.forEachUncounted { object in
                // Not if the deletion was undone.
                guard object.flags.contains([.deleted, .deletedInEvent]) else { return }
                // The rules apply to the remaining members.
                if object.layout.followsMembers { departures.apply() }
                // The hooks of cascaded objects see the relationships as they were.
                var cascaded: Set<ObjectIdentifier> = []
                object.cascadedObjects().forEachUncounted { other in
                    // An outdated relationship may contain objects whose deletion was saved.
                    guard other.state.pointee.context?.toOpaque() == own, !other.isMarkedDeleted else { return }
                    cascaded.insert(ObjectIdentifier(other))
                    markDeleted(other)
                }
                // The flag lets relationships that are looked up for the rules hold the object.
                object.applyDeleteRules(cascaded: cascaded, departures: &departures)
                object.flags.remove(.deletedInEvent)
            }
            departures.apply()
        }
    }

    /// Loads the objects that cascade rules delete, with one query per relationship rather than several per object.
    private final func lookUpCascades(of objects: [NSManagedObject]) {
        guard parent == nil else { return }
        var groups: [ObjectIdentifier: [NSManagedObject]] = [:]
        objects.forEachUncounted { object in
            guard object.layout.hasCascades, object.isMarkedDeleted else { return }
            groups[ObjectIdentifier(object.layout), default: []].append(object)
        }
        for group in groups.values {
            let layout = group[0].layout
            for index in layout.cascadeSlots {
                do {
                    try lookUpMembers(at: index, of: group, layout)
                    try realize(group.flatMap { $0.loadedMembers(at: index) })
                } catch {
                    // Objects that cannot be read now are requested again, and reported, one by one.
                    Log.error("the members of “\(layout.name).\(layout.slots[index].name)” cannot be read: \(error)")
                }
            }
        }
    }
}
