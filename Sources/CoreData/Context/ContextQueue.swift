internal import Foundation

/// Where the work of a context is done.
final class ContextQueue: @unchecked Sendable {
    /// What contexts of one queue share. Whoever waits for a queue is its caller for that time: the work may use the caller's
    /// contexts, and does not wait for them.
    ///
    /// The caller is read and written on the lane only, or while its thread waits for another lane.
    private final class Lane: @unchecked Sendable {
        var caller: Lane?
        /// The context whose block is running.
        var context: NSManagedObjectContext?
    }

    private let queue: DispatchQueue
    private let lane: Lane
    private let thread: Thread?

    init(_ type: NSManagedObjectContextConcurrencyType) {
        switch type {
        case .mainQueueConcurrencyType:
            queue = .main
            lane = Self.mainLane
            thread = nil
        case .privateQueueConcurrencyType, .confinementConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext")
            lane = Lane()
            thread = type == .confinementConcurrencyType ? Thread.current : nil
            queue.setSpecific(key: Self.key, value: lane)
        }
    }

    private static let key = DispatchSpecificKey<Lane>()
    private static let mainLane: Lane = {
        let lane = Lane()
        DispatchQueue.main.setSpecific(key: key, value: lane)
        return lane
    }()

    /// The lane that the current code runs on.
    private static var current: Lane? {
        // Main's lane first, so that the queue has it.
        let main = mainLane
        return DispatchQueue.getSpecific(key: key) ?? (Thread.isMainThread ? main : nil)
    }

    /// Whether the current code runs on the main queue. That need not be the main thread: `dispatchMain()` gives it up.
    static var isMain: Bool { current === mainLane }

    /// The context whose block the current code is part of; nil outside of `perform` and `performAndWait`.
    static var currentContext: NSManagedObjectContext? { current?.context }

    /// Runs a block of a context.
    static func run<Result, Failure: Error>(
        _ context: NSManagedObjectContext, _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let lane = current else { return try block() }
        let outer = lane.context
        lane.context = context
        defer { lane.context = outer }
        return try block()
    }

    /// Whether the current code runs where the context is used.
    var isCurrent: Bool {
        if let thread { return Thread.current === thread }
        var lane = Self.current
        while let running = lane {
            if running === self.lane { return true }
            lane = running.caller
        }
        return false
    }

    /// Runs a block later.
    func async(_ block: @escaping () -> Void) {
        let work = SendableBox(block)
        queue.async { work.value() }
    }

    /// Runs a block now, and waits for it.
    func sync<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
        if isCurrent || thread != nil { return try block() }
        let caller = Self.current
        var result: Swift.Result<Result, Failure>?
        withoutActuallyEscaping(block) { block in
            queue.sync {
                lane.caller = caller
                defer { lane.caller = nil }
                do throws(Failure) {
                    result = .success(try block())
                } catch {
                    result = .failure(error)
                }
            }
        }
        guard let result else { misuse("a block of performAndWait did not run") }
        return try result.get()
    }
}
