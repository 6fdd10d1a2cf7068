package import ArgumentParser
internal import ModelGraph

extension GraphFormat: ExpressibleByArgument {}
extension GraphTheme: ExpressibleByArgument {}

/// `modelc graph`: draws a model.
package struct GraphCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Draw the entities of a model, with their inheritance and relationships.",
        discussion: """
            The SVG is a self-contained picture for light and dark backgrounds. Mermaid is drawn by GitHub in \
            Markdown, DOT by Graphviz. The same model gives the same bytes. An output that ends in .png is drawn by \
            librsvg's rsvg-convert, which must be installed.

            EXAMPLES
              modelc graph Books.xcdatamodeld --output Books.svg
              modelc graph Books.xcdatamodeld --theme dark -o Books.png
              modelc graph Books.momd --format mermaid
              modelc graph Books.sqlite --entity Author --entity Book > Books.svg
              modelc graph Books.xcdatamodeld --format dot | dot -Tpdf > Books.pdf
              modelc graph main:Books.xcdatamodeld --diff Books.xcdatamodeld -o Changes.svg
            """
    )

    @Argument(
        help: ArgumentHelp(
            "An .xcdatamodeld, .xcdatamodel, contents file, .momd, .mom or SQLite store.", valueName: "model"),
        completion: .file())
    var modelPath: String

    @Option(help: "The version of the model that is drawn. (default: the current one)", completion: .versions)
    var version: String?

    @Option(
        help: "The language of the picture: svg, mermaid or dot. (default: as the name of the output says, or else svg)"
    )
    var format: GraphFormat?

    @Option(help: "The colors of an SVG. auto follows the viewer's color scheme.")
    var theme = GraphTheme.auto

    @OptionGroup var output: OutputFileArguments

    @Option(
        help: ArgumentHelp(
            "Draw only this entity, with the names of those related to it. Can be given several times.",
            valueName: "name"), completion: .entities)
    var entity: [String] = []

    @Option(
        name: .customLong("diff"),
        help: ArgumentHelp(
            "Draw what differs in this later version: both versions side by side. Versions are named as for modelc diff.",
            valueName: "model"), completion: .file())
    var comparedPath: String?

    @Flag(name: .customLong("no-attributes"), help: "Draw entities without their attributes.")
    var hidesAttributes = false

    @OptionGroup var conditions: SwiftFileArguments

    package init() {}

    package func validate() throws {
        if format == nil, let path = output.outputPath, let ending = Self.ending(of: path),
            Self.otherPictures.contains(ending)
        {
            throw ValidationError(
                "“\(path)” is not a name for an SVG, PNG, Mermaid or DOT file; write “\(PathName.stem(of: path)).svg”, and "
                    + "convert it with rsvg-convert, or --format dot with Graphviz")
        }
        guard comparedPath == nil || entity.isEmpty else {
            throw ValidationError("--entity cannot be used with --diff, which draws the entities that differ")
        }
    }

    /// The format that is written: the one that is named, or else that of the output's name.
    var writtenFormat: GraphFormat {
        if let format { return format }
        return switch output.outputPath.flatMap(Self.ending) {
        case "dot", "gv": .dot
        case "mmd", "mermaid", "md": .mermaid
        default: .svg
        }
    }

    /// Whether the SVG is written as a PNG, as the name of the output says.
    var writesPNG: Bool { format == nil && output.outputPath.flatMap(Self.ending) == "png" }

    private static let otherPictures: Set = ["gif", "jpeg", "jpg", "pdf", "webp"]

    /// Returns the lowercased extension of a file name.
    private static func ending(of path: String) -> String? {
        let name = PathName.name(of: path)
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    }
}
