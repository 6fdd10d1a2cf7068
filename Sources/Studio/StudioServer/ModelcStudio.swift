internal import ArgumentParser

/// The root command of `modelc-studio`, which `modelc studio` runs.
struct ModelcStudio: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelc-studio",
        abstract: "Edits a Core Data model, and browses a store, in the browser.",
        discussion: """
            Serves a page to browsers on this computer and prints its address, which has a secret in it. Edits are kept in a \
            journal in the cache folder until they are saved, and offered at the next start.

            A store is opened read-only, and is never migrated, unless write access is requested, on the page or with \
            --writable. Without a model, the store's own copy of its model is used.

            EXAMPLES
              modelc studio Books.xcdatamodeld
              modelc studio Books.xcdatamodeld --port 8080 --no-open
              modelc studio Books.xcdatamodeld --read-only
              modelc studio New.xcdatamodeld --create
              modelc studio --store Books.sqlite
              modelc studio Books.xcdatamodeld --store Books.sqlite --writable

            EXIT CODES
              0  Ended by the user.
              2  The command could not run: wrong arguments, no such file, not a
                 model, a port in use.
            """
    )

    @Argument(help: "An .xcdatamodeld, .xcdatamodel or contents file.", completion: .file())
    var model: String?

    @Flag(help: "Create the model, without entities, if it does not exist. (default: ask on a terminal)")
    var create = false

    @Option(help: "A store to browse: SQLite, XML or binary.", completion: .file())
    var store: String?

    @Flag(help: "Allow edits in the store from the start.")
    var writable = false

    @Flag(
        name: .customLong("safe-csv"),
        help: "Write an apostrophe before strings in CSV exports that spreadsheets would interpret as formulas.")
    var safeCSV = false

    @Option(help: "The port. (default: a free one)")
    var port: UInt16?

    @Flag(help: "Reject all edits, of the model and of the store.")
    var readOnly = false

    @Flag(help: "Print the address without opening a browser.")
    var noOpen = false

    func validate() throws {
        guard model != nil || store != nil else {
            throw ValidationError("Specify a model, a store by --store, or both.")
        }
        guard !create || model != nil && !readOnly else {
            throw ValidationError("--create needs a model, and cannot be combined with --read-only.")
        }
        guard !safeCSV || store != nil else { throw ValidationError("--safe-csv needs --store.") }
        guard !writable || store != nil && !readOnly else {
            throw ValidationError("--writable needs --store, and cannot be combined with --read-only.")
        }
    }
}
