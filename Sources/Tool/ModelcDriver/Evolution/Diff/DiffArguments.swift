package import ArgumentParser

extension DiffFormat: ExpressibleByArgument {}

/// `modelc diff`: shows what changed between two versions of a model.
package struct DiffCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what changed between two versions of a model.",
        discussion: """
            A version is a path (.xcdatamodeld, .xcdatamodel, contents file, .momd, .mom, SQLite store) or \
            REVISION:PATH in git. Of a bundle, the current version is compared. With one argument, the current version \
            is compared with the one before it.

            EXAMPLES
              modelc diff Books.xcdatamodeld
              modelc diff Books.xcdatamodeld --from "Books 2" --to "Books 4"
              modelc diff main:Books.xcdatamodeld Books.xcdatamodeld --format markdown
              modelc diff old.sqlite Books.momd
            """
    )

    @Argument(help: ArgumentHelp("The earlier version, or the model.", valueName: "old"), completion: .file())
    var oldPath: String

    @Argument(help: ArgumentHelp("The later version.", valueName: "new"), completion: .file())
    var newPath: String?

    @Option(
        name: .customLong("from"), help: "The version of the first model. (default: the current one)",
        completion: .versions)
    var oldVersion: String?

    @Option(
        name: .customLong("to"), help: "The version of the second model. (default: the current one)",
        completion: .versions)
    var newVersion: String?

    @Option(help: "The output format: text, json or markdown.")
    var format = DiffFormat.text

    @Flag(name: .customLong("exit-code"), help: "Exit with code 1 if the versions differ.")
    var failsOnDifference = false

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}
