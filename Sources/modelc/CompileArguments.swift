import ArgumentParser
import ModelcDriver

extension OutputFormat: ExpressibleByArgument {}

/// `modelc compile`.
struct Compile: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compile a model to the .momd or .mom that Core Data loads.",
        discussion: """
            An .xcdatamodeld becomes an .momd with all its versions; a bare .xcdatamodel becomes a .mom. The result \
            is written beside its place and moved there whole; when the model has errors, nothing changes.

            EXAMPLES
              modelc compile Books.xcdatamodeld
              modelc compile Books.xcdatamodeld Resources/Books.momd --module Library
              modelc compile Books.xcdatamodeld Resources --list-outputs
            """
    )

    @Argument(help: "An .xcdatamodeld, an .xcdatamodel or a contents file.", completion: .file())
    var model: String

    @Argument(help: "A path ending in .momd or .mom, or a folder. (default: the current folder)", completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("The module of classes that the model names with a leading dot.", valueName: "name"))
    var module: String?

    @Flag(help: "Write nothing; print the path of what would be written.")
    var listOutputs = false

    @Flag(name: .shortAndLong, help: "Print no notes and no summary.")
    var quiet = false

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        CompileCommand(
            modelPath: model, outputPath: output, moduleName: module, listsOutputs: listOutputs, isQuiet: quiet
        ).run(in: environment)
    }
}

/// The arguments of the commands that look at a model in any form.
struct LookArguments: ParsableArguments {
    @Argument(
        help: "An .xcdatamodeld, .xcdatamodel, contents file, .momd, .mom or SQLite store.", completion: .file())
    var model: String

    @Option(help: "The only version of the model that is wanted.")
    var version: String?

    @Option(help: "The form of the output.")
    var format = OutputFormat.text
}

/// `modelc hash`.
struct Hash: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the version hashes and checksums of a model.",
        discussion: """
            Core Data opens a store with a model when the hashes of all entities are equal.

            EXAMPLES
              modelc hash Books.xcdatamodeld
              modelc hash Books.momd --format json
              modelc hash Books.sqlite
            """
    )

    @OptionGroup var look: LookArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        HashCommand(modelPath: look.model, version: look.version, format: look.format).run(in: environment)
    }
}

/// `modelc inspect`.
struct Inspect: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a source, a compiled model or a store holds.",
        discussion: """
            EXAMPLES
              modelc inspect Books.momd
              modelc inspect Books.sqlite --format json
            """
    )

    @OptionGroup var look: LookArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        InspectCommand(modelPath: look.model, version: look.version, format: look.format).run(in: environment)
    }
}

/// `modelc decompile`.
struct Decompile: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a source of a compiled model.",
        discussion: """
            An .momd becomes an .xcdatamodeld with all its versions, a .mom an .xcdatamodel. It compiles back to the \
            same version hashes. What a compiled model does not hold - codegen modes, scalar types, the order of \
            entities - cannot come back. Nothing that exists is overwritten.

            EXAMPLES
              modelc decompile Books.momd
              modelc decompile Books.momd Recovered/Books.xcdatamodeld
            """
    )

    @Argument(help: "An .momd, a .mom or a SQLite store.", completion: .file())
    var model: String

    @Argument(
        help: "A path ending in .xcdatamodeld or .xcdatamodel, or a folder. (default: the current folder)",
        completion: .file())
    var output: String?

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        DecompileCommand(modelPath: model, outputPath: output).run(in: environment)
    }
}
