import ArgumentParser
import ModelcDriver

/// `modelc swiftdata`.
struct SwiftData: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftdata",
        abstract: "Check SwiftData schemas and their stores.",
        subcommands: [SwiftDataDoctor.self, SwiftDataFreeze.self, SwiftDataPlanArguments.self])
}

/// `modelc swiftdata doctor`.
struct SwiftDataDoctor: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell which version of the sources a store was written by.",
        discussion: """
            SwiftData opens a store only if a version of the schema has its version hashes. Otherwise, a staged migration fails \
            with error 134504, “Cannot use staged migration with an unknown model version”. The command names the version, or \
            the nearest one and the properties that differ.

            EXAMPLES
              modelc swiftdata doctor default.store --sources Sources/Models

            EXIT CODES
              0  A version has the hashes of the store.
              1  No version has them.
              2  The command could not run.
            """
    )

    @Argument(help: "The store.", completion: .file())
    var store: String

    @Option(help: "A Swift file, or a folder of Swift files, that declares the versions.", completion: .file())
    var sources: String

    @Option(help: "The form of the output.")
    var format = OutputFormat.text

    @OptionGroup var conditions: ConditionArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = SwiftDataDoctorCommand(storePath: store, sourcesPath: sources, format: format)
        command.definitions = conditions.define
        return command.run(in: environment)
    }
}

/// `modelc swiftdata freeze`.
struct SwiftDataFreeze: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Write a self-contained copy of a version of a schema.",
        discussion: """
            The copy is a VersionedSchema that holds its models and values: later changes of the live classes do not move its \
            version hashes. It is read back and compared before it is written. With --check, nothing is written, and it is an error \
            if a released version in modelc.lock has other hashes than the sources.

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

    @Option(help: "The lock that --check compares with.", completion: .file())
    var lock = LockCommand.defaultFileName

    @OptionGroup var conditions: ConditionArguments

    @Option(help: "A Swift file, or a folder of Swift files, that declares the models.", completion: .file())
    var sources: String

    @Option(name: .shortAndLong, help: "The file to create. (default: standard output)", completion: .file())
    var output: String?

    @Option(help: "The version identifier, such as 1.2.0. (default: that of the sources)")
    var identifier: String?

    func validate() throws {
        if check, version != nil || output != nil || identifier != nil {
            throw ValidationError("--check takes no version, --output or --identifier.")
        }
        if !check, version == nil { throw ValidationError("Name the version to freeze, or pass --check.") }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        guard let version, !check else {
            var command = SwiftDataFreezeCheck(sourcesPath: sources)
            command.lockPath = lock
            command.definitions = conditions.define
            return command.run(in: environment)
        }
        var command = SwiftDataFreezeCommand(version: version, sourcesPath: sources)
        command.definitions = conditions.define
        command.outputPath = output
        command.identifier = identifier
        return command.run(in: environment)
    }
}

/// `modelc swiftdata plan`.
struct SwiftDataPlanArguments: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the migration plan of a schema.",
        discussion: """
            The plan lists the versions in the sources and has a stage between each two that follow each other: a lightweight \
            one where that suffices, else a custom one with the reasons and empty handlers.

            EXAMPLES
              modelc swiftdata plan --sources Sources/Models --output Sources/Models/MigrationPlan.swift
            """
    )

    @Option(help: "A Swift file, or a folder of Swift files, that declares the versions.", completion: .file())
    var sources: String

    @OptionGroup var conditions: ConditionArguments

    @Option(help: "The name of the plan.")
    var name = "MigrationPlan"

    @Option(name: .shortAndLong, help: "The file to create. (default: standard output)", completion: .file())
    var output: String?

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = SwiftDataPlanCommand(sourcesPath: sources)
        command.definitions = conditions.define
        command.name = name
        command.outputPath = output
        return command.run(in: environment)
    }
}
