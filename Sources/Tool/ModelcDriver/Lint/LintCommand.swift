internal import Diagnostics
internal import ModelLint

extension LintCommand {
    /// The changes that are made.
    enum Fixing {
        case none
        /// Changes that affect neither a version hash nor the behavior of the app.
        case safe
        /// All changes.
        case all
    }

    /// The changes that are made.
    var fixing: Fixing { unsafeFixes ? .all : fix ? .safe : .none }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            var session = try LintSession(try RunSettings(self, environment.files), environment)
            try session.readModels(search.paths, swift: conditions.reading)
            if fixing != .none { try session.fix(includesUnsafe: fixing == .all, isDryRun: isDryRun) }
            return try session.report(self)
        }
    }
}
