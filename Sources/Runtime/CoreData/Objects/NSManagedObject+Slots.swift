internal import Foundation
internal import RuntimeSupport

/// Slots: reading and writing of values, faults, change tracking.
extension NSManagedObject {
    /// The object's name in diagnostic messages.
    final var debugName: String {
        "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
    }

    final var flags: ObjectState.Flags {
        get { state.pointee.flags }
        set { state.pointee.flags = newValue.contains(.changed) ? newValue : newValue.subtracting(.directlyWritable) }
    }

    /// Returns the index of a property's slot. Traps if the entity has no such property.
    final func slotIndex(of key: String) -> Int {
        guard let index = layout.index(of: key) else {
            misuse("NSUnknownKeyException", "the entity \(layout.name) has no property “\(key)”")
        }
        return index
    }

    /// Returns the index of the slot of a property of a kind. Traps if the property is of another kind.
    final func slotIndex(of key: String, kind: EntityLayout.Kind) -> Int {
        let index = slotIndex(of: key)
        guard layout.slots[index].kind == kind else {
            let requested =
                kind == .toMany(isOrdered: true)
                ? "an ordered to-many relationship" : "an unordered to-many relationship"
            misuse("NSInvalidArgumentException", "“\(layout.name).\(key)” is not \(requested)")
        }
        return index
    }

    // MARK: Memory of values

    /// The values by slot, if they are in memory.
    @inline(__always)
    final var loadedSlots: SlotReader? {
        if let slots = state.pointee.slots { return SlotReader(slots) }
        return flags.contains(.shared) ? uncountedSnapshot?._withUnsafeGuaranteedRef { $0.reader } : nil
    }

    /// The snapshot, which the object retains.
    @inline(__always)
    final var uncountedSnapshot: Unmanaged<Row>? {
        withUnsafePointer(to: &state.pointee.snapshot) {
            UnsafeRawPointer($0).assumingMemoryBound(to: Unmanaged<Row>?.self).pointee
        }
    }

    /// Returns the values by slot, loading them if needed.
    final func realizedSlots() -> SlotReader {
        if let slots = loadedSlots { return slots }
        realize()
        if let slots = loadedSlots { return slots }
        misuse("\(layout.name) \(debugName) has no values")
    }

    /// Returns slots that only this object has, for changes: loads the values, and copies them if they are shared.
    final func writableSlots() -> UnsafeMutablePointer<SlotValue> {
        if let slots = state.pointee.slots { return slots }
        realize()
        return state.pointee.slots ?? makeWritableSlots()
    }

    /// Replaces values shared with the snapshot by a copy, and returns it.
    @discardableResult
    final func makeWritableSlots() -> UnsafeMutablePointer<SlotValue> {
        let shared = realizedSlots()
        let slots = UnsafeMutablePointer<SlotValue>.allocate(capacity: max(layout.slots.count, 1))
        for index in 0..<layout.slots.count { (slots + index).initialize(to: shared[index]) }
        flags.remove(.shared)
        state.pointee.slots = slots
        return slots
    }

    /// Records that a value is read from the snapshot. An object whose values are read repeatedly gets its own slots,
    /// which generated code reads without a call, and whose strings are not created each time.
    final func recordSnapshotRead() {
        state.pointee.snapshotReads += 1
        if state.pointee.snapshotReads > 2 * layout.slots.count { makeWritableSlots() }
    }

    /// The object's values when it was last fetched or saved; `nil` if it never was, and for a fault.
    final var snapshot: Row? {
        get { state.pointee.snapshot }
        set {
            // The old snapshot may be released here, with the values in it.
            if flags.contains(.shared), newValue !== state.pointee.snapshot { makeWritableSlots() }
            state.pointee.snapshot = newValue
        }
    }

    /// Keeps the row that a fetch has found for a fault. The object stays a fault until its values are read.
    @inline(__always)
    final func recordPending(_ row: consuming Row) {
        guard lacksValues else { return }
        state.pointee.pending?.release()
        state.pointee.pending = .passRetained(row)
    }

    /// Adopts the row that a fetch found, if it is still current. Returns whether it did.
    final func adoptPending() -> Bool {
        guard let row = state.pointee.pending.take() else { return false }
        guard !row._withUnsafeGuaranteedRef(\.isStale) else {
            row.release()
            return false
        }
        fill(with: row.takeRetainedValue())
        return true
    }

    /// Sets flags. Generated code writes directly into the slots of an object whose change is recorded, so these must
    /// be its own.
    final func mark(_ new: ObjectState.Flags) {
        flags.insert(new)
        guard flags.contains(.changed) else { return }
        if flags.contains(.shared) { makeWritableSlots() }
        flags.insert(.directlyWritable)
    }

