package import Foundation

/// A server that says it has some version of PostgreSQL, and closes the connection when it is asked anything.
package final class StubServer: Sendable {
    /// The folder of the socket that clients connect to, whose port is 5432.
    package let folder: URL
    private let listener: Int32

    /// Starts the server.
    ///
    /// - Parameter version: the version, such as `11.22`.
    package init(version: String) throws(PostgreSQLCluster.Unavailable) {
        var template = Array("/tmp/mps-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PostgreSQLCluster.Unavailable(description: "no temporary folder can be created")
        }
        folder = URL(
            fileURLWithPath: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = folder.appendingPathComponent(".s.PGSQL.5432").path
        guard CuttingProxy.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
            throw PostgreSQLCluster.Unavailable(description: "no socket can be created")
        }
        let answer = Self.answer(version)
        Thread { [listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 10_000)
                if read(client, &buffer, buffer.count) > 0 {
                    _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                    _ = read(client, &buffer, buffer.count)
                }
                close(client)
            }
        }.start()
    }

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

    /// Ends the server.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }
}
