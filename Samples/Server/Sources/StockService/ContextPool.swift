import CoreData

/// A fixed number of contexts, which limits how many requests use the database at once; the others wait in line.
actor ContextPool {
    private var idle: [NSManagedObjectContext]
    private var waiting: [CheckedContinuation<NSManagedObjectContext, Never>] = []

    init(_ container: NSPersistentContainer, size: Int) {
        idle = (0..<size).map { _ in
            let context = container.newBackgroundContext()
            context.transactionAuthor = "server"
            return context
        }
    }

    /// Runs a block on the queue of an empty context, without blocking the caller's thread. Changes that the block does
    /// not save are discarded.
    func perform<Value: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let context = await take()
        defer { release(context) }
        return try await context.perform {
            defer { context.reset() }
            return try block(context)
        }
    }

    private func take() async -> NSManagedObjectContext {
        if let context = idle.popLast() { return context }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func release(_ context: NSManagedObjectContext) {
        if waiting.isEmpty { idle.append(context) } else { waiting.removeFirst().resume(returning: context) }
    }
}
