/// The legend at the bottom of a picture, which explains its marks.
struct SVGLegend {
    private struct Entry {
        /// The mark, drawn from a point to the right over 40 pixels.
        var sample: (Point) -> String
        var text: String
        /// The width of the sample; 0 for a sentence.
        var sampleWidth = 54.0

        var width: Double { sampleWidth + TextMetrics.width(text, size: 11) + 22 }
    }

    private var positions: [(entry: Entry, offset: Point)] = []
    /// The height, including the distance to the elements above.
    private(set) var height = 0.0

    private static let rowHeight = 20.0
    private static let distance = 34.0

    init(_ graph: ModelGraph, width: Double) {
        self.init(Self.entries(graph), width: width)
    }

    /// Creates the legend of both sides of a comparison.
    init(_ comparison: GraphComparison, width: Double) {
        var both = ModelGraph(title: "")
        // Only the marks of this graph are used.
        both.entities = comparison.old.entities + comparison.new.entities
        both.inheritances = comparison.old.inheritances + comparison.new.inheritances
        both.relationships = comparison.old.relationships + comparison.new.relationships
        var entries = comparison.kinds.map { kind in
            Entry(sample: { Self.mark(kind, at: $0) }, text: kind.title, sampleWidth: 24)
        }
        if both.entities.contains(where: { $0.role == .neighbor }) {
            entries.append(Entry(sample: Self.unchanged, text: "unchanged"))
        }
        self.init(entries + Self.entries(both), width: width)
    }

    private init(_ entries: [Entry], width: Double) {
        var x = 0.0
        var y = Self.distance
        for entry in entries {
            if x > 0, x + entry.width > width {
                x = 0
                y += Self.rowHeight
            }
            positions.append((entry, Point(x: x, y: y)))
            x += entry.width
        }
        height = positions.isEmpty ? 0 : y + 8
    }

    private static func entries(_ graph: ModelGraph) -> [Entry] {
        var entries: [Entry] = []
        if !graph.inheritances.isEmpty { entries.append(Entry(sample: inheritance, text: "inherits from")) }
        let ends = graph.relationships.flatMap { [$0.forward, $0.inverse].compactMap { $0 } }
        for (isToMany, isOptional, text) in [
            (false, false, "one"), (false, true, "zero or one"), (true, false, "one or more"),
            (true, true, "zero or more"),
        ] where ends.contains(where: { $0.isToMany == isToMany && $0.isOptional == isOptional }) {
            var end = GraphRelationship.End(name: "")
            end.isToMany = isToMany
            end.isOptional = isOptional
            entries.append(Entry(sample: { relationship(end, at: $0) }, text: text))
        }
        if graph.relationships.contains(where: { $0.inverse == nil }) {
            entries.append(
                Entry(
                    sample: {
                        SVGElements.path("M\(SVGElements.number($0.x)) \(SVGElements.number($0.y))h36", classes: "l o")
                    },
                    text: "no inverse"))
        }
        let rows = graph.entities.flatMap(\.rows)
        if rows.contains(where: \.isOptional) {
            entries.append(Entry(sample: { _ in "" }, text: "Type? – optional", sampleWidth: 0))
        }
        if rows.contains(where: \.isTransient) {
            entries.append(Entry(sample: { _ in "" }, text: "italic – transient", sampleWidth: 0))
        }
        if !graph.relationships.isEmpty {
            entries.append(
                Entry(
                    sample: { _ in "" }, text: "Each relationship’s name is shown at its destination.", sampleWidth: 0))
        }
        return entries
    }

    private static func inheritance(_ point: Point) -> String {
        let line = [Point(x: point.x, y: point.y), Point(x: point.x + 36, y: point.y)]
        let triangle = SVGLine.Meeting(line).map(SVGLine.triangle) ?? ""
        return SVGElements.path(SVGElements.rounded(line), classes: "i") + triangle
    }

    private static func relationship(_ end: GraphRelationship.End, at point: Point) -> String {
        let line = [Point(x: point.x + 36, y: point.y), Point(x: point.x, y: point.y)]
        let side =
            "<rect x=\"\(SVGElements.number(point.x + 36))\" y=\"\(SVGElements.number(point.y - 7))\" width=\"10\" "
            + "height=\"14\" rx=\"2\" class=\"b\"/>"
        let mark = SVGLine.Meeting(line).map { SVGLine.mark(end, at: $0, classes: "") } ?? ""
        return side + SVGElements.path(SVGElements.rounded(line), classes: "l") + mark
    }

    private static func mark(_ kind: GraphMark.Kind, at point: Point) -> String {
        let number = SVGElements.number
        return "<rect x=\"\(number(point.x))\" y=\"\(number(point.y - 8))\" width=\"16\" height=\"16\" rx=\"3\" "
            + "class=\"w\(kind.letter)\"/>"
            + SVGElements.text(kind.character, x: point.x + 8, y: point.y + 4, classes: "g x\(kind.letter)")
    }

    private static func unchanged(_ point: Point) -> String {
        "<rect x=\"\(SVGElements.number(point.x))\" y=\"\(SVGElements.number(point.y - 8))\" width=\"40\" height=\"16\" "
            + "rx=\"3\" class=\"b bn q\"/>"
    }

    /// Returns the elements of the legend below a point.
    func elements(at origin: Point) -> String {
        positions.map { entry, offset in
            let point = Point(x: origin.x + offset.x, y: origin.y + offset.y)
            var text = "<g>" + entry.sample(Point(x: point.x, y: point.y - 4))
            // The samples are at half the height of the letters.
            text +=
                "<text x=\"\(SVGElements.number(point.x + entry.sampleWidth))\" y=\"\(SVGElements.number(point.y))\""
            text += " class=\"e\">\(SafeText.xml(entry.text))</text></g>\n"
            return text
        }.joined()
    }
}
