package import ArgumentParser
internal import ModelcDriver

extension StoreInfoCommand.Format: ExpressibleByArgument {}

/// `modelc store info`: shows what a store contains.
package struct StoreInfoCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show what a store contains: entities, sizes, history, model.",
        discussion: """
            Entities are listed with their rows, and each hierarchy with the size of its table and indexes. The framework \
            version is that of the system that wrote last; apps are known from the history. The store stays as it is, byte \
            for byte.

            EXAMPLES
              modelc store info books.sqlite
              modelc store info books.sqlite --against Books.xcdatamodeld
              modelc store info books.sqlite --format json

            EXIT CODES
              0  Done.
              2  The command could not run: no store, a damaged or locked one.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var path: String

    @Option(
        name: .customLong("against"),
        help: ArgumentHelp("A model, in any form, whose versions are compared with the store.", valueName: "model"),
        completion: .file())
    var modelPath: String?

    @Option(help: "The output format: text or json.")
    var format = StoreInfoCommand.Format.text

    package init() {}
}
