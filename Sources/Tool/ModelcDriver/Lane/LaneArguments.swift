package import ArgumentParser

/// `modelc lane`: writes a Swift package with the part of an app that compiles on Linux.
package struct LaneCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lane",
        abstract: "Write a package with the part of an Xcode project that compiles on Linux, and test it.",
        discussion: """
            Copies the models and Swift sources of a target, and those of its unit tests, into a Swift package. Sources that \
            import frameworks or modules which Linux does not have are left out. Then the package is built, and sources with \
            errors are left out, until “swift build” passes and the tests can run. The report lists each source that is left \
            out, with the reason, and is written into the package as lane.json. The project is not changed.

            The package is written after it has been built; if that fails, the folder keeps what it held, except for its \
            folder .build, which makes the next run faster. A second run replaces the files that the first one wrote. Files \
            that you have added to the folder, such as tests, stay.

            EXAMPLES
              modelc lane App.xcodeproj --output Lane --modelc https://…/modelc
              modelc lane App.xcodeproj --target Storage --output /tmp/Storage --modelc ../modelc --format json

            EXIT CODES
              0  The package was written, and builds; its tests pass.
              1  Tests fail, or a model has errors.
              2  The command could not run: wrong arguments, no such target, or no package that builds.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "An Xcode project, or the folder of one. A folder without a project is one target, with all files in it.",
            valueName: "project"),
        completion: .directory)
    var path = "."

    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("The target. (default: the app that has a model)", valueName: "name"))
    var targetName: String?

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: ArgumentHelp("The folder of the package. (default: “Lane” beside the project)", valueName: "folder"),
        completion: .directory)
    var outputPath: String?

    @Option(
        name: .customLong("modelc"),
        help: ArgumentHelp(
            "The URL or folder of the modelc package. (default: the package that this program was built from)",
            valueName: "location"))
    var modelcLocation: String?

    @Option(
        name: .customLong("scratch-path"),
        help: ArgumentHelp("The build folder. (default: .build in the package)", valueName: "folder"),
        completion: .directory)
    var scratchPath: String?

    @Flag(
        name: .customLong("no-build"),
        help: "Write the package without building it; only sources with imports that Linux lacks are left out.")
    var skipsBuild = false

    @Flag(name: .customLong("no-test"), help: "Build the package and its tests, but do not run the tests.")
    var skipsTests = false

    @Option(help: "The format of the report.")
    var format = OutputFormat.text

    package init() {}
}
