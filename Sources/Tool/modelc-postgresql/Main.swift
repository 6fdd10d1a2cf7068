import ArgumentParser
import CoreDataPostgreSQL
import ModelcDriver
import StoreTools

/// The root command of `modelc-postgresql`, which `modelc sql` runs for commands that need a server.
struct ModelcPostgreSQL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelc-postgresql",
        abstract: "Plans and runs migrations of PostgreSQL databases, and copies stores.",
        subcommands: [
            SQLCommand<PostgreSQLAdministration>.self, StoreCopyCommand<PostgreSQLAdministration>.self,
        ])
}

/// The process entry point.
@main
enum Main {
    static func main() {
        DriverProcess.run("modelc-postgresql") {
            ModelcPostgreSQL.runProgram(Array(CommandLine.arguments.dropFirst()), in: $0)
        }
    }
}
