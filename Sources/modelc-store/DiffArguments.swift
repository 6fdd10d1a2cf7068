import ArgumentParser
import ModelcDriver
import StoreTools

extension StoreDiffCommand.Format: ExpressibleByArgument {}
extension StoreDiffCommand.Match: ExpressibleByArgument {}

/// `modelc-store diff`.
struct Diff: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which objects of two stores differ.",
        discussion: """
            The stores may be of different versions of a model: entities and properties are matched by name and renaming \
            identifier. External data is compared by its bytes, ordered relationships by order. The stores stay as they are, \
            byte for byte.

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

    @Argument(help: "The first store.", completion: .file())
    var old: String

    @Argument(help: "The second store.", completion: .file())
    var new: String

    @Option(help: "How objects are matched: primary-key or constraints.")
    var match = StoreDiffCommand.Match.primaryKey

    @Option(
        help: ArgumentHelp(
            "An attribute that identifies objects of an entity and its subentities. Can be repeated.",
            valueName: "entity.attribute"))
    var key: [String] = []

    @Option(
        help: "The model of a store that does not hold its own, in any form. Can be repeated.", completion: .file())
    var model: [String] = []

    @Option(help: "The form of the output: text or json.")
    var format = StoreDiffCommand.Format.text

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = StoreDiffCommand(oldPath: old, newPath: new)
        command.match = match
        command.keys = key
        command.models = model
        command.format = format
        return command.run(in: environment)
    }
}
