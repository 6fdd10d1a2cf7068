package import ArgumentParser
internal import Diagnostics
internal import ModelEvolution

extension DiffFormat: ExpressibleByArgument {}

/// `modelc diff`: shows what changed between two versions of a model.
package struct DiffCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what changed between two versions of a model.",
        discussion: """
            A version is a path (.xcdatamodeld, .xcdatamodel, contents file, .momd, .mom, SQLite store) or \
            REVISION:PATH in git. Of a bundle, the current version is compared. With one argument, the current version \
            is compared with the one before it.

            EXAMPLES
              modelc diff Books.xcdatamodeld
              modelc diff Books.xcdatamodeld --from "Books 2" --to "Books 4"
              modelc diff main:Books.xcdatamodeld Books.xcdatamodeld --format markdown
              modelc diff old.sqlite Books.momd
            """
    )

    @Argument(help: ArgumentHelp("The earlier version, or the model.", valueName: "old"), completion: .file())
    var oldPath: String

    @Argument(help: ArgumentHelp("The later version.", valueName: "new"), completion: .file())
    var newPath: String?

    @Option(
        name: .customLong("from"), help: "The version of the first model. (default: the current one)",
        completion: .versions)
    var oldVersion: String?

    @Option(
        name: .customLong("to"), help: "The version of the second model. (default: the current one)",
        completion: .versions)
    var newVersion: String?

    @Option(help: "The output format: text, json or markdown.")
    var format = DiffFormat.text

    @Flag(name: .customLong("exit-code"), help: "Exit with code 1 if the versions differ.")
    var failsOnDifference = false

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}

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

extension CompatibilityLevel: ExpressibleByArgument {}

/// `modelc breaking`: finds changes that keep users of a released model from updating.
package struct BreakingCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "breaking", abstract: "Find changes that keep users of a released model from updating.",
        discussion: """
            Compares each model at and below the paths with its released state. REFERENCE is a git revision (each \
            model is compared with its state in that revision), latest-tag for the last release tag such as v2.3, \
            REVISION:PATH, a model in any form, a store, or modelc.lock. If the revision has a modelc.lock, versions that it marks as drafts may change.

            LEVELS
              store        The model still has every released version, unchanged.
              migratable   Also: their stores can be migrated, by lightweight migration or with a mapping model.
              lightweight  Also: without a mapping model or code.
              cloudkit     Also: only additions, as CloudKit requires.

            With “breaking: strategy: stepwise” in .modelc.yml, migrations lead from each version to the next one, \
            as in apps that migrate in code. The default, direct, is what Core Data does by itself.

            Problems that the released state has already are counted, not reported; see --all.

            EXAMPLES
              modelc breaking --against origin/main
              modelc breaking --against latest-tag
              modelc breaking --against v2.3 --level store --reporter github
              modelc breaking App/Books.xcdatamodeld --against Released.momd
              modelc breaking --against modelc.lock

            EXIT CODES
              0  No breaking change.
              1  There are breaking changes.
              2  The command could not run: no such revision, no model.
            """
    )

    @OptionGroup var search: ModelSearchArguments

    @Option(help: ArgumentHelp("The released state to compare with. (required)", valueName: "reference"))
    var against: String

    @Option(help: "How strict the comparison is: store, migratable, lightweight or cloudkit.")
    var level = CompatibilityLevel.lightweight

    @Flag(name: .customLong("all"), help: "Report also what the released state has already.")
    var includesEarlierChanges = false

    @Option(
        name: .customLong("stores"),
        help: "A folder of released stores: a change of entities without rows in them is only a warning.")
    var storesPath: String?

    @Option(name: .customLong("lock"), help: "The lock file that marks drafts.")
    var lockPath = LockFile.defaultName

    @Option(name: .customLong("reporter"), parsing: .singleValue, help: .reporters, completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var failing: FailureArguments

    @OptionGroup var conditions: ConditionArguments

    package init() {}
}

/// `modelc lock`.
package struct LockCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Keep the version hashes of released models in modelc.lock.",
        discussion: """
            The lock has one line for each entity of each version. Lines of released versions must not change; \
            versions before the current one count as released unless they are marked as drafts.
            """,
        subcommands: [LockUpdateCommand.self, LockCheckCommand.self, LockRebaseCommand.self])

    package init() {}
}

