internal import CoreData
internal import Foundation

/// What the accessors of models use of their context, in its own memory: retaining a context is slow, because there are
/// weak references to it.
struct ContextState {
    var schedulesSaves = false
    var epoch = 1
}

/// The managed context of a `ModelContext`, which models retain: they can be used when the context that fetched them is
/// gone.
final class ManagedContext: NSManagedObjectContext, @unchecked Sendable {
    let core: ContainerCore
    let isMain: Bool
    weak var owner: ModelContext?
    /// What the accessors of models use.
    let state: UnsafeMutablePointer<ContextState>
    var schedulesSaves: Bool {
        get { state.pointee.schedulesSaves }
        set { state.pointee.schedulesSaves = newValue }
    }
    /// Increases when the models with unsaved changes are released, so that their next change is recorded again.
    var epoch: Int {
        get { state.pointee.epoch }
        set { state.pointee.epoch = newValue }
    }
    /// The last query, for custom stores, with its translated predicate, by which they recognize the requests for it.
    var query: (descriptor: Any, predicate: NSPredicate?)?

    init(_ core: ContainerCore, isMain: Bool) {
        self.core = core
        self.isMain = isMain
        state = .allocate(capacity: 1)
        state.initialize(to: ContextState())
        super.init(concurrencyType: isMain ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
        persistentStoreCoordinator = core.coordinator
        mergePolicy = ModelMergePolicy()
        // Actors and other isolation domains run on any thread.
        checksQueue = isMain
    }

    deinit { state.deallocate() }

    /// The context, or a new one if it was released.
    var modelContext: ModelContext { owner ?? ModelContext(adopting: self) }
}
