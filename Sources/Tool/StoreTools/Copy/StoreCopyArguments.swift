package import ArgumentParser
internal import ModelcDriver
package import PostgreSQLSchema

/// `modelc store copy`: copies a store to a file or into a database. `Client` is the program's client for databases.
package struct StoreCopyCommand<Client: DatabaseAdministration>: ModelCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "copy", abstract: "Copy a store to a file or into a PostgreSQL database, or from there.",
            discussion: """
                Stores are paths of SQLite files or URLs such as postgresql://host/database. Objects keep their keys, and the \
                copy has the UUID of the original, so the URIs of objects stay valid; --new-identifier gives it another one. \
                Values in external files and the order of members are copied, too. With --model, the copy is migrated to \
                that version. The history stays if both stores are files; otherwise it is announced as dropped before \
                anything is written. There must be no store at the destination. The original is read in one snapshot and \
                never changed, and a copy that fails or is killed leaves no store behind.

                EXAMPLES
                  modelc store copy books.sqlite postgresql://db/books
                  modelc store copy postgresql://db/books books.sqlite
                  modelc store copy books.sqlite books3.sqlite --model Books.momd --version "Books 3"
                  modelc store copy postgresql://db/books postgresql://db/books --to-schema test

                EXIT CODES
                  0  Copied.
                  1  The store cannot be copied or migrated, or would lose values.
                  2  The command could not run: no such store, or one at the destination.
                """
        )
    }

    @Argument(
        help: ArgumentHelp("The store: a path, or the URL of a database.", valueName: "from"), completion: .file())
    var sourcePath: String

    @Argument(help: ArgumentHelp("The copy: a path, or the URL of a database.", valueName: "to"), completion: .file())
    var destinationPath: String

    @Option(
        name: .customLong("model"),
        help: ArgumentHelp("The model of the copy, in any form. (default: the one in the store)", valueName: "model"),
        completion: .file())
    var modelPath: String?

    @Option(help: "The version of --model. (default: the current one)")
    var version: String?

    @Option(
        name: .customLong("from-model"),
        help: ArgumentHelp(
            "The model that the store was made with, if neither the store nor --model has it.", valueName: "model"),
        completion: .file())
    var sourceModelPath: String?

    @Option(
        name: .customLong("mapping"),
        help: .mappingFile,
        completion: .file())
    var mappingPath: String?

    @Flag(name: .customLong("allow-loss"), help: "Copy even if the migration drops rows or values.")
    var allowsLoss = false

    @Option(
        name: .customLong("from-schema"),
        help: ArgumentHelp("The schema of the store in its database. (default: “coredata”)", valueName: "name"))
    var sourceSchema: String?

    @Option(
        name: .customLong("to-schema"),
        help: ArgumentHelp("The schema of the copy in its database. (default: “coredata”)", valueName: "name"))
    var destinationSchema: String?

    @Flag(name: .customLong("new-identifier"), help: "Give the copy a new UUID, so that both can be open at once.")
    var changesIdentifier = false

    package init() {}

    package func validate() throws {
        try DatabaseArguments.check(schema: sourceSchema)
        try DatabaseArguments.check(schema: destinationSchema)
        if modelPath == nil, version != nil || mappingPath != nil {
            throw ValidationError("--version and --mapping need --model.")
        }
    }
}
