internal import Foundation

// Used by the handler of signals.
/// The server's process; 0 while it does not run.
nonisolated(unsafe) private var serverProcess: pid_t = 0
/// The signal that has asked the studio to end, or 0.
nonisolated(unsafe) private var endSignal: Int32 = 0

/// Passes a signal on to the server. One from the terminal has reached it already.
private func forward(_ number: Int32) {
    let code = errno
    endSignal = number
    if serverProcess > 0 { kill(serverProcess, number) }
    errno = code
}

/// Runs the studio's server in another process, and starts it again when it ends unexpectedly.
///
/// The address of the page stays. Unsaved edits are in the journal.
struct Supervisor {
    /// The path of a program that finds its `ServerSession` in its environment.
    let executable: String
    let arguments: [String]

    /// How a server process ended.
    private struct End {
        /// What it has announced; `nil` if it ended before it served the page.
        var served: (port: UInt16, folder: String)?
        /// The signal that ended it, or 0.
        var signal: Int32
        var exitCode: Int32
    }

    /// The number of processes in succession that may end within `shortLife`: a request that is repeated, or an edit in
    /// the journal, may end each of them.
    static let limit = 10
    private static let shortLife = Duration.seconds(60)

    /// The signals that end the studio.
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs the server until it exits normally, or too often unexpectedly.
    ///
    /// - Returns: The exit code; 128 plus the number of the signal if one has ended the server.
    /// - Throws: `POSIXError` if the server cannot be started.
    func run(token: String, errorLine: (String) -> Void) throws -> Int32 {
        (serverProcess, endSignal) = (0, 0)
        for number in Self.signals { signal(number, forward) }
        var session = ServerSession(port: 0, token: token, count: 0, connection: -1)
        var failureCount = 0
        while true {
            let start = ContinuousClock.now
            let end = try serve(session)
            guard end.signal != 0 else { return end.exitCode }
            let code = 128 + end.signal
            if let served = end.served { Self.removeFolder(served.folder) }
            if Self.signals.contains(end.signal) || endSignal != 0 { return code }
            failureCount = ContinuousClock.now - start < Self.shortLife ? failureCount + 1 : 1
            guard let served = end.served, failureCount <= Self.limit else {
                errorLine("modelc: error: the studio ended unexpectedly (signal \(end.signal))")
                return code
            }
            session.port = served.port
            session.count += 1
        }
    }

    /// Runs one server process.
    private func serve(_ session: ServerSession) throws -> End {
        let connection = try Connection()
        var session = session
        session.connection = connection.other
        let process = try spawn(session)
        serverProcess = process
        // A signal that came before.
        if endSignal != 0 { kill(process, endSignal) }
        connection.closeOther()
        let served = connection.line().flatMap(Self.served)
        // Waits without removing the process, which signals are sent to.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        serverProcess = 0
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return End(served: served, signal: status & 0x7F, exitCode: status >> 8 & 0xFF)
    }

    private static func served(_ line: String) -> (port: UInt16, folder: String)? {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let port = UInt16(parts[0]) else { return nil }
        return (port, String(parts[1]))
    }

    /// Starts a server process, which gets all signals: threads may block some, which the process would inherit.
    private func spawn(_ session: ServerSession) throws -> pid_t {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // While Swift writes a backtrace, which may take half a minute, the page waits.
        var variables = ["SWIFT_BACKTRACE": "enable=no"].merging(ProcessInfo.processInfo.environment) { $1 }
        variables[ServerSession.variable] = session.text
        let environment = variables.map { strdup("\($0.key)=\($0.value)") }
        let words = arguments.map { strdup($0) }
        defer { for text in words + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, executable, nil, &attributes, words + [nil], environment + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return process
    }

    /// Removes the temporary folder of a server with its socket, if only this user can have created it.
    private static func removeFolder(_ path: String) {
        let prefix = "/tmp/modelc-"
        var status = stat()
        guard path.hasPrefix(prefix), !path.dropFirst(prefix.count).contains("/"), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o777 == 0o700, status.st_uid == geteuid()
        else { return }
        unlink(path + "/socket")
        rmdir(path)
    }
}

/// A connection to a process that will inherit the other end.
private final class Connection {
    private let end: Int32
    private(set) var other: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        (end, other) = (ends[0], ends[1])
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        closeOther()
        close(end)
    }

    func closeOther() {
        if other >= 0 { close(other) }
        other = -1
    }

    /// Returns the first line from the process; `nil` if the process ends without one.
    func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(end, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
