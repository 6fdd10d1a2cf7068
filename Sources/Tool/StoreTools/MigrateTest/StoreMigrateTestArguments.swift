package import ArgumentParser
internal import ModelcDriver

extension StoreMigrateTestCommand.Format: ExpressibleByArgument {}

/// `modelc store migrate-test`: migrates a store of each earlier version and compares the values.
package struct StoreMigrateTestCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "migrate-test", abstract: "Migrate a store of each earlier version, and compare the values.",
        discussion: """
            Makes a store of each version before the current one with edge-case data, as modelc store make does, or \
            takes the stores of a folder. Each is migrated to the current version in one step and through all versions \
            between. Values and schema are then compared. Mapping models are used if their version hashes are those of \
            both versions; those with custom policies, which are code of the app, are reported and not run.

            EXAMPLES
              modelc store migrate-test Books.xcdatamodeld
              modelc store migrate-test Books.xcdatamodeld --stores Tests/Stores
              modelc store migrate-test Books.momd --format junit --output migrations.xml

            EXIT CODES
              0  Every store can be migrated, and keeps its values.
              1  A migration fails or loses values, or a version has no route.
              2  The command could not run: no such file, unknown version.
            """
    )

    @Argument(help: ArgumentHelp("The model: an .xcdatamodeld or .momd.", valueName: "model"), completion: .file())
    var modelPath: String

    @Option(
        name: .customLong("stores"), help: "A folder of stores that are migrated in place of generated ones.",
        completion: .directory)
    var storesPath: String?

    @Option(name: .customLong("to"), help: "The version that is migrated to. (default: the current one)")
    var version: String?

    @Option(help: "The number of rows of each entity in generated stores.")
    var rows = 50

    @Option(help: "The seed that the values of generated stores follow from.")
    var seed: UInt64 = 1

    @OptionGroup var mappings: MappingArguments

    @Option(help: "The output format: text, json or junit.")
    var format = StoreMigrateTestCommand.Format.text

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "Write the report to a file.", completion: .file())
    var outputPath: String?

    package init() {}

    package func validate() throws {
        guard (0...1_000_000).contains(rows) else {
            throw ValidationError("The number of rows must be from 0 to 1000000.")
        }
    }
}