/// The options that the commands of `modelc lock` share.
struct LockOptions: ParsableArguments {
    @OptionGroup var search: ModelSearchArguments

    @Option(name: .customLong("lock"), help: "The lock.", completion: .file())
    var lockPath = LockFile.defaultName

    @OptionGroup var conditions: ConditionArguments
}

/// `modelc lock update`.
package struct LockUpdateCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Update the hashes of drafts, and add missing versions.",
        discussion: """
            EXAMPLES
              modelc lock update
              modelc lock update --release "Books 3"
                  The version has shipped: from now on it must not change.
            """)

    @OptionGroup var options: LockOptions

    @Option(
        name: .customLong("release"), parsing: .singleValue,
        help: "A version that has been released. Can be given several times.", completion: .versions)
    var released: [String] = []

    @Option(
        name: .customLong("draft"), parsing: .singleValue,
        help: "A version that has never been released. Can be given several times.", completion: .versions)
    var drafts: [String] = []

    @Flag(name: .customLong("release-all"), help: "All versions have been released.")
    var releasesAll = false

    @Flag(name: .customLong("force"), help: "Change the lines of released versions too.")
    var isForced = false

    package init() {}

    package func run(in environment: DriverEnvironment) -> ExitCode {
        LockRun(
            paths: options.search.paths, lockPath: options.lockPath, swift: options.conditions.reading,
            action: .update(self)
        ).run(in: environment)
    }
}

/// `modelc lock check`.
package struct LockCheckCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare the lock with the models.",
        discussion: """
            EXIT CODES
              0  The lock is up to date.
              1  A line differs.
              2  The command could not run: no lock, no model.
            """)

    @OptionGroup var options: LockOptions

    package init() {}

    package func run(in environment: DriverEnvironment) -> ExitCode {
        LockRun(
            paths: options.search.paths, lockPath: options.lockPath, swift: options.conditions.reading,
            action: .check
        ).run(in: environment)
    }
}

/// `modelc lock rebase`.
package struct LockRebaseCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rebase", abstract: "Resolve the conflicts that git left in the lock.",
        discussion: "Keeps the released lines of both sides, and computes the drafts from the merged models.")

    @OptionGroup var options: LockOptions

    package init() {}

    package func run(in environment: DriverEnvironment) -> ExitCode {
        LockRun(
            paths: options.search.paths, lockPath: options.lockPath, swift: options.conditions.reading,
            action: .rebase
        ).run(in: environment)
    }
}

/// `modelc new-version`: copies the current version of a model and makes the copy current, as Xcode's Add Model Version
/// does.
package struct NewVersionCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "new-version",
        abstract: "Add a version to a model: a copy of the current one, which becomes current.",
        discussion: """
            Does the same as Editor ▸ Add Model Version in Xcode, followed by making the new version current; a \
            project that lists the versions is updated too.

            EXAMPLES
              modelc new-version Books.xcdatamodeld
              modelc new-version Books.xcdatamodeld "Books 2026" --from "Books 3"
            """)

    @Argument(help: ArgumentHelp("The .xcdatamodeld.", valueName: "model"), completion: .directory)
    var modelPath: String

    @Argument(help: "The name of the new version. (default: the next number)")
    var name: String?

    @Option(
        name: .customLong("from"), help: "The version that is copied. (default: the current one)", completion: .versions
    )
    var source: String?

    @Flag(help: "Leave the current version current.")
    var noCurrent = false

    @Option(
        name: .customLong("project"),
        help: "The .xcodeproj that lists the model. (default: one beside the model or above)", completion: .directory)
    var projectPath: String?

    @Flag(help: "Leave projects as they are.")
    var noProject = false

    @Flag(name: .customLong("dry-run"), help: "Print what would be done, and change nothing.")
    var isDryRun = false

    package init() {}

    package func validate() throws {
        if projectPath != nil, noProject {
            throw ValidationError("--project and --no-project cannot be used together.")
        }
    }
}
