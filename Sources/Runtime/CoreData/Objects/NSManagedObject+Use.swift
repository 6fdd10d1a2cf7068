/// Reports to interested stores which of their objects contexts use.
extension NSManagedObject {
    /// Reports that the object is in use.
    final func beginUse() {
        guard !flags.contains(.inUse), let store = objectID.persistentStore else { return }
        flags.insert(.inUse)
        store.engine.beginUse(of: objectID)
    }

    /// Reports that the object is no longer in use, if its use was reported.
    final func endUse() {
        guard flags.contains(.inUse) else { return }
        flags.remove(.inUse)
        objectID.persistentStore?.engine.endUse(of: objectID)
    }
}
