import Dispatch
import Foundation
import Synchronization

/// The result of the threads of ``onThreads(_:_:)``.
private final class Outcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
}

/// Runs a body on several new threads, and waits for them. Tasks would block the few threads of Swift concurrency.
///
/// - Throws: The error of one of the bodies.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let outcome = Outcome()
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread {
            do {
                try body(number)
            } catch {
                outcome.error.withLock { $0 = error }
            }
            group.leave()
        }.start()
    }
    group.wait()
    if let error = outcome.error.withLock({ $0 }) { throw error }
}
