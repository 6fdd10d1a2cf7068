internal import Dispatch
internal import Foundation

/// A thread that reads a key path which may lead to a value that cannot be made. A getter can neither throw nor return
/// without a value, so the thread that calls it is abandoned: it waits forever.
///
/// The result is kept for each key path, so that their number bounds that of the threads.
final class RecordingThread: @unchecked Sendable {
    private struct Body: @unchecked Sendable {
        let run: () -> Void
    }

    private let end = DispatchSemaphore(value: 0)

    /// Executes code, and returns when it has ended or abandoned the thread.
    func run(_ body: @escaping () -> Void) {
        let body = Body(run: body)
        Thread { [self] in
            body.run()
            end.signal()
        }
        .start()
        end.wait()
    }

    /// Lets the caller of `run` continue. Called in the thread.
    func abandon() -> Never {
        end.signal()
        while true { DispatchSemaphore(value: 0).wait() }
    }
}
