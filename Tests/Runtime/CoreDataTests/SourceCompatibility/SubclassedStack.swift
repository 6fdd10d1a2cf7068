import CoreData

// Subclasses of each class of the stack, in the style of libraries: they override methods with Apple's signatures.

/// A coordinator that counts requests.
class CountingCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    let counts = CallCounts()

    override init(managedObjectModel model: NSManagedObjectModel) { super.init(managedObjectModel: model) }

    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }
    override func persistentStore(for URL: URL) -> NSPersistentStore? { super.persistentStore(for: URL) }
    override func url(for store: NSPersistentStore) -> URL { super.url(for: store) }
    override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { super.setURL(url, for: store) }

    @discardableResult
    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        counts.record("add")
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }

    override func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        counts.record("addWithDescription")
        super.addPersistentStore(with: storeDescription, completionHandler: block)
    }

    override func remove(_ store: NSPersistentStore) throws {
        counts.record("remove")
        try super.remove(store)
    }

    override func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        counts.record("migrate")
        return try super.migratePersistentStore(store, to: URL, options: options, withType: storeType)
    }

    override func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        counts.record("destroy")
        try super.destroyPersistentStore(at: url, ofType: storeType, options: options)
    }

    override func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        counts.record("replace")
        try super.replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType)
    }

    override func metadata(for store: NSPersistentStore) -> [String: Any] {
        counts.record("metadata")
        return super.metadata(for: store)
    }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        super.setMetadata(metadata, for: store)
    }
    override class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try super.metadataForPersistentStore(ofType: storeType, at: url, options: options)
    }
    override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try super.setMetadata(metadata, forPersistentStoreOfType: storeType, at: url, options: options)
    }
    override class var registeredStoreTypes: [String: Any] { super.registeredStoreTypes }
    override class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        super.registerStoreClass(storeClass, forStoreType: storeType)
    }

    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        super.managedObjectID(forURIRepresentation: url)
    }
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try super.execute(request, with: context)
    }
    override func perform(_ block: @escaping () -> Void) { super.perform(block) }
    override func performAndWait(_ block: () -> Void) {
        counts.record("performAndWait")
        super.performAndWait(block)
    }
    override func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        super.currentPersistentHistoryToken(fromStores: stores)
    }
}

/// A context whose fetches and saves can be made to fail, like a mock.
class MockContext: NSManagedObjectContext, @unchecked Sendable {
    let counts = CallCounts()
    var failure: (any Error)?

    convenience init(coordinator: NSPersistentStoreCoordinator) {
        self.init(concurrencyType: .privateQueueConcurrencyType)
        persistentStoreCoordinator = coordinator
    }

    override init(concurrencyType ct: NSManagedObjectContextConcurrencyType) { super.init(concurrencyType: ct) }

    override var concurrencyType: NSManagedObjectContextConcurrencyType { super.concurrencyType }
    override var hasChanges: Bool { super.hasChanges }
    override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
    override var parent: NSManagedObjectContext? {
        get { super.parent }
        set { super.parent = newValue }
    }
    override var undoManager: UndoManager? {
        get { super.undoManager }
        set { super.undoManager = newValue }
    }
    override var mergePolicy: Any {
        get { super.mergePolicy }
        set { super.mergePolicy = newValue }
    }

