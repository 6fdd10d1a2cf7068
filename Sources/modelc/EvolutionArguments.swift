import ArgumentParser
import Diagnostics
import ModelEvolution
import ModelcDriver

extension DiffFormat: ExpressibleByArgument {}

/// `modelc diff`.
struct Diff: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed between two versions of a model.",
        discussion: """
            A version is a path (.xcdatamodeld, .xcdatamodel, contents file, .momd, .mom, SQLite store) or REVISION:PATH in git. \
            Of a bundle, the current version is compared. With one argument, the current version is compared with the one \
            before it.

            EXAMPLES
              modelc diff Books.xcdatamodeld
              modelc diff Books.xcdatamodeld --from "Books 2" --to "Books 4"
              modelc diff main:Books.xcdatamodeld Books.xcdatamodeld --format markdown
              modelc diff old.sqlite Books.momd
            """
    )

    @Argument(help: "The earlier version, or the model.", completion: .file())
    var old: String

    @Argument(help: "The later version.", completion: .file())
    var new: String?

    @Option(help: "The version of the first model. (default: the current one)")
    var from: String?

    @Option(help: "The version of the second model. (default: the current one)")
    var to: String?

    @Option(help: "The form of the output: text, json or markdown.")
    var format = DiffFormat.text

    @Flag(help: "Exit with code 1 if the versions differ.")
    var exitCode = false

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = DiffCommand(oldPath: old, newPath: new)
        command.oldVersion = from
        command.newVersion = to
        command.format = format
        command.failsOnDifference = exitCode
        return command.run(in: environment)
    }
}

/// `modelc migrate`.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out how stores of earlier versions are migrated.",
        subcommands: [MigrateCheck.self, MigrateScaffold.self])
}

/// `modelc migrate check`.
struct MigrateCheck: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Tell for each earlier version how its stores are migrated to the current one.",
        discussion: """
            A mapping model serves a migration if its version hashes are those of the two versions. Mapping models are looked \
            for in the folder that holds the model and below; none are looked for beside a model of a git revision.

            EXAMPLES
              modelc migrate check Books.xcdatamodeld
              modelc migrate check Books.xcdatamodeld --from "Books 2" --steps

            EXIT CODES
              0  For every version, lightweight migration is possible or there is a mapping model.
              1  A version needs a mapping model or a custom stage.
              2  The command could not run.
            """
    )

    @Argument(help: "The model: an .xcdatamodeld or .momd, or REVISION:PATH.", completion: .file())
    var model: String

    @Option(help: "The version that is migrated from. (default: all earlier ones)")
    var from: String?

    @Option(help: "The version that is migrated to. (default: the current one)")
    var to: String?

    @Option(help: "The form of the output: text or json.")
    var format = OutputFormat.text

    @Flag(help: "Print the steps of each migration.")
    var steps = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Mapping models or folders that hold some. (default: the folder that holds the model)",
            valueName: "path"),
        completion: .file())
    var mappings: [String] = []

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = MigrateCheckCommand(modelPath: model)
        command.source = from
        command.destination = to
        command.format = format
        command.showsSteps = steps
        command.mappingPaths = mappings
        return command.run(in: environment)
    }
}

extension MigrateScaffoldCommand.Form: ExpressibleByArgument {}

/// `modelc migrate scaffold`.
struct MigrateScaffold: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "scaffold",
        abstract: "Write the start of a migration: a mapping model, or Swift for staged migration.",
        discussion: """
            --form mapping writes an .xcmappingmodel with a mapping for each entity and property. --form staged writes an \
            NSStagedMigrationManager for all versions from FROM to TO, with their version checksums. Neither replaces a file.

            EXAMPLES
              modelc migrate scaffold Books.xcdatamodeld "Books 2" "Books 3" --output App
                  Writes App/Books 2 to Books 3.xcmappingmodel.
              modelc migrate scaffold Books.xcdatamodeld Books "Books 3" --form staged --output App/Migration.swift

            EXIT CODES
              0  Written.
              1  A version has errors, or a mapping model cannot hold it.
              2  The command could not run, or the file exists already.
            """
    )

    @Argument(help: "The model: an .xcdatamodeld or .momd, or REVISION:PATH.", completion: .file())
    var model: String

    @Argument(help: "The version that is migrated from.")
    var from: String

    @Argument(help: "The version that is migrated to.")
    var to: String

    @Option(
        name: .shortAndLong,
        help: "The .xcmappingmodel or .swift, or a folder for it. (default: the working directory)",
        completion: .file())
    var output: String?

    @Option(help: "What is written: mapping or staged.")
    var form = MigrateScaffoldCommand.Form.mapping

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = MigrateScaffoldCommand(modelPath: model, from: from, to: to)
        command.outputPath = output
        command.form = form
        return command.run(in: environment)
    }
}

extension CompatibilityLevel: ExpressibleByArgument {}

