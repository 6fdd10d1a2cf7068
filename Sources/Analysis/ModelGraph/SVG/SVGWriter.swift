/// Writes a graph as a self-contained picture, with its layout and style.
struct SVGWriter {
    private let graph: ModelGraph
    private let boxes: [SVGBox]
    /// The labels of each relationship, at its source and at its target.
    private let labels: [(source: String, target: String)]

    private static let margin = 24.0
    private static let headHeight = 40.0

    /// - Parameter isComparison: Whether the graph is one side of a comparison, where boxes without differences recede.
    init(_ graph: ModelGraph, isComparison: Bool = false) {
        self.graph = graph
        boxes = graph.entities.map { SVGBox($0, isSubdued: isComparison && $0.role == .neighbor) }
        labels = graph.relationships.map { line in
            (line.inverse.map(SVGLine.label) ?? "", SVGLine.label(line.forward))
        }
    }

    /// The input of the layout: inheritance first, then relationships. A one-to-many relationship runs from the one to
    /// the many, regardless of which side is declared first.
    var layoutGraph: LayoutGraph {
        var layout = LayoutGraph()
        layout.boxes = boxes.map(\.size)
        for line in graph.inheritances {
            layout.edges.append(LayoutGraph.Edge(source: line.parent, target: line.child, kind: .trunk))
        }
        for (line, label) in zip(graph.relationships, labels) {
            var edge = LayoutGraph.Edge(source: line.source, target: line.target)
            edge.sourceLabelWidth = line.inverse == nil ? 0 : SVGLine.room(label.source)
            edge.targetLabelWidth = SVGLine.room(label.target)
            edge.cutLabelWidth = 8 + max(SVGLine.room(cutLabels(line).0), SVGLine.room(cutLabels(line).1))
            if Self.isTurned(line) {
                (edge.source, edge.target) = (edge.target, edge.source)
                (edge.sourceLabelWidth, edge.targetLabelWidth) = (edge.targetLabelWidth, edge.sourceLabelWidth)
            }
            layout.edges.append(edge)
        }
        return layout
    }

    private static func isTurned(_ line: GraphRelationship) -> Bool {
        line.inverse.map { $0.isToMany && !line.forward.isToMany } ?? false
    }

    private func cutLabels(_ line: GraphRelationship) -> (String, String) {
        (
            SVGLine.cutLabel(line.forward, graph.entities[line.target].name),
            line.inverse.map { SVGLine.cutLabel($0, graph.entities[line.source].name) }
                ?? SVGLine.cutArrival(line.forward, graph.entities[line.source].name)
        )
    }

