internal import CCoreDataSupport

/// The identity of objects that were made for rows: most of them are never asked for an ID, which is not made then.
extension NSManagedObject {
    /// Makes the object one for a row, which has no ID yet. Its registry keeps the place.
    @inline(__always)
    final func setRow(_ key: Int64, _ place: StorePlace) {
        state.pointee.key = key
        state.pointee.place = .passUnretained(place)
    }

    /// Gives the object its ID. Place and key of a row are noted, too: they find the object without the ID being asked.
    final func setID(_ id: NSManagedObjectID) {
        state.pointee.objectID = id
        if case .number(let key) = id.reference, let place = id.place { setRow(key, place) }
    }

    // The runtime itself uses what follows, not the open properties: it costs no virtual call, and overrides are for others.

    /// The context: what `managedObjectContext` returns unless a subclass overrides that.
    final var ownContext: NSManagedObjectContext? { state.pointee.context?.takeUnretainedValue() }

    /// Whether the object is deleted: what `isDeleted` returns unless a subclass overrides that.
    final var isMarkedDeleted: Bool { state.pointee.flags.contains(.deleted) }

    /// Whether the object is new: what `isInserted` returns unless a subclass overrides that.
    final var isMarkedInserted: Bool { state.pointee.flags.contains(.inserted) }

    /// Whether the values are not in memory: what `isFault` returns unless a subclass overrides that.
    final var lacksValues: Bool { state.pointee.slots == nil }

    /// The ID: what `objectID` returns unless a subclass overrides that.
    final var ownID: NSManagedObjectID {
        if let id = knownID { return id }
        if isRecording { _ = KeyRecorder.note("objectID", of: self) }
        return makeID()
    }

    /// The ID, if there is one yet. May be asked for on any thread.
    final var knownID: NSManagedObjectID? {
        withIDPlace { cd_get_once($0) }.map { Unmanaged<NSManagedObjectID>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes the object a new one, with a temporary ID that is created on demand.
    final func setTemporary() {
        if state.pointee.objectID == nil, state.pointee.key == 0 {
            state.pointee.key = NSManagedObjectID.nextTemporaryNumber()
        }
    }

    /// Whether the ID is a temporary one.
    final var hasTemporaryID: Bool { state.pointee.objectID?.isTemporaryID ?? (state.pointee.place == nil) }

    /// What makes an ID.
    struct Identity {
        var id: NSManagedObjectID?
        var place: Unmanaged<StorePlace>?
        var key: Int64
    }

    /// What makes the object's ID. Set by the context, which knows the object by it.
    final var identity: Identity {
        get { Identity(id: state.pointee.objectID, place: state.pointee.place, key: state.pointee.key) }
        set {
            state.pointee.objectID = newValue.id
            state.pointee.place = newValue.place
            state.pointee.key = newValue.key
            if let id = newValue.id { setID(id) }
        }
    }

    /// Creates the ID of an object that has none. Several threads may ask at once: they get the same one.
    final func makeID() -> NSManagedObjectID {
        let id: NSManagedObjectID
        if let place = state.pointee.place {
            id = NSManagedObjectID(state.pointee.key, layout, place.takeUnretainedValue())
        } else {
            if state.pointee.key == 0 { state.pointee.key = NSManagedObjectID.nextTemporaryNumber() }
            id = NSManagedObjectID(temporary: UInt64(bitPattern: state.pointee.key), layout)
        }
        let made = Unmanaged.passRetained(id)
        let kept = withIDPlace { cd_put_once($0, made.toOpaque()) }
        if kept != made.toOpaque() { made.release() }
        return Unmanaged<NSManagedObjectID>.fromOpaque(kept).takeUnretainedValue()
    }

    /// Returns the memory of the reference to the ID.
    private final func withIDPlace<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &state.pointee.objectID) {
            body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UnsafeMutableRawPointer?.self))
        }
    }
}
