package import Foundation
import Synchronization

/// A program that stops when this process exits: a helper shell waits for the end of a pipe from this process, and then
/// terminates the program.
package final class ServerProcess: Sendable {
    private let identifier: pid_t
    private let writeEnd: Int32
    private let hasEnded = Mutex(false)
    private let logFile: URL

    /// Starts a program.
    ///
    /// Foundation's `Process` is not used since it counts as running until the helper shell has exited, too.
    ///
    /// - Parameters:
    ///   - command: The shell command, whose output goes to a log in the folder.
    ///   - folder: The folder, which is deleted if this process exits while the program is running.
    package init(command: String, folder: URL) throws(PostgreSQLCluster.Unavailable) {
        logFile = folder.appendingPathComponent("log-\(UUID().uuidString.prefix(8))")
        // The program replaces the shell, so that the process exits with it.
        let script = """
            cd /tmp
            exec 3<&0
            (read -r _ <&3
            kill -INT $$ || exit 0
            sleep 0.5
            kill -KILL $$
            rm -rf \(Shell.quoted(folder.path))) >/dev/null 2>&1 &
            exec \(command) >\(Shell.quoted(logFile.path)) 2>&1 </dev/null 3<&-
            """
        var descriptors: [Int32] = [0, 0]
        // Other children of this process must not keep the pipe open, not even those that another thread starts at the
        // same time: a socket can be created with the flag, where a pipe gets it in a second call.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &descriptors) == 0 else {
            throw PostgreSQLCluster.Unavailable(description: "too many open files")
        }
        writeEnd = descriptors[1]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, descriptors[0], 0)
        // Pipes that another thread is creating have no flag yet, and would stay open as long as the program runs.
        // glibc ignores those that are not open.
        for descriptor in 3..<1024 { posix_spawn_file_actions_addclose(&actions, Int32(descriptor)) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // Library threads may block signals, which children would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let texts = ["/bin/sh", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = texts.map { (text: String) in strdup(text) }
        arguments.append(nil)
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &arguments, environ)
        arguments.forEach { free($0) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
        close(descriptors[0])
        self.identifier = identifier
        guard status == 0 else {
            close(descriptors[1])
            throw PostgreSQLCluster.Unavailable(description: "cannot run /bin/sh: \(String(cString: strerror(status)))")
        }
    }

    package var isRunning: Bool { !reap(waiting: false) }

    package var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// Waits until the program, which was told to terminate, has exited.
    package func waitUntilExit() { _ = reap(waiting: true) }

    private func reap(waiting: Bool) -> Bool {
        hasEnded.withLock { hasEnded in
            if !hasEnded { hasEnded = waitpid(identifier, nil, waiting ? 0 : WNOHANG) != 0 }
            return hasEnded
        }
    }

    /// Terminates the program if it is running, and then deletes its folder.
    deinit {
        close(writeEnd)
        waitUntilExit()
    }
}
