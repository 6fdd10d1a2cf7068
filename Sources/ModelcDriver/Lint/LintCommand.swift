public import Diagnostics
public import ModelLint
internal import ModelSource

/// `modelc lint`: what is wrong with models though they may compile.
public struct LintCommand: Sendable {
    /// A form of output and where it goes.
    public struct Output: Hashable, Sendable {
        /// The form.
        public var kind: ReporterKind
        /// The path of a file; nil for standard output.
        public var path: String?

        /// Names a form and a place.
        public init(kind: ReporterKind, path: String?) {
            self.kind = kind
            self.path = path
        }

        /// Reads `KIND` or `KIND=FILE`; nil if there is no such kind, or no file behind the `=`.
        public init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 || !argument.contains("="),
                let kind = parts.first.flatMap(ReporterKind.init(rawValue:))
            else { return nil }
            self.init(kind: kind, path: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Which changes are made.
    public enum Fixing: Sendable {
        /// None.
        case none
        /// Those that move no version hash and change nothing that the app does.
        case safe
        /// All.
        case all
    }

    /// Where models are looked for.
    public var paths: [String] = ["."]
    /// The forms of the output; text on standard output when there are none.
    public var outputs: [Output] = []
    /// The path of the configuration; nil to look for `.modelc.yml` in the working directory and above.
    public var configurationPath: String?
    /// Whether `.modelc.yml` is looked for when no path is given.
    public var findsConfiguration = true
    /// The only rules that are asked, by name or code; empty for all.
    public var only: [String] = []
    /// Rules that are switched on, by name or code.
    public var enabled: [String] = []
    /// Rules that are switched off, by name or code.
    public var disabled: [String] = []
    /// The use of the models; nil for what the configuration says.
    public var profile: LintConfiguration.Profile?
    /// Which versions are looked at; nil for what the configuration says.
    public var versions: LintConfiguration.Versions?
    /// The least severity that fails; nil for what the configuration says.
    public var failLevel: Severity?
    /// The path of a baseline whose findings are hidden; nil for what the configuration says.
    public var baselinePath: String?
    /// The path that a baseline of the findings is written to; nil for none.
    public var newBaselinePath: String?
    /// The folders of the target's Swift sources; empty for what the configuration says.
    public var sources: [String] = []
    /// Which changes are made.
    public var fixing = Fixing.none
    /// Whether changes are shown and not made.
    public var isDryRun = false
    /// The version of the tool, for reports.
    public var toolVersion = ""

    /// Makes a command that looks at everything below the working directory.
    public init() {}

    /// Runs the command.
    public func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            var session = try LintSession(self, environment)
            try session.readModels()
            if fixing != .none { try session.fix(includesUnsafe: fixing == .all, isDryRun: isDryRun) }
            return try session.report(&printer)
        }
    }
}
