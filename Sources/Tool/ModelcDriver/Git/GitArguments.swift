package import ArgumentParser

/// `modelc textconv`: prints a model as text that `git diff` compares.
package struct TextconvCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "textconv", abstract: "Print a model as text, for git diff.",
        discussion: """
            Prints one line for each entity and property. Add to .gitattributes
              **/*.xcdatamodel/contents diff=modelc
              .xccurrentversion diff=modelc
            and run
              git config diff.modelc.textconv "modelc textconv"
            """
    )

    @Argument(
        help: ArgumentHelp("A contents or .xccurrentversion file, or a .mom.", valueName: "file"), completion: .file())
    var path: String

    package init() {}
}

/// `modelc merge-driver`: git's three-way merge of a model, by entity and property name.
package struct MergeDriverCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "merge-driver",
        abstract: "Merge two versions of a model, for git merge.",
        discussion: """
            Merges by entity and property name: only what both sides changed is a conflict, and stands between \
            markers. Add to .gitattributes
              **/*.xcdatamodel/contents merge=modelc
              .xccurrentversion merge=modelc
            and run
              git config merge.modelc.name "Core Data models"
              git config merge.modelc.driver "modelc merge-driver %O %A %B --path=%P --marker-size=%L"

            EXIT CODES
              0  Merged; the result is in OURS.
              1  There are conflicts, or the merged model is invalid; OURS contains them.
              2  A file could not be read. OURS is unchanged.
            """
    )

    @Argument(help: ArgumentHelp("The common ancestor (%O).", valueName: "base"), completion: .file())
    var basePath: String

    @Argument(help: ArgumentHelp("Our version (%A), replaced by the result.", valueName: "ours"), completion: .file())
    var oursPath: String

    @Argument(help: ArgumentHelp("Their version (%B).", valueName: "theirs"), completion: .file())
    var theirsPath: String

    @Option(name: .customLong("path"), help: "The path of the file in the repository (%P), for messages.")
    var shownPath: String?

    @Option(help: "The length of conflict markers (%L).")
    var markerSize = 7

    @Option(help: "The name of our side in conflict markers (%X).")
    var oursLabel = "ours"

    @Option(help: "The name of their side in conflict markers (%Y).")
    var theirsLabel = "theirs"

    package init() {}

    package func validate() throws {
        if !(1...1000).contains(markerSize) { throw ValidationError("--marker-size is a number from 1 to 1000.") }
    }
}
