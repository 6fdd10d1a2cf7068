package import ArgumentParser

/// `modelc mapc`, for the help; its arguments are read by `MapcCommand`.
package struct MapcCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mapc", abstract: "Run with the arguments of Apple's mapc.",
        discussion: """
            For build rules that call mapc. A link named mapc to this program does the same.

            EXAMPLES
              modelc mapc V1toV2.xcmappingmodel Resources/V1toV2.cdm

            Accepts --dry-run and --no-warnings. --sdkroot, --module and all deployment targets are accepted and ignored.
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of mapc.")
    var arguments: [String] = []

    package init() {}
}
