import ArgumentParser
import ModelcDriver

/// `modelc mapc`, for the help; its arguments are read by `MapcCommand`.
struct Mapc: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take the arguments of Apple's mapc.",
        discussion: """
            For build rules that call mapc. A link named mapc to this program does the same.

            EXAMPLES
              modelc mapc V1toV2.xcmappingmodel Resources/V1toV2.cdm

            Accepts --dry-run and --no-warnings. --sdkroot, --module and all deployment targets are accepted and ignored.
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of mapc.")
    var arguments: [String] = []

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        MapcCommand.run(arguments: arguments, in: environment)
    }
}
