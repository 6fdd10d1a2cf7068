import ArgumentParser
import Diagnostics
import ModelLint
import ModelcDriver

/// `modelc lint`.
struct Lint: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check models: what is wrong with them though they may compile.",
        discussion: """
            Looks at every .xcdatamodeld and .xcdatamodel at and below the paths: everything in the current version, \
            errors in all others. Folders whose name begins with a dot, Pods, Carthage, DerivedData and node_modules are left \
            out.

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
              0  No finding of the fail level (error unless told otherwise).
              1  There are such findings.
              2  The command could not run: wrong arguments or settings, no model.
            """
    )

    @Argument(help: "Models, or folders that hold some. (default: the working directory)", completion: .directory)
    var paths: [String] = []

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "How findings are printed: \(ReporterKind.allCases.map(\.rawValue).joined(separator: ", ")); with =FILE into a "
                + "file. Can be given several times.", valueName: "reporter[=file]"))
    var reporter: [LintCommand.Output] = []

    @Option(help: "The settings. (default: .modelc.yml in the working directory or above)")
    var config: String?

    @Option(parsing: .singleValue, help: "Ask this rule alone. Can be given several times.")
    var only: [String] = []

    @Option(parsing: .singleValue, help: "Switch a rule on that is off by default.")
    var enable: [String] = []

    @Option(parsing: .singleValue, help: "Switch a rule off.")
    var disable: [String] = []

    @Option(help: "A use of the models that has rules of its own: cloudkit.")
    var profile: LintConfiguration.Profile?

    @Flag(help: "Look at all versions in full, or at the current one alone.")
    var versions: VersionChoice?

    @OptionGroup var failing: FailureArguments

    @Option(parsing: .singleValue, help: "A folder of the target's Swift sources, to compare with the codegen modes.")
    var sources: [String] = []

    @OptionGroup var conditions: ConditionArguments

    @Flag(help: "Make the changes that are safe: no version hash moves, and the app does the same.")
    var fix = false

    @Flag(help: "Make all changes, also those that move version hashes or change what the app does.")
    var unsafeFixes = false

    @Flag(help: "Show the changes instead of making them.")
    var dryRun = false

    /// Which versions are looked at.
    enum VersionChoice: String, EnumerableFlag {
        case allVersions
        case current
    }

    func validate() throws {
        if dryRun, !fix, !unsafeFixes { throw ValidationError("--dry-run needs --fix or --unsafe-fixes.") }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = LintCommand()
        command.paths = paths.isEmpty ? ["."] : paths
        command.outputs = reporter
        command.configurationPath = config
        command.only = only
        command.enabled = enable
        command.disabled = disable
        command.profile = profile
        command.versions = versions.map { $0 == .current ? .current : .all }
        command.failLevel = failing.leastSeverity
        command.baselinePath = failing.baseline
        command.newBaselinePath = failing.writeBaseline
        command.sources = sources
        command.definitions = conditions.define
        command.fixing = unsafeFixes ? .all : fix ? .safe : .none
        command.isDryRun = dryRun
        command.toolVersion = Modelc.versionNumber
        return command.run(in: environment)
    }
}

/// `modelc explain`.
struct Explain: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain a rule of lint: what it looks for, why, and what to do.")

    @Argument(help: "The name or code of a rule.")
    var rule: String

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        ExplainCommand(rule: rule).run(in: environment)
    }
}

/// `modelc rules`.
struct Rules: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(abstract: "List the rules of lint.")

    @Option(help: "The form of the list: text, json or markdown.")
    var format = RulesCommand.Format.text

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        RulesCommand(format: format).run(in: environment)
    }
}

extension RulesCommand.Format: ExpressibleByArgument {}
extension LintConfiguration.Profile: ExpressibleByArgument {}

extension LintCommand.Output: ExpressibleByArgument {}

extension Severity: ExpressibleByArgument {
    /// Reads the word of a severity.
    package init?(argument: String) {
        guard let severity = Severity.allCases.first(where: { $0.word == argument }) else { return nil }
        self = severity
    }

    /// The words, for help and completions.
    package static var allValueStrings: [String] { allCases.map(\.word) }
}
