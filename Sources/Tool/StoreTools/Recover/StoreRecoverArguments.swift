package import ArgumentParser
internal import ModelcDriver
internal import StoreDoctor

/// `modelc store recover`: saves what can be read of damaged stores, and finds deleted rows.
package struct StoreRecoverCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Save what can be read of a damaged store, or find deleted rows.",
        discussion: """
            Reads pages without SQLite, and copies every row that can be read to a new store; then reports the rows of each \
            entity, and what could not be read. With --deleted, it looks for deleted rows in the log, in free pages and in \
            the free space of pages instead, assigns them to entities by the model, and prints them as JSON Lines, each with \
            a confidence. The original is only read.

            EXAMPLES
              modelc store recover damaged.sqlite --output saved.sqlite
              modelc store recover damaged.sqlite --model Books.xcdatamodeld --output saved.sqlite
              modelc store recover books.sqlite --deleted --output deleted.jsonl
              modelc store recover books.sqlite --deleted --min-confidence high

            EXIT CODES
              0  Done. With --output STORE: nothing is missing.
              1  Done. Something could not be read, or the new store has faults.
              2  The command could not run: nothing can be read, no model, a full disk, wrong arguments.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var path: String

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: "The store to write; with --deleted: the file for the rows. (default with --deleted: standard output)",
        completion: .file())
    var outputPath: String?

    @Flag(name: .customLong("force"), help: .replacesStore)
    var replaces = false

    @Flag(name: .customLong("deleted"), help: "Find deleted rows.")
    var findsDeleted = false

    @Flag(name: .customLong("versions"), help: "With --deleted: also find older versions of objects that exist.")
    var includesVersions = false

    @Option(name: .customLong("min-confidence"), help: "With --deleted: the least confidence of printed rows.")
    var confidence = DeletedRow.Confidence.low

    @Option(
        name: .customLong("model"),
        help: "The model, in any form; the version with the store's hashes is used. (default: the one in the store)",
        completion: .file())
    var modelPath: String?

    package init() {}

    package func validate() throws {
        guard findsDeleted || outputPath != nil else { throw ValidationError("Specify --output or --deleted.") }
        guard findsDeleted || !includesVersions else { throw ValidationError("--versions needs --deleted.") }
        guard !findsDeleted || !replaces else { throw ValidationError("--force is for stores.") }
    }
}

extension DeletedRow.Confidence: ExpressibleByArgument {}
