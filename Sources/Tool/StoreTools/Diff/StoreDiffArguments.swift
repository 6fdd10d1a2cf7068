package import ArgumentParser
internal import ModelcDriver

extension StoreDiffCommand.Format: ExpressibleByArgument {}
extension StoreDiffCommand.Match: ExpressibleByArgument {}

/// `modelc store diff`: shows which objects of two stores differ.
package struct StoreDiffCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show which objects of two stores differ.",
        discussion: """
            The stores may be of different versions of a model: entities and properties are matched by name and \
            renaming identifier. External data is compared by its bytes, ordered relationships by order, and \
            relationships also by members and owners that do not exist. The stores stay as they are, byte for byte.

            EXAMPLES
              modelc store diff before.sqlite after.sqlite
              modelc store diff before.sqlite after.sqlite --match constraints
              modelc store diff before.sqlite after.sqlite --key Book.isbn --format json

            EXIT CODES
              0  The stores have the same objects with the same values.
              1  They differ.
              2  The command could not run.
            """
    )

    @Argument(help: ArgumentHelp("The first store.", valueName: "old"), completion: .file())
    var oldPath: String

    @Argument(help: ArgumentHelp("The second store.", valueName: "new"), completion: .file())
    var newPath: String

    @Option(help: "How objects are matched: primary-key or constraints.")
    var match = StoreDiffCommand.Match.primaryKey

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "An attribute that identifies objects of an entity and its subentities. Can be repeated.",
            valueName: "entity.attribute"))
    var keys: [String] = []

    @Option(
        name: .customLong("model"),
        help: "The model of a store that does not contain its own, in any form. Can be repeated.", completion: .file())
    var models: [String] = []

    @Option(help: "The output format: text or json.")
    var format = StoreDiffCommand.Format.text

    package init() {}
}
