package import ArgumentParser
package import PostgreSQLSchema

/// `modelc sql`: the SQL of a model's store. `Client` is the program's client for databases.
package struct SQLCommand<Client: DatabaseAdministration>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sql", abstract: "Print the SQL of a model's store, and plan and run migrations of databases.",
            discussion: """
                Without the name of a command, prints the SQL that creates the tables; “modelc sql create --help” lists the \
                options. Commands with --database need modelc-postgresql, which contains the client for PostgreSQL.

                EXAMPLES
                  modelc sql Books.xcdatamodeld
                  modelc sql Books.xcdatamodeld --schema library --partitions 8
                  modelc sql Books.xcdatamodeld --dialect sqlite
                  modelc sql Books.xcdatamodeld --distribute Book.library
                  modelc sql migrate --from Old.momd --to Books.momd > plan.sql
                  modelc sql migrate --from Old.momd --to Books.momd --online expand > 1-expand.sql
                  modelc sql apply plan.sql --database postgresql://db/books
                  modelc sql status Books.momd --database postgresql://db/books
                """,
            subcommands: [
                SQLCreateCommand.self, SQLMigrateCommand<Client>.self, SQLApplyCommand<Client>.self,
                SQLStatusCommand<Client>.self,
            ], defaultSubcommand: SQLCreateCommand.self)
    }

    package init() {}
}
