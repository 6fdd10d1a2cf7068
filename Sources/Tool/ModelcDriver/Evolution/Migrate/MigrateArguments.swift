package import ArgumentParser

/// `modelc migrate`.
package struct MigrateCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Check how stores of earlier versions migrate, and scaffold migrations.",
        subcommands: [MigrateCheckCommand.self, MigrateScaffoldCommand.self],
        defaultSubcommand: MigrateCheckCommand.self)

    package init() {}
}

/// `modelc migrate check`: reports how stores of each earlier version are migrated to the current one.
package struct MigrateCheckCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report how stores of each earlier version are migrated to the current one.",
        discussion: """
            A mapping model is used if its version hashes match the two versions. Mapping models are searched for in \
            the folder that contains the model and below, but not for a model of a git revision.

            EXAMPLES
              modelc migrate check Books.xcdatamodeld
              modelc migrate check Books.xcdatamodeld --from "Books 2" --steps

            EXIT CODES
              0  Every version migrates, lightweight or with a mapping model.
              1  A version needs a mapping model or a custom stage.
              2  The command could not run.
            """
    )

    @Argument(
        help: ArgumentHelp("The model: an .xcdatamodeld or .momd, or REVISION:PATH.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Argument(help: .moreSources, completion: .file())
    var otherPaths: [String] = []

    @Option(
        name: .customLong("from"), help: "The version that is migrated from. (default: all earlier ones)",
        completion: .versions)
    var source: String?

    @Option(
        name: .customLong("to"), help: "The version that is migrated to. (default: the current one)",
        completion: .versions)
    var destination: String?

    @Option(help: "The output format: text or json.")
    var format = OutputFormat.text

    @Flag(name: .customLong("steps"), help: "Print the steps of each migration.")
    var showsSteps = false

    @OptionGroup var mappings: MappingArguments

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}

extension MigrateScaffoldCommand.Form: ExpressibleByArgument {}

/// `modelc migrate scaffold`: writes the start of a migration between two versions of a model.
package struct MigrateScaffoldCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "scaffold",
        abstract: "Write the start of a migration: a mapping model, or Swift for staged migration.",
        discussion: """
            --form mapping writes an .xcmappingmodel with a mapping for each entity and property. --form staged writes \
            an NSStagedMigrationManager for all versions from FROM to TO, with their version checksums. Existing files \
            are not replaced.

            EXAMPLES
              modelc migrate scaffold Books.xcdatamodeld "Books 2" "Books 3" --output App
                  Writes App/Books 2 to Books 3.xcmappingmodel.
              modelc migrate scaffold Books.xcdatamodeld Books "Books 3" --form staged --output App/Migration.swift

            EXIT CODES
              0  Written.
              1  A version has errors, or a mapping model cannot represent it.
              2  The command could not run, or the file exists already.
            """
    )

    @Argument(
        help: ArgumentHelp("The model: an .xcdatamodeld or .momd, or REVISION:PATH.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Argument(help: ArgumentHelp("The version that is migrated from.", valueName: "from"), completion: .versions)
    var source: String

    @Argument(help: ArgumentHelp("The version that is migrated to.", valueName: "to"), completion: .versions)
    var destination: String

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: "The .xcmappingmodel or .swift, or a folder for it. (default: the working directory)",
        completion: .file())
    var outputPath: String?

    @Option(help: "What is written: mapping or staged.")
    var form = MigrateScaffoldCommand.Form.mapping

    package init() {}
}
