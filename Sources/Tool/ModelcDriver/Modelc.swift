package import ArgumentParser

/// The root command of `modelc`.
package struct Modelc: ParsableCommand {
    package static let configuration = CommandConfiguration(
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
              141  The reader of standard output exited.

            Colors are used only on a terminal, and never if NO_COLOR is set.
            Version: modelc --version
            Completions: modelc --generate-completion-script bash|zsh|fish
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Generation and compilation",
                subcommands: [
                    GenerateCommand.self, CompileCommand.self, DecompileCommand.self, MomcCommand.self,
                    MapcCommand.self, TemplatesCommand.self, BuildCommand.self,
                ]),
            CommandGroup(
                name: "Checking",
                subcommands: [
                    CheckCommand.self, LintCommand.self, ExplainCommand.self, RulesCommand.self, FormatCommand.self,
                    ConfigCommand.self,
                ]),
            CommandGroup(
                name: "Viewing and editing",
                subcommands: [InspectCommand.self, GraphCommand.self, StudioCommand.self]),
            CommandGroup(
                name: "Model version",
                subcommands: [
                    NewVersionCommand.self, DiffCommand.self, BreakingCommand.self, LockCommand.self, HashCommand.self,
                    MigrateCommand.self,
                ]),
            CommandGroup(name: "Store", subcommands: [StoreCommand.self, ModelSQLCommand.self]),
            CommandGroup(
                name: "SwiftData and CloudKit", subcommands: [SwiftDataCommand.self, CloudKitCommand.self]),
            CommandGroup(name: "Git", subcommands: [TextconvCommand.self, MergeDriverCommand.self]),
            CommandGroup(
                name: "Setup",
                subcommands: [
                    MCPCommand.self, InitCommand.self, DoctorCommand.self, PortCommand.self,
                    PrepareForLinuxCommand.self, LaneCommand.self,
                ]),
        ]
    )

    package init() {}
}

extension Modelc {
    /// Runs the program in the environment of the process, and ends the process.
    ///
    /// - Parameters:
    ///   - call: The words of the process's command line. Called by the name of one of Apple's compilers, it acts as
    ///     that compiler.
    ///   - containedPrograms: The names of the other programs that this one contains (`SiblingProgram`).
    package static func runProcess(_ call: [String], containedPrograms: Set<String> = []) -> Never {
        var arguments = Array(call.dropFirst())
        if let name = call.first?.split(separator: "/").last.map(String.init), name == "momc" || name == "mapc" {
            arguments.insert(name, at: 0)
        }
        DriverProcess.run("modelc") { environment in
            var environment = environment
            environment.containedPrograms = containedPrograms
            return run(arguments: arguments, in: environment)
        }
    }

    /// Runs the program without exiting the process.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    package static func run(arguments: [String], in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        // Commands whose arguments do not follow ArgumentParser's conventions.
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        // ArgumentParser passes their --help through, like all of their arguments.
        case "momc" where rest == ["--help"] || rest == ["-h"], "mapc" where rest == ["--help"] || rest == ["-h"]:
            return runProgram(["help", arguments[0]], in: environment)
        case "momc": return MomcCommand.run(rest, in: environment)
        case "mapc": return MapcCommand.run(rest, in: environment)
        case "store": return StoreCommand.run(rest, in: environment)
        case "sql": return StoreCommand.run(arguments, in: environment)
        case "studio": return StudioCommand.run(rest, in: environment)
        // modelc-store has the help of its commands.
        case "help" where rest.count > 1 && rest.first == "store":
            return StoreCommand.run(Array(rest.dropFirst()) + ["--help"], in: environment)
        default: return runProgram(arguments, in: environment)
        }
    }
}
