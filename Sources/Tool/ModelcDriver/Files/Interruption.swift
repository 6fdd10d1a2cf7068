internal import CLibrary
internal import StoreFile

// Used by the handler of signals.
/// The end of a pipe through which the handler wakes the thread that ends the process.
nonisolated(unsafe) private var wakeEnd: Int32 = -1
/// When the first signal came; 0 before.
nonisolated(unsafe) private var firstSignal: time_t = 0

private func wake(_ number: Int32) {
    let code = errno
    let now = time(nil)
    if firstSignal == 0 { firstSignal = now }
    if now - firstSignal > 1 {
        // Another one, by a user who does not want to wait. A terminal and the parent send the first one together.
        signal(number, SIG_DFL)
        raise(number)
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(wakeEnd, &byte, 1)
    errno = code
}

/// The end of the process by a signal: its temporary folders are removed first, and its child processes end, too.
enum Interruption {
    private struct State {
        /// The number of bodies that the end of the process waits for.
        var holds = 0
        var isEnding = false
        /// By path.
        var folders: [String: TemporaryFolder] = [:]
        var children: Set<pid_t> = []
    }

    private static let signals = [SIGHUP, SIGINT, SIGTERM]
    private static let state = Locked(State())

    // MARK: What is left behind

    /// Runs a body that the end of the process waits for.
    static func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        change { $0.holds += 1 }
        defer { state.withLock { $0.holds -= 1 } }
        return try body()
    }

    /// Adds a folder that is removed when a signal ends the process.
    static func add(_ folder: TemporaryFolder) { change { $0.folders[folder.path] = folder } }

    /// Drops a folder that its owner has removed.
    static func drop(_ folder: TemporaryFolder) { change { $0.folders[folder.path] = nil } }

    /// Starts a child process, to which signals are passed on until it is dropped.
    static func add<Failure: Error>(_ spawn: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
        try hold { () throws(Failure) in
            let process = try spawn()
            _ = state.withLock { $0.children.insert(process) }
            return process
        }
    }

    /// Waits for the end of a child process, whose identifier stays in use, and drops it.
    static func awaitEnd(of process: pid_t) {
        wait(for: process)
        change { $0.children.remove(process) }
    }

    private static func wait(for process: pid_t) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, Int32(WEXITED | WNOWAIT)) != 0, errno == EINTR {}
    }

    /// Changes the state. A thread that calls this while the process ends goes no further.
    private static func change(_ body: (inout State) -> Void) {
        while !state.withLock({ state in
            if !state.isEnding { body(&state) }
            return !state.isEnding
        }) { pause() }
    }

    private static func pause() { usleep(1000) }

    // MARK: Signals

    /// Whether a signal will end the process.
    static var isSignaled: Bool { firstSignal != 0 }

    /// Goes no further if a signal has come, unless the end of the process waits for this thread.
    static func waitIfSignaled() {
        while isSignaled, state.withLock({ $0.holds == 0 }) { pause() }
    }

    /// Takes the signals that end a process, except those that it was started to ignore.
    static func begin() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // No signal is pending for the thread when it ends the process.
        guard ParallelMap.start(blocksSignals: true, { [ends] in wait(at: ends[0]) }) != nil else { return }
        wakeEnd = ends[1]
        for number in signals where unsafeBitCast(signal(number, wake), to: Int.self) == ignored {
            signal(number, SIG_IGN)
        }
    }

    private static var ignored: Int { unsafeBitCast(SIG_IGN, to: Int.self) }

    private static func wait(at end: Int32) {
        var number: UInt8 = 0
        var count = 0
        repeat { count = read(end, &number, 1) } while count < 0 && errno == EINTR
        if count == 1 { endProcess(by: Int32(number)) }
    }

    private static func endProcess(by number: Int32) {
        while !state.withLock({ state in
            state.isEnding = state.holds == 0
            return state.isEnding
        }) { pause() }
        let (folders, children) = state.withLock { (Array($0.folders.values), $0.children) }
        for process in children { kill(process, number) }
        for process in children { wait(for: process) }
        for folder in folders { remove(folder) }
        // Another thread may have created them again, as missing parents of a folder for external data.
        if !folders.isEmpty { pause() }
        for folder in folders { remove(folder) }
        DatabaseInspection.removeCopies()
        signal(number, SIG_DFL)
        var own = sigset_t()
        sigemptyset(&own)
        sigaddset(&own, number)
        pthread_sigmask(SIG_UNBLOCK, &own, nil)
        raise(number)
    }

    /// Removes a folder in which another thread may still create files.
    private static func remove(_ folder: TemporaryFolder) {
        for _ in 0..<100 {
            guard folder.remove() else { return }
            pause()
        }
    }
}
