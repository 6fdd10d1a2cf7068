package import ArgumentParser

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
        LockSession(
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
        LockSession(
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
        LockSession(
            paths: options.search.paths, lockPath: options.lockPath, swift: options.conditions.reading,
            action: .rebase
        ).run(in: environment)
    }
}
