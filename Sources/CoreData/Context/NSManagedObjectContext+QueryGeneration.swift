internal import Foundation

/// Reading one state of the stores while others save.
extension NSManagedObjectContext {
    /// The state that the context reads: nil if it reads the newest always; `NSQueryGenerationToken.current` until it has read
    /// something; then that of the first read. Nil for a child, which reads what its parent does.
    public final var queryGenerationToken: NSQueryGenerationToken? { parent == nil ? generation : nil }

    /// Pins the context to a state of the stores, for everything it reads from now on; objects that it knows stay as they are.
    ///
    /// A save, `reset()` and a merge of changes let go of the state: the context then reads the one that is the newest at its
    /// next read, as after `NSQueryGenerationToken.current`. Saves compare with the newest state always. Of the stores only SQLite
    /// files with a write-ahead log keep states; others are read as they are. A child stops the program.
    ///
    /// - Parameter generation: `NSQueryGenerationToken.current`; the token of another context with the same coordinator; nil to
    ///   read the newest state always.
    /// - Throws: an `NSError` of Cocoa's domain with the code 134070 for a token of another coordinator.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        checkQueue()
        if parent != nil { misuse("NSInvalidArgumentException", "a child context reads the generation of its parent") }
        if let known = generation?.generation, !known.belongs(to: persistentStoreCoordinator) {
            throw CoreDataError.error(
                .persistentStoreOperation, "the query generation is one of another coordinator's stores")
        }
        self.generation = generation
    }

    /// Lets go of the state that the context is pinned to.
    final func advanceGeneration() {
        if generation != nil { generation = .current }
    }
}
