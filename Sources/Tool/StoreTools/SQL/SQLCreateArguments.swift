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

            With --distribute, prints tables for Citus or a similar server, on which all rows of a tenant are on one \
            node. A column with the tenant's key leads all keys and constraints of the entities from which required \
            to-one relationships lead to the tenant; every node has the tables of the others. What cannot be \
            distributed is an error. Stores neither read nor write these tables, which are a design on paper.

            EXAMPLES
              modelc sql Books.xcdatamodeld
              modelc sql Books.xcdatamodeld --schema library --partitions 8
              modelc sql Books.momd --dialect sqlite
              modelc sql Books.xcdatamodeld --distribute Book.library

            EXIT CODES
              0  The SQL was printed.
              1  The model has no tables, or cannot be distributed.
              2  The command could not run.
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

    @Option(help: "The hash partitions of each table without unique constraints, or that --distribute distributes.")
    var partitions = 0

    @Option(
        name: .customLong("distribute"),
        help: ArgumentHelp(
            "Print tables distributed by the tenant to which this relationship leads. Repeat it for other entities.",
            valueName: "entity.relationship"))
    var distributingRelationships: [String] = []

    package init() {}

    package func validate() throws {
        try DatabaseArguments.check(partitions: partitions)
        guard dialect == .postgresql || schema == nil && partitions == 0 && distributingRelationships.isEmpty else {
            throw ValidationError("--schema, --partitions and --distribute are for the dialect postgresql.")
        }
        try DatabaseArguments.check(schema: schema)
    }
}
