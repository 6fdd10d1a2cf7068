import ArgumentParser
import ModelcDriver

/// The root command of `modelc-store`, which `modelc store` runs.
struct ModelcStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelc-store",
        abstract: "Makes and compares SQLite stores of Core Data.",
        discussion: """
            EXAMPLES
              modelc store make Books.xcdatamodeld --version "Books 2" --output books.sqlite
                  Write a store of an earlier version, as test data for a migration.
              modelc store diff before.sqlite after.sqlite
                  Show which objects differ.

            EXIT CODES
              0  Done. The stores are equal.
              1  The stores differ, or no legal store of the model exists.
              2  The command could not run: wrong arguments, no such file, not a
                 store. Nothing was written.
            """,
        subcommands: [Make.self, Diff.self]
    )
}

/// A command that runs in an environment and returns an exit code.
protocol DriverCommand {
    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode
}

extension ModelcStore {
    /// Parses arguments and runs the command they name: the whole program without the process.
    static func run(arguments: [String], in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        do {
            var command = try parseAsRoot(arguments)
            guard let driverCommand = command as? any DriverCommand else {
                try command.run()
                return .success
            }
            return driverCommand.run(in: environment)
        } catch {
            let text = fullMessage(for: error)
            if exitCode(for: error).isSuccess {
                environment.outputData(text.isEmpty ? "" : text + "\n")
                return .success
            }
            environment.errorOutput(text + "\n")
            return .couldNotRun
        }
    }
}
