internal import ArgumentParser

/// Conditional compilation in Swift sources: the argument of commands that read SwiftData models.
struct ConditionArguments: ParsableArguments {
    @Option(
        name: .customLong("define"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set a condition of #if in Swift sources, such as DEBUG or os(iOS); =false clears it.",
            valueName: "name"))
    var definitions: [String] = []
}