    /// Loads the values of a fault.
    final func realize() {
        guard lacksValues else { return }
        guard let context = state.pointee.context else {
            // An object created without a context has its default values; one that has left its context no longer has
            // values.
            if state.pointee.registry == nil { return fillWithDefaults() }
            if flags.contains(.isOrphaned) {
                misuse(
                    "NSObjectInaccessibleException",
                    "CoreData could not fulfill a fault for “\(objectID.uriRepresentation())”: its context was released. Keep "
                        + "the context, or the container of a view context, as long as its objects are used")
            }
            return allocateSlots { $0.initialize(repeating: .null, count: layout.slots.count) }
        }
        // Objects leave their context when it is released, so the context still exists here.
        context._withUnsafeGuaranteedRef { $0.fireFault(self) }
    }

    /// Sets the default values of a new object.
    final func fillWithDefaults() {
        allocateSlots { slots in
            for (index, value) in layout.defaults.enumerated() { (slots + index).initialize(to: value) }
        }
    }

    /// Adopts a row as the snapshot. The object reads its values from the row until they change. Destinations of
    /// relationships stay references.
    final func fill(with row: consuming Row) {
        clearSlots()
        defer { if !layout.transientDefaults.isEmpty { fillTransientSlots() } }
        guard row.count == layout.slots.count, row.count > 0, !flags.contains(.directlyWritable) else {
            allocateSlots { slots in
                for (index, value) in row.values.enumerated() { (slots + index).initialize(to: value) }
            }
            snapshot = row
            return
        }
        state.pointee.snapshot = row
        state.pointee.snapshotReads = 0
        flags.insert(.shared)
    }

    /// Sets transient attributes, which rows do not contain, to their default values.
    private final func fillTransientSlots() {
        let slots = writableSlots()
        for (index, value) in layout.transientDefaults { slots[index] = value }
    }

    private final func allocateSlots(_ initialize: (UnsafeMutablePointer<SlotValue>) -> Void) {
        clearSlots()
        let slots = UnsafeMutablePointer<SlotValue>.allocate(capacity: max(layout.slots.count, 1))
        initialize(slots)
        state.pointee.slots = slots
    }

    /// Drops all values.
    final func clearSlots() {
        flags.remove(.shared)
        guard let slots = state.pointee.slots else { return }
        state.pointee.slots = nil
        slots.deinitialize(count: layout.slots.count)
        slots.deallocate()
    }

    /// Returns a copy of the values that is independent of later changes.
    final func copiedSlots() -> [SlotValue]? {
        guard let slots = loadedSlots else { return nil }
        return layout.slots.indices.map { index in
            if let storage = slots[index].memberStorage { .many(storage.copy()) } else { slots[index] }
        }
    }

    /// Returns the values for the record of an event, and the relationships that the event may change: the values refer
    /// to the members as they are at any time.
    final func slotsBeforeEvent() -> (slots: [SlotValue], members: [Int: EarlierMembers])? {
        guard let slots = loadedSlots else { return nil }
        var members: [Int: EarlierMembers] = [:]
        for index in layout.toManySlots {
            if let storage = slots[index].memberStorage { members[index] = EarlierMembers(storage) }
        }
        return (layout.slots.indices.map { slots[$0] }, members)
    }

    /// Restores the values that an event's record contained, in an object that becomes a new one again.
    final func restoreSlots(_ values: [SlotValue]) {
        let restored = values.map { value -> SlotValue in
            guard let storage = value.memberStorage else { return value }
            let new = ToManyStorage(isOrdered: storage.isOrdered)
            new.replace(storage.members)
            return .many(new)
        }
        allocateSlots { slots in
            for (index, value) in restored.enumerated() { (slots + index).initialize(to: value) }
        }
    }

    // MARK: Reading

    /// Returns the value as in key-value coding.
    final func anyValue(at index: Int) -> Any? {
        switch layout.slots[index].kind {
        case .attribute: attributeValue(at: index).anyValue
        case .toOne: toOne(at: index)
        case .toMany: toMany(at: index).collection
        case .fetched: fetchedArray(at: index)
        }
    }

    /// Returns the value of an attribute, which is decoded when it is first used.
    @inline(__always)
    final func attributeValue(at index: Int) -> SlotValue {
        if flags.contains(.shared) { recordSnapshotRead() }
        let value = realizedSlots()[index]
        if case .stored(let stored) = value { return stored.decoded ?? decode(stored, at: index) }
        return value
    }

    /// Decodes a value, and keeps it. An unreadable value is null, and stays as it is stored.
    @inline(never)
    private final func decode(_ stored: StoredBytes, at index: Int) -> SlotValue {
        let value: SlotValue
        do {
            value = try stored.decode()
        } catch {
            guard (error as? UnreadableValue)?.isMissingFile == true, let newer = newerValue(of: stored, at: index)
            else {
                UnreadableValue.record(error, stored.coding)
                return .null
            }
            value = newer
        }
        writableSlots()[index] = .stored(StoredBytes(stored, decoded: value))
        return value
    }

