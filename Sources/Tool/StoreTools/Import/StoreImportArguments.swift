package import ArgumentParser
internal import ModelcDriver

/// `modelc store import`: makes a store of an export.
package struct StoreImportCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make a new store of an export in JSON Lines.",
        discussion: """
            Reads what `modelc store export` writes: the folder, or the file of a stream. The store has the same objects, \
            keys and values as the exported one; `modelc store diff` shows no difference. With another version of the \
            model, entities and properties are found by renaming identifier and name, and new attributes get their \
            defaults. Dates must be ISO 8601, or numbers of an export to a folder with --dates seconds. Values must fit the types of the model, but are not validated: `modelc store check` does that.

            EXAMPLES
              modelc store import books --output copy.sqlite
              modelc store import books --model Books.xcdatamodeld --version "Books 3" --output books3.sqlite
              modelc store import books.jsonl --model Books.momd --output books.sqlite

            EXIT CODES
              0  Done.
              1  Done, but some references are to objects that the export does not contain.
              2  The command could not run. Nothing was written.
            """
    )

    @Argument(help: ArgumentHelp("The folder or file of an export.", valueName: "export"), completion: .file())
    var path: String

    @Option(
        name: .customLong("model"),
        help: "The model of the new store, in any form. (default: the one in the export)", completion: .file())
    var modelPath: String?

    @Option(help: "The version of the model. (default: the current one)")
    var version: String?

    @Option(
        name: [.customLong("output"), .customShort("o")], help: "The store to write. (required)", completion: .file())
    var outputPath: String

    @Flag(help: "Skip entities and properties that the model does not have.")
    var ignoreUnknown = false

    @Flag(name: .customLong("force"), help: "Replace a store that exists. Other files are never replaced.")
    var replaces = false

    package init() {}
}
