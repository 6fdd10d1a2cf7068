package import ArgumentParser

/// `modelc templates`.
package struct TemplatesCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "templates", abstract: "Work with custom templates.",
        discussion: """
            Generated files are made with Mustache templates. `modelc generate --templates DIR` uses yours.

            EXAMPLES
              modelc templates eject MyTemplates
              modelc templates context Books.xcdatamodeld
              modelc generate Books.xcdatamodeld --output Generated --templates MyTemplates
            """,
        subcommands: [EjectCommand.self, ContextCommand.self]
    )

    package init() {}
}

/// `modelc templates eject`.
package struct EjectCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "eject", abstract: "Copy the built-in templates to a folder.")

    @Argument(help: ArgumentHelp("The folder; created if needed.", valueName: "directory"), completion: .directory)
    var givenDirectory: String?

    @OptionGroup var output: OutputOptionArguments

    /// The folder, given in either form.
    var directory: String { output.path ?? givenDirectory ?? "" }

    package init() {}

    package func validate() throws {
        try output.requireOnly(givenDirectory)
        guard output.path != nil || givenDirectory != nil else {
            throw ValidationError("Name the folder, as an argument or with --output.")
        }
    }
}

/// `modelc templates context`.
package struct ContextCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Print as JSON everything that templates can use for a model.")

    @Argument(
        help: ArgumentHelp("An .xcdatamodeld, an .xcdatamodel or a contents file.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @OptionGroup var code: CodeArguments

    @OptionGroup var features: FeatureArguments

    package init() {}
}
