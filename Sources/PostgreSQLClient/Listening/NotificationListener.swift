import CLibPQ
import Foundation
package import PostgreSQLValues

/// A dedicated connection that listens to channels, and reconnects when it is lost.
///
/// NOTIFY is lost while the listener is not connected, so each connection after the first is reported as well: the receiver then
/// has to look for itself what has happened. LISTEN does not work through PgBouncer in transaction mode; give the listener
/// parameters that reach the server directly.
///
/// **Threads.** The handler runs on the listener's thread, one call at a time. ``stop()`` may be called from any thread, and
/// returns when the handler runs no more, unless the handler itself calls it.
package final class NotificationListener: Sendable {
    /// What a listener reports.
    package enum Event: Sendable, Hashable {
        /// The listener has begun to listen. Notifications that were sent before are lost.
        case connected
        /// Another session, or this program, has sent a notification, when it committed.
        case notified(channel: String, payload: String, process: Int32)
        /// The connection was lost, or could not be opened. The listener tries again.
        case disconnected(PostgreSQLError)
    }

    /// What the listener and its thread share.
    private final class State: @unchecked Sendable {
        private let condition = NSCondition()
        private var isStopped = false
        private var hasEnded = false
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

        /// Waits until a socket is readable, and returns `false` if it is not in time, or the listener has been stopped.
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
                condition.broadcast()
            }
        }

        /// Waits until the handler runs no more, unless the handler itself asks.
        func waitForEnd() {
            condition.withLock {
                guard thread !== Thread.current else { return }
                while !hasEnded { condition.wait() }
            }
        }
    }

    /// The milliseconds after which a silent connection is checked with a round trip.
    private static let checkInterval: Int32 = 30_000

    private let state: State

    /// Starts to listen. The connection is opened on the listener's thread.
    ///
    /// - Parameters:
    ///   - channels: names of lowercase ASCII letters, digits and underscores, at most 63, which need no quotes.
    ///   - handler: runs on the listener's thread, and should return soon.
    /// - Throws: An error of kind `invalidValue` if a channel's name is not of that form.
    package init(
        _ parameters: ConnectionParameters, channels: [String], handler: @escaping @Sendable (Event) -> Void
    ) throws(PostgreSQLError) {
        for channel in channels where !Self.isValid(channel) {
            throw PostgreSQLError(.invalidValue, "invalid name of a notification channel: “\(channel)”")
        }
        guard let state = State() else { throw PostgreSQLError(.other, "the process has too many open files") }
        self.state = state
        let thread = Thread { Self.run(state, parameters, channels, handler) }
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

    /// Closes the connection, and waits until the handler runs no more.
    package func stop() {
        state.stop()
        state.waitForEnd()
    }

    /// Listens until the listener is stopped. After a failure it waits for 0.1 s, and twice as long each time up to 5 s.
    private static func run(
        _ state: State, _ parameters: ConnectionParameters, _ channels: [String],
        _ handler: @Sendable (Event) -> Void
    ) {
        state.begin()
        var delay: Int32 = 100
        while state.isRunning {
            do {
                let connection = try PostgreSQLConnection(parameters, preparation: .never)
                try connection.executeAll(channels.map { Statement("LISTEN \($0)") })
                handler(.connected)
                delay = 100
                try listen(on: connection, state, handler)
            } catch {
                guard state.isRunning else { break }
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
    ) throws(PostgreSQLError) {
        while state.isRunning {
            let isReadable = state.wait(for: PQsocket(connection.handle), milliseconds: checkInterval)
            if !isReadable, state.isRunning { try connection.execute("SELECT 1") }
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
