import ArgumentParser
import Diagnostics
import ModelcDriver

/// `modelc cloudkit`.
struct CloudKit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloudkit",
        abstract: "Write and check the CloudKit schemas of models.",
        subcommands: [CloudKitExport.self, CloudKitCheck.self, CloudKitDiff.self])
}

/// Where the records of a model are kept.
enum CloudKitDatabase: String, ExpressibleByArgument, CaseIterable {
    case `private`
    case `public`
}

/// Which part of a model is mirrored.
struct CloudKitModelOptions: ParsableArguments {
    @Option(help: "The version of the model. (default: the current one)")
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
}

/// `modelc cloudkit export`.
struct CloudKitExport: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the CloudKit schema that Core Data makes of a model.",
        discussion: """
            The schema is that of initializeCloudKitSchema(options:), laid out as “cktool export-schema” does. The same model \
            gives the same bytes. A model that Core Data cannot mirror is reported with all reasons.

            An import replaces the schema of the development environment: --merge keeps what production has besides.

            EXAMPLES
              modelc cloudkit export Books.xcdatamodeld --output schema.ckdb
              modelc cloudkit export Books.xcdatamodeld --configuration Cloud --merge production.ckdb > import.ckdb

            EXIT CODES
              0  Done.
              1  The model cannot be mirrored, or its schema cannot be merged. Nothing was written.
              2  The command could not run. Nothing was written.
            """
    )

    @Argument(
        help: "An .xcdatamodeld, .xcdatamodel or contents file, a .momd or .mom, or REVISION:PATH.", completion: .file()
    )
    var model: String

    @OptionGroup var options: CloudKitModelOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file that is written. (default: the standard output)", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("A schema whose record types, fields and roles are kept.", valueName: "schema"),
        completion: .file())
    var merge: String?

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = CloudKitExportCommand(modelPath: model)
        command.version = options.version
        command.configuration = options.configuration
        command.isPublic = options.database == .public
        command.includesReceipts = !options.noReceipts
        command.includesSharing = options.sharing
        command.outputPath = output
        command.mergedPath = merge
        return command.run(in: environment)
    }
}

/// `modelc cloudkit check`.
struct CloudKitCheck: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether production has every record type and field that a model needs.",
        discussion: """
            SCHEMA is what “cktool export-schema --environment production” writes. What is missing is listed and must be \
            deployed; a changed type and a rename are errors, since production never takes them; what the model no longer has is \
            noted.

            EXAMPLES
              modelc cloudkit check Books.xcdatamodeld --against production.ckdb
              modelc cloudkit check Books.xcdatamodeld --against production.ckdb --reporter github

            EXIT CODES
              0  No finding of the fail level (error unless told otherwise).
              1  There are such findings.
              2  The command could not run: no model, or not a schema.
            """
    )

    @Argument(
        help: "An .xcdatamodeld, .xcdatamodel or contents file, a .momd or .mom, or REVISION:PATH.", completion: .file()
    )
    var model: String

    @Option(
        help: ArgumentHelp("The schema in production: a .ckdb file, or REVISION:PATH.", valueName: "schema"),
        completion: .file())
    var against: String

    @OptionGroup var options: CloudKitModelOptions

    @Flag(help: "Compare the indexes of all fields too.")
    var strictIndexes = false

    @OptionGroup var report: ReportArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = CloudKitCheckCommand(modelPath: model, against: against)
        command.version = options.version
        command.configuration = options.configuration
        command.isPublic = options.database == .public
        command.includesReceipts = !options.noReceipts
        command.includesSharing = options.sharing
        command.checksIndexes = strictIndexes
        command.outputs = report.reporter
        command.configurationPath = report.config
        command.failLevel = report.failing.leastSeverity
        command.baselinePath = report.failing.baseline
        command.newBaselinePath = report.failing.writeBaseline
        command.toolVersion = Modelc.versionNumber
        return command.run(in: environment)
    }
}

/// `modelc cloudkit diff`.
struct CloudKitDiff: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
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

    @Argument(help: "The earlier schema: a .ckdb file, or REVISION:PATH.", completion: .file())
    var old: String

    @Argument(help: "The later schema.", completion: .file())
    var new: String

    @Option(help: "The form of the output: text or json.")
    var format = CloudKitDiffCommand.Format.text

    @Flag(help: "Exit with code 1 if the schemas differ.")
    var exitCode = false

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = CloudKitDiffCommand(oldPath: old, newPath: new)
        command.format = format
        command.failsOnDifference = exitCode
        return command.run(in: environment)
    }
}

extension CloudKitDiffCommand.Format: ExpressibleByArgument {}