    /// Returns the file.
    func text(_ theme: GraphTheme) -> String {
        let drawing = drawing()
        let offset = Point(x: Self.margin, y: Self.margin + Self.headHeight)
        let heading = TextMetrics.fitted(SafeText.line(graph.title), width: 900, size: 18, isBold: true)
        let bodyWidth = max(drawing.size.width, TextMetrics.width(heading, size: 18, isBold: true), 420)
        let legend = SVGLegend(graph, width: bodyWidth)
        let width = SVGElements.number(bodyWidth + 2 * Self.margin)
        let bottom = offset.y + drawing.size.height
        let height = SVGElements.number(bottom + legend.height + Self.margin)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img">
            <title>\(SafeText.xml(graph.title))</title>
            <desc>\(summary)</desc>
            <style>
            \(SVGStyle.sheet(theme))
            </style>
            <rect width="\(width)" height="\(height)" class="bg"/>

            """
        text += SVGElements.text(heading, x: Self.margin, y: Self.margin + 16, classes: "h") + "\n"
        let summaryX = Self.margin + TextMetrics.width(heading, size: 18, isBold: true) + 14
        if summaryX + TextMetrics.width(summary, size: 12) < bodyWidth + Self.margin {
            text += SVGElements.text(summary, x: summaryX, y: Self.margin + 16, classes: "m") + "\n"
        }
        text += elements(drawing, at: offset)
        text += legend.elements(at: Point(x: Self.margin, y: bottom))
        return text + "</svg>\n"
    }

    /// A graph that is laid out.
    struct Drawing {
        fileprivate var layout: Layout
        /// The size of boxes and lines.
        var size: Size { layout.size }
    }

    /// Returns the graph, laid out.
    func drawing() -> Drawing { Drawing(layout: Components(layoutGraph).layout()) }

    /// Returns the lines and boxes, with the upper left corner at a point.
    func elements(_ drawing: Drawing, at offset: Point) -> String {
        var text = lines(drawing.layout.routes.map { $0.moved(by: offset) })
        for (box, rect) in zip(boxes, drawing.layout.boxes) { text += box.elements(in: rect.moved(by: offset)) }
        return text
    }

    private var summary: String {
        func count(_ count: Int, one: String, many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        let entities = graph.entities.count { $0.role != .missing }
        return count(entities, one: "entity", many: "entities") + ", "
            + count(graph.relationships.count, one: "relationship", many: "relationships")
    }

    // MARK: Lines

    private func lines(_ routes: [Layout.Route]) -> String {
        var text = ""
        /// The lines to the children of each parent, and the parents in the order of the model.
        var children: [Int: [Int]] = [:]
        var parents: [Int] = []
        for (index, line) in graph.inheritances.enumerated() {
            if children[line.parent] == nil { parents.append(line.parent) }
            children[line.parent, default: []].append(index)
        }
        for parent in parents { text += inheritances(of: parent, children[parent] ?? [], routes) }
        for (index, line) in graph.relationships.enumerated() {
            var route = routes[graph.inheritances.count + index]
            if Self.isTurned(line) { route = route.reversed }
            text += relationship(line, label: labels[index], route: route, color: index % 6)
        }
        return text
    }

    /// Returns the lines from a parent to its children as one path, so that shared parts are drawn once.
    private func inheritances(of parent: Int, _ lines: [Int], _ routes: [Layout.Route]) -> String {
        let names = lines.prefix(30).map { SafeText.xml(graph.entities[graph.inheritances[$0].child].name) }
        let verb = lines.count == 1 ? "inherits" : "inherit"
        let others = lines.count > names.count ? " and others" : ""
        let parentName = graph.entities[parent].name
        var text =
            "<g><title>\(names.joined(separator: ", "))\(others) \(verb) from \(SafeText.xml(parentName))</title>\n"
        var whole = ""
        var triangles: Set<Point> = []
        var marks = ""
        for line in lines {
            if let meeting = routes[line].pieces.first.flatMap(SVGLine.Meeting.init),
                triangles.insert(meeting.point).inserted
            {
                marks += SVGLine.triangle(at: meeting)
            }
            switch routes[line] {
            case .line(let points): whole += SVGElements.rounded(points)
            case .cut(let source, let target):
                for piece in [source, target] {
                    marks += SVGElements.path(SVGElements.rounded(piece), classes: "i c") + "\n"
                }
                marks += cutText("→ \(graph.entities[graph.inheritances[line].child].name)", at: source)
                marks += cutText("→ \(parentName)", at: target)
            }
        }
        if !whole.isEmpty { text += SVGElements.path(whole, classes: "i") + "\n" }
        return text + marks + "</g>\n"
    }

    private func cutText(_ label: String, at route: [Point]) -> String {
        guard let end = route.last else { return "" }
        let fitted = TextMetrics.fitted(SafeText.line(label), width: 190, size: SVGLine.textSize)
        return SVGElements.text(fitted, x: end.x + 4, y: end.y + 4, classes: "e") + "\n"
    }

    private func relationship(
        _ line: GraphRelationship, label: (source: String, target: String), route: Layout.Route, color: Int
    ) -> String {
        var text = "<g><title>\(tooltip(line))</title>\n"
        let hue = line.markKind.map { " y\($0.letter)" } ?? (color == 0 ? "" : " l\(color)")
        let dashes = route.isCut ? " c" : line.inverse == nil ? " o" : ""
        for piece in route.pieces {
            text += SVGElements.path(SVGElements.rounded(piece), classes: "l" + hue + dashes) + "\n"
        }
        switch route {
        case .line(let points):
            if let meeting = SVGLine.Meeting(points), let inverse = line.inverse {
                text += SVGLine.mark(inverse, at: meeting, classes: hue)
                text += SVGLine.labelElement(label.source, at: meeting, mark: inverse.mark)
            }
            if let meeting = SVGLine.Meeting(points.reversed()) {
                text += SVGLine.mark(line.forward, at: meeting, classes: hue)
                text += SVGLine.labelElement(label.target, at: meeting, mark: line.forward.mark)
            }
        case .cut(let source, let target):
            let labels = cutLabels(line)
            text += cutText(labels.0, at: source)
            text += cutText(labels.1, at: target)
        }
        return text + "</g>\n"
    }

    private func tooltip(_ line: GraphRelationship) -> String {
        func phrase(_ end: GraphRelationship.End, from: Int, to: Int) -> String {
            let (source, target) = (graph.entities[from].name, graph.entities[to].name)
            let ordered = end.isOrdered ? ", ordered" : ""
            return "\(SafeText.xml(source)).\(SafeText.xml(end.name)): \(end.cardinality) "
                + "\(SafeText.xml(target))\(ordered)" + (end.mark.map { " – \(SafeText.xml($0.tooltip))" } ?? "")
        }
        let forward = phrase(line.forward, from: line.source, to: line.target)
        guard let inverse = line.inverse else { return forward + "; no inverse" }
        return forward + "; " + phrase(inverse, from: line.target, to: line.source)
    }
}

extension Layout.Route {
    /// The pieces that are drawn.
    var pieces: [[Point]] {
        switch self {
        case .line(let points): [points]
        case .cut(let source, let target): [source, target]
        }
    }

    /// Whether only the ends are drawn.
    var isCut: Bool {
        if case .cut = self { true } else { false }
    }

    /// The route from target to source.
    var reversed: Self {
        switch self {
        case .line(let points): .line(points.reversed())
        case .cut(let source, let target): .cut(source: target, target: source)
        }
    }
}
