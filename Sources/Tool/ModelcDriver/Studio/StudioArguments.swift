package import ArgumentParser

/// `modelc studio`: replaces the process with `modelc-studio`, which contains the web server and is built separately.
package struct StudioCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "studio", abstract: "Edit a model in the browser (modelc-studio).",
        discussion: """
            Runs modelc-studio, a separate executable that contains a web server for this computer alone. It is looked for in \
            the environment variable MODELC_STUDIO, beside modelc, and in PATH; `swift build --package-path Studio` in modelc's \
            folder builds it.

            EXAMPLES
              modelc studio Books.xcdatamodeld
              modelc studio Books.xcdatamodeld --read-only --no-open
              modelc studio --help
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of modelc-studio.")
    var arguments: [String] = []

    package init() {}
}
