import Foundation
import Synchronization

/// A Unix socket in a temporary folder, where PostgreSQL's clients look for a server on port 5432.
final class UnixSocketListener: Sendable {
    /// The folder of the socket.
    let folder: URL
    private let descriptor: Int32
    private let isStopped = Mutex(false)

    /// Creates the socket and listens on it.
    ///
    /// - Throws: `PostgreSQLCluster.Unavailable` if the system refuses the folder or the socket.
    init() throws(PostgreSQLCluster.Unavailable) {
        folder = try SocketFolder.create()
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let path = folder.appendingPathComponent(".s.PGSQL.5432").path
        guard Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0 else {
            throw PostgreSQLCluster.Unavailable(description: "no socket can be created")
        }
    }

    /// Passes each client's descriptor, which the handler closes, to a handler on a new thread.
    func acceptClients(_ handler: @escaping @Sendable (Int32) -> Void) {
        Thread { [self] in
            while true {
                let client = accept(descriptor, nil, nil)
                if client >= 0 {
                    handler(client)
                } else if isStopped.withLock(\.self) {
                    // Only the thread that accepts may close the descriptor: elsewhere its number could be reused while
                    // this thread still accepts, which would take clients from another test's server.
                    close(descriptor)
                    return
                }
            }
        }.start()
    }

    /// Stops accepting clients and removes the folder.
    func stop() {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            isStopped = true
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Calls a closure with the address of a Unix socket.
    static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
