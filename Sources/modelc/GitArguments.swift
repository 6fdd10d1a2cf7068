import ArgumentParser
import ModelcDriver

/// `modelc textconv`.
struct Textconv: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a model as text, for git diff.",
        discussion: """
            A line for each entity and property. Put into .gitattributes
              **/*.xcdatamodel/contents diff=modelc
              .xccurrentversion diff=modelc
            and run
              git config diff.modelc.textconv "modelc textconv"
            """
    )

    @Argument(help: "A contents or .xccurrentversion file, or a .mom.", completion: .file())
    var file: String

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        TextconvCommand(path: file).run(in: environment)
    }
}

/// `modelc merge-driver`.
struct MergeDriver: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge-driver",
        abstract: "Merge two versions of a model, for git merge.",
        discussion: """
            Merges by entity and property name: only what both sides changed is a conflict, and stands between markers. \
            Put into .gitattributes
              **/*.xcdatamodel/contents merge=modelc
              .xccurrentversion merge=modelc
            and run
              git config merge.modelc.name "Core Data models"
              git config merge.modelc.driver "modelc merge-driver %O %A %B --path %P --marker-size %L"

            EXIT CODES
              0  Merged; the result is in OURS.
              1  There are conflicts, or the merged model is not sound; OURS holds them.
              2  A file could not be read. OURS is as it was.
            """
    )

    @Argument(help: "The common ancestor (%O).", completion: .file())
    var base: String

    @Argument(help: "Our version (%A), replaced by the result.", completion: .file())
    var ours: String

    @Argument(help: "Their version (%B).", completion: .file())
    var theirs: String

    @Option(help: "The path of the file in the repository (%P), for messages.")
    var path: String?

    @Option(help: "The length of conflict markers (%L).")
    var markerSize = 7

    @Option(help: "The name of our side in conflict markers (%X).")
    var oursLabel = "ours"

    @Option(help: "The name of their side in conflict markers (%Y).")
    var theirsLabel = "theirs"

    func validate() throws {
        if !(1...1000).contains(markerSize) { throw ValidationError("--marker-size is a number from 1 to 1000.") }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = MergeDriverCommand(basePath: base, oursPath: ours, theirsPath: theirs)
        command.shownPath = path
        command.markerSize = markerSize
        command.oursLabel = oursLabel
        command.theirsLabel = theirsLabel
        return command.run(in: environment)
    }
}
