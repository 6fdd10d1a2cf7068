internal import RuntimeSupport

/// Work with exclusive access to a coordinator.
extension NSPersistentStoreCoordinator {
    /// Runs a block with exclusive access to the coordinator and returns its result.
    ///
    /// - Throws: What the block throws.
    public func performAndWait<Result, Failure: Error>(
        _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.perform(block)
    }

    #if compiler(>=6.2)
    /// Runs a block on the coordinator's own queue, while no other thread uses the coordinator, and returns its result.
    /// The call stays on the caller's actor; see `NSManagedObjectContext.perform(schedule:_:)`.
    ///
    /// - Parameter block: The work.
    /// - Throws: What the block throws.
    nonisolated(nonsending) public func perform<Result, Failure: Error>(
        _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: SendableBox<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
            enqueue(block) { continuation.resume(returning: $0) }
        }
        return try result.value.get()
    }
    #else
    /// Runs a block on the coordinator's own queue, while no other thread uses the coordinator, and returns its result.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, which the call does not leave.
    ///   - block: The work.
    /// - Throws: What the block throws.
    public func perform<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: SendableBox<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
            enqueue(block) { continuation.resume(returning: $0) }
        }
        return try result.value.get()
    }
    #endif

    /// Runs a block asynchronously, and calls the completion handler with its result.
    private func enqueue<Result, Failure: Error>(
        _ block: @escaping () throws(Failure) -> Result,
        completion: @escaping (SendableBox<Swift.Result<Result, Failure>>) -> Void
    ) {
        let work: () -> Void = { [self] in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) {
                result = .success(try performAndWait(block))
            } catch {
                result = .failure(error)
            }
            completion(SendableBox(result))
        }
        perform(work)
    }
}