    /// Returns the current value of an attribute that another context or program has replaced since the object's row
    /// was read; `nil` if that is not why its file is missing.
    private final func newerValue(of stored: StoredBytes, at index: Int) -> SlotValue? {
        guard let context = directContext, !hasTemporaryID, let row = try? context.newestRow(for: directID, layout),
            case .stored(let newer) = row[index], newer !== stored.undecoded
        else { return nil }
        return try? newer.decode()
    }

    /// Returns the objects of a fetched property, fetched on first access and then cached until the object is
    /// refreshed.
    private final func fetchedArray(at index: Int) -> NSArray? {
        if case .object(let list) = realizedSlots()[index] { return list as? NSArray }
        guard let found = managedObjectContext?.fetchedProperty(at: index, of: self) else { return nil }
        writableSlots()[index] = .object(found)
        return found
    }

    /// Drops the cached objects of fetched properties.
    final func forgetFetched() {
        guard let slots = state.pointee.slots else { return }
        for index in layout.fetchedSlots { slots[index] = .null }
    }

    /// Returns the object at the other end of a to-one relationship.
    final func toOne(at index: Int) -> NSManagedObject? {
        let slots = realizedSlots()
        switch slots[index] {
        case .managed(let reference): return reference.object
        case .reference(let id):
            guard let object = directContext?.destinationObject(with: id) else { return nil }
            writableSlots()[index] = .managed(object)
            return object
        default: return nil
        }
    }

    /// Returns the object at the other end of a to-one relationship, without retaining it in the slot if it was not
    /// before.
    final func destination(at index: Int) -> NSManagedObject? {
        switch realizedSlots()[index] {
        case .managed(let reference): reference.object
        // Objects leave their context when it is released, so it still exists here.
        case .reference(let id): state.pointee.context?._withUnsafeGuaranteedRef { $0.destinationObject(with: id) }
        default: nil
        }
    }

    /// Returns the ID at the other end of a to-one relationship, without creating an object for it.
    final func toOneID(at index: Int) -> NSManagedObjectID? {
        switch realizedSlots()[index] {
        case .managed(let reference): reference.object.directID
        case .reference(let id): id
        default: nil
        }
    }

    /// Returns the objects of a to-many relationship, looking them up if needed.
    final func toMany(at index: Int) -> ToManyStorage {
        let slots = realizedSlots()
        if let storage = slots[index].memberStorage {
            return storage.isUnread ? readAgain(storage, at: index) : storage
        }
        let members = managedObjectContext.map { $0.members(ofRelationshipAt: index, of: self) } ?? []
        let storage = recordMembers(members ?? [], at: index)
        storage.isUnread = members == nil
        return storage
    }

    /// Reads the members of a to-many relationship that could not be read before.
    private final func readAgain(_ storage: ToManyStorage, at index: Int) -> ToManyStorage {
        guard let members = managedObjectContext?.members(ofRelationshipAt: index, of: self) else { return storage }
        let fresh = recordMembers(members, at: index)
        reapplyChanges(of: storage, to: fresh, at: index)
        return fresh
    }

    /// Returns the objects of a to-many relationship, or an empty array if they have not been looked up.
    final func loadedMembers(at index: Int) -> [NSManagedObject] {
        guard let slots = loadedSlots, let storage = slots[index].memberStorage else { return [] }
        return storage.members
    }

    /// Stores and returns the looked-up members of a to-many relationship.
    @discardableResult
    final func recordMembers(_ members: [NSManagedObject], at index: Int) -> ToManyStorage {
        let isOrdered = layout.slots[index].kind == .toMany(isOrdered: true)
        let storage = ToManyStorage(isOrdered: isOrdered, members)
        writableSlots()[index] = .many(storage)
        if flags.contains(.inEvent) { managedObjectContext?.recordLookup(of: self, at: index, storage) }
        return storage
    }

    /// Returns the value of a key that is not a property of the entity.
    final func valueForUndefinedProperty(_ key: String) -> Any? {
        switch key {
        case "self", "SELF": self
        case "objectID": objectID
        case "entity": entity
        case "managedObjectContext": managedObjectContext
        case "isInserted": isInserted
        case "isUpdated": isUpdated
        case "isDeleted": isDeleted
        case "isFault": isFault
        case "hasChanges": hasChanges
        default:
            if isRecording {
                KeyRecorder.record(key, of: self)
            } else if let value = ExposedProperties.value(of: self, forKey: key) {
                value
            } else {
                value(forUndefinedKey: key)
            }
        }
    }
}
