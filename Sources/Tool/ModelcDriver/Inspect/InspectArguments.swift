package import ArgumentParser

/// `modelc hash`: prints the version hashes and checksums of a model in any form.
package struct HashCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "hash", abstract: "Print the version hashes and checksums of a model.",
        discussion: """
            Core Data opens a store with a model when the hashes of all entities are equal.

            EXAMPLES
              modelc hash Books.xcdatamodeld
              modelc hash Books.momd --format json
              modelc hash Books.sqlite
            """
    )

    @Argument(
        help: ArgumentHelp(
            "An .xcdatamodeld, .xcdatamodel, contents file, .momd, .mom or SQLite store.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @OptionGroup var shown: ShownModelArguments

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}

/// `modelc inspect`: shows what a source, a compiled model or a store contains.
package struct InspectCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show what a model, a mapping model or a store contains.",
        discussion: """
            EXAMPLES
              modelc inspect Books.momd
              modelc inspect Books.sqlite --format json
              modelc inspect Books1to2.cdm
            """
    )

    @Argument(
        help: ArgumentHelp("A model or mapping model, as a source or compiled, or a SQLite store.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @OptionGroup var shown: ShownModelArguments

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}
}
