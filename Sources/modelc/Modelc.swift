import ArgumentParser
import ModelcDriver

/// The root command.
struct Modelc: ParsableCommand {
    /// The version of the program.
    static let versionNumber = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "modelc",
        abstract: "Compiles Core Data models without Xcode.",
        discussion: """
            EXAMPLES
              modelc generate Books.xcdatamodeld --output Generated
                  Write the Swift that Xcode would write for the model.
              modelc generate Books.xcdatamodeld --output Generated --check
                  In CI: fail and show the difference when files are not up to date.

            EXIT CODES
              0  Done. There may be warnings.
              1  The model has errors, or --check found files that are not up to
                 date. Nothing was written.
              2  The command could not run: wrong arguments, no such file, not a
                 model. Nothing was written. Or: standard output could not be written.
              141  The reader of standard output has ended.

            Colours are used on a terminal only, and never when NO_COLOR is set.
            Version: modelc --version
            Completions: modelc --generate-completion-script bash|zsh|fish
            """,
        subcommands: [
            Generate.self, Compile.self, Lint.self, Explain.self, Rules.self, Format.self, Hash.self, Inspect.self,
            Diff.self, Breaking.self, Lock.self, Migrate.self, CloudKit.self, NewVersion.self, SwiftData.self,
            Store.self, Studio.self, Graph.self,
            Decompile.self, Momc.self,
            Mapc.self, Templates.self, Textconv.self, MergeDriver.self, BuildTarget.self, Port.self,
            PrepareForLinux.self,
        ]
    )
}

/// A command that runs in an environment and says how it ended.
protocol DriverCommand {
    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode
}

extension Modelc {
    /// Parses arguments and runs the command they name: the whole program without the process.
    ///
    /// - Parameter arguments: the arguments without the program's name.
    static func run(arguments: [String], in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        // Not ArgumentParser's own flag, which every subcommand inherits: there, --version names a version of the model.
        if arguments == ["--version"] {
            environment.output(versionNumber + "\n")
            return .success
        }
        // Apple's options are not of ArgumentParser's kind.
        if arguments.first == "momc" {
            return MomcCommand.run(arguments: Array(arguments.dropFirst()), in: environment)
        }
        if arguments.first == "mapc" {
            return MapcCommand.run(arguments: Array(arguments.dropFirst()), in: environment)
        }
        if arguments.first == "store" {
            return StoreCommand(arguments: Array(arguments.dropFirst())).run(in: environment)
        }
        if arguments.first == "studio" {
            return StudioCommand(arguments: Array(arguments.dropFirst())).run(in: environment)
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
                // Help and completion scripts, which hold nothing of the user's.
                environment.outputData(text.isEmpty ? "" : text + "\n")
                return .success
            }
            environment.errorOutput(text + "\n")
            return .couldNotRun
        }
    }
}
