/// The state of all stores of a coordinator at one point in time. Its snapshots are used under the coordinator's lock.
final class QueryGeneration: @unchecked Sendable {
    private let views: [ObjectIdentifier: AnyObject]
    private weak var coordinator: NSPersistentStoreCoordinator?

    /// Captures the current state of the stores that support snapshots.
    init(_ coordinator: NSPersistentStoreCoordinator) throws {
        self.coordinator = coordinator
        var views: [ObjectIdentifier: AnyObject] = [:]
        for store in coordinator.persistentStores {
            guard let view = try store.engine.pinGeneration() else { continue }
            views[ObjectIdentifier(store)] = view
        }
        self.views = views
    }

    /// Returns the snapshot of a store, or nil if the store does not support snapshots or was added later.
    func view(of store: NSPersistentStore) -> AnyObject? { views[ObjectIdentifier(store)] }

    /// Returns whether the generation belongs to a coordinator.
    func belongs(to coordinator: NSPersistentStoreCoordinator?) -> Bool {
        coordinator != nil && self.coordinator === coordinator
    }
}

extension NSPersistentStoreCoordinator {
    /// Runs a block that reads a store for a context, in the generation that the context is pinned to.
    final func reading<Result>(
        _ store: NSPersistentStore, for context: NSManagedObjectContext, _ body: () throws -> Result
    ) throws -> Result {
        guard let token = context.reading.pinned else { return try asking(for: context, body) }
        return try asking(for: context) { try reading(store, token: token, for: context, body: body) }
    }

    private func reading<Result>(
        _ store: NSPersistentStore, token: NSQueryGenerationToken, for context: NSManagedObjectContext,
        body: () throws -> Result
    ) throws -> Result {
        guard store.engine.traits.contains(.keepsGenerations) else { return try body() }
        let generation: QueryGeneration
        if let known = token.generation {
            generation = known
        } else {
            generation = try QueryGeneration(self)
            context.reading.token = NSQueryGenerationToken(generation)
        }
        guard let view = generation.view(of: store) else { return try body() }
        return try store.engine.reading(view, body)
    }
}
