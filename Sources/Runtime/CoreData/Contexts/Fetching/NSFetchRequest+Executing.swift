internal import RuntimeSupport

extension NSFetchRequest {
    /// Executes the request in the context whose block is running. Traps outside of `perform` and `performAndWait`.
    ///
    /// - Throws: An `NSError` of Cocoa's domain.
    public final func execute() throws -> [ResultType] {
        guard let context = ContextQueue.currentContext else {
            misuse(
                "NSInternalInconsistencyException",
                "execute() of a fetch request must be called within a block of a context's perform or performAndWait")
        }
        return try context.fetch(self)
    }
}
