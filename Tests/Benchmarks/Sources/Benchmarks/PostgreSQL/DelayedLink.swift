import Foundation
import Synchronization

/// A relay before a server's Unix socket that delays what it passes on, as a distant server does, and counts the round
/// trips.
final class DelayedLink: Sendable {
    /// The folder of the socket that clients connect to.
    let folder: String
    private let server: String
    private let listener: Int32
    private let isStopped = Mutex(false)
    /// The time that bytes take in one direction.
    private let delay: Duration
    private let trips = Mutex((count: 0, isAnswered: true))

    init(before server: String, delay: Duration) throws {
        self.server = server
        self.delay = delay
        var template = Array("/tmp/benchlink-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CommandFailure(description: "no temporary folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress("\(folder)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0
        else { throw CommandFailure(description: "no socket") }
        Thread { [self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                if client >= 0 {
                    relay(client)
                } else if isStopped.withLock(\.self) {
                    // Only this thread may close the descriptor: elsewhere its number could be reused while it still
                    // accepts.
                    close(listener)
                    return
                }
            }
        }.start()
    }

    /// How often a client has sent something after an answer.
    var roundTrips: Int { trips.withLock { $0.count } }

    /// Ends the relay.
    func stop() {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private func relay(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        pass(client, to: upstream, isRequest: true)
        pass(upstream, to: client, isRequest: false)
    }

    /// Passes bytes on in one direction: a thread reads them, another writes each part when its time has come, so that
    /// a delay does not limit how much is on its way.
    private func pass(_ source: Int32, to destination: Int32, isRequest: Bool) {
        let line = Line()
        Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(source, &buffer, buffer.count)
                guard count > 0 else { break }
                trips.withLock { trips in
                    if isRequest, trips.isAnswered { trips.count += 1 }
                    trips.isAnswered = !isRequest
                }
                line.add((ContinuousClock.now + delay, Array(buffer[..<count])))
            }
            line.add(nil)
        }.start()
        Thread {
            while let (time, bytes) = line.next() {
                let rest = (time - ContinuousClock.now).seconds
                if rest > 0 { usleep(UInt32(rest * 1_000_000)) }
                var sent = 0
                while sent < bytes.count {
                    let part = bytes.withUnsafeBytes {
                        send(destination, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard part > 0 else { break }
                    sent += part
                }
            }
            shutdown(destination, Int32(SHUT_WR))
        }.start()
    }

    /// What is on its way in one direction.
    private final class Line: @unchecked Sendable {
        // Unchecked: the condition guards the parts.
        private let condition = NSCondition()
        private var parts: [(ContinuousClock.Instant, [UInt8])?] = []

        /// Adds a part; `nil` is the end.
        func add(_ part: (ContinuousClock.Instant, [UInt8])?) {
            condition.lock()
            parts.append(part)
            condition.signal()
            condition.unlock()
        }

        /// Waits for the next part.
        func next() -> (ContinuousClock.Instant, [UInt8])? {
            condition.lock()
            defer { condition.unlock() }
            while parts.isEmpty { condition.wait() }
            return parts.removeFirst()
        }
    }
}
