package import Diagnostics

/// The reason why a command has no valid input.
package struct InputFailure: Error {
    package var diagnostics: [Diagnostic]
    package var lines: [String: LineIndex] = [:]
    /// `couldNotRun` if there is no model, `findings` if the model is invalid.
    package var exitCode: ExitCode
    /// Whether a git revision exists but has no file at the path.
    package var missesPath = false

    /// Creates a failure.
    package init(
        diagnostics: [Diagnostic], lines: [String: LineIndex] = [:], exitCode: ExitCode, missesPath: Bool = false
    ) {
        self.diagnostics = diagnostics
        self.lines = lines
        self.exitCode = exitCode
        self.missesPath = missesPath
    }

    /// Creates the failure of a command that cannot use a file.
    package init(_ path: String, rule: RuleID, message: String, help: String) {
        self.init(
            diagnostics: [Diagnostic(.error, rule: rule, message, file: path, range: .fileStart, help: help)],
            exitCode: .couldNotRun)
    }
}
