package import ArgumentParser
internal import ModelcDriver

/// `modelc store compact`: makes stores smaller.
package struct StoreCompactCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Purge history, set orphaned external files aside, and free disk space.",
        discussion: """
            Prints first how much additional disk space is needed at most. In place, the file is made smaller in small \
            transactions, which needs about 5% of its size, or less; if what is in use is smaller still, or the file cannot \
            be made smaller in steps, it is written to a new file instead, whose content then replaces that of the store in \
            one transaction. A kill at any moment leaves a whole store, and the \
            next run continues. Objects are never changed, except with --delete-unowned. External files that no row refers to, and that are older than a \
            day, are moved to a folder beside the store, STORE.orphans.

            EXAMPLES
              modelc store compact books.sqlite --in-place --dry-run
              modelc store compact books.sqlite --in-place --purge-history 30
              modelc store compact books.sqlite --output small.sqlite --purge-history all
              modelc store compact clips.sqlite --in-place --delete-unowned ItemContent

            EXIT CODES
              0  Done.
              2  The command could not run: a damaged store or one in use, a full disk, wrong arguments.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var path: String

    @OptionGroup var output: StoreOutputArguments

    @Flag(name: .customLong("in-place"), help: "Make the store's file smaller. The store must not be in use.")
    var isInPlace = false

    @Option(
        name: .customLong("purge-history"),
        help: ArgumentHelp(
            "Delete history older than a number of days, or all but the newest transaction.", valueName: "days"))
    var history: String?

    @Option(
        name: .customLong("delete-unowned"), parsing: .singleValue,
        help: .unownedEntities)
    var unowned: [String] = []

    @Flag(
        name: .customLong("rebuild"),
        help: "With --in-place: rewrite the data in use, which also merges half-empty pages.")
    var rebuilds = false

    @Flag(name: .customLong("secure"), help: "Overwrite freed bytes with zeros, which needs more disk space.")
    var isSecure = false

    @Flag(name: .customLong("dry-run"), help: "Print what would be done, and change nothing.")
    var isDryRun = false

    package init() {}

    package func validate() throws {
        guard (output.path != nil) != isInPlace else { throw ValidationError("Specify either --output or --in-place.") }
        try output.requirePath()
        guard !rebuilds || isInPlace else { throw ValidationError("--rebuild needs --in-place.") }
        guard let history, history != "all" else { return }
        guard let days = Double(history), (0...1_000_000).contains(days) else {
            throw ValidationError("--purge-history needs a number of days, or “all”.")
        }
    }
}
