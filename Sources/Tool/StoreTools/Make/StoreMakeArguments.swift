package import ArgumentParser
internal import ModelcDriver

/// `modelc store make`: writes a store of a version of a model with valid edge-case data.
package struct StoreMakeCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Write a store of a version of a model with legal edge-case data.",
        discussion: """
            The first row of each entity has the default values, the second no optional values, the next ones the edge cases \
            that the types and validation rules allow; the rest is random. The same model, version, rows and seed give the \
            same bytes.

            EXAMPLES
              modelc store make Books.xcdatamodeld
              modelc store make Books.momd --version "Books 2" --rows 1000 --seed 7 --output books-2.sqlite
            """
    )

    @Argument(
        help: ArgumentHelp("The model: an .xcdatamodeld, .xcdatamodel, .momd, .mom or store.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Option(help: "The version. (default: the current one)")
    var version: String?

    @Option(help: "The number of rows of each entity that is not abstract.")
    var rows = 50

    @Option(help: "The seed that all values follow from.")
    var seed: UInt64 = 1

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: "The store to write. (default: VERSION.sqlite in the working directory)",
        completion: .file())
    var outputPath: String?

    @Flag(name: .customLong("force"), help: "Replace a store that exists. Other files are never replaced.")
    var replaces = false

    package init() {}

    package func validate() throws {
        guard (0...10_000_000).contains(rows) else {
            throw ValidationError("The number of rows must be from 0 to 10000000.")
        }
    }
}
