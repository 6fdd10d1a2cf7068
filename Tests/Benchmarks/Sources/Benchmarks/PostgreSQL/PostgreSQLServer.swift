import Foundation

/// A PostgreSQL server in a temporary folder, which ends with this process. Both sides of a benchmark use the same one.
final class PostgreSQLServer {
    private static let port = 5432
    private static let owner: String? = geteuid() == 0 ? "postgres" : nil

    /// The folder of the server's programs.
    let programs: String
    /// The folder of the socket.
    let folder: String
    private let process = Process()
    private var databases = 0

    /// Starts a server that does not wait for the disk: what a disk takes says nothing of either side.
    ///
    /// Must be called on the main thread, whose end is the server's end.
    init() throws {
        let installed = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        guard let newest = installed.max(by: { $0.compare($1, options: .numeric) == .orderedAscending }) else {
            throw CommandFailure(description: "no PostgreSQL server is installed: apt-get install postgresql")
        }
        programs = "/usr/lib/postgresql/\(newest)/bin"
        var template = Array("/tmp/bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CommandFailure(description: "no temporary folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let owner = Self.owner { try Subprocess.output(["chown", owner, folder]) }
        try Subprocess.output(
            Self.asOwner + ["\(programs)/initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "modelc", "-E", "UTF8"])
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let settings = [
            "unix_socket_directories=\(folder)", "listen_addresses=", "port=\(Self.port)", "fsync=off",
            "shared_buffers=256MB", "max_wal_size=4GB", "max_connections=100", "autovacuum=off",
        ]
        process.arguments =
            Self.asOwner + ["\(programs)/postgres", "-D", "\(folder)/data"] + settings.flatMap { ["-c", $0] }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        try process.run()
        let end = Date(timeIntervalSinceNow: 60)
        while (try? ReferenceConnection(conninfo("postgres"))) == nil {
            guard process.isRunning, Date() < end else {
                throw CommandFailure(description: "the server did not start")
            }
            usleep(20_000)
        }
    }

    private static var asOwner: [String] {
        let dies = ["setpriv", "--pdeathsig", "INT"]
        return owner.map { dies + ["--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? dies
    }

    /// Stops the server and deletes its folder.
    func stop() {
        process.interrupt()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// How libpq reaches a database.
    ///
    /// - Parameter host: The folder of the socket if it is another than the server's.
    func conninfo(_ database: String, host: String? = nil) -> String {
        "host=\(host ?? folder) port=\(Self.port) dbname=\(database) user=modelc"
    }

    /// How a store reaches a database.
    func url(_ database: String, host: String? = nil) throws -> URL {
        var components = URLComponents()
        components.scheme = "postgresql"
        components.host = ""
        components.path = "/\(database)"
        components.queryItems = ["host": host ?? folder, "port": "\(Self.port)", "user": "modelc"].map {
            URLQueryItem(name: $0.key, value: $0.value)
        }
        guard let url = components.url else { throw CommandFailure(description: "no URL") }
        return url
    }

    /// Creates an empty database, and returns its name.
    func createDatabase() throws -> String {
        databases += 1
        let name = "bench\(databases)"
        try ReferenceConnection(conninfo("postgres")).run("CREATE DATABASE \(name)")
        return name
    }

    /// Drops a database.
    func drop(_ name: String) {
        try? ReferenceConnection(conninfo("postgres")).run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// The path of the socket.
    var socket: String { "\(folder)/.s.PGSQL.\(Self.port)" }
}
