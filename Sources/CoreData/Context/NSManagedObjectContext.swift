internal import CCoreDataSupport
public import Foundation

/// A place to work with objects: what is fetched, made, changed and deleted here is of no concern to others until it is saved.
///
/// A context and its objects are used on the context's queue only: inside of `perform` or `performAndWait`, or for a main queue
/// context on the main thread. Set the environment variable `COREDATA_CONCURRENCY_DEBUG` to `1`, or Apple's launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, to be told of the first use elsewhere.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The queue that a context is used on, with the values of Apple's framework.
    public enum ConcurrencyType: UInt, Sendable {
        /// The thread that made it. Deprecated by Apple.
        case confinement = 0
        /// A queue of its own.
        case privateQueue = 1
        /// The main queue.
        case mainQueue = 2
    }

    private let queueType: NSManagedObjectContextConcurrencyType

    /// The queue that the context is used on.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueType }
    final let executor: ContextQueue

    private var coordinator: NSPersistentStoreCoordinator?
    private var parentContext: NSManagedObjectContext?
    private var contextName: String?
    private var info = NSMutableDictionary()
    private var policy: Any = NSErrorMergePolicy

    /// The objects that are known here, by ID. Changed ones are kept alive by `pending`.
    final let registry = ObjectRegistry()
    /// Permanent IDs that objects got after child contexts may have seen them under temporary ones.
    final let renames = ObjectRenames()
    // The state that every change of an object uses is not checked for exclusive access, which takes as long as noting the change. Neither
    // its functions nor loops over its parts in place run code of the app.

    /// What is not saved yet.
    @exclusivity(unchecked) final var pending = PendingChanges()
    /// What the next notification of changes tells besides.
    @exclusivity(unchecked) final var news = PendingNews()
    @exclusivity(unchecked) final var processing = ProcessingState()
    final let undoRecording = UndoRecording()
    final let layoutCache = LayoutCache()
    final let family = ContextFamily()
    @exclusivity(unchecked) final var reading = ReadGeneration()
    /// Faults of fetches with a batch size.
    final var faultBatches = FaultBatches()
    /// The results that follow the context's changes.
    final var followers = ChangeFollowers()
    /// The objects whose properties somebody observes, and some that are gone.
    final var observedObjects: [ObjectIdentifier: WeakObservers] = [:]
    /// The classes of objects that were inserted here.
    @exclusivity(unchecked) final var knownClasses: Set<ObjectIdentifier> = []
    /// Whether saves write objects that are not valid, as a migration does before it has set all values.
    final var skipsValidation = false
    /// Objects that are kept alive because `retainsRegisteredObjects` is set.
    final var retained: [NSManagedObject] = []

    /// Makes a context.
    ///
    /// - Parameter ct: the queue it is used on.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueType = ct
        executor = ContextQueue(ct)
        super.init()
    }

    /// Creates a context that is confined to the current thread, as Apple's deprecated initializer does.
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    /// Makes a context, in the short form of newer code.
    public convenience init(_ type: ConcurrencyType) {
        self.init(
            concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: type.rawValue)
                ?? .privateQueueConcurrencyType)
    }

    deinit {
        // Objects that live on are in no context; what they hold of each other would keep all of them for ever.
        for object in registry.objects + pending.objects { object.leaveContext() }
    }

    // MARK: Where objects come from

    /// The coordinator: the context's own, or that of its parent.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinator ?? parentContext?.persistentStoreCoordinator }
        set {
            if parentContext != nil { misuse("a context with a parent cannot get a coordinator of its own") }
            coordinator?.unregister(self)
            coordinator = newValue
            layoutCache.removeAll()
            newValue?.register(self)
        }
    }

    /// The context that changes are saved to; nil for one that saves to stores. Cannot be changed once it is set, nor set for
    /// a context with a coordinator.
    open var parent: NSManagedObjectContext? {
        get { parentContext }
        set {
            if coordinator != nil { misuse("a context with a coordinator cannot get a parent") }
            if let parentContext, parentContext !== newValue { misuse("the parent of a context cannot be changed") }
            parentContext = newValue
            layoutCache.removeAll()
            newValue?.family.add(self)
            if let newValue { executor.setParent(newValue.executor) }
        }
    }

    /// The coordinator that the context saves to itself; nil for a child.
    final var ownCoordinator: NSPersistentStoreCoordinator? { parentContext == nil ? coordinator : nil }

    /// The contexts whose parent this is.
    final var childContexts: [NSManagedObjectContext] { family.all }

    // MARK: Settings

    /// The name, for debugging.
    open var name: String? {
        get { contextName }
        set { contextName = newValue }
    }

    /// Values of the app's own.
    open var userInfo: NSMutableDictionary { info }

    /// How conflicts with what others have saved are resolved: an `NSMergePolicy`. `NSErrorMergePolicy` unless set.
    open var mergePolicy: Any {
        get { policy }
        set { policy = newValue }
    }

    /// Whether the context takes over what others have saved to its parent or coordinator. False unless set.
    open var automaticallyMergesChangesFromParent: Bool {
        get { family.mergesFromParent }
        set { family.mergesFromParent = newValue }
    }

    /// Whether delete rules are applied at the end of the event, not with the save. True unless set.
    open var propagatesDeletesAtEndOfEvent = true
    /// Whether all objects are kept alive, not only changed ones. False unless set.
    open var retainsRegisteredObjects = false {
        didSet { retained = retainsRegisteredObjects ? registry.objects : [] }
    }
    /// Whether an object whose row is gone is treated as deleted when its values are asked for. True unless set; else the
    /// program stops.
    open var shouldDeleteInaccessibleFaults = true
    /// The maximum age, in seconds, of cached values that a fault or a refresh uses; negative for any age, the default.
    ///
    /// Once the coordinator has not looked at a SQLite file for that long, the next fault or refresh checks whether another coordinator
    /// or process has written to the file, and reads the new values. Zero checks each time. Values that an object already has in
    /// memory do not change by themselves.
    open var stalenessInterval: TimeInterval = -1
    /// Who makes the changes, for the history of stores.
    open var transactionAuthor: String?

    /// What records changes for undo. None unless set, as on iOS.
    open var undoManager: UndoManager? {
        get { undoRecording.manager }
        set {
            processPendingChanges()
            undoRecording.use(newValue, for: self)
        }
    }

    // MARK: Objects

    /// The objects that are known here.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

    /// The new objects.
    open var insertedObjects: Set<NSManagedObject> { Set(pending.objects.filter { $0.isInserted && !$0.isDeleted }) }

    /// The changed objects that are neither new nor deleted.
    open var updatedObjects: Set<NSManagedObject> { Set(pending.objects.filter(\.isUpdated)) }

    /// The deleted objects that were saved before.
    open var deletedObjects: Set<NSManagedObject> { Set(pending.objects.filter { $0.isDeleted && !$0.isInserted }) }

    /// Whether there is anything to save.
    open var hasChanges: Bool { pending.objects.contains { !($0.isInserted && $0.isDeleted) } }

    /// Inserts an object that is in no context yet. One that was deleted and not saved comes back.
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

    /// The object of an ID: the one that is known here, or a fault. Whether it exists is not looked up.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        registeredObject(for: objectID) ?? makeFault(objectID)
    }

    /// The object of an ID if it is known here. Never asks a store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        if let known = registry[objectID] ?? renames[objectID].flatMap({ registry[$0] }) { return known }
        return parent == nil ? nil : objectAwaitingID(objectID)
    }

    /// The object of an ID, with its values. Never a fault.
    ///
    /// - Throws: an `NSError` of Cocoa's domain with the code 133000 when the store has none.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try loadedObject(objectID)
    }

    /// Gives objects permanent IDs before they are saved to a store. New objects stay new.
    ///
    /// In a child context, objects that were saved to the parent get the IDs that their counterparts get there.
    ///
    /// - Throws: an `NSError` of Cocoa's domain if no store can hold one of the objects.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try makeIDsPermanent(objects) }

    /// Chooses the store for a new object. One that was saved stops the program.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject, object.isInserted, object.objectID.isTemporaryID else {
            misuse("NSInvalidArgumentException", "only a new object can be assigned to a store")
        }
        pending.assign(object, to: store)
    }

    // MARK: Changes

    /// Applies delete rules, records changes for undo, and tells observers. Happens by itself at the end of `perform`, before a
    /// save and before a fetch.
    open func processPendingChanges() { processChanges() }

    /// Saves all changes to the stores, or to the parent.
    ///
    /// - Throws: an `NSError` of Cocoa's domain: failed validations (1550 to 1690), conflicts (133020), a store's failure. The
    ///   context and the stores are then as they were.
    open func save() throws { try saveChanges() }

    /// Takes all changes since the last save back, and forgets what could be undone.
    open func rollback() { announcing { takeBackChanges() } }

    /// Takes all objects out of the context and forgets all changes. The objects become faults without values.
    open func reset() { resetAll() }

    /// Makes an object a fault again.
    ///
    /// A new object whose changes are lost stays new: it has its default values and no relationships when it is used again.
    ///
    /// - Parameter flag: whether its changes are applied to the values of the store; else they are lost.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        announcing { refreshObject(object, keepsChanges: flag) }
    }

    /// Makes all objects faults again; changes are applied to the values of the store.
    open func refreshAllObjects() {
        announcing { for object in registry.objects { refreshObject(object, keepsChanges: true) } }
    }

    /// Lets a save check that nobody has changed an object, though this context has not changed it either.
    open func detectConflicts(for object: NSManagedObject) {
        // The save compares with the values as they are now.
        object.realize()
        noteChange(of: object)
        object.flags.insert(.locked)
    }

    /// Takes over what another context has saved.
    ///
    /// - Parameter notification: a `NSManagedObjectContextDidSave` of a context with the same coordinator.
    open func mergeChanges(fromContextDidSave notification: Notification) { merge(SavedIDs(notification)) }

    // MARK: Work on the queue

    /// Runs a block on the context's queue, later. Changes are processed when it ends.
    open func perform(_ block: @escaping () -> Void) { enqueue(block) }

    /// Runs a block on the context's queue and waits for it. May be called within another one; only the outermost processes
    /// changes.
    open func performAndWait(_ block: () -> Void) {
        // The result chooses the generic function.
        _ = performAndWait { () -> Bool in
            block()
            return true
        }
    }

    /// Whether an object whose row is gone is treated as deleted when its values are asked for; otherwise the program stops.
    ///
    /// - Parameters:
    ///   - fault: the object.
    ///   - oid: its ID.
    ///   - property: the property that was read; always nil here.
    /// - Returns: `shouldDeleteInaccessibleFaults`, unless overridden.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    // MARK: Query generations

    /// The state that the context reads: nil if it reads the newest always; `NSQueryGenerationToken.current` until it has read
    /// something; then that of the first read. Nil for a child, which reads what its parent does.
    open var queryGenerationToken: NSQueryGenerationToken? { parent == nil ? reading.token : nil }

    /// Pins the context to a state of the stores, for everything it reads from now on; objects that it knows stay as they are.
    ///
    /// A save, `reset()` and a merge of changes let go of the state: the context then reads the one that is the newest at its
    /// next read, as after `NSQueryGenerationToken.current`. Saves compare with the newest state always. Of the stores only SQLite
    /// files with a write-ahead log keep states; others are read as they are. A child stops the program.
    ///
    /// - Parameter generation: `NSQueryGenerationToken.current`; the token of another context with the same coordinator; nil to
    ///   read the newest state always.
    /// - Throws: an `NSError` of Cocoa's domain with the code 134070 for a token of another coordinator.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pin(to: generation) }

    // MARK: Undo

    /// Undoes the last group of changes.
    open func undo() {
        processChanges()
        undoManager?.undo()
    }

    /// Does again what was undone last.
    open func redo() {
        processChanges()
        undoManager?.redo()
    }

    /// Called when a key path has changed that the context observes. Does nothing unless overridden.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}

    // MARK: Fetching

    /// The objects that a request asks for.
    ///
    /// - Throws: an `NSError` of Cocoa's domain.
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        try results(of: request.settings)
    }

    /// Carries a request out without a change of the context's objects.
    ///
    /// - Parameter request: an `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, which gives the result of
    ///   its kind; an `NSAsynchronousFetchRequest`, which gives an `NSAsynchronousFetchResult` at once; an `NSFetchRequest`, which
    ///   gives one with its results; an `NSPersistentHistoryChangeRequest`, which gives an `NSPersistentHistoryResult`. Changes
    ///   to save are refused.
    /// - Throws: an `NSError` of Cocoa's domain: 134091 when a store cannot carry such a request out; 1550 or 1570 for values that a
    ///   batch insertion cannot write. Some stores may have done it before one fails.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try carryOut(request)
    }

    /// The number of objects that a request asks for.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try resultCount(of: request.settings)
    }
}

