internal import CCoreDataSupport

/// The identity of objects that were created for rows. Their IDs are created on demand, as most are never needed.
extension NSManagedObject {
    /// Sets the row that the object represents, without an ID yet. The registry retains the store's identity.
    @inline(__always)
    final func setRow(_ key: Int64, _ storeIdentity: StoreIdentity) {
        state.pointee.key = key
        state.pointee.storeIdentity = .passUnretained(storeIdentity)
    }

    /// Sets the object's ID. Also sets the row's store and key, by which the object is found without accessing the ID.
    final func setID(_ id: NSManagedObjectID) {
        state.pointee.objectID = id
        if case .number(let key) = id.reference, let storeIdentity = id.storeIdentity { setRow(key, storeIdentity) }
    }

    // The runtime itself uses the following members rather than the open properties: they need no dynamic dispatch and
    // ignore overrides.

    /// The context: what `managedObjectContext` returns unless a subclass overrides that.
    package final var directContext: NSManagedObjectContext? { state.pointee.context?.takeUnretainedValue() }

    /// Whether the object is deleted: what `isDeleted` returns unless a subclass overrides that.
    final var isMarkedDeleted: Bool { state.pointee.flags.contains(.deleted) }

    /// Whether the object is new: what `isInserted` returns unless a subclass overrides that.
    final var isMarkedInserted: Bool { state.pointee.flags.contains(.inserted) }

    /// Whether the values are not in memory: what `isFault` returns unless a subclass overrides that.
    final var lacksValues: Bool { state.pointee.slots == nil && !state.pointee.flags.contains(.shared) }

    /// The ID: what `objectID` returns unless a subclass overrides that.
    final var directID: NSManagedObjectID {
        if let id = createdID { return id }
        if isRecording { _ = KeyRecorder.record("objectID", of: self) }
        return makeID()
    }

    /// The ID, if it has been created. Thread-safe.
    final var createdID: NSManagedObjectID? {
        withIDPointer { cd_get_once($0) }.map { Unmanaged<NSManagedObjectID>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Assigns a temporary ID to the object. The ID is created on demand.
    final func setTemporary() {
        if state.pointee.objectID == nil, state.pointee.key == 0 {
            state.pointee.key = NSManagedObjectID.nextTemporaryNumber()
        }
    }

    final var hasTemporaryID: Bool { state.pointee.objectID?.isTemporaryID ?? (state.pointee.storeIdentity == nil) }

    /// The parts of an ID: the ID itself, or a row's store and key.
    struct Identity {
        var id: NSManagedObjectID?
        var storeIdentity: Unmanaged<StoreIdentity>?
        var key: Int64
    }

    /// The parts of the object's ID. Set by the context, which registers the object by it.
    final var identity: Identity {
        get { Identity(id: state.pointee.objectID, storeIdentity: state.pointee.storeIdentity, key: state.pointee.key) }
        set {
            state.pointee.objectID = newValue.id
            state.pointee.storeIdentity = newValue.storeIdentity
            state.pointee.key = newValue.key
            if let id = newValue.id { setID(id) }
        }
    }

    /// Creates and returns the ID of an object that has none. Thread-safe: concurrent callers get the same ID.
    final func makeID() -> NSManagedObjectID {
        let id: NSManagedObjectID
        if let storeIdentity = state.pointee.storeIdentity {
            id = NSManagedObjectID(
                key: state.pointee.key, layout: layout, storeIdentity: storeIdentity.takeUnretainedValue())
        } else {
            if state.pointee.key == 0 { state.pointee.key = NSManagedObjectID.nextTemporaryNumber() }
            id = NSManagedObjectID(temporary: UInt64(bitPattern: state.pointee.key), layout)
        }
        let made = Unmanaged.passRetained(id)
        let kept = withIDPointer { cd_put_once($0, made.toOpaque()) }
        if kept != made.toOpaque() { made.release() }
        return Unmanaged<NSManagedObjectID>.fromOpaque(kept).takeUnretainedValue()
    }

    /// Calls a function with a pointer to the reference to the ID.
    private final func withIDPointer<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &state.pointee.objectID) {
            body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UnsafeMutableRawPointer?.self))
        }
    }
}
