#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Holds back the signals that end a process while it changes files, so that it ends with all of the changes made. A signal
/// that arrived takes effect when the outermost shield is left.
enum SignalShield {
    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        return signals
    }

    /// Runs the body, which should not wait for anything but disks, behind a shield.
    static func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // Modelc's other threads have ended when files are written, so no other thread takes the signal.
        var previous = sigset_t()
        var held = signals
        pthread_sigmask(SIG_BLOCK, &held, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        return try body()
    }

    /// Whether a signal waits for the end of a shield.
    static var isHoldingOne: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return [SIGHUP, SIGINT, SIGTERM].contains { sigismember(&pending, $0) == 1 }
    }
}
