package import ArgumentParser

/// `modelc port`: reports what it takes to build a package or an app's model layer on Linux.
package struct PortCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Report what it takes to build a package or an app's model layer on Linux.",
        discussion: """
            Lists the Swift files that compile untouched, those that ModelcBuildPlugin compiles as copies, the lines \
            that need an edit, with the edit, and the files that import frameworks Linux does not have. Code that #if \
            excludes on Linux is ignored. For a package the report has a part for each target; other folders, with or \
            without an Xcode project, are reported as a whole. Nothing is written. See Documentation/Guides/Porting.md.

            EXAMPLES
              modelc port
                  Report on the package or app in the working directory.
              modelc port Storage --format json

            EXIT CODES
              0  The report was printed.
              2  The command could not run: wrong arguments, no Swift files.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The folder of a package or an app.", valueName: "directory"),
        completion: .directory)
    var path = "."

    @Option(help: "The output format.")
    var format = OutputFormat.text

    package init() {}
}

/// `modelc prepare-for-linux`: edits the manifest of a package so that the package builds on Linux.
///
/// The edit is a block at the end of `Package.swift` (`LinuxBlock`). All other bytes are kept.
package struct PrepareForLinuxCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "prepare-for-linux",
        abstract: "Edit a package's manifest so that the package builds on Linux.",
        discussion: """
            Adds lines between #if os(Linux) and #endif at the end of Package.swift: the dependency on modelc and, for \
            each target that uses Core Data, the product CoreData, ModelcBuildPlugin, and exclude: entries for the \
            models and for the sources that are compiled as copies. Nothing changes for Apple's platforms. A second \
            run replaces the lines.

            EXAMPLES
              modelc prepare-for-linux --modelc https://…/modelc --dry-run
                  Print the change of the manifest in the working directory.
              swift package --allow-writing-to-package-directory prepare-for-linux
                  In a package that depends on modelc; SwiftPM names the targets.

            EXIT CODES
              0  Done, or nothing to do.
              1  The manifest cannot be edited safely; the lines to paste were printed.
              2  The command could not run: wrong arguments, no manifest.
            """
    )

    struct TargetFolder: ExpressibleByArgument {
        var name: String
        var folder: String

        init?(argument: String) {
            guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
            name = String(argument[..<sign])
            folder = String(argument[argument.index(after: sign)...])
        }
    }

    @OptionGroup var root: PackageArguments

    @Flag(name: .customLong("dry-run"), help: "Write nothing; print the change.")
    var isDryRun = false

    @OptionGroup var location: ModelcLocationArguments

    @Option(
        name: .customLong("target"), parsing: .singleValue,
        help: ArgumentHelp(
            "A target of the package. Can be given several times. (default: what the manifest declares)",
            valueName: "name=folder"))
    var targets: [TargetFolder] = []

    package init() {}
}
