public import Foundation
internal import RuntimeSupport

/// The Core Data stack: a model, a coordinator with its stores, and a context for the main queue.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Books")
/// container.loadPersistentStores { _, error in
///     if let error { fatalError("\(error)") }
/// }
/// let books = try container.viewContext.fetch(Book.fetchRequest())
/// ```
///
/// Thread-safe, except for `persistentStoreDescriptions` before the stores are loaded and the view context, which
/// belongs to the main queue.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    private let label: String
    private let coordinator: NSPersistentStoreCoordinator
    private let mainContext: NSManagedObjectContext
    private let loaded = LoadedDescriptions()

    /// The container's name, which is also that of the model and of the default store's file.
    open var name: String { label }
    /// The container's model.
    open var managedObjectModel: NSManagedObjectModel { coordinator.managedObjectModel }
    /// The container's coordinator.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }
    /// The context of the main queue.
    open var viewContext: NSManagedObjectContext { mainContext }
    /// The stores to load. The default is a single SQLite store with the container's name.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Creates a container with the compiled model of the same name, from the main bundle, the resource bundles next to
    /// the program, or the resource bundles next to the running tests. Traps if the model is missing.
    public convenience init(name: String) {
        guard let model = ContainerModels.model(named: name) else {
            misuse(
                "NSInvalidArgumentException",
                "there is no compiled model “\(name).momd” or “\(name).mom” in the main bundle or in a resource bundle beside "
                    + "\(Bundle.main.bundlePath). Give the model with init(name:managedObjectModel:), for example "
                    + "NSManagedObjectModel(contentsOf: Bundle.module.url(forResource: \"\(name)\", withExtension: \"momd\")!)"
            )
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// Creates a container with a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        label = name
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let file = Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
        super.init()
        mainContext.persistentStoreCoordinator = coordinator
    }

    /// Traps: a container needs a name. Apple's class inherits the initializer and raises an exception.
    public convenience override init() {
        misuse("NSInvalidArgumentException", "A container must have a name: use init(name:)")
    }

    /// Returns the folder of the default stores: a subfolder for the program in the user's application support folder.
    open class func defaultDirectoryURL() -> URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? URL(fileURLWithPath: NSTemporaryDirectory())
        let program = (CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent }) ?? "CoreData"
        let folder = base.appendingPathComponent(program)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Loads the stores that have not been loaded yet, and calls the block for each: synchronously on the calling
    /// thread, unless its description requests asynchronous loading.
    ///
    /// After a failure, the method can be called again: it does not touch the stores that were loaded.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions
        where loaded.begin(description, in: persistentStoreCoordinator) {
            persistentStoreCoordinator.addPersistentStore(with: description) {
                [loaded] description, error in
                loaded.end(description, error)
                block(description, error)
            }
        }
    }

    /// Creates a context with a private queue that saves to the stores.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block asynchronously with a new context on the context's queue.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    #if compiler(>=6.2)
    /// Runs a block with a new context on the context's queue and returns its result. The call stays on the caller's
    /// actor; see `NSManagedObjectContext.perform(schedule:_:)`.
    ///
    /// - Throws: What the block throws.
    nonisolated(nonsending) public final func performBackgroundTask<Result, Failure: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let context = newBackgroundContext()
        let work: () throws(Failure) -> Result = { () throws(Failure) -> Result in try block(context) }
        return try await context.perform(schedule: .enqueued, work)
    }
    #else
    /// Runs a block with a new context on the context's queue and returns its result. The call stays on the caller's
    /// actor.
    ///
    /// - Throws: What the block throws.
    public final func performBackgroundTask<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping (NSManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let context = newBackgroundContext()
        let work: () throws(Failure) -> Result = { () throws(Failure) -> Result in try block(context) }
        return try await context.perform(schedule: .enqueued, work)
    }
    #endif
}

/// The descriptions whose stores have been loaded, or are being loaded. Thread-safe.
private final class LoadedDescriptions: @unchecked Sendable {
    private struct Entry {
        let description: NSPersistentStoreDescription
        /// Whether the store is known: not while it is being loaded, nor if a subclass of the coordinator adds it
        /// otherwise.
        var isLoaded = false
        weak var store: NSPersistentStore?
    }

    private let lock = NSLock()
    private var entries: [Entry] = []

    /// Adds a description. Returns whether its store has to be loaded: it is new, or the coordinator no longer has the
    /// store, because it was removed or destroyed.
    func begin(_ description: NSPersistentStoreDescription, in coordinator: NSPersistentStoreCoordinator) -> Bool {
        let stores = coordinator.persistentStores
        return lock.withLock {
            if let index = entries.firstIndex(where: { $0.description === description }) {
                let entry = entries[index]
                guard entry.isLoaded, !stores.contains(where: { $0 === entry.store }) else { return false }
                entries.remove(at: index)
            }
            entries.append(Entry(description: description))
            return true
        }
    }

    /// Records the end of loading a store.
    func end(_ description: NSPersistentStoreDescription, _ error: (any Error)?) {
        lock.withLock {
            guard let index = entries.firstIndex(where: { $0.description === description }) else { return }
            guard error == nil else {
                entries.remove(at: index)
                return
            }
            entries[index].store = description.addedStore
            entries[index].isLoaded = description.addedStore != nil
            description.addedStore = nil
        }
    }
}

/// Looks up the models of containers.
enum ContainerModels {
    /// Returns the model with a name, or `nil` if there is none.
    static func model(named name: String) -> NSManagedObjectModel? {
        let found = ModelLocator.models(in: nil).filter { $0.deletingPathExtension().lastPathComponent == name }
        // Prefers a bundle with all versions to a single model.
        let best = found.first { $0.pathExtension == "momd" } ?? found.first
        return best.flatMap { NSManagedObjectModel(contentsOf: $0) }
    }
}
