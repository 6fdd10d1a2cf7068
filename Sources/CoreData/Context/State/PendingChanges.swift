/// The unsaved changes of a context. Rollback and reset replace the whole value.
///
/// Confined to the queue of the context. None of its functions calls the app's code.
struct PendingChanges {
    /// The objects that were inserted, changed or deleted since the last save, in the order of their first change.
    private(set) var objects: [NSManagedObject] = []
    /// The records of the current event: objects changed since changes were last processed.
    private(set) var event: [EventRecord] = []
    /// Objects whose delete rules are still to be applied.
    private(set) var deleted: [NSManagedObject] = []
    /// Relationships of objects of the event that were looked up after the object's first change.
    private(set) var lookups: [ObjectIdentifier: [Int: ToManyStorage]] = [:]
    /// Relationships that overridden accessors are changing now.
    var manual: [ManualChange: ToManyStorage] = [:]
    /// The stores that new objects were assigned to.
    private(set) var stores: [ObjectIdentifier: NSPersistentStore] = [:]
    /// The saves whose outcomes are unknown.
    var uncertain: [UncertainSave] = []
    /// The sets in the last notification of changes.
    var announced = Announced()

    /// The sets of a notification of changes.
    struct Announced {
        var inserted = AnnouncedSet()
        var updated = AnnouncedSet()
        var deleted = AnnouncedSet()
    }

    // MARK: Objects

    /// Lists an object as changed.
    mutating func list(_ object: NSManagedObject) { objects.append(object) }

    /// Removes an object from the list of changed ones.
    mutating func unlist(_ object: NSManagedObject) { objects.removeAll { $0 === object } }

    /// Removes the objects that a save has written from the list. Observers may have listed others in the meantime.
    mutating func unlistSaved() {
        objects =
            objects.allSatisfyUncounted { !$0.flags.contains(.listed) }
            ? [] : objects.filterUncounted { $0.flags.contains(.listed) }
        if objects.isEmpty { stores = [:] }
    }

    /// Assigns a new object to a store.
    mutating func assign(_ object: NSManagedObject, to store: NSPersistentStore) {
        stores[ObjectIdentifier(object)] = store
    }

    // MARK: Deletion

    /// Schedules the delete rules of an object.
    mutating func noteDeletion(of object: NSManagedObject) { deleted.append(object) }

    /// Unschedules the delete rules of an object.
    mutating func takeBackDeletion(of object: NSManagedObject) { deleted.removeAll { $0 === object } }

    /// Removes and returns the objects whose delete rules are still to be applied.
    mutating func takeDeleted() -> [NSManagedObject] {
        defer { deleted = [] }
        return deleted
    }

    // MARK: The event

    /// Adds a record to the current event.
    mutating func record(_ record: EventRecord) { event.append(record) }

    /// Removes and returns the records of the current event.
    mutating func takeEvent() -> [EventRecord] {
        defer { event = [] }
        return event
    }

    /// Records the members of a relationship before the event.
    mutating func noteLookup(of object: NSManagedObject, at index: Int, _ storage: ToManyStorage) {
        lookups[ObjectIdentifier(object), default: [:]][index] = storage
    }

    /// Drops the lookups of the event, once it is recorded for undo.
    mutating func forgetLookups() { lookups = [:] }
}

/// Contents of the next notification of changes other than the context's own changes.
struct PendingNews {
    /// Refreshed objects.
    var refreshed: [NSManagedObject] = []
    /// Objects inserted and saved elsewhere.
    var insertedByMerge: [NSManagedObject] = []

    var isEmpty: Bool { refreshed.isEmpty && insertedByMerge.isEmpty }

    /// Removes and returns the news.
    mutating func take() -> PendingNews {
        defer { self = PendingNews() }
        return self
    }
}

/// The state of a context's change processing.
struct ProcessingState {
    /// Whether changes are being processed.
    var isRunning = false
    /// Whether processing is scheduled for the end of this turn of the main queue.
    var isScheduled = false
    /// The number of nested calls of `awakeFromInsert`.
    var awakening = 0
}
