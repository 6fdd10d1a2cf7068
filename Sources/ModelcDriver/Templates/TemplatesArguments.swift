package import ArgumentParser
internal import CodeGeneration

extension TemplateTool: ExpressibleByArgument {}

/// `modelc templates`.
package struct TemplatesCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "templates", abstract: "Work with custom templates.",
        discussion: """
            Generated files are made with Mustache templates. `modelc generate --templates DIR` uses yours.

            EXAMPLES
              modelc templates eject MyTemplates
              modelc templates context Books.xcdatamodeld
              modelc templates import --from swiftgen Templates
              modelc generate Books.xcdatamodeld --output Generated --templates MyTemplates
            """,
        subcommands: [EjectCommand.self, ContextCommand.self, TemplatesImportCommand.self]
    )

    /// Creates the command with its declared arguments; parse it to use it.
    package init() {}
}

/// `modelc templates eject`.
package struct EjectCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "eject", abstract: "Copy the built-in templates to a folder.")

    @Argument(help: "The folder; created if needed.", completion: .directory)
    var directory: String

    /// Creates the command with its declared arguments; parse it to use it.
    package init() {}
}

/// `modelc templates import`.
package struct TemplatesImportCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Report which parts of another generator's templates have a counterpart in modelc.",
        discussion: """
            Reads the Stencil templates of SwiftGen or the MiscMerge templates of mogenerator, and prints each \
            variable, tag, filter and macro with its location and its counterpart in modelc. Nothing is written.

            EXIT CODES
              0  Everything has a counterpart.
              1  Something has no counterpart, or a template is malformed.
              2  The command could not run.
            """)

    @Option(name: .customLong("from"), help: "The generator that the templates are for.")
    var tool: TemplateTool

    @Argument(help: "Templates, or folders that contain templates.", completion: .file())
    var paths: [String]

    @Option(help: "The output format.")
    var format = OutputFormat.text

    /// Creates the command with its declared arguments; parse it to use it.
    package init() {}
}

/// `modelc templates context`.
package struct ContextCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Print as JSON everything that templates can use for a model.")

    @Argument(
        help: ArgumentHelp("An .xcdatamodeld, an .xcdatamodel or a contents file.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @OptionGroup var code: CodeArguments

    /// Creates the command with its declared arguments; parse it to use it.
    package init() {}
}
