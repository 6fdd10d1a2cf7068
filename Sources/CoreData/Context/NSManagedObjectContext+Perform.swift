internal import Foundation

/// Work on a context's queue.
extension NSManagedObjectContext {
    /// When a block of the async `perform` runs.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is on the queue already, else as `enqueued`.
        case immediate
        /// After what was given to the queue before.
        case enqueued
    }

    /// Runs a block on the context's queue, later. Changes are processed when it ends.
    public func perform(_ block: @escaping () -> Void) {
        executor.async { [self] in
            ContextQueue.run(self, block)
            endEvent()
        }
    }

    /// Runs a block on the context's queue and waits for it. May be called within another one; only the outermost processes
    /// changes.
    public func performAndWait<Result, Failure: Error>(
        _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isNested = executor.isCurrent
        return try executor.sync { () throws(Failure) -> Result in
            defer { if !isNested { endEvent() } }
            return try ContextQueue.run(self, block)
        }
    }

    /// Runs a block on the context's queue and gives its result. Changes are processed when it ends.
    ///
    /// - Parameters:
    ///   - schedule: when it runs.
    ///   - block: the work; what it throws is thrown here.
    public func perform<Result, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: SendableBox<Swift.Result<Result, Failure>> = await withCheckedContinuation { continuation in
            let work: () -> Void = { [self] in
                let result: Swift.Result<Result, Failure>
                do throws(Failure) {
                    result = .success(try ContextQueue.run(self, block))
                } catch {
                    result = .failure(error)
                }
                endEvent()
                continuation.resume(returning: SendableBox(result))
            }
            if schedule == .immediate, executor.isCurrent { work() } else { executor.async(work) }
        }
        return try result.value.get()
    }

    /// What happens when a block ends, as at the end of an event of Apple's run loop.
    private func endEvent() {
        processPendingChanges()
        undoManager?.endEvent()
    }

    /// Stops the program when the context is used elsewhere than on its queue, if somebody asked for the check.
    func checkQueue() {
        guard Self.checksQueues, concurrencyType != .confinementConcurrencyType, !executor.isCurrent else { return }
        misuse(
            "the context “\(name ?? "")” is used on a thread that is not its queue's; call perform or performAndWait. Nothing "
                + "of a context may be used elsewhere (COREDATA_CONCURRENCY_DEBUG is set)")
    }

    private static let checksQueues: Bool = {
        let arguments = ProcessInfo.processInfo.arguments
        if let index = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"), index + 1 < arguments.count {
            return (Int(arguments[index + 1]) ?? 0) > 0
        }
        return ProcessInfo.processInfo.environment["COREDATA_CONCURRENCY_DEBUG"] == "1"
    }()
}
