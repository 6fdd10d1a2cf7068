internal import Foundation
internal import RuntimeSupport

/// Reading one state of the stores while other contexts save.
extension NSManagedObjectContext {
    /// Pins the context to a state of the stores: see `setQueryGenerationFrom(_:)`.
    final func pin(to generation: NSQueryGenerationToken?) throws {
        checkQueue()
        if parent != nil { misuse("NSInvalidArgumentException", "a child context reads the generation of its parent") }
        if let pinned = generation?.generation, !pinned.belongs(to: persistentStoreCoordinator) {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the query generation is one of another coordinator's stores")
        }
        reading.token = generation
    }
}
