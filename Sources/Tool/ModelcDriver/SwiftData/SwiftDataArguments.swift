package import ArgumentParser

/// `modelc swiftdata`.
package struct SwiftDataCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "swiftdata",
        abstract: "Check SwiftData schemas and their stores.",
        subcommands: [SwiftDataDoctorCommand.self, SwiftDataFreezeCommand.self, SwiftDataPlanCommand.self])

    package init() {}
}

/// `modelc swiftdata doctor`: finds the version of the sources that wrote a store.
package struct SwiftDataDoctorCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find the version of the sources that wrote a store.",
        discussion: """
            SwiftData opens a store only if a version of the schema has its version hashes. Otherwise, a staged \
            migration fails with error 134504, “Cannot use staged migration with an unknown model version”. The \
            command names the version, or the nearest one and the properties that differ.

            EXAMPLES
              modelc swiftdata doctor default.store --sources Sources/Models

            EXIT CODES
              0  A version has the hashes of the store.
              1  No version has them.
              2  The command could not run.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var storePath: String

    @OptionGroup var sources: SwiftSourcesArguments

    @Option(help: "The output format.")
    var format = OutputFormat.text

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}

/// `modelc swiftdata freeze`: writes a self-contained copy of a version of a SwiftData schema.
package struct SwiftDataFreezeCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Write a self-contained copy of a version of a schema.",
        discussion: """
            The copy is a VersionedSchema that holds its models and values: later changes of the live classes do not \
            change its version hashes. It is read back and compared before it is written. With --check, nothing is \
            written, and it is an error if the hashes of a released version in modelc.lock differ from the sources'.

            EXAMPLES
              modelc swiftdata freeze SchemaV2 --sources Sources/Models --output Sources/Models/SchemaV2.swift
              modelc swiftdata freeze SchemaV1 --sources Sources/Models --identifier 1.0.0
              modelc swiftdata freeze --check --sources Sources/Models
            """
    )

    @Argument(help: "The VersionedSchema to freeze; if the sources declare none, the name of the new one.")
    var version: String?

    @Flag(help: "Check that the released versions in the lock still have its hashes.")
    var check = false

    @Option(name: .customLong("lock"), help: "The lock that --check compares with.", completion: .file())
    var lockPath = LockFile.defaultName

    @OptionGroup var conditions: SwiftFileArguments

    @Option(
        name: .customLong("sources"), parsing: .singleValue,
        help: ArgumentHelp(
            "A Swift file, a folder of Swift files or an Xcode project that declares the models. Can be given several times. (required)",
            valueName: "path"), completion: .file())
    var sourcesPaths: [String]

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The file to create. (default: standard output)",
        completion: .file())
    var outputPath: String?

    @Option(help: "The version identifier: three numbers, such as 1.2.0. (default: that of the sources)")
    var identifier: String?

    package init() {}

    package func validate() throws {
        if check, version != nil || outputPath != nil || identifier != nil {
            throw ValidationError("--check takes no version, --output or --identifier.")
        }
        if !check, version == nil { throw ValidationError("Specify the version to freeze, or pass --check.") }
    }
}

/// `modelc swiftdata plan`: writes the migration plan of a SwiftData schema.
package struct SwiftDataPlanCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the migration plan of a schema.",
        discussion: """
            The plan lists the versions in the sources and has a stage between each two consecutive versions: a \
            lightweight one where that suffices, else a custom one with the reasons and empty handlers. If the sources \
            have a SchemaMigrationPlan, its order of versions is kept, and newer versions of its models are added. \
            Schemas without a common model get separate plans.

            EXAMPLES
              modelc swiftdata plan --sources Sources/Models --output Sources/Models/MigrationPlan.swift
            """
    )

    @OptionGroup var sources: SwiftSourcesArguments

    @OptionGroup var conditions: SwiftFileArguments

    @Option(help: "The name of the plan. (default: that of the plan in the sources, or MigrationPlan)")
    var name: String?

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The file to create. (default: standard output)",
        completion: .file())
    var outputPath: String?

    package init() {}
}

/// The sources that declare the versions of a SwiftData schema.
struct SwiftSourcesArguments: ParsableArguments {
    @Option(
        name: .customLong("sources"), parsing: .singleValue,
        help: ArgumentHelp(
            "A Swift file, a folder of Swift files or an Xcode project that declares the versions. Can be given several times. (required)",
            valueName: "path"), completion: .file())
    var paths: [String]
}

/// A command that reads the sources of a SwiftData schema.
protocol SwiftSourcesCommand {
    var sourcesPaths: [String] { get }
    var conditions: SwiftFileArguments { get }
}

extension SwiftSourcesCommand {
    var sourcesPath: String { sourcesPaths.first ?? "." }

    /// The arguments, for a reader of the first path.
    var reading: SwiftReading { conditions.reading(with: Array(sourcesPaths.dropFirst())) }
}

extension SwiftDataDoctorCommand: SwiftSourcesCommand {
    var sourcesPaths: [String] { sources.paths }
}

extension SwiftDataFreezeCommand: SwiftSourcesCommand {}

extension SwiftDataPlanCommand: SwiftSourcesCommand {
    var sourcesPaths: [String] { sources.paths }
}