    override func perform(_ block: @escaping () -> Void) {
        counts.record("perform")
        super.perform(block)
    }
    override func performAndWait(_ block: () -> Void) {
        counts.record("performAndWait")
        super.performAndWait(block)
    }
    override func save() throws {
        if let failure { throw failure }
        try super.save()
    }
    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        counts.record("fetch")
        if let failure { throw failure }
        return try super.fetch(request)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        counts.record("count")
        if let failure { throw failure }
        return try super.count(for: request)
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        counts.record("execute")
        return try super.execute(request)
    }
    override func insert(_ object: NSManagedObject) { super.insert(object) }
    override func delete(_ object: NSManagedObject) {
        counts.record("delete")
        super.delete(object)
    }
    override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        super.refresh(object, mergeChanges: flag)
    }
    override func refreshAllObjects() { super.refreshAllObjects() }
    override func rollback() { super.rollback() }
    override func reset() { super.reset() }
    override func undo() { super.undo() }
    override func redo() { super.redo() }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject { super.object(with: objectID) }
    override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try super.existingObject(with: objectID)
    }
    override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        super.registeredObject(for: objectID)
    }
    override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try super.obtainPermanentIDs(for: objects)
    }
    override func assign(_ object: Any, to store: NSPersistentStore) { super.assign(object, to: store) }
    override func detectConflicts(for object: NSManagedObject) { super.detectConflicts(for: object) }
    override func processPendingChanges() { super.processPendingChanges() }
    override func mergeChanges(fromContextDidSave notification: Notification) {
        super.mergeChanges(fromContextDidSave: notification)
    }
    override var queryGenerationToken: NSQueryGenerationToken? { super.queryGenerationToken }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try super.setQueryGenerationFrom(generation)
    }
    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        counts.record("inaccessible")
        return true
    }
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        counts.record("observeValue")
    }
}

/// A container with its own folder and contexts.
class AppContainer: NSPersistentContainer, @unchecked Sendable {
    let counts = CallCounts()

    override init(name: String, managedObjectModel model: NSManagedObjectModel) {
        super.init(name: name, managedObjectModel: model)
    }

    override class func defaultDirectoryURL() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("AppContainer")
    }
    override var name: String { super.name }
    override var viewContext: NSManagedObjectContext { super.viewContext }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator { super.persistentStoreCoordinator }
    override var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { super.persistentStoreDescriptions }
        set { super.persistentStoreDescriptions = newValue }
    }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        super.loadPersistentStores(completionHandler: block)
    }
    override func newBackgroundContext() -> NSManagedObjectContext {
        counts.record("newBackgroundContext")
        let context = super.newBackgroundContext()
        context.transactionAuthor = "app"
        return context
    }
    override func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        super.performBackgroundTask(block)
    }
}

/// A merge policy that counts conflicts before it resolves them.
class CountingPolicy: NSMergePolicy, @unchecked Sendable {
    let counts = CallCounts()

    override init(merge ty: NSMergePolicyType) { super.init(merge: ty) }
    convenience init() { self.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

    override var mergeType: NSMergePolicyType { super.mergeType }
    override func resolve(mergeConflicts list: [Any]) throws {
        counts.record("merge")
        try super.resolve(mergeConflicts: list)
    }
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        counts.record("optimisticLocking")
        try super.resolve(optimisticLockingConflicts: list)
    }
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        counts.record("constraint")
        try super.resolve(constraintConflicts: list)
    }
}

// Descriptions and requests.

class AppModel: NSManagedObjectModel {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    override var entities: [NSEntityDescription] {
        get { super.entities }
        set { super.entities = newValue }
    }
    override var entitiesByName: [String: NSEntityDescription] { super.entitiesByName }
}

class AppEntity: NSEntityDescription {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override func isKindOf(entity: NSEntityDescription) -> Bool { super.isKindOf(entity: entity) }
}

class AppAttribute: NSAttributeDescription {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    convenience init(_ name: String, _ type: NSAttributeType) {
        self.init()
        self.name = name
        attributeType = type
    }
    override var entity: NSEntityDescription { super.entity }
    override var isOptional: Bool {
        get { super.isOptional }
        set { super.isOptional = newValue }
    }
}

class AppRequest<Result: NSFetchRequestResult>: NSFetchRequest<Result> {
    override init() { super.init() }
    // Also required on Apple's platforms, since the class conforms to NSCoding.
    required init?(coder: NSCoder) { super.init(coder: coder) }
    override var predicate: NSPredicate? {
        get { super.predicate }
        set { super.predicate = newValue }
    }
}

class AppController<Result: NSFetchRequestResult>: NSFetchedResultsController<Result> {
    override func performFetch() throws { try super.performFetch() }
    override var fetchedObjects: [Result]? { super.fetchedObjects }
    override var sections: [any NSFetchedResultsSectionInfo]? { super.sections }
    override func object(at indexPath: IndexPath) -> Result { super.object(at: indexPath) }
    override func sectionIndexTitle(forSectionName sectionName: String) -> String? { sectionName }
}
