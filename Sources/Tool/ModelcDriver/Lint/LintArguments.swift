package import ArgumentParser
internal import Diagnostics
internal import ModelLint
internal import ProjectConfiguration

/// `modelc lint`: finds problems in models that compile.
package struct LintCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Find problems in models that compile.",
        discussion: """
            Looks at every .xcdatamodeld and .xcdatamodel at and below the paths: everything in the current version, \
            errors in all others. Folders whose name begins with a dot, Pods, Carthage, DerivedData and node_modules \
            are skipped.

            EXAMPLES
              modelc lint
                  Everything below the working directory.
              modelc lint App/Books.xcdatamodeld --profile cloudkit
              modelc lint --reporter sarif=modelc.sarif --reporter github
                  For code scanning and annotations on GitHub.
              modelc lint --fix --dry-run
                  Show what would be changed.
              modelc explain missing-inverse

            SETTINGS
              .modelc.yml in the working directory or above:
                version: 1
                rules: {ordered-to-many: warning, unknown-xml: off}
                exclude: [Vendor]
                fail-level: warning
              For one element: the userInfo entry modelc.ignore = RULE, RULE.

            EXIT CODES
              0  No finding at the fail level, which is error by default.
              1  There are findings at the fail level.
              2  The command could not run: wrong arguments or settings, no model.
            """
    )

    @OptionGroup var search: ModelSearchArguments

    @Option(
        name: .customLong("reporter"), parsing: .singleValue,
        help: ArgumentHelp(
            "How findings are printed: \(ReporterKind.allCases.map(\.rawValue).joined(separator: ", ")); with =FILE into a "
                + "file. Can be given several times.", valueName: "reporter[=file]"), completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var rules: RuleArguments

    @OptionGroup var failing: FailureArguments

    @Option(parsing: .singleValue, help: "A folder of the target's Swift sources, to compare with the codegen modes.")
    var sources: [String] = []

    @OptionGroup var conditions: ConditionArguments

    @Flag(help: "Apply safe fixes: those that change neither version hashes nor the app's behavior.")
    var fix = false

    @Flag(help: "Apply all fixes, including those that change version hashes or the app's behavior.")
    var unsafeFixes = false

    @Flag(name: .customLong("dry-run"), help: "Show the changes instead of making them.")
    var isDryRun = false

    package init() {}

    package func validate() throws {
        if isDryRun, !fix, !unsafeFixes { throw ValidationError("--dry-run needs --fix or --unsafe-fixes.") }
    }
}

/// The options that select the rules, and the versions to check.
struct RuleArguments: ParsableArguments {
    @Option(parsing: .singleValue, help: "Run only this rule. Can be given several times.", completion: .lintRules)
    var only: [String] = []

    @Option(parsing: .singleValue, help: "Enable a rule that is off by default.", completion: .lintRules)
    var enable: [String] = []

    @Option(parsing: .singleValue, help: "Disable a rule.", completion: .lintRules)
    var disable: [String] = []

    @Option(help: "A use of the models that adds rules: cloudkit.")
    var profile: ProjectSettings.Profile?

    @Flag(help: "Check all versions completely, or only the current one.")
    var versions: VersionChoice?

    /// The versions to check.
    enum VersionChoice: String, EnumerableFlag {
        case allVersions
        case current

        /// The value in the settings.
        var setting: ProjectSettings.Versions { self == .current ? .current : .all }
    }
}

extension ProjectSettings.Profile: ExpressibleByArgument {}

extension ReportOutput.Destination: ExpressibleByArgument {}

extension Severity: ExpressibleByArgument {
    /// Parses the name of a severity.
    package init?(argument: String) {
        guard let severity = Severity.allCases.first(where: { $0.word == argument }) else { return nil }
        self = severity
    }

    /// The names, for help and completions.
    package static var allValueStrings: [String] { allCases.map(\.word) }
}
