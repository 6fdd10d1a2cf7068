package import ArgumentParser
internal import ModelEvolution

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
