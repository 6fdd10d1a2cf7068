import ModelcDriver

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program: standard streams, the environment and the exit code around `Modelc.run`.
@main
enum Main {
    /// What a shell reports of a program that was ended by a closed pipe.
    private static let closedPipeCode: Int32 = 141

    static func main() {
        StandardStream.prepare()
        let output = StandardStream(STDOUT_FILENO)
        // If findings cannot be shown, the exit code still tells.
        let errorOutput = StandardStream(STDERR_FILENO)
        let allowsColor = !isSet("NO_COLOR") && value("TERM") != "dumb"
        let outputIsTerminal = isatty(STDOUT_FILENO) == 1
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: output.write, errorOutput: errorOutput.write,
            usesColor: allowsColor && isatty(STDERR_FILENO) == 1, outputUsesColor: allowsColor && outputIsTerminal,
            outputIsDisplayed: outputIsTerminal || (isSet("CI") && !outputIsFile))
        var arguments = Array(CommandLine.arguments.dropFirst())
        // Under the name of a compiler of Apple it is that compiler.
        if let name = CommandLine.arguments.first?.split(separator: "/").last, name == "momc" || name == "mapc" {
            arguments.insert(String(name), at: 0)
        }
        let code = Modelc.run(arguments: arguments, in: environment)
        output.finish()
        switch output.failure {
        case 0: exit(code.rawValue)
        case EPIPE: exit(closedPipeCode)
        default:
            errorOutput.write(
                "modelc: error: cannot write to standard output: \(String(cString: strerror(output.failure)))\n")
            exit(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Set and not empty, as no-color.org defines it.
    private static func isSet(_ name: String) -> Bool { value(name)?.isEmpty == false }

    /// Whether standard output is kept in a file.
    private static var outputIsFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
