internal import CCoreDataSupport

/// The identity of objects that were made for rows: most of them are never asked for an ID, which is not made then.
extension NSManagedObject {
    /// Makes the object one for a row, which has no ID yet. Its registry keeps the place.
    @inline(__always)
    final func setRow(_ key: Int64, _ place: StorePlace) {
        state.pointee.key = key
        state.pointee.place = .passUnretained(place)
    }

    /// The ID, if there is one yet. May be asked for on any thread.
    final var knownID: NSManagedObjectID? {
        withIDPlace { cd_get_once($0) }.map { Unmanaged<NSManagedObjectID>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes the object a new one, whose ID is temporary and made when it is asked for.
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
        }
    }

    /// Makes the ID of an object that has none. Several threads may ask at once: they get the same one.
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

    /// The memory of the reference to the ID.
    private final func withIDPlace<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &state.pointee.objectID) {
            body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UnsafeMutableRawPointer?.self))
        }
    }

    /// The hash of the ID, by which the registry knows the object; nil when there is nothing to make an ID of yet.
    final var idHash: Int? {
        if let hash = state.pointee.objectID?.hashBits { return hash }
        let key = state.pointee.key
        if state.pointee.place != nil { return KeyHash.bits(key) ^ state.pointee.layout.keySalt }
        return key == 0 ? nil : KeyHash.bits(key)
    }

    /// Whether an ID is the object's.
    final func hasID(_ id: NSManagedObjectID) -> Bool {
        if let own = state.pointee.objectID { return own.isSame(as: id) }
        guard let place = state.pointee.place else {
            guard case .temporary(let number) = id.reference else { return false }
            return number == UInt64(bitPattern: state.pointee.key)
        }
        return place._withUnsafeGuaranteedRef { id.isRow(state.pointee.key, layout, $0) }
    }

    /// Whether the object is that of a row.
    final func isOfRow(_ key: Int64, _ layout: EntityLayout, _ place: StorePlace) -> Bool {
        if let own = state.pointee.objectID { return own.isRow(key, layout, place) }
        guard state.pointee.key == key, let ownPlace = state.pointee.place else { return false }
        guard ownPlace.toOpaque() == Unmanaged.passUnretained(place).toOpaque() else {
            return ownPlace._withUnsafeGuaranteedRef { $0.uuid == place.uuid } && self.layout.hasRoot(of: layout)
        }
        return self.layout.hasRoot(of: layout)
    }
}
