package import Foundation
import Synchronization

/// A relay before a server's Unix socket that cuts a connection when it commits, or after a number of bytes.
package final class CuttingProxy: Sendable {
    /// The handling of the next COMMIT.
    package enum Cut: Sendable {
        /// The server receives it, and the client receives the response.
        case none
        /// The server does not receive it. Something may happen before the client notices.
        case beforeCommit(@Sendable () -> Void = {})
        /// The client does not receive the server's response. Something may happen before it notices.
        case afterCommit(@Sendable () -> Void = {})
    }

    private let server: String
    private let listener: UnixSocketListener
    private let cut = Mutex(Cut.none)
    private let bytesLeft = Mutex<Int?>(nil)
    private let down = Mutex(false)

    /// Starts a proxy.
    ///
    /// - Parameter folder: The folder of the server's socket, whose port is 5432.
    package init(before folder: URL) throws {
        server = folder.appendingPathComponent(".s.PGSQL.5432").path
        listener = try UnixSocketListener()
        listener.acceptClients { [self] client in
            if isDown { close(client) } else { relay(client) }
        }
    }

    /// The folder of the socket to which clients connect.
    package var folder: URL { listener.folder }

    /// Sets where to cut the connection of the next COMMIT.
    package func cutNextCommit(_ cut: Cut) { self.cut.withLock { $0 = cut } }

    /// Whether the server cannot be reached: new connections are refused, and others are cut when they are used.
    package var isDown: Bool {
        get { down.withLock { $0 } }
        set { down.withLock { $0 = newValue } }
    }

    /// Cuts the connection that transmits the last of a number of bytes, in whichever direction.
    package func cut(afterBytes count: Int) { bytesLeft.withLock { $0 = count } }

    /// Whether the connection was cut that was to be cut after a number of bytes.
    package var hasCut: Bool { bytesLeft.withLock { $0 == nil } }

    /// Stops accepting clients. Connections that have been accepted go on.
    package func stop() { listener.stop() }

    private func relay(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard UnixSocketListener.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        let state = Relay()
        Thread { [self] in
            copy(client, to: upstream, state, isClient: true)
            state.end(client, upstream)
        }.start()
        Thread { [self] in
            copy(upstream, to: client, state, isClient: false)
            state.end(client, upstream)
        }.start()
    }

    private func copy(_ source: Int32, to destination: Int32, _ state: Relay, isClient: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else {
                // The client does not notice that the server is gone until the cut is complete.
                if !isClient { state.hold.withLock {} }
                return
            }
            if isClient, buffer[..<count].firstRange(of: Array("COMMIT\0".utf8)) != nil {
                let cut = self.cut.withLock { cut in
                    defer { cut = .none }
                    return cut
                }
                switch cut {
                case .none: break
                case .beforeCommit(let body): return state.hold.withLock { body() }
                case .afterCommit(let body): state.swallowed.withLock { $0 = body }
                }
            }
            // The response has been received, so the server has committed.
            if !isClient, let body = state.swallowed.withLock({ $0 }) { return body() }
            if isDown { return }
            let (passed, isLast) = passedBytes(count)
            var sent = 0
            while sent < passed {
                let part = buffer.withUnsafeBytes {
                    // A connection that was cut must not end the test process with SIGPIPE.
                    send(destination, $0.baseAddress?.advanced(by: sent), passed - sent, Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { return }
                sent += part
            }
            if isLast { return }
        }
    }

    /// Returns how many of some bytes may pass, and whether the connection is cut after them.
    private func passedBytes(_ count: Int) -> (count: Int, isLast: Bool) {
        bytesLeft.withLock { left in
            guard let limit = left else { return (count, false) }
            left = limit > count ? limit - count : nil
            return (min(limit, count), limit <= count)
        }
    }

    /// The state shared by the two directions of a connection.
    private final class Relay: Sendable {
        /// What happens before the client notices that the server's response is lost; nil if it is passed on.
        let swallowed = Mutex<(@Sendable () -> Void)?>(nil)
        /// Held while something happens before the client notices that its connection was cut.
        let hold = NSLock()
        private let ended = Mutex(0)

        /// Ends the connection; the second direction closes the sockets.
        func end(_ client: Int32, _ upstream: Int32) {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            let isLast = ended.withLock { count in
                count += 1
                return count == 2
            }
            guard isLast else { return }
            close(client)
            close(upstream)
        }
    }
}
