package import Diagnostics
package import ModelLint
internal import ModelSource

/// `modelc lint`: what is wrong with models though they may compile.
package struct LintCommand: Sendable {
    /// A form of output and where it goes.
    package struct Output: Hashable, Sendable {
        /// The form.
        package var kind: ReporterKind
        /// The path of a file; nil for standard output.
        package var path: String?

        /// Names a form and a place.
        package init(kind: ReporterKind, path: String?) {
            self.kind = kind
            self.path = path
        }

        /// Reads `KIND` or `KIND=FILE`; nil if there is no such kind, or no file behind the `=`.
        package init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 || !argument.contains("="),
                let kind = parts.first.flatMap(ReporterKind.init(rawValue:))
            else { return nil }
            self.init(kind: kind, path: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Which changes are made.
    package enum Fixing: Sendable {
        /// None.
        case none
        /// Those that move no version hash and change nothing that the app does.
        case safe
        /// All.
        case all
    }

    /// Where models are looked for.
    package var paths: [String] = ["."]
    /// The forms of the output; text on standard output when there are none.
    package var outputs: [Output] = []
    /// The path of the configuration; nil to look for `.modelc.yml` in the working directory and above.
    package var configurationPath: String?
    /// Whether `.modelc.yml` is looked for when no path is given.
    package var findsConfiguration = true
    /// The only rules that are asked, by name or code; empty for all.
    package var only: [String] = []
    /// Rules that are switched on, by name or code.
    package var enabled: [String] = []
    /// Rules that are switched off, by name or code.
    package var disabled: [String] = []
    /// The use of the models; nil for what the configuration says.
    package var profile: LintConfiguration.Profile?
    /// Which versions are looked at; nil for what the configuration says.
    package var versions: LintConfiguration.Versions?
    /// The least severity that fails; nil for what the configuration says.
    package var failLevel: Severity?
    /// The path of a baseline whose findings are hidden; nil for what the configuration says.
    package var baselinePath: String?
    /// The path that a baseline of the findings is written to; nil for none.
    package var newBaselinePath: String?
    /// The folders of the target's Swift sources; empty for what the configuration says.
    package var sources: [String] = []
    /// Conditions of `#if` in Swift sources that hold.
    package var definitions: [String] = []
    /// Which changes are made.
    package var fixing = Fixing.none
    /// Whether changes are shown and not made.
    package var isDryRun = false
    /// The version of the tool, for reports.
    package var toolVersion = ""

    /// Makes a command that looks at everything below the working directory.
    package init() {}

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            var session = try LintSession(self, environment)
            try session.readModels()
            if fixing != .none { try session.fix(includesUnsafe: fixing == .all, isDryRun: isDryRun) }
            return try session.report(&printer)
        }
    }
}
