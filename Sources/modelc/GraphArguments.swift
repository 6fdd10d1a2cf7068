import ArgumentParser
import ModelGraph
import ModelcDriver

extension GraphFormat: ExpressibleByArgument {}

/// `modelc graph`.
struct Graph: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a model: entities, what they inherit and how they are related.",
        discussion: """
            The SVG is a finished picture for light and dark surroundings. Mermaid is drawn by GitHub inside of \
            Markdown, DOT by Graphviz. The same model gives the same bytes.

            EXAMPLES
              modelc graph Books.xcdatamodeld --output Books.svg
              modelc graph Books.momd --format mermaid
              modelc graph Books.sqlite --entity Author --entity Book > Books.svg
              modelc graph Books.xcdatamodeld --format dot | dot -Tpdf > Books.pdf
              modelc graph main:Books.xcdatamodeld --diff Books.xcdatamodeld -o Changes.svg
            """
    )

    @Argument(
        help: "An .xcdatamodeld, .xcdatamodel, contents file, .momd, .mom or SQLite store.", completion: .file())
    var model: String

    @Option(help: "The version of the model that is drawn. (default: the current one)")
    var version: String?

    @Option(help: "The language of the picture.")
    var format = GraphFormat.svg

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file that is written. (default: the standard output)", valueName: "file"), completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Draw only this entity, with the names of those related to it. Can be given several times.",
            valueName: "name"))
    var entity: [String] = []

    @Option(
        help: ArgumentHelp(
            "Draw what differs in this later version: both versions side by side. Versions are named as for modelc diff.",
            valueName: "model"), completion: .file())
    var diff: String?

    @Flag(name: .customLong("no-attributes"), help: "Draw entities without their attributes.")
    var hidesAttributes = false

    func validate() throws {
        guard diff == nil || entity.isEmpty else {
            throw ValidationError("--entity cannot be used with --diff, which draws the entities that differ")
        }
    }

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        var command = GraphCommand(
            modelPath: model, version: version, format: format, outputPath: output,
            options: GraphOptions(entityNames: entity, showsAttributes: !hidesAttributes)
        )
        command.comparedPath = diff
        return command.run(in: environment)
    }
}
