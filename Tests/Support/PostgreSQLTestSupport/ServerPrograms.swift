import Foundation

/// The location of PostgreSQL's programs, and the user that runs them.
enum ServerPrograms {
    /// The user that runs the server if the tests run as root, which PostgreSQL refuses; otherwise `nil`.
    static let owner: String? = geteuid() != 0 ? nil : getpwnam("postgres") != nil ? "postgres" : "nobody"

    /// Returns the folder of the newest server.
    ///
    /// - Throws: An error if there is none.
    static func folder() throws(PostgreSQLCluster.Unavailable) -> URL {
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
            .sorted { $0.compare($1, options: .numeric) == .orderedDescending }
            .map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in versions + path + ["/usr/local/bin"] {
            let isComplete = ["initdb", "postgres"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
            if isComplete { return URL(fileURLWithPath: folder) }
        }
        throw PostgreSQLCluster.Unavailable(
            description:
                "no PostgreSQL server is installed (apt-get install postgresql): no initdb in PATH or /usr/lib/postgresql"
        )
    }

    /// Returns the shell command that runs a program as the server's user.
    static func command(_ program: String, in folder: URL) -> String {
        let path = Shell.quoted(folder.appendingPathComponent(program).path)
        guard let owner else { return path }
        return "setpriv --reuid=\(owner) --regid=\(owner == "nobody" ? "nogroup" : owner) --clear-groups \(path)"
    }
}

/// Shell commands.
enum Shell {
    static func quoted(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'" }

    /// Runs a command and waits until it exits.
    ///
    /// - Throws: An error with its output if it fails.
    static func run(_ command: String) throws(PostgreSQLCluster.Unavailable) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cd /tmp && " + command]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        do {
            try process.run()
        } catch {
            throw PostgreSQLCluster.Unavailable(description: "\(error)")
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PostgreSQLCluster.Unavailable(description: "\(command) failed: \(text.suffix(500))")
        }
    }
}
