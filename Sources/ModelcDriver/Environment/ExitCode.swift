/// How a command ended. Findings are results, not failures: a script can tell a bad model from a tool that did not run.
package enum ExitCode: Int32, Sendable {
    /// Done; there may be warnings.
    case success = 0
    /// The model has errors, or `--check` found stale files. Nothing was written.
    case findings = 1
    /// The command could not run: wrong arguments, no such file, no model, no permission. Nothing was written.
    case couldNotRun = 2
}
