/// Reading one state of the stores while other contexts save.
extension NSPersistentStoreCoordinator {
    /// Returns the current state of the stores. Called under the lock.
    final func queryGeneration() throws -> QueryGeneration {
        try QueryGeneration(of: persistentStores.map { ($0, $0.engine) }, owner: self)
    }

    /// Runs a block that reads a store for a context, in the generation that the context is pinned to.
    final func reading<Result>(
        _ store: NSPersistentStore, for context: NSManagedObjectContext, _ body: () throws -> Result
    ) throws -> Result {
        if context.reading.readsNewest {
            return try performingRequest(for: context) { try store.engine.readingNewest(body) }
        }
        guard let token = context.reading.pinned else { return try performingRequest(for: context, body) }
        return try performingRequest(for: context) { try reading(store, token: token, for: context, body: body) }
    }

    private func reading<Result>(
        _ store: NSPersistentStore, token: NSQueryGenerationToken, for context: NSManagedObjectContext,
        body: () throws -> Result
    ) throws -> Result {
        guard store.engine.traits.contains(.keepsGenerations) else { return try body() }
        let generation: QueryGeneration
        if let pinned = token.generation {
            generation = pinned
        } else {
            generation = try queryGeneration()
            context.reading.token = NSQueryGenerationToken(generation)
        }
        guard let view = generation.view(of: store) else { return try body() }
        return try store.engine.reading(view, body)
    }
}
