internal import Foundation

/// What a server process of the studio continues, and its connection to the `Supervisor` that has started it.
struct ServerSession: Equatable {
    /// The port of the session's first process; 0 in that process.
    var port: UInt16
    /// The token in the address of the page.
    var token: String
    /// The number of processes that have ended unexpectedly before this one.
    var count: Int
    /// The socket to the supervisor.
    var connection: Int32

    /// The environment variable with the session that a process continues.
    static let variable = "MODELC_STUDIO_SESSION"

    init(port: UInt16, token: String, count: Int, connection: Int32) {
        self.port = port
        self.token = token
        self.count = count
        self.connection = connection
    }

    /// Reads the value of the variable; `nil` if it is not valid.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 4, let port = UInt16(parts[0]), let count = Int(parts[2]), count >= 0,
            let connection = Int32(parts[3]), connection > 2, parts[1].count == 32,
            parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        self.init(port: port, token: String(parts[1]), count: count, connection: connection)
    }

    /// The value of the variable.
    var text: String { "\(port) \(token) \(count) \(connection)" }

    /// Returns the session that this process continues; `nil` if no supervisor has started it. The process ends when
    /// its supervisor does.
    static func current() -> ServerSession? {
        guard let session = ProcessInfo.processInfo.environment[variable].flatMap(ServerSession.init) else {
            return nil
        }
        unsetenv(variable)
        _ = fcntl(session.connection, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(session.connection, &byte, 1) < 0, errno == EINTR {}
            kill(getpid(), SIGTERM)
        }
        return session
    }

    /// Notifies the supervisor that the page is served.
    ///
    /// - Parameter folder: The server's temporary folder, which the process cannot remove if it ends unexpectedly.
    func announce(port: UInt16, folder: String) {
        let line = Array("\(port) \(folder)\n".utf8)
        _ = write(connection, line, line.count)
    }
}
