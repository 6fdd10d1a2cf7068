internal import CLibrary
internal import Diagnostics

extension StudioCommand {
    /// The name of the program.
    private static let program = "modelc-studio"
    /// The environment variable that names the program.
    package static let variable = "MODELC_STUDIO"

    /// Replaces this process with the program, so that the program gets signals and the terminal. Returns only if that
    /// fails.
    package func run(in environment: DriverEnvironment) -> ExitCode { Self.run(arguments, in: environment) }

    /// Replaces this process with the program, passing the arguments. Returns only if that fails.
    ///
    /// - Parameter programPath: The path of the program; `nil` to search the environment, the folder of this program
    ///   and `PATH`.
    package static func run(
        _ arguments: [String], programPath: String? = nil, in environment: DriverEnvironment
    ) -> ExitCode {
        let (path, name) =
            programPath.map { ($0, $0) } ?? SiblingProgram(name: program, variable: variable).locate(in: environment)
        var vector: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
        vector.append(nil)
        execvp(path, vector)
        let code = errno
        for text in vector { free(text) }
        return environment.run { _ throws(InputFailure) in
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .missingTool,
                        code == ENOENT
                            ? "“\(path)” was not found"
                            : "“\(path)” cannot be run: \(String(cString: strerror(code)))",
                        why: "`modelc studio` runs it, so that modelc itself does not contain a web server.",
                        help:
                            "Build it with `swift build --package-path Studio` in modelc's folder, and put "
                            + "it beside modelc or in PATH, or name it in the environment variable \(variable).")
                ],
                exitCode: .couldNotRun)
        }
    }
}
