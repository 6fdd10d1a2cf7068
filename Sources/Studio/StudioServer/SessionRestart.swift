internal import Foundation

/// Starts the program again when a request ends it.
///
/// The handler of fatal signals replaces the image of the process, so that the process, its terminal and the address of
/// the page stay. Files and locks are closed. Unsaved edits are in the journal.
enum SessionRestart {
    /// What a new image continues.
    struct Session: Equatable {
        var port: UInt16
        /// The token in the address of the page.
        var token: String
        /// The number of times that the program was started again.
        var count: Int
        /// The server's temporary folder, which the old image cannot remove.
        var folder: String

        /// Creates a session.
        init(port: UInt16, token: String, count: Int, folder: String) {
            self.port = port
            self.token = token
            self.count = count
            self.folder = folder
        }

        /// Reads the value of the variable; `nil` if it is not valid.
        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 4, let port = UInt16(parts[0]), port > 0, let count = Int(parts[2]), count > 0,
                parts[1].count == 32, parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
            else { return nil }
            self.init(port: port, token: String(parts[1]), count: count, folder: String(parts[3]))
        }

        /// The value of the variable for the next image.
        var next: String { "\(port) \(token) \(count + 1) \(folder)" }
    }

    /// The environment variable that tells a new image what it continues.
    static let variable = "MODELC_STUDIO_SESSION"
    /// The number of times that the program is started again: an edit in the journal may end it each time.
    private static let limit = 10

    /// The signals of traps, failed assertions and invalid accesses.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

    /// Returns the session that this image continues, and undoes what the old image has left in the process.
    static func resumed() -> Session? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        unsetenv(variable)
        // The thread that the signal has interrupted may have blocked others.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        // The old image's server ignored these, to handle them by dispatch sources.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        guard let session = Session(text) else { return nil }
        removeFolder(session.folder)
        return session
    }

    /// Removes the temporary folder of an old image with its socket, if only this user can have created it.
    private static func removeFolder(_ path: String) {
        let prefix = "/tmp/modelc-"
        var status = stat()
        guard path.hasPrefix(prefix), !path.dropFirst(prefix.count).contains("/"), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o777 == 0o700, status.st_uid == geteuid()
        else { return }
        unlink(path + "/socket")
        rmdir(path)
    }

    /// Lets the fatal signals of this process start the program again.
    static func enable(_ session: Session) {
        guard session.count < limit, let path = Bundle.main.executablePath else { return }
        // The handler must not allocate memory.
        executable = strdup(path)
        arguments = pointers(CommandLine.arguments)
        let variables = ProcessInfo.processInfo.environment.filter { $0.key != variable }.map {
            "\($0.key)=\($0.value)"
        }
        environment = pointers(variables + ["\(variable)=\(session.next)"])
        // The limit of a process may be a billion.
        descriptorLimit = min(getdtablesize(), 1 << 16)
        install(restart)
    }

    /// Installs a handler of the fatal signals.
    static func install(_ handler: @escaping @convention(c) (Int32) -> Void) {
        for signal in signals {
            var action = sigaction()
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
            #else
            action.__sigaction_handler.sa_handler = handler
            #endif
            action.sa_flags = Int32(SA_NODEFER) | Int32(SA_ONSTACK)
            sigaction(signal, &action, nil)
        }
    }

    /// Gives the current thread a stack for the handler: after a stack overflow, its own has no room. Threads that
    /// answer requests call this first.
    static func protectThread() {
        var stack = stack_t()
        guard sigaltstack(nil, &stack) == 0, stack.ss_flags & Int32(SS_DISABLE) != 0,
            let memory = malloc(handlerStackSize)
        else { return }
        stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = handlerStackSize
        sigaltstack(&stack, nil)
        pthread_setspecific(handlerStack, memory)
    }

    private static let handlerStackSize = 64 << 10

    /// The key of a thread's stack for the handler, which ends with the thread.
    private static let handlerStack: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { memory in
            var none = stack_t()
            none.ss_flags = Int32(SS_DISABLE)
            sigaltstack(&none, nil)
            free(memory)
        }
        return key
    }()

    private static func pointers(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        let result = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { result[index] = strdup(text) }
        result[texts.count] = nil
        return result
    }
}

// Written before the handler is installed, and only read by it.
nonisolated(unsafe) private var executable: UnsafeMutablePointer<CChar>?
nonisolated(unsafe) private var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
nonisolated(unsafe) private var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
nonisolated(unsafe) private var descriptorLimit: Int32 = 0

/// Replaces the image of the process. Calls only functions that are safe in handlers of signals.
private func restart(_ number: Int32) {
    if let executable, let arguments {
        var descriptor: Int32 = 3
        while descriptor < descriptorLimit {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            descriptor += 1
        }
        execve(executable, arguments, environment)
    }
    signal(number, SIG_DFL)
    raise(number)
}
