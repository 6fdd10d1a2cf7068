internal import CLibrary

/// A line on the terminal behind standard error that shows that a command is still running. It appears after a second
/// and is removed before the command's first output.
///
/// The methods may be called from any thread.
final class ProgressLine: @unchecked Sendable {
    /// The commands that may run long without output. Commands that serve another program, such as git, have no line.
    static let commands: Set = [
        "breaking", "check", "cloudkit", "compile", "decompile", "diff", "doctor", "format", "generate", "graph",
        "hash",
        "inspect",
        "lint", "lock", "migrate", "port", "prepare-for-linux", "swiftdata",
    ]

    private static let pause: UInt32 = 100_000
    private static let pausesPerSecond = 10

    private let label: String
    private let write: @Sendable (String) -> Void
    /// Guards the state below.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var isFinished = false
    private var isShown = false

    /// - Parameters:
    ///   - command: The command that the line names.
    ///   - write: Writes to the terminal.
    init(_ command: String, write: @escaping @Sendable (String) -> Void) {
        label = command
        self.write = write
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Starts the thread that shows the line. It ends within a moment of `finish()`.
    func start() {
        // A shield of the main thread would not keep signals from this one.
        _ = ParallelMap.start(blocksSignals: true) { [self] in
            var count = 0
            while usleep(Self.pause) == 0 || errno == EINTR {
                count += 1
                guard update(seconds: count % Self.pausesPerSecond == 0 ? count / Self.pausesPerSecond : nil) else {
                    return
                }
            }
        }
    }

    /// Removes the line for good. A no-op after the first call.
    func finish() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        isFinished = true
        if isShown { write(Self.erasure) }
        isShown = false
    }

    private static let erasure = "\r\u{1B}[K"

    /// Shows the line if a full second has passed.
    ///
    /// - Returns: Whether the command is still running.
    private func update(seconds: Int?) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isFinished else { return false }
        if let seconds {
            write("\(Self.erasure)modelc \(label): \(seconds) s")
            isShown = true
        }
        return true
    }
}
