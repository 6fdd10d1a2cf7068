internal import CLibrary

/// The process around a program's commands: standard streams, the environment and the exit code.
package enum DriverProcess {
    /// The exit code that a shell reports for a program killed by SIGPIPE.
    private static let closedPipeCode: Int32 = 141

    /// Runs a program in the environment of the process, and ends the process with the program's exit code.
    ///
    /// - Parameters:
    ///   - name: The program's name, for messages.
    ///   - body: The program.
    package static func run(_ name: String, _ body: (DriverEnvironment) -> ExitCode) -> Never {
        StandardStream.prepare()
        Interruption.begin()
        let output = StandardStream(STDOUT_FILENO)
        // If findings cannot be printed, the exit code still reports them.
        let errorOutput = StandardStream(STDERR_FILENO)
        let errorOutputIsTerminal = isatty(STDERR_FILENO) == 1 && value("TERM") != "dumb"
        let command = CommandLine.arguments.dropFirst().first ?? ""
        let progress =
            errorOutputIsTerminal && ProgressLine.commands.contains(command)
            ? ProgressLine(command) { StandardStream(STDERR_FILENO).write($0) } : nil
        progress?.start()
        let allowsColor = !isSet("NO_COLOR") && value("TERM") != "dumb"
        let outputIsTerminal = isatty(STDOUT_FILENO) == 1
        var environment = DriverEnvironment(
            files: POSIXFileSystem(),
            output: { text in
                progress?.finish()
                output.write(text)
            },
            errorOutput: { text in
                progress?.finish()
                errorOutput.write(text)
            },
            usesColor: allowsColor && isatty(STDERR_FILENO) == 1, outputUsesColor: allowsColor && outputIsTerminal,
            outputIsDisplayed: outputIsTerminal || (isSet("CI") && !outputIsFile),
            errorOutputIsTerminal: errorOutputIsTerminal,
            outputWidth: outputIsTerminal ? terminalWidth : nil)
        let input = StandardInput()
        environment.nextInputLine = { input.nextLine() }
        environment.outputHasFailed = { output.failure != 0 }
        let code = body(environment)
        progress?.finish()
        output.finish()
        switch output.failure {
        case 0: exit(code.rawValue)
        case EPIPE: exit(closedPipeCode)
        default:
            errorOutput.write(
                "\(name): error: cannot write to standard output: \(String(cString: strerror(output.failure)))\n")
            exit(ExitCode.couldNotRun.rawValue)
        }
    }

    /// Returns the value of an environment variable; `nil` if it is not set.
    package static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The number of columns of the terminal behind standard output. `COLUMNS` takes precedence.
    private static var terminalWidth: Int? {
        if let columns = value("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns whether an environment variable is set and not empty, as no-color.org defines it.
    private static func isSet(_ name: String) -> Bool { value(name)?.isEmpty == false }

    /// Whether standard output is redirected to a file.
    private static var outputIsFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
