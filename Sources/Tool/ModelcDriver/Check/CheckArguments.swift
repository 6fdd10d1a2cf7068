package import ArgumentParser
internal import Diagnostics
internal import ModelLint
internal import ProjectConfiguration

extension ProjectSettings.Check: ExpressibleByArgument {}

/// `modelc check`: runs all checks that apply, and says whether users can update.
package struct CheckCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Run all checks that apply, and say whether users of released versions can update.",
        discussion: """
            Finds the models, mapping models, @Model sources, generated code, locks and CloudKit schemas at and below the \
            paths, and does what lint, format --check, breaking, lock check, swiftdata freeze --check, cloudkit check and \
            generate --check would do with them, as far as it applies. Each file is read once.

            VERDICTS
              compatible               Stores open without migration.
              migrates automatically   Core Data migrates the stores of all released versions.
              needs a mapping model    A migration is not lightweight, and no mapping model serves it.
              would lock users out     Stores of a released version could no longer be opened.
              unknown                  There is nothing to compare with, or a model cannot be read.

            The verdict is followed by what to do next, by whether that needs a Mac, and by the findings in the order in \
            which to fix them.

            RELEASED STATE
              --against, or “against:” in .modelc.yml: a branch, which stands for its merge base with HEAD, latest-tag for \
            the last release tag such as v2.3, another git revision, a model, or modelc.lock. By default the merge base with the default branch (origin/HEAD, main or \
            master). If that has a modelc.lock, versions that it marks as drafts may change.

            EXAMPLES
              modelc check
                  Everything below the working directory.
              modelc check --changed
                  In a hook: what differs from the default branch.
              modelc check --format agent
                  For a coding agent: at most 8 KB of JSON.
              modelc check --against v2.3 --reporter github --reporter sarif=modelc.sarif

            SETTINGS
              .modelc.yml in the working directory or above, besides those of modelc lint:
                against: origin/main
                production: production.ckdb
                required-version: \(ToolVersion.number)
                check: {without: [format]}

            EXIT CODES
              0  No finding at the fail level, which is error by default.
              1  There are findings at the fail level.
              2  The command could not run: wrong arguments or settings, no such revision, no model.
            """
    )

    @OptionGroup var search: ModelSearchArguments

    @Option(
        help: ArgumentHelp(
            "The released state to compare with. (default: as set in .modelc.yml, or else the default branch)",
            valueName: "reference"))
    var against: String?

    @Flag(
        help:
            "Check only what differs from the released state, a git revision. Migrations are checked from its current version."
    )
    var changed = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Leave out a check: \(ProjectSettings.Check.allCases.map(\.rawValue).joined(separator: ", ")). Can be given "
                + "several times.", valueName: "check"))
    var without: [ProjectSettings.Check] = []

    @Option(
        name: .customLong("production"),
        help: ArgumentHelp(
            "The schema of CloudKit's production environment. (default: as set in .modelc.yml, or else the only .ckdb)",
            valueName: "schema"), completion: .file())
    var productionPath: String?

    @Option(help: "The output format: text, or agent for at most 8 KB of JSON with at most 20 findings.")
    var format = Format.text

    @Option(name: .customLong("reporter"), parsing: .singleValue, help: .reporters, completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var failing: FailureArguments

    @OptionGroup var conditions: ConditionArguments

    /// A format of standard output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case agent

        var reporter: ReporterKind { self == .agent ? .agent : .text }
    }

    package init() {}

    package func validate() throws {
        if format == .agent, outputs.contains(where: { $0.path == nil }) {
            throw ValidationError("--format agent and --reporter without a file cannot be used together.")
        }
    }
}
