package import ArgumentParser

/// A command of the program: its properties are the command-line options, and running it in an environment returns an
/// exit code.
package protocol DriverCommand: ParsableCommand {
    /// Runs the command.
    func run(in environment: DriverEnvironment) -> ExitCode
}

extension ParsableCommand {
    /// Parses arguments and runs the command that they name, within the current process.
    ///
    /// - Parameter arguments: The arguments without the name of the program or command.
    package static func runProgram(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        if let mistake = SubcommandMistake.find(in: arguments, of: self) {
            environment.errorOutput(mistake.text)
            return .couldNotRun
        }
        do {
            var command = try parseAsRoot(arguments)
            guard let driverCommand = command as? any DriverCommand else {
                // The root and commands that only group others answer with their help.
                try command.run()
                return .success
            }
            return driverCommand.run(in: environment)
        } catch {
            let text = fullMessage(for: error)
            if exitCode(for: error).isSuccess {
                // Help and completion scripts, which contain no user input.
                environment.outputData(text.isEmpty ? "" : text + "\n")
                return .success
            }
            environment.errorOutput(Self.withErrorPrefix(text) + "\n")
            return .couldNotRun
        }
    }

    /// Returns a message of ArgumentParser with the prefix of all other errors.
    private static func withErrorPrefix(_ text: String) -> String {
        text.hasPrefix("Error: ") ? "modelc: error: " + text.dropFirst("Error: ".count) : text
    }
}
