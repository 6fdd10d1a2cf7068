import CLibPQ
import Foundation

/// A dedicated connection that listens on channels, and reconnects when it is lost.
///
/// Notifications are lost while the listener is not connected, so every new connection is reported as well: the
/// receiver then must check for changes itself. LISTEN does not work through PgBouncer in transaction mode; use
/// parameters that connect the listener to the server directly.
///
/// **Threads.** The handler runs on the listener's thread, one call at a time. ``stop()`` may be called from any
/// thread, and returns when the handler no longer runs, unless the handler itself calls it.
package final class NotificationListener: Sendable {
    /// An event that a listener reports.
    package enum Event: Sendable, Hashable {
        /// The listener has started listening. Earlier notifications are lost.
        case connected
        /// A session of this or another program has committed a notification.
        case notified(channel: String, payload: String, process: Int32)
        /// The connection was lost, or could not be opened. The listener retries.
        case disconnected(PostgreSQLError)
    }

    /// The state shared by the listener and its thread.
    private final class State: @unchecked Sendable {
        private let condition = NSCondition()
        private var isStopped = false
        private var hasEnded = false
        /// Whether the thread waits for the server in a way that cannot be interrupted.
        private var isBlocked = false
        private var thread: Thread?
        private let readEnd: Int32
        private let writeEnd: Int32

        init?() {
            var descriptors: [Int32] = [0, 0]
            guard pipe(&descriptors) == 0 else { return nil }
            readEnd = descriptors[0]
            writeEnd = descriptors[1]
            for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }

        deinit {
            _ = close(readEnd)
            _ = close(writeEnd)
        }

        /// Waits until a socket is readable. Returns `false` if the time has elapsed or the listener was stopped.
        func wait(for socket: Int32?, milliseconds: Int32) -> Bool {
            var descriptors = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
            if let socket { descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
            let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            return count > 0 && descriptors[0].revents == 0
        }

        var isRunning: Bool { condition.withLock { !isStopped } }

        func stop() {
            condition.withLock {
                if !isStopped {
                    isStopped = true
                    _ = write(writeEnd, [UInt8(0)], 1)
                }
            }
        }

        /// Records the thread that calls the handler.
        func begin() { condition.withLock { thread = Thread.current } }

        func end() {
            condition.withLock {
                hasEnded = true
                // The thread's block refers to this object.
                thread = nil
                condition.broadcast()
            }
        }

        /// Runs a call that waits for the server.
        ///
        /// - Throws: What the call throws; `CancellationError` if the listener was stopped meanwhile.
        func blocking<Result>(_ call: () throws -> Result) throws -> Result {
            condition.withLock {
                isBlocked = true
                condition.broadcast()
            }
            defer { condition.withLock { isBlocked = false } }
            let result = try call()
            try condition.withLock { if isStopped { throw CancellationError() } }
            return result
        }

        /// Waits until the handler no longer runs, unless called by the handler itself. A thread that waits for the
        /// server ends later, without calling the handler.
        func waitForEnd() {
            condition.withLock {
                guard thread !== Thread.current else { return }
                while !hasEnded, !isBlocked { condition.wait() }
            }
        }
    }

    /// The milliseconds after which a silent connection is checked with a round trip.
    private static let checkInterval: Int32 = 30_000

    private let state: State

    /// Starts listening. The connection is opened on the listener's thread.
    ///
    /// - Parameters:
    ///   - channels: Names of lowercase ASCII letters, digits and underscores, at most 63, which need no quotes.
    ///   - handler: Runs on the listener's thread, and should return soon.
    /// - Throws: An error of kind `invalidValue` if a channel's name is not of that form.
    package init(
        _ parameters: ConnectionParameters, channels: [String], handler: @escaping @Sendable (Event) -> Void
    ) throws(PostgreSQLError) {
        for channel in channels where !Self.isValid(channel) {
            throw PostgreSQLError(.invalidValue, "invalid name of a notification channel: “\(channel)”")
        }
        guard let state = State() else { throw PostgreSQLError(.other, "the process has too many open files") }
        self.state = state
        let thread = Thread { Self.run(state, parameters: parameters, channels: channels, handler: handler) }
        thread.name = "CoreData-LISTEN"
        thread.start()
    }

    deinit { state.stop() }

    /// Returns whether a channel's name needs no quotes in SQL.
    package static func isValid(_ channel: String) -> Bool {
        let bytes = channel.utf8
        guard (1...63).contains(bytes.count), let first = bytes.first, !isDigit(first) else { return false }
        return bytes.allSatisfy {
            isDigit($0) || $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Closes the connection, and waits until the handler no longer runs. While the listener waits for a server that
    /// does not answer, the connection is closed later.
    package func stop() {
        state.stop()
        state.waitForEnd()
    }

    /// Listens until the listener is stopped. The delay after a failure is 0.1 s, and doubles with each further failure
    /// up to 5 s.
    private static func run(
        _ state: State, parameters: ConnectionParameters, channels: [String],
        handler: @Sendable (Event) -> Void
    ) {
        state.begin()
        var delay: Int32 = 100
        while state.isRunning {
            do {
                let connection = try state.blocking {
                    let connection = try PostgreSQLConnection(parameters, preparation: .never)
                    try connection.executeAll(channels.map { Statement("LISTEN \($0)") })
                    return connection
                }
                handler(.connected)
                delay = 100
                try listen(on: connection, state, handler)
            } catch {
                guard state.isRunning, let error = error as? PostgreSQLError else { break }
                handler(.disconnected(error))
                _ = state.wait(for: nil, milliseconds: delay)
                delay = min(delay * 2, 5000)
            }
        }
        state.end()
    }

    /// Reports notifications until the listener is stopped.
    ///
    /// - Throws: The error of the lost connection.
    private static func listen(
        on connection: PostgreSQLConnection, _ state: State, _ handler: @Sendable (Event) -> Void
    ) throws {
        while state.isRunning {
            let isReadable = state.wait(for: PQsocket(connection.handle), milliseconds: checkInterval)
            if !isReadable, state.isRunning { _ = try state.blocking { try connection.execute("SELECT 1") } }
            guard PQconsumeInput(connection.handle) == 1, !connection.isBroken else {
                throw PostgreSQLError(connection: connection.handle, kind: .connectionLost)
            }
            while state.isRunning, let notification = PQnotifies(connection.handle) {
                defer { PQfreemem(notification) }
                handler(
                    .notified(
                        channel: String(cString: notification.pointee.relname),
                        payload: String(cString: notification.pointee.extra), process: notification.pointee.be_pid))
            }
        }
    }
}
