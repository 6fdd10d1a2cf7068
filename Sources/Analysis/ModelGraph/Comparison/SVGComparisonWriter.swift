/// Writes a comparison as one picture: the old version at the left, the new one at the right.
struct SVGComparisonWriter {
    private let comparison: GraphComparison

    private static let margin = 24.0
    private static let headHeight = 40.0
    /// The distance between the sides; the dividing line is in the middle.
    private static let gap = 56.0
    private static let narrowestSide = 300.0
    private static let widestTitle = 640.0
    private static let titleSize = 15.0

    init(_ comparison: GraphComparison) {
        self.comparison = comparison
    }

    /// A graph with its layout and size.
    private struct Side {
        var writer: SVGWriter
        var drawing: SVGWriter.Drawing
        var title: String
        var width: Double

        init(_ graph: ModelGraph) {
            writer = SVGWriter(graph, isComparison: true)
            drawing = writer.drawing()
            let room = max(SVGComparisonWriter.widestTitle, drawing.size.width)
            title = SVGComparisonWriter.fittedTitle(graph.title, width: room)
            width = max(
                SVGComparisonWriter.narrowestSide, drawing.size.width,
                TextMetrics.width(title, size: SVGComparisonWriter.titleSize, isBold: true)
            ).rounded(.up)
        }
    }

    /// Returns the title, without its beginning if it is too wide: the version's name is at the end.
    static func fittedTitle(_ title: String, width limit: Double) -> String {
        var rest = SafeText.line(title, limit: 2000)[...]
        func width(_ text: some StringProtocol) -> Double {
            TextMetrics.width(String(text), size: titleSize, isBold: true)
        }
        guard width(rest) > limit else { return String(rest) }
        while !rest.isEmpty, width("…" + rest) > limit { rest = rest.dropFirst() }
        return "…" + rest
    }

    /// Returns the file.
    func text(_ theme: GraphTheme) -> String {
        let (old, new) = (Side(comparison.old), Side(comparison.new))
        let bodyWidth = old.width + Self.gap + new.width
        let legend = SVGLegend(comparison, width: bodyWidth)
        let top = Self.margin + Self.headHeight
        let bottom = top + max(old.drawing.size.height, new.drawing.size.height, comparison.isEmpty ? 24 : 0)
        let width = SVGElements.number(bodyWidth + 2 * Self.margin)
        let height = SVGElements.number(bottom + legend.height + Self.margin)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img">
            <title>\(SafeText.xml(comparison.old.title)) → \(SafeText.xml(comparison.new.title))</title>
            <desc>\(Self.summary(comparison.old)); \(Self.summary(comparison.new))</desc>
            <style>
            \(SVGStyle.sheet(theme))
            \(SVGStyle.markSheet(theme))
            </style>
            <rect width="\(width)" height="\(height)" class="bg"/>

            """
        var x = Self.margin
        for side in [old, new] {
            text += "<g>\n" + SVGElements.text(side.title, x: x, y: Self.margin + 16, classes: "h2") + "\n"
            text += side.writer.elements(side.drawing, at: Point(x: x, y: top)) + "</g>\n"
            x += side.width + Self.gap
        }
        let middle = SVGElements.number(Self.margin + old.width + Self.gap / 2)
        text +=
            SVGElements.path(
                "M\(middle) \(SVGElements.number(Self.margin))V\(SVGElements.number(bottom))", classes: "sep") + "\n"
        if comparison.isEmpty {
            text += SVGElements.text(GraphComparison.emptyText, x: Self.margin, y: top + 12, classes: "m") + "\n"
        }
        text += legend.elements(at: Point(x: Self.margin, y: bottom))
        return text + "</svg>\n"
    }

    private static func summary(_ graph: ModelGraph) -> String {
        let count = graph.entities.count { $0.mark != nil }
        return "\(count) \(count == 1 ? "entity differs" : "entities differ")"
    }
}
