import ArgumentParser
import CodeGeneration
import ModelcDriver

extension TemplateTool: ExpressibleByArgument {}

/// `modelc templates`.
struct Templates: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Help with templates of your own.",
        discussion: """
            Generated files are made with Mustache templates. `modelc generate --templates DIR` uses yours.

            EXAMPLES
              modelc templates eject MyTemplates
              modelc templates context Books.xcdatamodeld
              modelc templates import --from swiftgen Templates
              modelc generate Books.xcdatamodeld --output Generated --templates MyTemplates
            """,
        subcommands: [Eject.self, Context.self, Import.self]
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

    /// `modelc templates import`.
    struct Import: ParsableCommand, DriverCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report which parts of another generator's templates modelc has a counterpart for.",
            discussion: """
                Reads the Stencil templates of SwiftGen or the MiscMerge templates of mogenerator, and prints each variable, tag, \
                filter and macro with its place and what stands for it in modelc. Nothing is written.

                EXIT CODES
                  0  Everything has a counterpart.
                  1  Something has none, or a template is broken.
                  2  The command could not run.
                """)

        @Option(help: "The generator that the templates are for.")
        var from: TemplateTool

        @Argument(help: "Templates, or folders that hold some.", completion: .file())
        var paths: [String]

        @Option(help: "The form of the output.")
        var format = OutputFormat.text

        func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
            TemplatesImportCommand(tool: from, paths: paths, format: format).run(in: environment)
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
