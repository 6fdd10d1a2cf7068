import ArgumentParser
import CodeGeneration
import ModelcDriver

/// `modelc templates`.
struct Templates: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Help with templates of your own.",
        discussion: """
            Generated files are made with Mustache templates. `modelc generate --templates DIR` uses yours.

            EXAMPLES
              modelc templates eject MyTemplates
              modelc templates context Books.xcdatamodeld
              modelc generate Books.xcdatamodeld --output Generated --templates MyTemplates
            """,
        subcommands: [Eject.self, Context.self]
    )

    /// `modelc templates eject`.
    struct Eject: ParsableCommand, DriverCommand {
        static let configuration = CommandConfiguration(abstract: "Copy the built-in templates to a folder.")

        @Argument(help: "The folder; it is made if needed.", completion: .directory)
        var directory: String

        func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
            TemplatesCommand.eject(to: directory, in: environment)
        }
    }

    /// `modelc templates context`.
    struct Context: ParsableCommand, DriverCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print as JSON everything that templates can use for a model.")

        @Argument(help: "An .xcdatamodeld, an .xcdatamodel or a contents file.", completion: .file())
        var model: String

        @OptionGroup var code: CodeArguments

        func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
            TemplatesCommand.context(
                modelPath: model, version: code.version,
                options: GenerationOptions(flavour: code.flavour, style: code.style, access: code.access),
                settings: code.features.settings, in: environment)
        }
    }
}
