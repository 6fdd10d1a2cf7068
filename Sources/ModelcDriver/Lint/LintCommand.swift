internal import Diagnostics
internal import ModelLint

extension LintCommand {
    /// Which changes are made.
    enum Fixing {
        /// None.
        case none
        /// Those that move no version hash and change nothing that the app does.
        case safe
        /// All.
        case all
    }

    /// Which changes are made.
    var fixing: Fixing { unsafeFixes ? .all : fix ? .safe : .none }

    /// Where models are looked for.
    var paths: [String] { givenPaths.isEmpty ? ["."] : givenPaths }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            var session = try LintSession(try LintSettings(self, environment.files), environment)
            try session.readModels(paths, definitions: conditions.definitions)
            if fixing != .none { try session.fix(includesUnsafe: fixing == .all, isDryRun: isDryRun) }
            return try session.report(self)
        }
    }
}
