import ArgumentParser
import ModelcDriver

/// `modelc studio`, for the help; its arguments are read by `modelc-studio`.
struct Studio: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit a model in the browser (modelc-studio).",
        discussion: """
            Runs modelc-studio, a separate executable that contains a web server for this computer alone. It is looked for in \
            the environment variable MODELC_STUDIO, beside modelc, and in PATH; `swift build --product modelc-studio` builds it.

            EXAMPLES
              modelc studio Books.xcdatamodeld
              modelc studio Books.xcdatamodeld --read-only --no-open
              modelc studio --help
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of modelc-studio.")
    var arguments: [String] = []

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        StudioCommand(arguments: arguments).run(in: environment)
    }
}
