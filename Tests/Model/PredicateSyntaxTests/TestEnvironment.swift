// Foundation is imported only here, since it has types named Predicate and Expression, too.
import Foundation

enum TestEnvironment {
    /// The duration of the random tests in seconds: MODELC_FUZZ_SECONDS, or 1.
    static var fuzzSeconds: Double {
        ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init) ?? 1
    }

    /// Runs a function on a thread with a stack of `stackSize` bytes, and waits for it.
    static func runOnThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = stackSize
        thread.start()
        done.wait()
    }
}
