import ArgumentParser
import ModelcDriver

extension OutputFormat: ExpressibleByArgument {}

/// `modelc compile`.
struct Compile: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compile a model or a mapping model to the form that Core Data loads.",
        discussion: """
            An .xcdatamodeld becomes an .momd with all its versions, a bare .xcdatamodel a .mom, and an \
            .xcmappingmodel a .cdm. The result \
            is written beside its place and moved there whole; when the model has errors, nothing changes.

            EXAMPLES
              modelc compile Books.xcdatamodeld
              modelc compile Books.xcdatamodeld Resources/Books.momd --module Library
              modelc compile Books.xcdatamodeld Resources --list-outputs
              modelc compile Books1to2.xcmappingmodel Resources
            """
    )

    @Argument(help: "An .xcdatamodeld, .xcdatamodel, contents file or .xcmappingmodel.", completion: .file())
    var model: String

    @Argument(
        help: "A path ending in .momd, .mom or .cdm, or a folder. (default: the current folder)", completion: .file())
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

/// The arguments of `modelc hash`.
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

    @OptionGroup var conditions: ConditionArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = HashCommand(modelPath: look.model, version: look.version, format: look.format)
        command.definitions = conditions.define
        return command.run(in: environment)
    }
}

/// `modelc inspect`.
struct Inspect: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a model, a mapping model or a store holds.",
        discussion: """
            EXAMPLES
              modelc inspect Books.momd
              modelc inspect Books.sqlite --format json
              modelc inspect Books1to2.cdm
            """
    )

    @Argument(
        help: "A model or mapping model, as a source or compiled, or a SQLite store.", completion: .file())
    var model: String

    @Option(help: "The only version of the model that is wanted.")
    var version: String?

    @Option(help: "The form of the output.")
    var format = OutputFormat.text

    @OptionGroup var conditions: ConditionArguments

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = InspectCommand(modelPath: model, version: version, format: format)
        command.definitions = conditions.define
        return command.run(in: environment)
    }
}

/// `modelc decompile`.
struct Decompile: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reconstruct the source of a compiled model or mapping model.",
        discussion: """
            An .momd becomes an .xcdatamodeld with all its versions, a .mom an .xcdatamodel. It compiles back to the \
            same version hashes. What a compiled model does not hold - codegen modes, scalar types, the order of \
            entities - cannot come back. Nothing that exists is overwritten.

            A .cdm becomes an .xcmappingmodel. It names its models only by version hashes; name them with --source-model \
            and --destination-model, as paths from the project's folder, to have their copies in the source.

            EXAMPLES
              modelc decompile Books.momd
              modelc decompile Books.momd Recovered/Books.xcdatamodeld
              modelc decompile Books1to2.cdm --source-model Books1.xcdatamodel --destination-model Books2.xcdatamodel
            """
    )

    @Argument(help: "An .momd, a .mom, a .cdm or a SQLite store.", completion: .file())
    var model: String

    @Argument(
        help:
            "A path ending in .xcdatamodeld, .xcdatamodel or .xcmappingmodel, or a folder. (default: the current folder)",
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("The model that a .cdm migrates from, to be copied into the source.", valueName: "path"),
        completion: .file())
    var sourceModel: String?

    @Option(
        help: ArgumentHelp("The model that a .cdm migrates to, to be copied into the source.", valueName: "path"),
        completion: .file())
    var destinationModel: String?

    func validate() throws {
        if (sourceModel == nil) != (destinationModel == nil) {
            throw ValidationError("--source-model and --destination-model must be used together.")
        }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = DecompileCommand(modelPath: model, outputPath: output)
        command.sourceModelPath = sourceModel
        command.destinationModelPath = destinationModel
        return command.run(in: environment)
    }
}
