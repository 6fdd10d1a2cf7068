/// The exit code of a command. Findings are results, not failures, so that a script can tell an invalid model from a
/// tool that did not run.
package enum ExitCode: Int32, Sendable {
    /// The command succeeded; there may be warnings.
    case success = 0
    /// The model has errors, or `--check` found stale files. Nothing was written.
    case findings = 1
    /// The command could not run: wrong arguments, no such file, no model, no permission. Nothing was written.
    case couldNotRun = 2
}
