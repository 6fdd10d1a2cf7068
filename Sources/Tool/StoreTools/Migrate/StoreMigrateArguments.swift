package import ArgumentParser
internal import ModelcDriver

extension StoreMigrateCommand.Format: ExpressibleByArgument {}

/// `modelc store migrate`: migrates a store to a version of a model.
package struct StoreMigrateCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate a store to a version of a model.",
        discussion: """
            Does the same as an app that opens the store: a mapping model with the version hashes of both versions is \
            used, or else the migration is inferred and runs in the file, in one transaction. Prints the changes and \
            the SQL, and counts the rows and values that are dropped, which needs --allow-loss or a mapping model. If the \
            migration fails, the store stays as it was. Custom migration policies are code of the app \
            and cannot run here.

            EXAMPLES
              modelc store migrate books.sqlite --to Books.xcdatamodeld --dry-run
              modelc store migrate books.sqlite --to Books.momd --backup before.sqlite
              modelc store migrate books.sqlite --to Books.momd --version "Books 3" --mapping 2to3.cdm
              modelc store migrate app.sqlite --to Books.momd --to Settings.momd

            EXIT CODES
              0  Migrated or up to date, or (--dry-run) the store can be migrated.
              1  The store cannot be migrated, or would lose values; it is unchanged.
              2  The command could not run: no such file, not a store, unknown version.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var storePath: String

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The model: an .xcdatamodeld, .xcdatamodel, .momd, .mom or store. Repeat it for models that the app merges. (required)",
            valueName: "model"),
        completion: .file())
    var modelPaths: [String]

    @Option(help: "The version that is migrated to. (default: the current one)")
    var version: String?

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "The model that the store was made with, if no version of --to is its model.", valueName: "model"),
        completion: .file())
    var sourcePath: String?

    @Flag(
        name: .customLong("from-store-model"),
        help: "Migrate a store of no version of the model, by the copy of its model that it holds.")
    var usesStoreModel = false

    @Flag(name: .customLong("allow-loss"), help: "Migrate even if rows or values are dropped.")
    var allowsLoss = false

    @Option(
        name: .customLong("mapping"),
        help: .mappingFile,
        completion: .file())
    var mappingPath: String?

    @Flag(name: .customLong("no-mapping-models"), help: "Infer every migration, and use no mapping model.")
    var ignoresMappings = false

    @Flag(
        name: .customLong("step-by-step"),
        help: "Migrate from each version to the next one, as “modelc migrate check” lists the steps.")
    var isStepwise = false

    @Option(
        help: ArgumentHelp(
            "Wait at most this long for other processes that use the store. (default: 60)", valueName: "seconds"))
    var timeout: Double?

    @Option(
        name: .customLong("backup"),
        help: ArgumentHelp("Copy the store, with its external data, to a new file first.", valueName: "file"),
        completion: .file())
    var backupPath: String?

    @Flag(name: .customLong("dry-run"), help: "Print what would be done, and change nothing.")
    var isDryRun = false

    @Option(help: "The output format: text or json.")
    var format = StoreMigrateCommand.Format.text

    package init() {}

    package func validate() throws {
        if isDryRun, backupPath != nil {
            throw ValidationError("--dry-run and --backup cannot be used together.")
        }
        if ignoresMappings, mappingPath != nil {
            throw ValidationError("--no-mapping-models and --mapping cannot be used together.")
        }
        if modelPaths.count > 1, version != nil || isStepwise {
            throw ValidationError("--version and --step-by-step need a single --to.")
        }
        if let timeout, !(timeout >= 0 && timeout <= 1_000_000) {
            throw ValidationError("The timeout must be from 0 to 1000000 seconds.")
        }
    }
}
