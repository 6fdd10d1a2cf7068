package import ArgumentParser
internal import ModelcDriver
internal import StoreDoctor

/// `modelc store repair`: repairs the faults that `modelc store check` finds.
package struct StoreRepairCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Repair what `store check` finds, in a copy or in place.",
        discussion: """
            Copies the store, log included, repairs the copy in one transaction, checks it, and renames it into place or, with \
            --in-place, writes it into the store in one transaction, as the last step: a kill, a full disk or an error at any moment leaves the store as it was. Prints every change as \
            object, property, old and new value; `modelc store diff` of both stores shows the same. Safe repairs lose \
            nothing; --unsafe-fixes also makes those that do, such as deleting an object whose required relationship leads \
            nowhere. `modelc explain RULE` says whether findings of a rule can be repaired.

            EXAMPLES
              modelc store repair books.sqlite --dry-run
              modelc store repair books.sqlite --output fixed.sqlite
              modelc store repair books.sqlite --in-place --backup books.backup
              modelc store repair books.sqlite --output fixed.sqlite --only dangling-reference

            EXIT CODES
              0  Done. No errors or warnings are left.
              1  Done. Faults are left: those without a repair, or with an unsafe one.
              2  The command could not run: a damaged store or one in use, a full disk, wrong arguments. Nothing was changed.
            """
    )

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var path: String

    @OptionGroup var output: StoreOutputArguments

    @Flag(name: .customLong("in-place"), help: "Replace the content of the store, which must not be in use.")
    var isInPlace = false

    @Option(
        name: .customLong("backup"), help: "With --in-place: the file for the database as it was, on any disk.",
        completion: .file())
    var backupPath: String?

    @Flag(name: .customLong("no-backup"), help: "With --in-place: keep no backup.")
    var skipsBackup = false

    @Flag(name: .customLong("dry-run"), help: "Print the changes, and write nothing.")
    var isDryRun = false

    @Flag(name: .customLong("unsafe-fixes"), help: "Also make repairs that lose something.")
    var includesUnsafe = false

    @Flag(
        name: .customLong("mirrored"),
        help:
            "Also delete objects and history and change references in a store that CloudKit mirrors, and so on all devices."
    )
    var includesMirrored = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "With --unsafe-fixes: keep one of the objects of an entity that are equal, in all values or in the named ones, and "
                + "let references to the others refer to it. Can be given several times.",
            valueName: "entity[:property,…]"))
    var duplicates: [String] = []

    @Option(help: "With --unsafe-fixes: which object stays of those with the same values: newest or oldest.")
    var keep = StoreRepairer.Options.KeptDuplicate.newest

    @Option(
        name: .customLong("delete-unowned"), parsing: .singleValue,
        help: .unownedEntities)
    var unowned: [String] = []

    @Option(parsing: .singleValue, help: "Repair only findings of this rule. Can be given several times.")
    var only: [String] = []

    @Option(parsing: .singleValue, help: "Do not repair findings of this rule. Can be given several times.")
    var except: [String] = []

    @Option(
        name: .customLong("model"),
        help: "The model, in any form; the version with the store's hashes is used. (default: the one in the store)",
        completion: .file())
    var modelPath: String?

    @Option(help: "The format of the output.")
    var format = Format.text

    package init() {}

    package func validate() throws {
        guard [output.path != nil, isInPlace, isDryRun && output.path == nil && !isInPlace].filter({ $0 }).count == 1
        else { throw ValidationError("Specify --output or --in-place, or --dry-run.") }
        guard !isInPlace || isDryRun || (backupPath != nil) != skipsBackup else {
            throw ValidationError("--in-place needs either --backup FILE or --no-backup.")
        }
        guard isInPlace || backupPath == nil && !skipsBackup else {
            throw ValidationError("--backup and --no-backup need --in-place.")
        }
        try output.requirePath()
    }
}

extension StoreRepairCommand.Format: ExpressibleByArgument {}
extension StoreRepairer.Options.KeptDuplicate: ExpressibleByArgument {}
