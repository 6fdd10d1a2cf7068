import Foundation
import StudioServer

/// Accepts connections to 127.0.0.1, and passes requests with a head of at most 8 KB on to a server on a Unix domain
/// socket.
///
/// FlyingFox has no limit for the head of a request, which it reads in quadratic time. A connection has one request.
final class ConnectionGate: Sendable {
    /// The maximum size of a request line with its headers, in bytes.
    static let headLimit = 8192
    /// The maximum number of connections at a time.
    private static let connectionLimit = 256
    /// The maximum time to wait for a head, in seconds.
    private static let headTimeout = 30

    /// The port.
    let port: UInt16
    private let listener: Int32
    private let path: String
    private let slots = DispatchSemaphore(value: connectionLimit)

    /// Binds a port.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free port.
    ///   - path: The path of the server's socket.
    /// - Throws: `WebServerError.portIsInUse`, or the system's error.
    init(port: UInt16, forwardingTo path: String) throws {
        self.path = path
        let listener = Self.makeSocket(AF_INET)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard bound else {
            let code = errno
            close(listener)
            throw code == EADDRINUSE ? WebServerError.portIsInUse : POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
    }

    private static func makeSocket(_ family: Int32) -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(family, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
        #else
        return socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
    }

    /// Starts accepting connections.
    func start() {
        let thread = Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // Too many open files, or an aborted connection.
                    usleep(10_000)
                    continue
                }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                slots.wait()
                let worker = Thread { [self] in
                    serve(client)
                    close(client)
                    slots.signal()
                }
                worker.stackSize = 256 << 10
                worker.start()
            }
        }
        thread.start()
    }

    private func serve(_ client: Int32) {
        var time = timeval(tv_sec: Self.headTimeout, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let request: RequestHead
        switch RequestHead.read(limit: Self.headLimit, { Self.read(client, atMost: $0) }) {
        case .complete(let head): request = head
        case .tooLarge: return Self.reject(client, "431 Request Header Fields Too Large")
        case .malformed: return Self.reject(client, "400 Bad Request")
        case .ended: return
        }
        time.tv_sec = 0
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let server = connectToServer()
        guard server >= 0 else { return Self.reject(client, "503 Service Unavailable") }
        defer { close(server) }
        guard Self.write(request.forwarded, to: server) else { return }
        Self.copy(client, server)
    }

    private func connectToServer() -> Int32 {
        let descriptor = Self.makeSocket(AF_UNIX)
        guard descriptor >= 0 else { return -1 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        withUnsafeMutablePointer(to: &address.sun_path) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { _ = strncpy($0, path, capacity - 1) }
        }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    private static func reject(_ client: Int32, _ status: String) {
        _ = write(Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8), to: client)
        shutdown(client, Int32(SHUT_WR))
        // What was sent already must be read, or the system drops the answer.
        var rest = 1 << 20
        while rest > 0, let bytes = read(client, atMost: 1 << 16), !bytes.isEmpty { rest -= bytes.count }
    }

    /// Copies what both sides send until both have ended, or one is broken.
    private static func copy(_ client: Int32, _ server: Int32) {
        var sides = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&sides, nfds_t(sides.count), -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for index in sides.indices where sides[index].revents != 0 {
                let (source, target) = index == 0 ? (client, server) : (server, client)
                guard let bytes = read(source, atMost: 1 << 16) else { return }
                if bytes.isEmpty {
                    // The server's end is the end of the answer.
                    if index == 1 { return }
                    shutdown(target, Int32(SHUT_WR))
                    sides[index].fd = -1
                } else if !write(bytes, to: target) {
                    return
                }
            }
        }
    }

    /// - Returns: The bytes, none at the end; `nil` after an error.
    private static func read(_ descriptor: Int32, atMost count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let length = recv(descriptor, &buffer, count, 0)
            if length < 0, errno == EINTR { continue }
            return length < 0 ? nil : Array(buffer[..<length])
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let length = bytes[offset...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { return false }
            offset += length
        }
        return true
    }
}