/// The queue that a context is used on, with the values of Apple's framework.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The thread that made it. Deprecated by Apple.
    case confinementConcurrencyType = 0
    /// A queue of its own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The objects that a request asks for, in its type.
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        if type(of: self) != NSManagedObjectContext.self {
            // A subclass may override the method for requests of any type.
            let results: [Any] = try fetch(NSFetchRequest<any NSFetchRequestResult>(settings: request.settings))
            return Self.typed(results.map { $0 as AnyObject }, request.entityName)
        }
        switch request.settings.resultType {
        case .dictionaryResultType, .countResultType, .managedObjectIDResultType:
            return try Self.typed(values(of: request.settings), request.entityName)
        default: return try Self.typed(objects(of: request.settings), request.entityName)
        }
    }

    /// Results as what a request says they are. Others stop the program.
    static func typed<Result: AnyObject, T: NSFetchRequestResult>(_ results: [Result], _ entityName: String?) -> [T] {
        // A class is asked once for all objects that follow each other and have it: a cast of the array would ask each.
        var known: ObjectIdentifier?
        var wrong: Any.Type?
        let areRight = results.allSatisfyUncounted { result in
            let identifier = ObjectIdentifier(type(of: result))
            if identifier == known || result is T {
                known = identifier
                return true
            }
            wrong = type(of: result)
            return false
        }
        guard areRight else {
            misuse(
                "NSInvalidArgumentException",
                "the results of the request for “\(entityName ?? "")” are no \(T.self): they are "
                    + "\(wrong.map { "\($0)" } ?? "")")
        }
        // An array of references is the same whatever the static type of these: a copy would count each of them.
        return unsafeBitCast(results, to: [T].self)
    }

    /// The number of objects that a request asks for.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        if type(of: self) != NSManagedObjectContext.self {
            return try count(for: NSFetchRequest<any NSFetchRequestResult>(settings: request.settings))
        }
        return try resultCount(of: request.settings)
    }
}
