package import ArgumentParser

/// `modelc init`: adds a model and the build plugin to a target of a package.
package struct InitCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Add a model and the build plugin to a package.",
        discussion: """
            Creates an .xcdatamodeld in the target's folder, unless the target has a model, and adds to Package.swift what the \
            target lacks: the dependency on modelc, the product CoreData on Linux, the exclude: entry of the model and \
            ModelcBuildPlugin. The manifest is edited only if the target's declaration is certain: a plain list of targets \
            without conditions. Otherwise the lines to add are printed, and nothing is written.

            EXAMPLES
              modelc init --modelc https://…/modelc
              modelc init Storage --target Storage --model Books --modelc ../modelc --dry-run
              modelc init --agents
                  Tell coding agents how to check models, in AGENTS.md, and in CLAUDE.md if there is one.

            EXIT CODES
              0  Done, or nothing to do.
              1  The manifest cannot be edited safely; the lines to add were printed.
              2  The command could not run: wrong arguments, no manifest, no such target.
            """
    )

    @OptionGroup var root: PackageArguments

    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("The target. (default: the only one that is not a test)", valueName: "name"))
    var targetName: String?

    @Option(
        name: .customLong("model"),
        help: ArgumentHelp("The name of the model. (default: the target's)", valueName: "name"))
    var modelName: String?

    @OptionGroup var location: ModelcLocationArguments

    @Flag(
        name: .customLong("agents"),
        help:
            "Only add a section about modelc to AGENTS.md, and to CLAUDE.md if it exists; the folder need not be a package."
    )
    var isForAgents = false

    @Flag(name: .customLong("dry-run"), help: "Write nothing; print the change.")
    var isDryRun = false

    package init() {}

    package func validate() throws {
        if isForAgents, targetName != nil || modelName != nil || location.modelcLocation != nil {
            throw ValidationError("--agents cannot be used with --target, --model or --modelc.")
        }
    }
}

/// `modelc doctor`: checks how a package uses modelc.
package struct DoctorCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find mistakes in how a package is set up to use modelc.",
        discussion: """
            Checks the Swift toolchain, the system libraries, and each target in Package.swift: models that are not excluded or \
            are declared as resources, a missing plugin or product, and plugins without a model. Nothing is written, and the \
            package is not built.

            EXAMPLES
              modelc doctor
              modelc doctor Storage

            EXIT CODES
              0  Nothing is wrong. There may be warnings.
              1  Something keeps the package from building or its models from being found.
              2  The command could not run: wrong arguments, no manifest.
            """
    )

    @OptionGroup var root: PackageArguments

    package init() {}
}
