import Foundation
package import PostgreSQLClient

/// A PgBouncer in transaction mode, in front of a test server.
package final class PgBouncer: @unchecked Sendable {
    /// The program; `nil` if it is not installed.
    package static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder: URL
    private let process: ServerProcess

    /// Starts PgBouncer with two connections to the server for each database.
    package init(before cluster: PostgreSQLCluster) throws {
        guard let program = Self.program else {
            throw PostgreSQLCluster.Unavailable(description: "PgBouncer is not installed (apt-get install pgbouncer)")
        }
        folder = try SocketFolder.create()
        let server = cluster.keywords()
        let settings = """
            [databases]
            * = host=\(server["host"] ?? "") port=\(server["port"] ?? "")
            [pgbouncer]
            unix_socket_dir = \(folder.path)
            listen_addr =
            listen_port = 6432
            auth_type = trust
            auth_file = \(folder.path)/users
            pool_mode = transaction
            default_pool_size = 2
            """
        try settings.write(to: folder.appendingPathComponent("settings"), atomically: true, encoding: .utf8)
        try "\"\(PostgreSQLCluster.user)\" \"\"\n".write(
            to: folder.appendingPathComponent("users"), atomically: true, encoding: .utf8)
        if let owner = ServerPrograms.owner { try Shell.run("chown -R \(owner) \(Shell.quoted(folder.path))") }
        process = try ServerProcess(
            command: ServerPrograms.command(
                URL(fileURLWithPath: program).lastPathComponent,
                in: URL(fileURLWithPath: program).deletingLastPathComponent())
                + " \(Shell.quoted(folder.appendingPathComponent("settings").path))",
            folder: folder)
        let end = Date(timeIntervalSinceNow: 60)
        while (try? PostgreSQLConnection(parameters())) == nil {
            guard Date() < end, process.isRunning else {
                throw PostgreSQLCluster.Unavailable(description: "PgBouncer did not start: \(process.log.suffix(500))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Returns the parameters of connections through PgBouncer.
    package func parameters(database: String = "postgres") throws -> ConnectionParameters {
        try ConnectionParameters(keywords: [
            "host": folder.path, "port": "6432", "dbname": database, "user": PostgreSQLCluster.user,
        ])
    }
}
