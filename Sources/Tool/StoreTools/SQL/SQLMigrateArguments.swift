package import ArgumentParser
internal import ModelcDriver
package import PostgreSQLSchema

extension PostgreSQLOnlinePlan.Step: ExpressibleByArgument {}

/// `modelc sql migrate`: prints the plan of a migration.
package struct SQLMigrateCommand<Client: DatabaseAdministration>: ModelCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "migrate", abstract: "Print the SQL that migrates a PostgreSQL store to another version.",
            discussion: """
                The statements are those that the store runs when it migrates itself, in one transaction, with a comment for \
                each change. No server is needed. With --database, the database is compared with the old version first: a \
                column, index or constraint that was changed by hand is an error. After an online migration, entities may have \
                other numbers than in a new database, and a plan needs --database to read them.

                With --online, the migration has three steps, to be applied one after the other while programs of both \
                versions read and save: “expand”, “fill”, and, when no program of the old version is left, “contract”. \
                Until then, “cancel” returns to the old version, and drops what only the new one has. Changes that both \
                versions cannot live with, such as renames, are errors.

                EXAMPLES
                  modelc sql migrate --from Old.momd --to Books.xcdatamodeld > plan.sql
                  modelc sql migrate --from Books.momd --from-version "Books 2" --to Books.momd
                  modelc sql migrate --from Old.momd --to Books.momd --database postgresql://db/books
                  modelc sql migrate --from Old.momd --to Books.momd --online expand > 1-expand.sql

                EXIT CODES
                  0  The plan was printed.
                  1  The migration cannot be inferred, or the database has been changed by hand.
                  2  The command could not run.
                """
        )
    }

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("The model that the store has. (required)", valueName: "model"), completion: .file())
    var sourcePath: String

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The model that the store gets. (required)", valueName: "model"), completion: .file())
    var destinationPath: String

    @Option(
        name: .customLong("from-version"),
        help: ArgumentHelp(
            "The version of --from. (default: the current one, or if --to is the same, the one before it)",
            valueName: "version"))
    var sourceVersion: String?

    @Option(
        name: .customLong("to-version"),
        help: ArgumentHelp("The version of --to. (default: the current one)", valueName: "version"))
    var destinationVersion: String?

    @Option(name: .customLong("configuration"), help: .storeConfiguration)
    var modelConfiguration: String?

    @Option(help: .databaseSchema)
    var schema: String?

    @Option(help: "The hash partitions with which the store was created.")
    var partitions = 0

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            "Compare this database with the old version first, and use its entity numbers. After the step “expand”, only the latter.",
            valueName: "url"))
    var databaseURL: String?

    @Option(
        name: .customLong("online"),
        help: ArgumentHelp(
            "Print a step of the migration during which programs of both versions use the store.", valueName: "step"))
    var onlineStep: PostgreSQLOnlinePlan.Step?

    package init() {}

    package func validate() throws {
        try DatabaseArguments.check(partitions: partitions)
        try DatabaseArguments.check(schema: schema)
    }
}

/// `modelc sql apply`: runs the plan of a migration.
package struct SQLApplyCommand<Client: DatabaseAdministration>: ModelCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "apply", abstract: "Run the plan of a migration in a PostgreSQL database.",
            discussion: """
                Runs the statements of “modelc sql migrate” in one transaction, computes derived attributes that the server \
                cannot compute, and records the migration. A failure leaves the database unchanged. Only the statements of \
                the step “fill” of an online migration are a transaction each: after a failure, run it again.

                EXAMPLES
                  modelc sql apply plan.sql --database postgresql://db/books
                  modelc sql apply 1-expand.sql --database postgresql://db/books
                """
        )
    }

    @Argument(help: ArgumentHelp("The plan.", valueName: "plan"), completion: .file())
    var planPath: String

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp("The connection URI of the database. (required)", valueName: "url"))
    var databaseURL: String

    @Option(help: ArgumentHelp("The schema in the database. (default: “coredata”)", valueName: "name"))
    var schema: String?

    package init() {}

    package func validate() throws { try DatabaseArguments.check(schema: schema) }
}

/// `modelc sql status`: shows the version of a database.
package struct SQLStatusCommand<Client: DatabaseAdministration>: ModelCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "status", abstract: "Show which version of a model a PostgreSQL store has.",
            discussion: """
                Shows which versions of the model open the store, whether an online migration is under way, the migrations \
                that were run in it, and how many other connections the database has.

                EXAMPLES
                  modelc sql status Books.xcdatamodeld --database postgresql://db/books
                """
        )
    }

    @Argument(help: ArgumentHelp("The model, with all its versions.", valueName: "model"), completion: .file())
    var modelPath: String

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp("The connection URI of the database. (required)", valueName: "url"))
    var databaseURL: String

    @Option(name: .customLong("configuration"), help: .storeConfiguration)
    var modelConfiguration: String?

    @Option(help: ArgumentHelp("The schema in the database. (default: “coredata”)", valueName: "name"))
    var schema: String?

    package init() {}

    package func validate() throws { try DatabaseArguments.check(schema: schema) }
}
