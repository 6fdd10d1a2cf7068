internal import ArgumentParser
internal import Diagnostics

/// The arguments of every command that reports findings: which of them fail, and the baseline that hides some.
package struct FailureArguments: ParsableArguments {
    @Flag(help: "Warnings fail too.")
    var strict = false

    @Option(help: "The lowest severity that counts as a failure: error, warning or note.")
    var failLevel: Severity?

    @Option(name: .customLong("baseline"), help: "Hide the findings that a baseline records.")
    var baselinePath: String?

    @Option(name: .customLong("write-baseline"), help: "Record all findings in a baseline, and report success.")
    var newBaselinePath: String?

    /// Creates the arguments; parse them to use them.
    package init() {}

    /// Throws if a baseline is both read and written.
    package func validate() throws {
        if baselinePath != nil, newBaselinePath != nil {
            throw ValidationError("--baseline and --write-baseline cannot be used together.")
        }
    }

    /// The lowest severity that fails, or `nil` for that of the settings.
    var minimumSeverity: Severity? { failLevel ?? (strict ? .warning : nil) }
}

extension ArgumentHelp {
    /// The help of `--reporter`, beside that of `modelc lint`.
    static let reporters = ArgumentHelp(
        "How findings are printed, as in modelc lint. Can be given several times.", valueName: "reporter[=file]")
}
