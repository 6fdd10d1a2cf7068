/// Tells stores that want to know which of their objects contexts use.
extension NSManagedObject {
    /// Says that the object is in use.
    final func beginUse() {
        guard !flags.contains(.inUse), let store = objectID.persistentStore else { return }
        flags.insert(.inUse)
        store.beginUse(of: objectID)
    }

    /// Says that the object is not in use anymore, if its store was told that it is.
    final func endUse() {
        guard flags.contains(.inUse) else { return }
        flags.remove(.inUse)
        objectID.persistentStore?.endUse(of: objectID)
    }
}
