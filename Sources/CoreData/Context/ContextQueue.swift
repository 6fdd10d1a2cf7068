internal import Foundation

/// Where the work of a context is done.
final class ContextQueue: @unchecked Sendable {
    private let queue: DispatchQueue
    private let isMain: Bool
    private let key = DispatchSpecificKey<Bool>()
    private let thread: Thread?

    init(_ type: NSManagedObjectContextConcurrencyType) {
        switch type {
        case .mainQueueConcurrencyType:
            queue = .main
            isMain = true
            thread = nil
        case .privateQueueConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext")
            isMain = false
            thread = nil
        case .confinementConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext")
            isMain = false
            thread = Thread.current
        }
        if !isMain { queue.setSpecific(key: key, value: true) }
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the current code runs where the context is used.
    var isCurrent: Bool {
        if let thread { return Thread.current === thread }
        if isMain { return Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true }
        return DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs a block later.
    func async(_ block: @escaping () -> Void) {
        let work = SendableBox(block)
        queue.async { work.value() }
    }

    /// Runs a block now, and waits for it.
    func sync<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
        if isCurrent || thread != nil { return try block() }
        var result: Swift.Result<Result, Failure>?
        withoutActuallyEscaping(block) { block in
            queue.sync {
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
