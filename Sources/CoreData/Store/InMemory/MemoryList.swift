/// The objects of an entity in the order of their insertion, and their values beside them: whoever looks for some of many goes
/// from values to values, and touches no object that is not wanted.
///
/// Guarded by the lock of the store's coordinator.
struct MemoryList {
    private(set) var objects: [MemoryObject] = []
    private var slots: [UnsafePointer<SlotValue>] = []

    mutating func append(_ object: MemoryObject) {
        object.place = objects.count
        objects.append(object)
        slots.append(object.slots)
    }

    /// Says that an object has other values.
    mutating func noteValues(of object: MemoryObject) {
        slots[object.place] = object.slots
    }

    /// Takes out what was deleted.
    mutating func removeDeleted() {
        let all = objects
        objects = []
        slots = []
        for object in all where !object.isDeleted { append(object) }
    }

    /// Calls a function with the places of the objects that meet a condition.
    @inline(__always)
    func forEachPlace(matching filter: SlotFilter, _ body: (Int) -> Void) {
        slots.withUnsafeBufferPointer { slots in
            for place in 0..<slots.count where filter.matches(slots[place], orObject: { objects[place] }) {
                body(place)
            }
        }
    }
}
