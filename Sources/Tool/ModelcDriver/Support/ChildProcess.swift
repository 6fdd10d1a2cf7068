internal import CLibrary

/// Runs a program and waits until it exits, for `git` and `modelc-store`.
///
/// Uses `posix_spawn`: Foundation's `Process` would add Foundation to a tool that starts in milliseconds, and
/// swift-subprocess would add a dependency for every user of the plugin.
struct ChildProcess {
    struct Result {
        /// The exit code; 128 plus the number of the signal if the program was killed.
        var exitCode: Int32
        /// The bytes of its standard output.
        var output: [UInt8]
        /// The text of its standard error.
        var errorOutput: String
    }

    /// The reason why a program did not run, in the system's words.
    struct Failure: Error {
        /// Whether there is no such program.
        var isMissing: Bool
        var reason: String
    }

    /// The maximum size of output, in bytes; a program that prints more is killed.
    static let outputLimit = 256 << 20

    /// Runs a program found in `PATH`, with the environment of this process and some more variables.
    ///
    /// - Parameters:
    ///   - arguments: The program's name and its arguments.
    ///   - executable: The path of the program's file; `nil` if the name is the path, or is found in `PATH`.
    ///   - input: The bytes of its standard input.
    ///   - variables: Environment variables that replace those of this process.
    ///   - removed: The environment variables of this process that the program does not get.
    ///   - receive: Receives the standard output in parts, which the result then omits, so that it may have any
    ///     size. Returns whether to continue; if not, the program cannot write any more.
    static func run(
        _ arguments: [String], executable: String? = nil, input: [UInt8] = [],
        variables: [(name: String, value: String)] = [],
        removing removed: Set<String> = [], receive: (([UInt8]) -> Bool)? = nil
    ) throws(Failure) -> Result {
        // Arguments with a zero byte would be truncated.
        guard arguments.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw Failure(isMissing: false, reason: "an argument holds a zero byte")
        }
        var pipes: [[Int32]] = []
        defer { for descriptor in pipes.joined() where descriptor >= 0 { close(descriptor) } }
        for _ in 0..<3 { pipes.append(try connection()) }
        let pid = try Interruption.add { () throws(Failure) in
            try spawn(
                arguments, executable: executable ?? arguments[0], pipes: pipes, variables: variables, removed: removed)
        }
        for (index, end) in [(0, 0), (1, 1), (2, 1)] {
            close(pipes[index][end])
            pipes[index][end] = -1
        }
        var exchange = Exchange(input: input, receive: receive)
        exchange.run(&pipes)
        if exchange.isTooLong { kill(pid, SIGKILL) }
        Interruption.awaitEnd(of: pid)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        if exchange.isTooLong { throw Failure(isMissing: false, reason: "it prints more than modelc reads") }
        let signal = status & 0x7F
        return Result(
            exitCode: signal == 0 ? status >> 8 & 0xFF : 128 + signal, output: exchange.output,
            errorOutput: String(decoding: exchange.errorOutput, as: UTF8.self))
    }

    /// The variables that tell git which repository it works on, and where in it. Git sets them for hooks, and then
    /// finds another repository than that of the folder in which it runs, or another top of the work tree.
    private static let repositoryVariables: Set = [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
        "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]

    /// Runs git on the repository that it finds from the folder in which it runs.
    static func git(
        _ arguments: [String], input: [UInt8] = [], variables: [(name: String, value: String)] = []
    ) throws(Failure) -> Result {
        try run(["git"] + arguments, input: input, variables: variables, removing: repositoryVariables)
    }

    /// Returns the two ends of a connection, which no child inherits.
    ///
    /// A socket, because a pipe gets the flag after another thread may have started a child, and because writing to a
    /// pipe without a reader ends the process unless SIGPIPE is ignored, which is a setting of the whole process.
    private static func connection() throws(Failure) -> [Int32] {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw failure(errno) }
        var isOn: Int32 = 1
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        #elseif canImport(Musl)
        guard socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, &ends) == 0 else { throw failure(errno) }
        #else
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw failure(errno) }
        #endif
        return ends
    }

    private static func failure(_ code: Int32) -> Failure {
        Failure(isMissing: code == ENOENT, reason: String(cString: strerror(code)))
    }

    private static func spawn(
        _ arguments: [String], executable: String, pipes: [[Int32]], variables: [(name: String, value: String)],
        removed: Set<String>
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
        var environment: [UnsafeMutablePointer<CChar>?] = []
        let replaced = removed.union(variables.map(\.name))
        var pointer = environ
        while let entry = pointer.pointee {
            let text = String(cString: entry)
            if !replaced.contains(String(text.prefix { $0 != "=" })) { environment.append(strdup(text)) }
            pointer += 1
        }
        for (name, value) in variables { environment.append(strdup("\(name)=\(value)")) }
        var words = arguments.map { strdup($0) }
        defer { for word in words + environment { free(word) } }
        words.append(nil)
        environment.append(nil)
        var pid: pid_t = 0
        #if canImport(Darwin)
        // Another thread may have opened a descriptor that does not close by itself yet.
        var attributes: posix_spawnattr_t?
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        let code = posix_spawnp(&pid, executable, &actions, &attributes, words, environment)
        #else
        let code = posix_spawnp(&pid, executable, &actions, nil, words, environment)
        #endif
        guard code == 0 else { throw failure(code) }
        return pid
    }

    /// Writes the input and reads both outputs at the same time, so that a full pipe cannot cause a deadlock.
    private struct Exchange {
        let input: [UInt8]
        let receive: (([UInt8]) -> Bool)?
        var written = 0
        var output: [UInt8] = []
        var errorOutput: [UInt8] = []
        var isTooLong = false

        init(input: [UInt8], receive: (([UInt8]) -> Bool)?) {
            self.input = input
            self.receive = receive
        }

        mutating func run(_ pipes: inout [[Int32]]) {
            if input.isEmpty { Self.close(&pipes[0][1]) }
            _ = fcntl(pipes[0][1], F_SETFL, O_NONBLOCK)
            while pipes[1][0] >= 0 || pipes[2][0] >= 0, !isTooLong {
                var polls = [
                    pollfd(fd: pipes[0][1], events: Int16(POLLOUT), revents: 0),
                    pollfd(fd: pipes[1][0], events: Int16(POLLIN), revents: 0),
                    pollfd(fd: pipes[2][0], events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else { return }
                if polls[0].revents != 0 { write(&pipes[0][1]) }
                if polls[1].revents != 0 {
                    Self.read(&pipes[1][0], into: &output)
                    if let receive, !output.isEmpty {
                        if !receive(output) { Self.close(&pipes[1][0]) }
                        output = []
                    }
                }
                if polls[2].revents != 0 { Self.read(&pipes[2][0], into: &errorOutput) }
                isTooLong = output.count > outputLimit || errorOutput.count > outputLimit
            }
        }

        private mutating func write(_ descriptor: inout Int32) {
            let count = input.withUnsafeBytes { bytes in
                bytes.baseAddress.map { Self.send(descriptor, bytes: $0 + written, count: bytes.count - written) } ?? 0
            }
            if count > 0 { written += count }
            let isFailure = count < 0 && errno != EAGAIN && errno != EINTR
            if written == input.count || isFailure { Self.close(&descriptor) }
        }

        /// Writes bytes. If the program has ended, this is an error and not a signal.
        private static func send(_ descriptor: Int32, bytes: UnsafeRawPointer, count: Int) -> Int {
            #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, 0)
            #elseif canImport(Musl)
            Musl.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            #else
            Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            #endif
        }

        private static func read(_ descriptor: inout Int32, into bytes: inout [UInt8]) {
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                #if canImport(Darwin)
                count = max(0, Darwin.read(descriptor, buffer.baseAddress, buffer.count))
                #elseif canImport(Musl)
                count = max(0, Musl.read(descriptor, buffer.baseAddress, buffer.count))
                #else
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
                #endif
            }
            if chunk.isEmpty { close(&descriptor) } else { bytes += chunk }
        }

        private static func close(_ descriptor: inout Int32) {
            #if canImport(Darwin)
            Darwin.close(descriptor)
            #elseif canImport(Musl)
            Musl.close(descriptor)
            #else
            Glibc.close(descriptor)
            #endif
            descriptor = -1
        }
    }
}
