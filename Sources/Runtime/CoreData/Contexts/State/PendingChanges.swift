internal import RuntimeSupport

/// The unsaved changes of a context. Rollback and reset replace the whole value.
///
/// Confined to the queue of the context. None of its functions calls the app's code.
struct PendingChanges {
    /// The objects that were inserted, changed or deleted since the last save, in the order of their first change.
    var objects: [NSManagedObject] {
        mutating get {
            if unlistedCount > 0 { compact() }
            return entries
        }
    }

    /// The objects in the order of their first change, and up to as many that are not listed any more: the flag
    /// `listed` decides.
    private var entries: [NSManagedObject] = []
    private var unlistedCount = 0
    /// The records of the current event: objects changed since changes were last processed.
    private(set) var event = EventRecords()
    /// The records of the events whose notifications are being posted. The last one is the innermost.
    private var posting: [EventRecords] = []
    /// Objects whose delete rules are still to be applied.
    private(set) var deleted: [NSManagedObject] = []
    /// Relationships of objects of the event that were looked up after the object's first change.
    private(set) var lookups: [ObjectIdentifier: [Int: EarlierMembers]] = [:]
    /// Relationships that overridden accessors are changing now.
    var manual: [ManualChange: ToManyStorage] = [:]
    /// The set that has changed an ordered relationship last. It keeps the owner alive, which is listed as changed.
    var lastOrderedSet: RelationshipMutableOrderedSet?
    /// The stores that new objects were assigned to.
    private(set) var stores: [ObjectIdentifier: AnyObject] = [:]
    /// The last save, if its outcome is unknown.
    var uncertain: UncertainSave?
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
    mutating func list(_ object: NSManagedObject) { entries.append(object) }

    /// Records that an object has lost the flag `listed`. Its entry is removed later, together with many.
    mutating func recordUnlisted() {
        lastOrderedSet = nil
        unlistedCount += 1
        if unlistedCount * 2 > entries.count { compact() }
    }

    /// Returns whether a listed object satisfies a condition.
    func containsObject(where condition: (NSManagedObject) -> Bool) -> Bool {
        entries.contains {
            WorkCount.record(1)
            return $0.flags.contains(.listed) && condition($0)
        }
    }

    /// Removes the objects that a save has written from the list. Observers may have listed more in the meantime.
    mutating func unlistSaved() {
        lastOrderedSet = nil
        if entries.allSatisfyUncounted({ !$0.flags.contains(.listed) }) {
            entries = []
            unlistedCount = 0
        } else {
            compact()
        }
        if entries.isEmpty { stores = [:] }
    }

    /// Removes the entries of objects that are not listed, and the earlier ones of objects that were listed again.
    private mutating func compact() {
        WorkCount.record(entries.count)
        var kept = entries.filterUncounted { $0.flags.contains(.listed) }
        if unlistedCount > 0, kept.count > 1 {
            var seen: Set<ObjectIdentifier> = []
            var last: [NSManagedObject] = []
            for object in kept.reversed() where seen.insert(ObjectIdentifier(object)).inserted { last.append(object) }
            if last.count < kept.count { kept = last.reversed() }
        }
        entries = kept
        unlistedCount = 0
    }

    mutating func assign(_ object: NSManagedObject, to store: AnyObject) {
        stores[ObjectIdentifier(object)] = store
    }

    // MARK: Deletion

    /// Schedules the delete rules of an object.
    mutating func recordDeletion(of object: NSManagedObject) { deleted.append(object) }

    /// Removes and returns the objects whose delete rules are still to be applied.
    mutating func takeDeleted() -> [NSManagedObject] {
        defer { deleted = [] }
        return deleted
    }

    // MARK: The event

    /// Adds a record to the current event.
    mutating func record(_ record: EventRecord) { event.append(record) }

    /// Whether there are changes that have not been processed.
    var isUnprocessed: Bool { !event.isEmpty || !deleted.isEmpty }

    /// Removes and returns the records of the current event, which stay available while its notification is posted.
    mutating func beginPosting() -> [EventRecord] {
        posting.append(event)
        event = EventRecords()
        return posting[posting.count - 1].list
    }

    /// Drops the records of the event whose notification was posted. Not if a rollback or a reset has done so.
    mutating func endPosting() { _ = posting.popLast() }

    /// Returns the first record of an object since the last notification that is not being posted any more.
    mutating func record(of object: NSManagedObject) -> EventRecord? {
        for index in posting.indices { if let record = posting[index].record(of: object) { return record } }
        return event.record(of: object)
    }

    /// Records the members of a relationship before the event.
    mutating func recordLookup(of object: NSManagedObject, at index: Int, _ members: EarlierMembers) {
        lookups[ObjectIdentifier(object), default: [:]][index] = members
    }

    /// Drops the lookups of the event, once it is recorded for undo.
    mutating func forgetLookups() { lookups = [:] }
}

/// The records of an event, in order, at most one for each object.
struct EventRecords {
    private(set) var list: [EventRecord] = []
    /// The indices of the records, built once there are enough of them and one is searched.
    private var positions: [ObjectIdentifier: Int]?
    /// The maximum number of records for which a linear search is faster than hashing.
    private static let searchLimit = 8

    var isEmpty: Bool { list.isEmpty }

    mutating func append(_ record: EventRecord) {
        positions?[ObjectIdentifier(record.object)] = list.count
        list.append(record)
    }

    /// Returns the record of an object, if there is one.
    mutating func record(of object: NSManagedObject) -> EventRecord? {
        WorkCount.record(1)
        guard list.count > Self.searchLimit else { return list.first { $0.object === object } }
        if positions == nil {
            WorkCount.record(list.count)
            positions = Dictionary(list.enumerated().map { (ObjectIdentifier($1.object), $0) }) { first, _ in first }
        }
        return positions?[ObjectIdentifier(object)].map { list[$0] }
    }
}

/// Contents of the next notification of changes other than the context's own changes.
struct UnpostedChanges {
    var refreshed: [NSManagedObject] = []
    /// Objects inserted and saved elsewhere.
    var insertedByMerge: [NSManagedObject] = []

    var isEmpty: Bool { refreshed.isEmpty && insertedByMerge.isEmpty }

    /// Removes and returns the news.
    mutating func take() -> UnpostedChanges {
        defer { self = UnpostedChanges() }
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
