package import Foundation
package import PostgreSQLClient
import Synchronization

/// A PostgreSQL server in a temporary folder, reachable through a Unix socket, that stops when the test process exits.
///
/// A shell beside the server waits for the end of its standard input, which this process holds open: the shell stops
/// the server and deletes the folder however this process ends.
package final class PostgreSQLCluster: @unchecked Sendable {
    /// The reason why no server can be started.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// The configuration of a server.
    package struct Options {
        /// The settings in `postgresql.conf`.
        package var settings: [String: String] = [:]
        /// Whether commits wait for the disk.
        package var isDurable = false
        /// Whether connections need the password ``PostgreSQLCluster/password``.
        package var needsPassword = false
        /// The TCP port on 127.0.0.1 on which the server listens; `nil` for none.
        package var port: Int?
        /// The server that this server copies and follows as a hot standby.
        package var primary: PostgreSQLCluster?
        /// The size in bytes that no file of the server may exceed, a multiple of 512 of at least 2 MB.
        package var fileSizeLimit: Int?
        /// The network namespace in which the server runs, and its address there.
        package var network: (namespace: String, address: String)?

        /// Creates the options of an empty server that trusts its clients.
        package init() {}
    }

    /// The superuser.
    package static let user = "modelc"
    /// The superuser's password, if one is needed.
    package static let password = "sesame"
    /// The server shared by tests, or the reason why there is none. It is started when first used.
    package static let shared: Result<PostgreSQLCluster, Unavailable> = Result { () throws(Unavailable) in
        try PostgreSQLCluster()
    }

    /// The folder of the server's programs.
    package let programs: URL
    /// The folder that contains the data and the socket.
    package let folder: URL
    private let options: Options
    private let server = Mutex<ServerProcess?>(nil)
    private static let databaseCount = Mutex(0)

    /// Creates a cluster and starts its server.
    package init(_ options: Options = Options()) throws(Unavailable) {
        self.options = options
        programs = try ServerPrograms.folder()
        folder = try SocketFolder.create(holdsData: true)
        do {
            try createData()
            try start()
        } catch {
            stop()
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        // Nobody needs the data: without a checkpoint, and without waiting for a server that recovers from a crash.
        signal(SIGQUIT)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The data folder.
    package var data: URL { folder.appendingPathComponent("data") }

    /// Returns libpq's keywords and values for connections to a database.
    package func keywords(database: String = "postgres") -> [String: String] {
        var keywords = ["host": folder.path, "port": "\(options.port ?? 5432)", "dbname": database, "user": Self.user]
        if options.needsPassword { keywords["password"] = Self.password }
        return keywords
    }

    /// Returns the parameters of connections to a database.
    package func parameters(database: String = "postgres") throws -> ConnectionParameters {
        try ConnectionParameters(keywords: keywords(database: database))
    }

    /// Creates an empty database with a unique name, and returns the name.
    package func createDatabase() throws -> String {
        let number = Self.databaseCount.withLock { count in
            count += 1
            return count
        }
        let name = "test_\(number)"
        try PostgreSQLConnection(parameters()).execute(Statement("CREATE DATABASE \(name)", isPrepared: false))
        return name
    }

    /// Returns the URL of a database, for `NSPersistentStoreDescription`.
    package func url(database: String) throws -> URL {
        var components = URLComponents()
        components.scheme = "postgresql"
        components.host = ""
        components.path = "/" + database
        components.queryItems = keywords().filter { $0.key != "dbname" }.sorted { $0.key < $1.key }
            .map { URLQueryItem(name: $0.key, value: $0.value) }
        guard let url = components.url else { throw Unavailable(description: "invalid URL") }
        return url
    }

    /// Starts the server, and waits until it accepts connections.
    package func start() throws(Unavailable) {
        var settings = [
            "unix_socket_directories": folder.path,
            "listen_addresses": options.network?.address ?? (options.port == nil ? "" : "127.0.0.1"),
            "port": "\(options.port ?? 5432)", "fsync": options.isDurable ? "on" : "off",
            "full_page_writes": options.isDurable ? "on" : "off", "shared_buffers": "32MB",
            "max_connections": "500", "wal_level": "replica", "lc_messages": "C",
        ]
        settings.merge(options.settings) { $1 }
        let arguments = settings.sorted { $0.key < $1.key }.map { "-c \($0.key)=\(Shell.quoted($0.value))" }
        var command =
            ServerPrograms.command("postgres", in: programs)
            + " -D \(Shell.quoted(data.path)) \(arguments.joined(separator: " "))"
        if let network = options.network { command = "ip netns exec \(network.namespace) \(command)" }
        if let limit = options.fileSizeLimit {
            command = "/bin/sh -c \(Shell.quoted("ulimit -f \(limit / 512); exec \(command)"))"
        }
        let started = try ServerProcess(command: command, folder: folder)
        server.withLock { $0 = started }
        let end = Date(timeIntervalSinceNow: 120)
        while Date() < end, started.isRunning {
            if let parameters = try? parameters(), (try? PostgreSQLConnection(parameters)) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw Unavailable(description: "the server did not start: \(started.log.suffix(500))")
    }

    /// Kills the server and its backends, as a failure of the machine would; the data remain.
    package func kill() { signal(SIGKILL) }

    /// Stops the server; open transactions are rolled back and clients are disconnected.
    package func stop() { signal(SIGINT) }

    private func signal(_ signal: Int32) {
        guard let process = server.withLock({ $0.take() }) else { return }
        let pidFile = data.appendingPathComponent("postmaster.pid")
        if let text = try? String(contentsOf: pidFile, encoding: .utf8), let line = text.split(separator: "\n").first,
            let pid = Int32(line)
        {
            // A backend ends when it notices that its server is gone, which a busy machine delays. Until then it
            // answers its client, and no other server starts on its data. Meanwhile the server must not start another
            // one.
            if signal == SIGKILL { Self.suspend(pid) }
            let backends = signal == SIGKILL ? Self.children(of: pid) : []
            Foundation.kill(pid, signal)
            for backend in backends { Foundation.kill(backend, signal) }
            let end = Date(timeIntervalSinceNow: 60)
            while backends.contains(where: Self.isRunning), Date() < end { Thread.sleep(forTimeInterval: 0.01) }
        }
        process.waitUntilExit()
        if signal == SIGKILL { try? FileManager.default.removeItem(at: pidFile) }
    }

    /// Stops a process until it is killed.
    private static func suspend(_ process: Int32) {
        guard Foundation.kill(process, SIGSTOP) == 0 else { return }
        let end = Date(timeIntervalSinceNow: 10)
        while status(of: process).map({ $0.state != "T" && $0.state != "Z" }) ?? false, Date() < end {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// Returns the processes that a process has started.
    private static func children(of process: Int32) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap(Int32.init).filter { status(of: $0)?.parent == process }
    }

    /// Returns whether a process is running, and is neither gone nor a zombie.
    private static func isRunning(_ process: Int32) -> Bool {
        status(of: process).map { $0.state != "Z" } ?? false
    }

    /// Returns the state and the parent of a process, from `/proc/PID/stat`.
    private static func status(of process: Int32) -> (state: String, parent: Int32)? {
        // The name of the program, in parentheses, may contain spaces.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }

    /// The processes that serve clients and the server's own.
    package var processes: [Int32] {
        let pidFile = data.appendingPathComponent("postmaster.pid")
        let line = (try? String(contentsOf: pidFile, encoding: .utf8))?.split(separator: "\n").first
        return line.flatMap { Int32($0) }.map(Self.children) ?? []
    }

    /// Makes the standby accept writes.
    package func promote() throws(Unavailable) {
        try Shell.run(ServerPrograms.command("pg_ctl", in: programs) + " promote -w -D \(Shell.quoted(data.path))")
    }

    private func createData() throws(Unavailable) {
        if let owner = ServerPrograms.owner { try Shell.run("chown \(owner) \(Shell.quoted(folder.path))") }
        if let primary = options.primary {
            let source = primary.keywords().map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            try Shell.run(
                ServerPrograms.command("pg_basebackup", in: programs)
                    + " -R -X stream -c fast -D \(Shell.quoted(data.path)) -d \(Shell.quoted(source))")
            return
        }
        let passwordFile = folder.appendingPathComponent("password")
        do {
            try Self.password.write(to: passwordFile, atomically: false, encoding: .utf8)
        } catch {
            throw Unavailable(description: "\(error)")
        }
        try Shell.run(
            ServerPrograms.command("initdb", in: programs)
                + " -D \(Shell.quoted(data.path)) -U \(Self.user) --no-sync --no-instructions -E UTF8 --locale=C"
                + " --pwfile=\(Shell.quoted(passwordFile.path))"
                + (options.fileSizeLimit == nil ? "" : " --wal-segsize=1")
                + " --auth=\(options.needsPassword ? "scram-sha-256" : "trust")")
        guard options.network != nil else { return }
        // initdb lets in clients on the same machine only.
        let rules = Shell.quoted(data.appendingPathComponent("pg_hba.conf").path)
        try Shell.run("echo 'host all all all trust' >>\(rules)")
    }
}
