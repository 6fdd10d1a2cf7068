internal import Diagnostics

/// Calls of the `git` program.
extension GitReader {
    func git(
        _ resolved: Resolved, _ arguments: [String], settings: [String] = [], input: [UInt8] = []
    ) throws(InputFailure) -> [UInt8] {
        let result = try run(resolved, arguments, settings: settings, input: input)
        guard result.exitCode == 0 else {
            // “could not fetch ID from promisor remote”
            if result.errorOutput.contains("promisor remote") { throw notFetched(resolved.location) }
            let reason = result.errorOutput.split(separator: "\n").first.map(String.init) ?? "it failed"
            throw failure(
                resolved.location, "git \(arguments[0]): \(reason)", help: "Check the repository with “git fsck”.")
        }
        return result.output
    }

    func run(
        _ resolved: Resolved, _ arguments: [String], settings: [String] = [], input: [UInt8] = []
    ) throws(InputFailure) -> ChildProcess.Result {
        // The repository may be untrusted: programs named in its settings are not run, and nothing is fetched.
        let command =
            [
                "-C", resolved.top, "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c",
                "diff.autoRefreshIndex=false",
            ] + settings
            + arguments
        do throws(ChildProcess.Failure) {
            return try ChildProcess.git(
                command, input: input,
                variables: [
                    ("LC_ALL", "C"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"),
                    ("GIT_NO_REPLACE_OBJECTS", "1"),
                ])
        } catch {
            throw failure(
                resolved.location, error.isMissing ? "git is not installed" : "git cannot run: \(error.reason)",
                help: "Install git, or compare with a path.")
        }
    }

    /// Returns what git printed on a single line. A path can contain line feeds, so only the last one is the line's
    /// end.
    static func line(_ output: [UInt8]) -> String {
        String(decoding: output.last == UInt8(ascii: "\n") ? output.dropLast() : output[...], as: UTF8.self)
    }

    func failure(_ location: Location, _ message: String, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: .gitRevision, message, file: location.shown, help: help)],
            exitCode: .couldNotRun)
    }
}
