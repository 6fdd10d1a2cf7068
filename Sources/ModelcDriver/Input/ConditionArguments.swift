internal import ArgumentParser

/// Conditional compilation in Swift sources: the argument of commands that read SwiftData models.
struct ConditionArguments: ParsableArguments {
    @Option(
        name: .customLong("define"), parsing: .singleValue,
        help: ArgumentHelp(
            "A condition of #if in Swift sources that holds, such as DEBUG or os(iOS), or does not with =false.",
            valueName: "name"))
    var definitions: [String] = []
}
