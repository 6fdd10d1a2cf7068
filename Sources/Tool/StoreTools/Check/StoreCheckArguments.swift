package import ArgumentParser
internal import ModelcDriver

/// `modelc store check`: finds faults in stores.
package struct StoreCheckCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Find faults in stores: damage, dangling references, invalid values.",
        discussion: """
            Compares a store with the model that it contains, or with --model. Findings are about entities and properties; \
            each has a rule, and `modelc explain RULE` says what it means and what to do. Without a model, only the file, \
            its description of itself and its history are checked. The store may be in use; it stays as it is, byte for byte.

            EXAMPLES
              modelc store check books.sqlite
              modelc store check *.sqlite --notes --reporter json=stores.json
              modelc store check old.sqlite --model Books.xcdatamodeld
              modelc store check books.sqlite --only dangling-reference --max-examples 100
              modelc explain dangling-reference

            EXIT CODES
              0  No errors. With --strict: no warnings either.
              1  Errors.
              2  A store could not be checked: no store, a locked one, wrong
                 arguments. The others were checked.
            """
    )

    @Argument(help: ArgumentHelp("The stores.", valueName: "store"), completion: .file())
    var paths: [String]

    @Option(
        name: .customLong("model"),
        help: "The model, in any form; the version with the store's hashes is used. (default: the one in the store)",
        completion: .file())
    var modelPath: String?

    @Flag(
        name: .customLong("quick"),
        help: "Check pages less thoroughly, and neither free space in pages nor derived values.")
    var isQuick = false

    @Flag(name: .customLong("notes"), help: "Also print what is unusual but legal.")
    var includesNotes = false

    @Option(parsing: .singleValue, help: "Check only this rule. Can be given several times.")
    var only: [String] = []

    @Option(parsing: .singleValue, help: "Do not check this rule. Can be given several times.")
    var except: [String] = []

    @Option(help: ArgumentHelp("The age in days from which history counts as old.", valueName: "days"))
    var historyDays = 30

    @Option(help: ArgumentHelp("The maximum number of rows that a finding lists.", valueName: "number"))
    var maxExamples = 5

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Find equal objects of an entity: in all values, or in the named ones. Can be given several times.",
            valueName: "entity[:property,…]"))
    var duplicates: [String] = []

    @Option(
        name: .customLong("reporter"), parsing: .singleValue,
        help: ArgumentHelp(
            "How findings are printed, as in modelc lint; with =FILE into a file. Can be given several times.",
            valueName: "reporter[=file]"), completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var failing: FailureArguments

    package init() {}

    package func validate() throws {
        guard !paths.isEmpty else { throw ValidationError("Name at least one store.") }
        guard historyDays >= 0 else { throw ValidationError("--history-days must not be negative.") }
        guard (0...100_000).contains(maxExamples) else {
            throw ValidationError("--max-examples must be from 0 to 100000.")
        }
    }
}
