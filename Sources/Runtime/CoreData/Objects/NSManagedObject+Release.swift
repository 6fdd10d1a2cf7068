internal import CCoreDataSupport

/// Releases the values of destroyed objects without recursion: objects that only reference each other, such as a long
/// list of linked ones, would otherwise need a part of the stack each.
private final class PostponedValues {
    struct Values {
        let slots: UnsafeMutablePointer<SlotValue>
        let count: Int
    }

    var values: [Values] = []
}

extension NSManagedObject {
    /// The depth of nested destructors up to which values are released immediately.
    private static let releaseDepth = 32

    /// Drops all values of an object that is being destroyed. The outermost destructor releases those of deeply nested
    /// ones.
    final func releaseSlots() {
        guard let slots = state.pointee.slots else { return }
        let destruction = cd_this_destruction()
        guard destruction.pointee.depth < Self.releaseDepth else {
            let postponed: Unmanaged<PostponedValues>
            if let pointer = destruction.pointee.postponed {
                postponed = .fromOpaque(pointer)
            } else {
                postponed = .passRetained(PostponedValues())
                destruction.pointee.postponed = postponed.toOpaque()
            }
            state.pointee.slots = nil
            postponed.takeUnretainedValue().values.append(.init(slots: slots, count: layout.slots.count))
            return
        }
        destruction.pointee.depth += 1
        clearSlots()
        if destruction.pointee.depth == 1, let pointer = destruction.pointee.postponed {
            let postponed = Unmanaged<PostponedValues>.fromOpaque(pointer).takeRetainedValue()
            while let values = postponed.values.popLast() {
                values.slots.deinitialize(count: values.count)
                values.slots.deallocate()
            }
            destruction.pointee.postponed = nil
        }
        destruction.pointee.depth -= 1
    }
}
