package import Foundation

/// A server that says it has some version of PostgreSQL, and closes the connection when it is asked anything; or one
/// that does not answer.
package final class StubServer: Sendable {
    private let listener: UnixSocketListener
    private let isStopped = DispatchSemaphore(value: 0)
    private let hasClient = DispatchSemaphore(value: 0)

    /// The folder of the socket that clients connect to, whose port is 5432.
    package var folder: URL { listener.folder }

    /// Starts the server.
    ///
    /// - Parameter version: the version, such as `11.22`.
    package init(version: String) throws(PostgreSQLCluster.Unavailable) {
        listener = try UnixSocketListener()
        let answer = Self.answer(version)
        listener.acceptClients { client in
            var buffer = [UInt8](repeating: 0, count: 10_000)
            if read(client, &buffer, buffer.count) > 0 {
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                _ = read(client, &buffer, buffer.count)
            }
            close(client)
        }
    }

    /// Starts a server that accepts one client and does not answer it until the server is stopped.
    package init() throws(PostgreSQLCluster.Unavailable) {
        listener = try UnixSocketListener()
        listener.acceptClients { [isStopped, hasClient] client in
            hasClient.signal()
            isStopped.wait()
            close(client)
        }
    }

    /// Waits for the client of a server that does not answer.
    package func waitForClient() { hasClient.wait() }

    /// Returns the messages that end the start of a connection: “AuthenticationOk”, “ParameterStatus” with the version,
    /// “BackendKeyData” and “ReadyForQuery”.
    private static func answer(_ version: String) -> [UInt8] {
        func message(_ type: Character, _ bytes: [UInt8]) -> [UInt8] {
            let count = withUnsafeBytes(of: UInt32(bytes.count + 4).bigEndian) { Array($0) }
            return [type.asciiValue ?? 0] + count + bytes
        }
        return message("R", [0, 0, 0, 0]) + message("S", Array("server_version\0\(version)\0".utf8))
            + message("K", [0, 0, 0, 1, 0, 0, 0, 1]) + message("Z", Array("I".utf8))
    }

    /// Stops the server.
    package func stop() {
        isStopped.signal()
        listener.stop()
    }
}
