package import ArgumentParser

/// `modelc new-version`: copies the current version of a model and makes the copy current, as Xcode's Add Model Version
/// does.
package struct NewVersionCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "new-version",
        abstract: "Add a version to a model: a copy of the current one, which becomes current.",
        discussion: """
            Does the same as Editor ▸ Add Model Version in Xcode, followed by making the new version current; a \
            project that lists the versions is updated too.

            EXAMPLES
              modelc new-version Books.xcdatamodeld
              modelc new-version Books.xcdatamodeld "Books 2026" --from "Books 3"
            """)

    @Argument(help: ArgumentHelp("The .xcdatamodeld.", valueName: "model"), completion: .directory)
    var modelPath: String

    @Argument(help: "The name of the new version. (default: the next number)")
    var name: String?

    @Option(
        name: .customLong("from"), help: "The version that is copied. (default: the current one)", completion: .versions
    )
    var source: String?

    @Flag(help: "Leave the current version current.")
    var noCurrent = false

    @Option(
        name: .customLong("project"),
        help: "The .xcodeproj that lists the model. (default: one beside the model or above)", completion: .directory)
    var projectPath: String?

    @Flag(help: "Leave projects as they are.")
    var noProject = false

    @Flag(name: .customLong("dry-run"), help: "Print what would be done, and change nothing.")
    var isDryRun = false

    package init() {}

    package func validate() throws {
        if projectPath != nil, noProject {
            throw ValidationError("--project and --no-project cannot be used together.")
        }
    }
}
