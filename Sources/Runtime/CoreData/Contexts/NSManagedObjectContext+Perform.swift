internal import Foundation
internal import RuntimeSupport

/// Work on a context's queue.
extension NSManagedObjectContext {
    /// The time at which the block of an asynchronous `perform` runs.
    ///
    /// ```swift
    /// let count = try await context.perform(schedule: .enqueued) {
    ///     try context.count(for: Book.fetchRequest())
    /// }
    /// ```
    public enum ScheduledTaskType: Sendable {
        /// Immediately if the caller is already on the queue, otherwise as `enqueued`.
        case immediate
        /// After all blocks that were enqueued before.
        case enqueued
    }

    /// Runs a block asynchronously on the context's queue: what `perform(_:)` does unless a subclass overrides it.
    func enqueue(_ block: @escaping () -> Void) {
        checkHasQueue()
        executor.async { [self] in
            executor.run(for: self, block)
            endEvent()
        }
    }

    /// Runs a block on the context's queue and waits for it. Calls may be nested; only the outermost one processes
    /// changes.
    ///
    /// - Throws: What the block throws.
    public func performAndWait<Result, Failure: Error>(
        _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try executor.sync { isOutermost throws(Failure) -> Result in
            defer { if isOutermost { endEvent() } }
            return try executor.run(for: self, block)
        }
    }

    #if compiler(>=6.2)
    /// Runs a block on the context's queue and returns its result. Changes are processed when the block ends.
    ///
    /// The call stays on the caller's actor, so that a block written in actor-isolated code - every closure of a module
    /// whose default isolation is `MainActor` - is accepted. The block itself runs on the context's queue: it may use
    /// the context's objects, and values that the caller does not change until then.
    ///
    /// ```swift
    /// let count = try await context.perform { try context.count(for: Book.fetchRequest()) }
    /// ```
    ///
    /// - Parameters:
    ///   - schedule: When it runs.
    ///   - block: The work.
    /// - Throws: What the block throws.
    nonisolated(nonsending) public func perform<Result, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: SendableBox<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
            perform(schedule, block) { continuation.resume(returning: $0) }
        }
        return try result.value.get()
    }
    #else
    /// Runs a block on the context's queue and returns its result. Changes are processed when the block ends.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, which the call does not leave.
    ///   - schedule: When it runs.
    ///   - block: The work.
    /// - Throws: What the block throws.
    public func perform<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, schedule: ScheduledTaskType = .immediate,
        _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: SendableBox<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
            perform(schedule, block) { continuation.resume(returning: $0) }
        }
        return try result.value.get()
    }
    #endif

    /// Runs a block on the context's queue, and calls the completion handler there with its result.
    private func perform<Result, Failure: Error>(
        _ schedule: ScheduledTaskType, _ block: @escaping () throws(Failure) -> Result,
        completion: @escaping (SendableBox<Swift.Result<Result, Failure>>) -> Void
    ) {
        checkHasQueue()
        let work: () -> Void = { [self] in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) {
                result = .success(try executor.run(for: self, block))
            } catch {
                result = .failure(error)
            }
            endEvent()
            completion(SendableBox(result))
        }
        if schedule == .immediate, executor.isCurrent { work() } else { executor.async(work) }
    }

    /// Traps in a context without a queue: the block would run on a thread that is not the context's.
    private func checkHasQueue() {
        guard concurrencyType == .confinementConcurrencyType else { return }
        misuse(
            "NSInvalidArgumentException",
            "Can only use -performBlock: on an NSManagedObjectContext that was created with a queue.")
    }

    /// Processes changes when a block ends, as at the end of an event of Apple's run loop.
    private func endEvent() {
        processPendingChanges()
        undoManager?.endEvent()
    }

    /// Traps if the context is used off its queue and the concurrency check is enabled.
    func checkQueue() {
        guard Self.reportsMisuse, checksQueue, concurrencyType != .confinementConcurrencyType, !executor.isCurrent
        else { return }
        misuse(
            "the context “\(name ?? "")” is used on a thread that is not its queue's; call perform or performAndWait. Nothing "
                + "of a context may be used elsewhere (COREDATA_CONCURRENCY_DEBUG is set)")
    }

    private static let reportsMisuse: Bool = {
        let arguments = ProcessInfo.processInfo.arguments
        if let index = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"), index + 1 < arguments.count {
            return (Int(arguments[index + 1]) ?? 0) > 0
        }
        return ProcessInfo.processInfo.environment["COREDATA_CONCURRENCY_DEBUG"] == "1"
    }()
}
