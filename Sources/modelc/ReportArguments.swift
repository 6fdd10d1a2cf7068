import ArgumentParser
import Diagnostics
import ModelcDriver

/// How findings are printed, and which of them fail: the arguments that `breaking` and `cloudkit check` share.
struct ReportArguments: ParsableArguments {
    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "How findings are printed, as in modelc lint. Can be given several times.", valueName: "reporter[=file]"))
    var reporter: [LintCommand.Output] = []

    @Option(help: "The settings. (default: .modelc.yml in the working directory or above)")
    var config: String?

    @OptionGroup var failing: FailureArguments
}

/// Which findings fail, and the baseline that hides some: the arguments of every command that reports findings.
struct FailureArguments: ParsableArguments {
    @Flag(help: "Warnings fail too.")
    var strict = false

    @Option(help: "The least severity that fails: error, warning or note.")
    var failLevel: Severity?

    @Option(help: "Hide the findings of a baseline.")
    var baseline: String?

    @Option(help: "Write a baseline of all findings, and fail for none.")
    var writeBaseline: String?

    func validate() throws {
        if baseline != nil, writeBaseline != nil {
            throw ValidationError("--baseline and --write-baseline cannot be used together.")
        }
    }

    /// The least severity that fails, or `nil` for the settings' own.
    var leastSeverity: Severity? { failLevel ?? (strict ? .warning : nil) }
}
