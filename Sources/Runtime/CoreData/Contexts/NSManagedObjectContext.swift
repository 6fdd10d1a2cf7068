internal import CCoreDataSupport
public import Foundation
internal import RuntimeSupport

/// A scratchpad for managed objects. Changes are invisible to other contexts until they are saved.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try context.performAndWait {
///     let book = Book(context: context)
///     book.title = "Emma"
///     try context.save()
/// }
/// ```
///
/// Use a context and its objects on the context's queue only: inside `perform` or `performAndWait`, or on the main
/// thread for a main queue context. Set the environment variable `COREDATA_CONCURRENCY_DEBUG` to `1`, or Apple's launch
/// argument `-com.apple.CoreData.ConcurrencyDebug 1`, to report the first use on another queue.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The queue that a context is used on. Raw values equal Apple's.
    ///
    /// ```swift
    /// let context = NSManagedObjectContext(.privateQueue)
    /// ```
    public enum ConcurrencyType: UInt, Sendable {
        /// The thread that created the context. Deprecated by Apple.
        case confinement = 0
        /// A private queue.
        case privateQueue = 1
        /// The main queue.
        case mainQueue = 2
    }

    private let queueType: NSManagedObjectContextConcurrencyType

    /// The queue that the context is used on.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueType }
    final let executor: ContextQueue

    @exclusivity(unchecked) private var coordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) private var parentContext: NSManagedObjectContext?
    @exclusivity(unchecked) final var settings = ContextSettings()

    /// The registered objects, by ID. `pending` keeps changed ones alive.
    final let registry = ObjectRegistry()
    /// Permanent IDs of objects that child contexts may know by their temporary IDs.
    final let renames = ObjectRenames()
    // The state that every change of an object uses is not checked for exclusive access, which would take as long as
    // recording the change. Neither its functions nor in-place loops over its parts run the app's code.

    /// The unsaved changes. A rollback and a reset replace them.
    @exclusivity(unchecked) final var pending = PendingChanges()
    /// What only a reset discards.
    @exclusivity(unchecked) final var contents = ContextContents()
    @exclusivity(unchecked) final var processing = ProcessingState()
    final let undoRecording = UndoRecording()
    final let layoutCache = LayoutCache()
    final let family = ContextFamily()
    @exclusivity(unchecked) final var reading = ReadGeneration()
    /// The live results that follow the context's changes.
    final var followers = ChangeFollowers()
    /// The objects whose properties are observed, and stale entries for some that were deallocated.
    final var observedObjects: [ObjectIdentifier: WeakObservers] = [:]
    /// The classes of objects that were inserted into this context.
    @exclusivity(unchecked) final var insertedClasses = InsertedClasses()
    /// Called for each object that a merge policy deletes in favor of another with the same unique values.
    package final var replacementHandler: ((_ lost: NSManagedObject, _ kept: NSManagedObject) -> Void)?
    /// Called by a save before it writes: new objects have their permanent IDs, which they lose again if it fails.
    package final var beforeSaveHandler: (() -> Void)?
    /// Called with what a save has written, which may be the part in one of several stores.
    package final var saveHandler: ((SavedIDs) -> Void)?
    /// Whether use on other threads than the queue's is reported while the check is enabled.
    package final var checksQueue = true

    /// Creates a context without a coordinator.
    ///
    /// - Parameter ct: The type of the context's queue.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueType = ct
        executor = ContextQueue(ct)
        super.init()
    }

    /// Creates a context that is confined to the current thread, as Apple's deprecated initializer does.
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    /// Creates a context with a queue type (newer spelling).
    public convenience init(_ type: ConcurrencyType) {
        self.init(
            concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: type.rawValue)
                ?? .privateQueueConcurrencyType)
    }

    deinit {
        // Objects that outlive the context are in none; their references to each other would keep all of them alive
        // forever.
        for object in registry.objects + pending.objects where object.state.pointee.context != nil {
            object.leaveContext(.contextReleased)
        }
    }

    // MARK: Where objects come from

    /// The context's coordinator, or that of its parent.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinator ?? parentContext?.persistentStoreCoordinator }
        set {
            if parentContext != nil { misuse("a context with a parent cannot have a coordinator") }
            coordinator?.unregister(self)
            coordinator = newValue
            layoutCache.removeAll()
            newValue?.register(self)
        }
    }

    /// The context that changes are saved to, or `nil` for a context that saves to stores. Cannot be changed once set,
    /// nor set for a context with a coordinator.
    open var parent: NSManagedObjectContext? {
        get { parentContext }
        set {
            if coordinator != nil { misuse("a context with a coordinator cannot get a parent") }
            if let parentContext, parentContext !== newValue { misuse("the parent of a context cannot be changed") }
            parentContext = newValue
            layoutCache.removeAll()
            newValue?.family.add(self)
            if let newValue {
                executor.setParent(newValue.executor)
                renames.follow(newValue.renames)
            }
        }
    }

    /// The coordinator of a root context; `nil` for a child, which saves to its parent.
    final var rootCoordinator: NSPersistentStoreCoordinator? { parentContext == nil ? coordinator : nil }

    /// Brings what was saved elsewhere into the context.
    final var merging: ContextMerge { ContextMerge(context: self) }

    /// The contexts whose parent this is.
    final var childContexts: [NSManagedObjectContext] { family.all }

    // MARK: Settings

    /// The name, for debugging.
    open var name: String? {
        get { settings.name }
        set { settings.name = newValue }
    }

    /// Custom values of the app.
    open var userInfo: NSMutableDictionary { settings.userInfo }

    /// The policy that resolves conflicts with other saves, an `NSMergePolicy`. The default is `NSErrorMergePolicy`.
    open var mergePolicy: Any {
        get { settings.mergePolicy }
        set { settings.mergePolicy = newValue }
    }

    /// Whether the context automatically merges what other contexts save to its parent or coordinator. The default is
    /// `false`. Traps if it is set for a context without a queue, on which nothing can be merged.
    open var automaticallyMergesChangesFromParent: Bool {
        get { family.mergesFromParent }
        set {
            if newValue, queueType == .confinementConcurrencyType {
                misuse(
                    "NSInvalidArgumentException",
                    "Automatic merging is not supported by contexts using NSConfinementConcurrencyType")
            }
            family.mergesFromParent = newValue
        }
    }

    /// Whether delete rules are applied at the end of the event rather than on save. The default is `true`.
    open var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.propagatesDeletesAtEndOfEvent }
        set { settings.propagatesDeletesAtEndOfEvent = newValue }
    }
    /// Whether the context retains all of its objects, rather than changed ones only. The default is `false`.
    open var retainsRegisteredObjects: Bool {
        get { contents.retained != nil }
        set { contents.retained = newValue ? registry.objects : nil }
    }
    /// Whether accessing an object whose row no longer exists treats it as deleted. The default is `true`; otherwise
    /// the access traps.
    open var shouldDeleteInaccessibleFaults: Bool {
        get { settings.shouldDeleteInaccessibleFaults }
        set { settings.shouldDeleteInaccessibleFaults = newValue }
    }
    /// The maximum age, in seconds, of cached values that a fault or a refresh uses; negative for any age, the default.
    ///
    /// Once the coordinator has not looked at a SQLite file for that long, the next fault or refresh checks whether
    /// another coordinator or process has written to the file, and reads the new values. Zero checks each time. Values
    /// that an object already has in memory do not change automatically.
    open var stalenessInterval: TimeInterval {
        get { settings.stalenessInterval }
        set { settings.stalenessInterval = newValue }
    }
    /// The author that the history of stores records for the changes.
    open var transactionAuthor: String? {
        get { settings.transactionAuthor }
        set { settings.transactionAuthor = newValue }
    }

    /// The undo manager, which records changes. The default is `nil`, as on iOS.
    open var undoManager: UndoManager? {
        get { undoRecording.manager }
        set {
            processPendingChanges()
            undoRecording.use(newValue, for: self)
        }
    }

    // MARK: Objects

    /// The objects that are registered in the context.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

    /// The objects that were inserted since the last save.
    open var insertedObjects: Set<NSManagedObject> { Set(pending.objects.filter { $0.isInserted && !$0.isDeleted }) }

    /// The objects that changed since the last save and are neither inserted nor deleted.
    open var updatedObjects: Set<NSManagedObject> { Set(pending.objects.filter(\.isUpdated)) }

    /// The saved objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { Set(pending.objects.filter { $0.isDeleted && !$0.isInserted }) }

    /// Whether there is anything to save.
    open var hasChanges: Bool {
        pending.containsObject { !($0.isInserted && $0.isDeleted) } || pending.uncertain != nil
    }

    /// Inserts an object that is in no context. An object whose deletion was not saved is restored.
    open func insert(_ object: NSManagedObject) {
        if let context = object.managedObjectContext, context !== self {
            misuse("NSInvalidArgumentException", "the object \(object.debugName) is in another context already")
        }
        if object.managedObjectContext === self { return undelete(object) }
        if object.layout.entity is MissingEntity {
            misuse("NSInvalidArgumentException", "the object \(object.debugName) has no entity and cannot be inserted")
        }
        insertNew(object)
    }

    /// Deletes an object with the next save. Delete rules are applied when changes are processed.
    open func delete(_ object: NSManagedObject) { markDeleted(object) }

    /// Returns the object with an ID: the registered one, or a fault. Does not check that the object exists.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        registeredObject(for: objectID) ?? makeFault(objectID)
    }

    /// Returns the object with an ID if it is registered, without asking a store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        if let cached = registry[objectID] ?? renames[objectID].flatMap({ registry[$0] }) { return cached }
        return parent == nil ? nil : objectAwaitingID(objectID)
    }

    /// Returns the object with an ID, with its values loaded.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133000 if the store has no such object.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try loadedObject(objectID)
    }

    /// Assigns permanent IDs to objects before they are saved to a store. Inserted objects stay inserted.
    ///
    /// In a child context, objects that were saved to the parent get the IDs that their counterparts get there.
    ///
    /// - Throws: An `NSError` of Cocoa's domain if no store can hold one of the objects.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try makeIDsPermanent(objects) }

    /// Assigns a new object to a store. Traps if the object was saved.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject, object.isInserted, object.objectID.isTemporaryID else {
            misuse("NSInvalidArgumentException", "only a new object can be assigned to a store")
        }
        pending.assign(object, to: store)
    }

    // MARK: Changes

    /// Applies delete rules, records changes for undo, and notifies observers. Called automatically at the end of
    /// `perform`, before a save and before a fetch.
    open func processPendingChanges() { processChanges() }

    /// Saves all changes to the stores, or to the parent.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: failed validations (1550 to 1690), conflicts (133020), or a store's
    ///   error. The context and the stores are then unchanged.
    open func save() throws { try ContextSave(context: self).run() }

    /// Discards all changes since the last save and clears the undo stack.
    open func rollback() { announcing { discardChanges() } }

    /// Removes all objects from the context and discards all changes. The objects become faults without values.
    open func reset() { resetAll() }

    /// Turns an object into a fault.
    ///
    /// A new object that loses its changes stays inserted, with its default values and no relationships.
    ///
    /// - Parameters:
    ///   - object: The object to refresh.
    ///   - flag: Whether its changes are reapplied to the values of the store; otherwise they are lost.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        announcing { merging.refresh(object, keepsChanges: flag) }
    }

    /// Turns all objects into faults. Changes are reapplied to the values of the store.
    open func refreshAllObjects() {
        announcing { merging.refresh(registry.objects, keepsChanges: true) }
    }

    /// Includes an object in the next save's check for conflicts, even if this context has not changed it.
    open func detectConflicts(for object: NSManagedObject) {
        // The save compares with the values as they are now.
        object.realize()
        recordChange(of: object)
        object.flags.insert(.locked)
    }

    /// Merges what another context saved.
    ///
    /// - Parameter notification: A `NSManagedObjectContextDidSave` of a context with the same coordinator.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        merging.merge(SavedIDs(notification), savedBy: notification.object as? NSManagedObjectContext)
    }

    // MARK: Work on the queue

    /// Runs a block asynchronously on the context's queue. Changes are processed when it ends.
    open func perform(_ block: @escaping () -> Void) { enqueue(block) }

    /// Runs a block on the context's queue and waits for it. Calls may be nested; only the outermost one processes
    /// changes.
    open func performAndWait(_ block: () -> Void) {
        // The result chooses the generic function.
        _ = performAndWait { () -> Bool in
            block()
            return true
        }
    }

    /// Returns whether accessing an object whose row no longer exists treats it as deleted; otherwise the access traps.
    ///
    /// - Parameters:
    ///   - fault: The object.
    ///   - oid: Its ID.
    ///   - property: The property that was read; always `nil` here.
    /// - Returns: `shouldDeleteInaccessibleFaults`, unless overridden.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    // MARK: Query generations

    /// The snapshot that the context reads: `nil` if it always reads the newest state; `NSQueryGenerationToken.current`
    /// until the first read; then the snapshot of that read. Nil for a child context, which reads what its parent does.
    open var queryGenerationToken: NSQueryGenerationToken? { parent == nil ? reading.token : nil }

    /// Pins the context to a snapshot of the stores for subsequent reads. Registered objects do not change.
    ///
    /// A save, `reset()` and a merge of changes release the snapshot: the context then reads the newest state as of its
    /// next read, as after `NSQueryGenerationToken.current`. Saves always compare with the newest state. Only SQLite
    /// files with a write-ahead log support snapshots; other stores are read as they are. Traps in a child context.
    ///
    /// - Parameter generation: `NSQueryGenerationToken.current`; the token of another context with the same
    ///   coordinator; or `nil` to always read the newest state.
    /// - Throws: An `NSError` of Cocoa's domain with the code 134070 for a token of another coordinator.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pin(to: generation) }

    // MARK: Undo

    /// Undoes the last group of changes.
    open func undo() {
        processChanges()
        undoManager?.undo()
    }

    /// Redoes the last group of changes that was undone.
    open func redo() {
        processChanges()
        undoManager?.redo()
    }

    /// Called when the value at an observed key path has changed. Does nothing unless overridden.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}

    // MARK: Fetching

    /// Returns the objects that match a request.
    ///
    /// - Throws: An `NSError` of Cocoa's domain.
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        try results(of: request.settings)
    }

    /// Executes a request without changing the context's objects.
    ///
    /// - Parameter request: An `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, which returns
    ///   the result of its kind; an `NSAsynchronousFetchRequest`, which returns an `NSAsynchronousFetchResult`
    ///   immediately; an `NSFetchRequest`, which returns its results; an `NSPersistentHistoryChangeRequest`, which
    ///   returns an `NSPersistentHistoryResult`. Requests to save are rejected.
    /// - Throws: An `NSError` of Cocoa's domain: 134091 when a store cannot execute such a request; 1550 or 1570 for
    ///   values that a batch insertion cannot write. If one store fails, other stores may have executed the request.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try executeDirectly(request)
    }

    /// Returns the number of objects that match a request.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSCoreDataError` (134060) if a store cannot be read,
    ///   `NSPersistentStoreTimeoutError` (134090) if it stays locked, `NSPersistentStoreIncompatibleVersionHashError`
    ///   (134100) if it was migrated in the meantime.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try resultCount(of: request.settings)
    }
}
