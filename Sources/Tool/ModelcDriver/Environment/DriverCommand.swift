package import ArgumentParser

/// A command of the program: its properties are the command-line options, and running it in an environment returns an
/// exit code.
package protocol DriverCommand: ParsableCommand {
    /// Runs the command.
    func run(in environment: DriverEnvironment) -> ExitCode
}

/// A command that reads models and no settings: it fails if the nearest settings require another version of modelc.
///
/// Commands with settings check the version of those that they read. `momc`, `mapc` and the drivers for git run in the
/// middle of builds and merges, and do not check it.
package protocol ModelCommand: DriverCommand {}

extension ParsableCommand {
    /// Parses arguments and runs the command that they name, within the current process.
    ///
    /// - Parameter arguments: The arguments without the name of the program or command.
    package static func runProgram(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        // ArgumentParser's own `--version` flag would be inherited by every subcommand, where it names a version of the
        // model.
        if !(self is any DriverCommand.Type), let name = configuration.commandName,
            let text = ToolVersion.answer(to: arguments, of: name)
        {
            environment.outputLine(text)
            return .success
        }
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
            guard driverCommand is any ModelCommand else { return driverCommand.run(in: environment) }
            return environment.run { _ throws(InputFailure) in
                try RunSettings.requireVersion(environment.files)
                return driverCommand.run(in: environment)
            }
        } catch {
            let text = fullMessage(for: error)
            if exitCode(for: error).isSuccess {
                // Help and completion scripts, which contain no user input.
                let page = HelpPage.laidOut(text, of: Self.self, width: environment.outputWidth)
                environment.outputData(page.isEmpty ? "" : page + "\n")
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
