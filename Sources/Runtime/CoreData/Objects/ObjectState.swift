/// An object's mutable state, in the object's own memory.
///
/// Accessed through a pointer: each access to a class's stored variables includes a check for exclusive access, a
/// pointer's does not.
///
/// Confined to the queue of the object's context.
@usableFromInline
struct ObjectState {
    /// The values by slot; `nil` for a fault, and for an object that reads them from the snapshot.
    @usableFromInline var slots: UnsafeMutablePointer<SlotValue>?
    /// A copy of the layout's fingerprint, for generated code.
    @usableFromInline var fingerprint: UInt64
    /// The fingerprint of the parent entity's layout, whose slot numbers also apply here; 0 for none.
    @usableFromInline var parentFingerprint: UInt64
    @usableFromInline var flags: Flags = []
    /// The number of times that generated code has read a value from the snapshot.
    @usableFromInline var snapshotReads: UInt32 = 0
    /// The context, which clears this if it is released before the object.
    @usableFromInline var context: Unmanaged<NSManagedObjectContext>?
    /// The context's registry, retained. The object removes itself from it when it is destroyed.
    @usableFromInline var registry: Unmanaged<ObjectRegistry>?
    /// The ID, created on demand: from `storeIdentity` and `key` if there are both, otherwise temporary.
    @usableFromInline var objectID: NSManagedObjectID?
    /// The store of an object that was created for a row. Retained by the registry.
    @usableFromInline var storeIdentity: Unmanaged<StoreIdentity>?
    /// The key of the row.
    @usableFromInline var key: Int64 = 0
    /// The object's values when it was last fetched or saved; `nil` if it never was.
    @usableFromInline var snapshot: Row?
    /// The row that a fetch has found for a fault, retained. The fault adopts it unless it is stale.
    @usableFromInline var pending: Unmanaged<Row>?
    /// The observers of properties. If there are any, `fingerprint` is 0, so that generated code takes the path that
    /// announces changes.
    @usableFromInline var observers: ObjectObservers?

    /// The state bits of an object.
    @usableFromInline
    struct Flags: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt32

        @inlinable
        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Not in any store yet.
        static let inserted = Flags(rawValue: 1)
        /// Has unsaved changes.
        static let updated = Flags(rawValue: 2)
        /// Will be removed from its store with the next save.
        static let deleted = Flags(rawValue: 4)
        /// Has a record in the current event.
        static let inEvent = Flags(rawValue: 8)
        /// Was deleted in this event: its delete rules are still to be applied.
        static let deletedInEvent = Flags(rawValue: 16)
        /// Its values are being loaded.
        static let isFaulting = Flags(rawValue: 32)
        /// Not a real object: it records which properties are read (`KeyRecorder`).
        static let recording = Flags(rawValue: 64)
        /// Its row no longer exists in the store.
        static let isGone = Flags(rawValue: 128)
        /// Its values are being loaded, so setting them does not count as a change.
        static let silent = Flags(rawValue: 256)
        /// Is in the context's list of changed objects.
        static let listed = Flags(rawValue: 512)
        /// Its store was told that it is in use.
        static let inUse = Flags(rawValue: 1024)
        /// A save checks it for conflicts even if it has no changes.
        static let locked = Flags(rawValue: 2048)

        /// Its values are those of the snapshot, and it has no slots.
        static let shared = Flags(rawValue: 4096)

        /// Has random values, by which a key path's property is identified (`PropertySearch`).
        static let sample = Flags(rawValue: 8192)

        /// Its values could not be read, so it must not be saved.
        static let isUnreadable = Flags(rawValue: 16384)

        /// Its change is fully recorded and its slots are its own, so generated code writes directly into them. Only
        /// set together with `inEvent` and `listed`.
        @inlinable static var directlyWritable: Flags { Flags(rawValue: 32768) }

        /// Has a record in the current event and is in the context's list of changed objects.
        static let changed: Flags = [.inEvent, .listed]

        /// Is being removed from a relationship together with others.
        static let leaving = Flags(rawValue: 65536)

        /// Its row is gone, and a notification has reported the deletion.
        static let isReported = Flags(rawValue: 131072)

        /// A merge policy has inserted it again after its deletion elsewhere, of which a late notice may still come.
        static let isRestored = Flags(rawValue: 524288)

        /// Its context was released while the object was in it.
        static let isOrphaned = Flags(rawValue: 262144)
    }
}

extension ObjectState {
    /// The offset of the state in an object's memory: after the type and the reference counts, as `NSObject` has no
    /// stored properties.
    ///
    /// Checked by an assertion whenever an object is created.
    @inlinable static var offset: Int { 2 * MemoryLayout<Int>.size }
}

extension NSManagedObject {
    @inlinable
    @inline(__always)
    final var state: UnsafeMutablePointer<ObjectState> {
        (Unmanaged.passUnretained(self).toOpaque() + ObjectState.offset).assumingMemoryBound(to: ObjectState.self)
    }
}
