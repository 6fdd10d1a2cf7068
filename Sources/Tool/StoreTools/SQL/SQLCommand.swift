package import ArgumentParser

/// `modelc sql`: the SQL of a model's store.
package struct SQLCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sql", abstract: "Print the SQL of a model's store, and plan and run migrations of databases.",
        discussion: """
            Without the name of a command, prints the SQL that creates the tables. Commands with --database need \
            modelc-postgresql, which contains the client for PostgreSQL.

            EXAMPLES
              modelc sql Books.xcdatamodeld
              modelc sql migrate --from Old.momd --to Books.xcdatamodeld > plan.sql
              modelc sql migrate --from Old.momd --to Books.momd --database postgresql://db/books
              modelc sql apply plan.sql --database postgresql://db/books
              modelc sql status Books.xcdatamodeld --database postgresql://db/books
            """,
        subcommands: [
            SQLCreateCommand.self, SQLMigrateCommand.self, SQLApplyCommand.self, SQLStatusCommand.self,
        ], defaultSubcommand: SQLCreateCommand.self)

    package init() {}
}
