package import ArgumentParser

/// `modelc momc`, for the help; `MomcCommandLine` reads its arguments.
package struct MomcCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "momc", abstract: "Run with the arguments of Apple's momc.",
        discussion: """
            For build rules that call momc. A link named momc to this program does the same.

            EXAMPLES
              modelc momc --module Library Books.xcdatamodeld Resources/
              modelc momc --action generate --swift-version 6 Books.xcdatamodeld Out/
              modelc momc --dry-run --action generate Books.xcdatamodeld Out/

            Supported are --action compile|generate, --dry-run, --module, --no-warnings, \
            --no-inverse-relationship-warnings, --no-max-property-count-warnings, --no-delete-rule-warnings and \
            --suppress-inverse-transient-error. --sdkroot, --swift-version and all deployment targets are accepted \
            and ignored.
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of momc.")
    var arguments: [String] = []

    package init() {}
}
