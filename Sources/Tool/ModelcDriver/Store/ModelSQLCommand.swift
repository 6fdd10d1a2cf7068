package import ArgumentParser

/// `modelc sql`: runs `modelc-store sql`, which contains the code of the stores.
package struct ModelSQLCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Print the SQL of a model's store, and plan and run migrations of databases (modelc-store).",
        discussion: """
            Without the name of a command, prints the statements that a store runs when it is created, for PostgreSQL or \
            SQLite. No server is needed. Runs modelc-store, or modelc-postgresql for the commands that connect to a \
            database; see `modelc store --help` for where it is looked for.

            EXAMPLES
              modelc sql Books.xcdatamodeld
              modelc sql Books.xcdatamodeld --schema library --partitions 8
              modelc sql Books.xcdatamodeld --dialect sqlite
              modelc sql Books.xcdatamodeld --distribute Book.library
              modelc sql migrate --from Old.momd --to Books.momd > plan.sql
              modelc sql migrate --from Old.momd --to Books.momd --online expand > 1-expand.sql
              modelc sql apply plan.sql --database postgresql://db/books
              modelc sql status Books.momd --database postgresql://db/books
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of modelc-store sql.")
    var arguments: [String] = []

    package init() {}

    /// Runs the program and returns its exit code.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        StoreCommand.run(["sql"] + arguments, in: environment)
    }
}
