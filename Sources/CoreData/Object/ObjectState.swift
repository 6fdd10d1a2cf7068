/// Everything about an object that changes, in the object's own memory.
///
/// Used through a pointer: reading a class's variables through Swift costs a check for exclusive access each time, a pointer's does
/// not.
///
/// Confined to the queue of the object's context.
@usableFromInline
struct ObjectState {
    /// The values by slot; nil for a fault.
    @usableFromInline var slots: UnsafeMutablePointer<SlotValue>?
    /// A copy of the layout's fingerprint, for generated code.
    @usableFromInline var fingerprint: UInt64
    /// The one of the parent entity's layout, whose numbers of slots hold here too; 0 for none.
    @usableFromInline var parentFingerprint: UInt64
    @usableFromInline var flags: Flags = []
    /// The context; it clears this when it goes away before the object.
    @usableFromInline var context: Unmanaged<NSManagedObjectContext>?
    /// The context's registry, from which the object takes itself when it is destroyed.
    /// The object has a reference.
    @usableFromInline var registry: Unmanaged<ObjectRegistry>?
    /// Created on demand: from `place` and `key` if there is a place, otherwise temporary.
    @usableFromInline var objectID: NSManagedObjectID?
    /// The store of an object that was made for a row; the registry has it.
    @usableFromInline var place: Unmanaged<StorePlace>?
    /// The key of the row.
    @usableFromInline var key: Int64 = 0
    /// What the object was when it was fetched or saved; nil for one that never was.
    @usableFromInline var snapshot: Row?
    /// The row that a fetch has found for a fault, which is the one to take unless it is stale.
    /// The object has a reference.
    @usableFromInline var pending: Unmanaged<Row>?
    /// Who observes properties. Then `fingerprint` is 0, so that generated code goes the way that announces changes.
    @usableFromInline var observers: ObjectObservers?

    /// What is going on with the object.
    @usableFromInline
    struct Flags: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt32

        @inlinable
        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Not in any store yet.
        static let inserted = Flags(rawValue: 1)
        /// Has changes that are not saved.
        static let updated = Flags(rawValue: 2)
        /// Will be removed from its store with the next save.
        static let deleted = Flags(rawValue: 4)
        /// Is in the list of changes of this event.
        static let inEvent = Flags(rawValue: 8)
        /// Was deleted in this event: rules are still to be applied.
        static let deletedInEvent = Flags(rawValue: 16)
        /// Its values are just being read.
        static let isFaulting = Flags(rawValue: 32)
        /// Not a real object: records which properties are read (`KeyRecorder`).
        static let recording = Flags(rawValue: 64)
        /// Its row is gone from the store.
        static let isGone = Flags(rawValue: 128)
        /// Changes are made while values come from a store, and are not changes.
        static let silent = Flags(rawValue: 256)
        /// Is in the context's list of changed objects.
        static let listed = Flags(rawValue: 512)
        /// Its store knows that it is in use.
        static let inUse = Flags(rawValue: 1024)
        /// A save checks it for conflicts even if it has no changes here.
        static let locked = Flags(rawValue: 2048)

        /// The slots are those of the snapshot.
        static let shared = Flags(rawValue: 4096)

        /// Has values at random, by which a key path's property is found (`PropertySearch`).
        static let sample = Flags(rawValue: 8192)

        /// Its values could not be read, so nothing of it may be saved.
        static let isUnreadable = Flags(rawValue: 16384)

        /// Everything about a change is noted already, and the slots are the object's own: generated code writes into them. Only
        /// together with `inEvent` and `listed`.
        @inlinable static var noted: Flags { Flags(rawValue: 32768) }

        /// In the lists of changes of this event and of changed objects.
        static let changed: Flags = [.inEvent, .listed]

        /// Is being taken out of a relationship together with others.
        static let leaving = Flags(rawValue: 65536)
    }
}

extension ObjectState {
    /// Where the state is in the memory of an object: behind the type and the reference counts, as `NSObject` has no stored properties.
    ///
    /// Checked by an assertion whenever an object is created.
    @inlinable static var offset: Int { 2 * MemoryLayout<Int>.size }
}

extension NSManagedObject {
    /// What changes about the object.
    @inlinable
    @inline(__always)
    final var state: UnsafeMutablePointer<ObjectState> {
        (Unmanaged.passUnretained(self).toOpaque() + ObjectState.offset).assumingMemoryBound(to: ObjectState.self)
    }
}
