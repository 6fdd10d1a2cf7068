package import ArgumentParser
internal import CloudKitSchema
internal import Diagnostics

/// `modelc cloudkit`.
package struct CloudKitCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cloudkit",
        abstract: "Write and check the CloudKit schemas of models.",
        subcommands: [CloudKitExportCommand.self, CloudKitCheckCommand.self, CloudKitDiffCommand.self])

    package init() {}
}

/// The database that holds a model's records.
enum CloudKitDatabase: String, ExpressibleByArgument, CaseIterable {
    case `private`
    case `public`
}

/// The options that choose the part of a model that is mirrored.
struct CloudKitModelOptions: ParsableArguments {
    @Option(help: "The version of the model. (default: the current one)", completion: .versions)
    var version: String?

    @Option(
        help: ArgumentHelp(
            "The configuration of the store with CloudKit. (default: those marked “Used with CloudKit”, or all entities)",
            valueName: "name"))
    var configuration: String?

    @Option(help: "The kind of database: private or public. A public one needs indexes.")
    var database = CloudKitDatabase.private

    @Flag(help: "Leave out the fields that only sharing needs (CD_moveReceipt).")
    var noReceipts = false

    @Flag(help: "Include the record type of shares (cloudkit.share).")
    var sharing = false

    var schemaOptions: SchemaOptions {
        var options = SchemaOptions()
        options.includesReceipts = !noReceipts
        options.includesSharing = sharing
        options.isPublic = database == .public
        return options
    }
}

/// `modelc cloudkit export`: writes the CloudKit schema of a model.
package struct CloudKitExportCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the CloudKit schema that Core Data makes of a model.",
        discussion: """
            The schema is that of initializeCloudKitSchema(options:), laid out as “cktool export-schema” does. The \
            same model gives the same bytes. A model that Core Data cannot mirror is reported with all reasons.

            An import replaces the schema of the development environment: --merge keeps the other elements of \
            production.

            EXAMPLES
              modelc cloudkit export Books.xcdatamodeld --output schema.ckdb
              modelc cloudkit export Books.xcdatamodeld --configuration Cloud --merge production.ckdb > import.ckdb

            EXIT CODES
              0  Done.
              1  The model cannot be mirrored, or its schema cannot be merged.
              2  The command could not run. Nothing was written.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "An .xcdatamodeld, .xcdatamodel or contents file, a .momd or .mom, or REVISION:PATH.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @OptionGroup var options: CloudKitModelOptions

    @OptionGroup var conditions: SwiftFileArguments

    @OptionGroup var output: OutputFileArguments

    @Option(
        name: .customLong("merge"),
        help: ArgumentHelp("A schema whose record types, fields and roles are kept.", valueName: "schema"),
        completion: .file())
    var mergedPath: String?

    package init() {}
}

/// `modelc cloudkit check`: checks whether production has everything that a model needs.
package struct CloudKitCheckCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether production has every record type and field that a model needs.",
        discussion: """
            SCHEMA is what “cktool export-schema --environment production” writes. What is missing is listed and must \
            be deployed; changed types and renames are errors, since production never accepts them; elements that the \
            model no longer has are notes.

            EXAMPLES
              modelc cloudkit check Books.xcdatamodeld --against production.ckdb
              modelc cloudkit check Books.xcdatamodeld --against production.ckdb --reporter github

            EXIT CODES
              0  No finding at the fail level, which is error by default.
              1  There are findings at the fail level.
              2  The command could not run: no model, or not a schema.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "An .xcdatamodeld, .xcdatamodel or contents file, a .momd or .mom, or REVISION:PATH.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Option(
        help: ArgumentHelp("The schema in production: a .ckdb file, or REVISION:PATH. (required)", valueName: "schema"),
        completion: .file())
    var against: String

    @OptionGroup var options: CloudKitModelOptions

    @OptionGroup var conditions: SwiftFileArguments

    @Flag(name: .customLong("strict-indexes"), help: "Compare the indexes of all fields too.")
    var checksIndexes = false

    @Option(name: .customLong("reporter"), parsing: .singleValue, help: .reporters, completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var failing: FailureArguments

    package init() {}
}

/// `modelc cloudkit diff`: shows the differences between two schemas.
package struct CloudKitDiffCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two CloudKit schemas.",
        discussion: """
            Schemas are compared by record type and field, whatever their layout and order.

            EXAMPLES
              modelc cloudkit diff production.ckdb schema.ckdb
              modelc cloudkit diff main:schema.ckdb schema.ckdb --format json

            EXIT CODES
              0  Done, whether the schemas are equal or not.
              1  The schemas differ, with --exit-code.
              2  The command could not run: not a schema.
            """
    )

    @Argument(
        help: ArgumentHelp("The earlier schema: a .ckdb file, or REVISION:PATH.", valueName: "old"), completion: .file()
    )
    var oldPath: String

    @Argument(help: ArgumentHelp("The later schema.", valueName: "new"), completion: .file())
    var newPath: String

    @Option(help: "The output format: text or json.")
    var format = CloudKitDiffCommand.Format.text

    @Flag(name: .customLong("exit-code"), help: "Exit with code 1 if the schemas differ.")
    var failsOnDifference = false

    package init() {}
}

extension CloudKitDiffCommand.Format: ExpressibleByArgument {}
