internal import RuntimeSupport

extension NSManagedObject {
    /// Enters a context as a saved object.
    final func enter(_ context: NSManagedObjectContext) {
        assert(state.pointee.context == nil, "\(layout.name) is in a context already")
        state.pointee.context = Unmanaged.passUnretained(context)
        state.pointee.registry?.release()
        state.pointee.registry = .passRetained(context.registry)
        flags.remove(.isOrphaned)
        if let observers { context.observedObjects[ObjectIdentifier(self)] = WeakObservers(observers: observers) }
    }
}

extension NSManagedObjectContext {
    /// Turns an object that is gone into a fault again if it has a row after all.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    final func reviveIfStored(_ object: NSManagedObject) throws -> Bool {
        guard try row(for: object.directID, object.layout) != nil else { return false }
        revive(object)
        return true
    }

    /// Turns an object that is gone into a fault again, because its row was found. Does nothing for other objects, and
    /// for those with changes made while they could not be read: the save reports them.
    final func revive(_ object: NSManagedObject) {
        guard object.canRevive else { return }
        object.become(.saved)
        object.clearSlots()
        object.snapshot = nil
    }

    /// Revives objects that are marked as gone but whose rows a store has just found.
    final func revive(found objects: [NSManagedObject]) {
        if objects.allSatisfyUncounted({ !$0.flags.contains(.isGone) }) { return }
        for object in objects where object.canRevive {
            revive(object)
            recordRefresh(of: object)
        }
    }

    /// Returns the object that a row refers to. One that was gone is a fault again if it has a row by now.
    final func destinationObject(with id: NSManagedObjectID) -> NSManagedObject {
        let object = object(with: id)
        if object.canRevive, (try? reviveIfStored(object)) == true { recordRefresh(of: object) }
        return object
    }

    /// Forgets those of the objects that were inserted and deleted since the last save, unless their delete rules are
    /// still to be applied.
    final func discardInsertedAndDeleted(_ objects: some Sequence<NSManagedObject>) {
        var hasDropped = false
        for object in objects where object.presence == .scratched && !object.flags.contains(.deletedInEvent) {
            object.leaveContext(.deletion)
            hasDropped = true
        }
        if hasDropped { contents.retained?.removeAll { $0.directContext !== self } }
    }
}

extension NSManagedObject {
    /// Whether the object is gone and can be a fault again if it has a row. Changes of an object that could not be read
    /// stay listed: the save reports them.
    final var canRevive: Bool {
        flags.contains(.isGone) && !flags.isSuperset(of: [.isUnreadable, .listed])
    }
}
