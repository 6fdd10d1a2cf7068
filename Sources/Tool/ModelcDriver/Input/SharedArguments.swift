package import ArgumentParser

/// The models that a command looks for.
struct ModelSearchArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Models, or folders that contain models. (default: the working directory)", valueName: "paths"),
        completion: .directory)
    var givenPaths: [String] = []

    /// The paths that are searched for models.
    var paths: [String] { givenPaths.isEmpty ? ["."] : givenPaths }
}

/// What a command shows of a model, and how.
struct ShownModelArguments: ParsableArguments {
    @Argument(help: .moreSources, completion: .file())
    var otherPaths: [String] = []

    @Option(help: "Use only this version of the model.", completion: .versions)
    var version: String?

    @Option(help: "The output format.")
    var format = OutputFormat.text
}

/// The mapping models that may serve a migration.
package struct MappingArguments: ParsableArguments {
    /// The given paths, none of which stands for the folder that holds the model.
    @Option(
        name: .customLong("mappings"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Mapping models, or folders that contain mapping models. (default: the folder that contains the model)",
            valueName: "path"),
        completion: .file())
    package var mappingPaths: [String] = []

    /// Creates the arguments; parse them to use them.
    package init() {}
}

/// The file with the settings.
struct ConfigurationArguments: ParsableArguments {
    @Option(
        name: .customLong("config"), help: "The settings. (default: .modelc.yml in the working directory or above)",
        completion: .file())
    var configurationPath: String?
}

/// The folder of a package.
struct PackageArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The folder of the package.", valueName: "package"),
        completion: .directory)
    var packagePath = "."
}

/// The location of modelc, for edits of a manifest.
struct ModelcLocationArguments: ParsableArguments {
    @Option(
        name: .customLong("modelc"),
        help: ArgumentHelp(
            "The URL or folder of the modelc package, if the manifest does not depend on it.", valueName: "location"))
    var modelcLocation: String?
}

/// The option for an output that can also be given as an argument.
struct OutputOptionArguments: ParsableArguments {
    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The same path as an option.", completion: .file())
    var path: String?

    /// Throws if the output was given twice.
    ///
    /// - Parameter argument: The output that was given as an argument.
    func requireOnly(_ argument: String?) throws {
        guard path == nil || argument == nil else {
            throw ValidationError("The output was given twice, as an argument and with --output.")
        }
    }
}

/// The file that a picture or schema is written to.
struct OutputFileArguments: ParsableArguments {
    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: ArgumentHelp("The file that is written. (default: the standard output)", valueName: "file"),
        completion: .file())
    var outputPath: String?
}
