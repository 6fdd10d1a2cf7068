package import ArgumentParser

extension OutputFormat: ExpressibleByArgument {}

/// `modelc compile`: compiles an `.xcdatamodeld` to a `.momd` bundle, a bare `.xcdatamodel` to a `.mom` file, or an
/// `.xcmappingmodel` to a `.cdm` file.
package struct CompileCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compile a model or a mapping model to the form that Core Data loads.",
        discussion: """
            An .xcdatamodeld becomes an .momd with all its versions, a bare .xcdatamodel a .mom, and an \
            .xcmappingmodel a .cdm. The output is replaced atomically; if the model has errors, nothing changes.

            EXAMPLES
              modelc compile Books.xcdatamodeld
              modelc compile Books.xcdatamodeld --output Resources/Books.momd --module Library
              modelc compile Books.xcdatamodeld Resources --list-outputs
              modelc compile Books1to2.xcmappingmodel Resources
            """
    )

    @Argument(
        help: ArgumentHelp("An .xcdatamodeld, .xcdatamodel, contents file or .xcmappingmodel.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Argument(
        help: ArgumentHelp(
            "A path ending in .momd, .mom or .cdm, or a folder. (default: the current folder)", valueName: "output"),
        completion: .file())
    var givenOutputPath: String?

    @OptionGroup var output: OutputOptionArguments

    /// The path of the output, given in either form.
    var outputPath: String? { output.path ?? givenOutputPath }

    @Option(
        name: .customLong("module"),
        help: ArgumentHelp("The module of classes that the model names with a leading dot.", valueName: "name"))
    var moduleName: String?

    @Flag(name: .customLong("list-outputs"), help: "Write nothing; print the path of what would be written.")
    var listsOutputs = false

    @Flag(name: [.customLong("quiet"), .customShort("q")], help: "Print no notes and no summary.")
    var isQuiet = false

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}

    package func validate() throws { try output.requireOnly(givenOutputPath) }
}

/// `modelc decompile`: reconstructs the source of a compiled model.
package struct DecompileCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "decompile", abstract: "Reconstruct the source of a compiled model or mapping model.",
        discussion: """
            An .momd becomes an .xcdatamodeld with all its versions, a .mom an .xcdatamodel. It compiles back to the \
            same version hashes. What a compiled model does not contain - codegen modes, scalar types, the order of \
            entities - cannot be recovered. Existing files are not overwritten.

            A .cdm becomes an .xcmappingmodel. It identifies its models only by version hashes. To include copies of \
            them in the source, specify them with --source-model and --destination-model, as paths relative to the \
            project's folder.

            EXAMPLES
              modelc decompile Books.momd
              modelc decompile Books.momd --output Recovered/Books.xcdatamodeld
              modelc decompile Books1to2.cdm --source-model Books1.xcdatamodel --destination-model Books2.xcdatamodel
            """
    )

    @Argument(
        help: ArgumentHelp("An .momd, a .mom, a .cdm or a SQLite store.", valueName: "model"), completion: .file())
    var modelPath: String

    @Argument(
        help:
            ArgumentHelp(
                "A path ending in .xcdatamodeld, .xcdatamodel or .xcmappingmodel, or a folder. (default: the current folder)",
                valueName: "output"),
        completion: .file())
    var givenOutputPath: String?

    @OptionGroup var output: OutputOptionArguments

    /// The path of the source, given in either form.
    var outputPath: String? { output.path ?? givenOutputPath }

    @Option(
        name: .customLong("source-model"),
        help: ArgumentHelp("The model that a .cdm migrates from, to be copied into the source.", valueName: "path"),
        completion: .file())
    var sourceModelPath: String?

    @Option(
        name: .customLong("destination-model"),
        help: ArgumentHelp("The model that a .cdm migrates to, to be copied into the source.", valueName: "path"),
        completion: .file())
    var destinationModelPath: String?

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}

    package func validate() throws {
        try output.requireOnly(givenOutputPath)
        if (sourceModelPath == nil) != (destinationModelPath == nil) {
            throw ValidationError("--source-model and --destination-model must be used together.")
        }
    }
}
