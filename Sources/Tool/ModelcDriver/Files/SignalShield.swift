internal import CLibrary

/// Blocks the signals that end a process while it changes files, so that all of the changes are made. A pending signal
/// takes effect when the outermost shield ends.
package enum SignalShield {
    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        return signals
    }

    /// Runs the body with the signals blocked. The body should wait only for disks.
    package static func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // Other threads of modelc have ended when files are written, so no other thread receives the signal.
        var previous = sigset_t()
        var held = signals
        pthread_sigmask(SIG_BLOCK, &held, &previous)
        defer {
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            Interruption.waitIfSignaled()
        }
        // The signal may have been received already.
        return try Interruption.hold(body)
    }

    /// Whether a signal will end the process.
    static var isHoldingOne: Bool {
        if Interruption.isSignaled { return true }
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return [SIGHUP, SIGINT, SIGTERM].contains { sigismember(&pending, $0) == 1 }
    }
}
