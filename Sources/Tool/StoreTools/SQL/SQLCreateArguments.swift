package import ArgumentParser
internal import ModelcDriver

/// `modelc sql create`: prints the SQL that creates the tables of a model's store.
package struct SQLCreateCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Print the SQL that creates the tables of a model's store.",
        discussion: """
            The statements are those that the store runs when it is created. No server is needed. The store adds its \
            metadata when it is first opened: a database administrator who creates the tables beforehand must let the \
            program open the store once with a role that may write them.

            EXAMPLES
              modelc sql Books.xcdatamodeld
              modelc sql Books.xcdatamodeld --schema library --partitions 8
              modelc sql Books.momd --dialect sqlite
            """
    )

    /// The database.
    enum Dialect: String, ExpressibleByArgument, CaseIterable {
        case postgresql
        case sqlite
    }

    @Argument(
        help: ArgumentHelp("The model: an .xcdatamodeld, .xcdatamodel, .momd, .mom or store.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Option(help: "The database: postgresql or sqlite.")
    var dialect = Dialect.postgresql

    @Option(help: "The version. (default: the current one)")
    var version: String?

    @Option(name: .customLong("configuration"), help: .storeConfiguration)
    var modelConfiguration: String?

    @Option(help: .databaseSchema)
    var schema: String?

    @Option(help: "The hash partitions of each table without unique constraints.")
    var partitions = 0

    package init() {}

    package func validate() throws {
        try DatabaseArguments.check(partitions: partitions)
        guard dialect == .postgresql || schema == nil && partitions == 0 else {
            throw ValidationError("--schema and --partitions are for the dialect postgresql.")
        }
        try DatabaseArguments.check(schema: schema)
    }
}