/// `modelc breaking`.
struct Breaking: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find changes that keep users of a released model from updating.",
        discussion: """
            Compares each model at and below the paths with its released state. REFERENCE is a git revision (every model is \
            compared with itself in it), REVISION:PATH, a model in any form, a store, or modelc.lock. If the revision has a \
            modelc.lock, versions that it calls drafts may change.

            LEVELS
              store        Released stores can be opened after a migration of any kind.
              lightweight  Also without a mapping model or code.
              cloudkit     Also: only additions, as CloudKit requires.

            EXAMPLES
              modelc breaking --against origin/main
              modelc breaking --against v2.3 --level store --reporter github
              modelc breaking App/Books.xcdatamodeld --against Released.momd
              modelc breaking --against modelc.lock

            EXIT CODES
              0  No breaking change.
              1  There are breaking changes.
              2  The command could not run: no such revision, no model.
            """
    )

    @Argument(help: "Models, or folders that hold some. (default: the working directory)", completion: .directory)
    var paths: [String] = []

    @Option(help: ArgumentHelp("What is compared with.", valueName: "reference"))
    var against: String

    @Option(help: "How strict the comparison is: store, lightweight or cloudkit.")
    var level = CompatibilityLevel.lightweight

    @Option(help: "A folder of released stores: a change of entities without rows in them is only a warning.")
    var stores: String?

    @Option(help: "The lock that tells which versions are drafts.")
    var lock = LockCommand.defaultFileName

    @OptionGroup var report: ReportArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = BreakingCommand(against: against)
        command.paths = paths.isEmpty ? ["."] : paths
        command.level = level
        command.storesPath = stores
        command.lockPath = lock
        command.outputs = report.reporter
        command.configurationPath = report.config
        command.failLevel = report.failing.leastSeverity
        command.baselinePath = report.failing.baseline
        command.newBaselinePath = report.failing.writeBaseline
        command.toolVersion = Modelc.versionNumber
        return command.run(in: environment)
    }
}

/// `modelc lock`.
struct Lock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep the version hashes of released models in modelc.lock.",
        discussion: """
            The lock has one line for each entity of each version. Lines of released versions must not change; versions before \
            the current one count as released unless told otherwise.
            """,
        subcommands: [LockUpdate.self, LockCheck.self, LockRebase.self])
}

/// What the commands of `modelc lock` share.
struct LockOptions: ParsableArguments {
    @Argument(help: "Models, or folders that hold some. (default: the working directory)", completion: .directory)
    var paths: [String] = []

    @Option(help: "The lock.", completion: .file())
    var lock = LockCommand.defaultFileName

    @OptionGroup var conditions: ConditionArguments

    func command(_ action: LockCommand.Action) -> LockCommand {
        var command = LockCommand(action: action)
        command.paths = paths.isEmpty ? ["."] : paths
        command.lockPath = lock
        command.definitions = conditions.define
        return command
    }
}

/// `modelc lock update`.
struct LockUpdate: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Write the hashes of drafts, and add what the lock lacks.",
        discussion: """
            EXAMPLES
              modelc lock update
              modelc lock update --release "Books 3"
                  The version has shipped: from now on it must not change.
            """)

    @OptionGroup var options: LockOptions

    @Option(parsing: .singleValue, help: "A version that has been released. Can be given several times.")
    var release: [String] = []

    @Option(parsing: .singleValue, help: "A version that has never been released. Can be given several times.")
    var draft: [String] = []

    @Flag(help: "All versions have been released.")
    var releaseAll = false

    @Flag(help: "Change the lines of released versions too.")
    var force = false

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = options.command(.update)
        command.released = release
        command.drafts = draft
        command.releasesAll = releaseAll
        command.isForced = force
        return command.run(in: environment)
    }
}

/// `modelc lock check`.
struct LockCheck: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare the lock with the models.",
        discussion: """
            EXIT CODES
              0  The lock is up to date.
              1  A line differs.
              2  The command could not run: no lock, no model.
            """)

    @OptionGroup var options: LockOptions

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        options.command(.check).run(in: environment)
    }
}

/// `modelc lock rebase`.
struct LockRebase: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebase", abstract: "Settle the conflicts that git left in the lock.",
        discussion: "Keeps the released lines of both sides, and computes the drafts from the merged models.")

    @OptionGroup var options: LockOptions

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        options.command(.rebase).run(in: environment)
    }
}

/// `modelc new-version`.
struct NewVersion: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-version",
        abstract: "Add a version to a model: a copy of the current one, which becomes current.",
        discussion: """
            Does what Xcode's Editor ▸ Add Model Version and choosing the new version as current do, also in a project that \
            lists versions.

            EXAMPLES
              modelc new-version Books.xcdatamodeld
              modelc new-version Books.xcdatamodeld "Books 2026" --from "Books 3"
            """)

    @Argument(help: "The .xcdatamodeld.", completion: .directory)
    var model: String

    @Argument(help: "The name of the new version. (default: the next number)")
    var name: String?

    @Option(help: "The version that is copied. (default: the current one)")
    var from: String?

    @Flag(help: "Leave the current version current.")
    var noCurrent = false

    @Option(
        help: "The .xcodeproj that lists the model. (default: one beside the model or above)", completion: .directory)
    var project: String?

    @Flag(help: "Leave projects as they are.")
    var noProject = false

    @Flag(help: "Tell what would be done, and change nothing.")
    var dryRun = false

    func validate() throws {
        if project != nil, noProject { throw ValidationError("--project and --no-project cannot be used together.") }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = NewVersionCommand(modelPath: model)
        command.name = name
        command.source = from
        command.becomesCurrent = !noCurrent
        command.projectPath = project
        command.changesProject = !noProject
        command.isDryRun = dryRun
        return command.run(in: environment)
    }
}
