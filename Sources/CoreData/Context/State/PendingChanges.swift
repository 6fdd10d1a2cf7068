/// The unsaved changes of a context. A rollback and a reset replace all of it.
///
/// Confined to the queue of the context. None of its functions calls code of the app.
struct PendingChanges {
    /// The objects that are new, changed or deleted since the last save, in the order in which they became so.
    private(set) var objects: [NSManagedObject] = []
    /// What has changed since changes were processed last.
    private(set) var event: [EventRecord] = []
    /// Objects whose delete rules are still to be applied.
    private(set) var deleted: [NSManagedObject] = []
    /// Relationships of objects of the event that were looked up after the object's first change.
    private(set) var lookups: [ObjectIdentifier: [Int: ToManyStorage]] = [:]
    /// Relationships that overridden accessors are changing now.
    var manual: [ManualChange: ToManyStorage] = [:]
    /// The stores that new objects were assigned to.
    private(set) var stores: [ObjectIdentifier: NSPersistentStore] = [:]
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

    /// Takes an object off the list.
    mutating func unlist(_ object: NSManagedObject) { objects.removeAll { $0 === object } }

    /// Takes the objects off the list that a save has written. Observers may have listed others meanwhile.
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

    /// Notes that the delete rules of an object are to be applied.
    mutating func noteDeletion(of object: NSManagedObject) { deleted.append(object) }

    /// Forgets that the delete rules of an object are to be applied.
    mutating func takeBackDeletion(of object: NSManagedObject) { deleted.removeAll { $0 === object } }

    /// Returns and removes the objects whose delete rules are to be applied.
    mutating func takeDeleted() -> [NSManagedObject] {
        defer { deleted = [] }
        return deleted
    }

    // MARK: The event

    /// Adds to what has changed since changes were processed last.
    mutating func record(_ record: EventRecord) { event.append(record) }

    /// Returns and removes what has changed since changes were processed last.
    mutating func takeEvent() -> [EventRecord] {
        defer { event = [] }
        return event
    }

    /// Notes what a relationship was before the event.
    mutating func noteLookup(of object: NSManagedObject, at index: Int, _ storage: ToManyStorage) {
        lookups[ObjectIdentifier(object), default: [:]][index] = storage
    }

    /// Forgets the relationships of the event, which is recorded for undo.
    mutating func forgetLookups() { lookups = [:] }
}

/// What the next notification of changes tells besides the changes that were made here.
struct PendingNews {
    /// Refreshed objects.
    var refreshed: [NSManagedObject] = []
    /// Objects that others have inserted and saved.
    var insertedByMerge: [NSManagedObject] = []

    var isEmpty: Bool { refreshed.isEmpty && insertedByMerge.isEmpty }

    /// Returns and removes the news.
    mutating func take() -> PendingNews {
        defer { self = PendingNews() }
        return self
    }
}

/// How far a context is with processing changes.
struct ProcessingState {
    /// Whether changes are being processed.
    var isRunning = false
    /// Whether changes of this turn of the main queue are going to be processed.
    var isScheduled = false
    /// How many calls of `awakeFromInsert` are running.
    var awakening = 0
}
