/// The input of the layout: boxes of known size and the lines between them, without reference to entities.
struct LayoutGraph: Sendable {
    /// A line from the right side of a box to the left side of another, unless it is reversed to break a cycle.
    struct Edge: Sendable {
        /// The way it is drawn.
        enum Kind: Sendable {
            /// By itself.
            case line
            /// Together with the other trunk edges of its source, which fork where they must.
            case trunk
        }

        /// The box it begins at.
        var source: Int
        /// The box it ends at.
        var target: Int
        /// The way it is drawn.
        var kind = Kind.line
        var sourceLabelWidth = 0.0
        var targetLabelWidth = 0.0
        /// The width of the label at either end if the line is cut.
        var cutLabelWidth = 0.0
    }

    /// The minimum size of each box. A box can become wider, to match others in its column, and taller, to have room
    /// for its lines.
    var boxes: [Size] = []
    /// The lines.
    var edges: [Edge] = []
}

/// The result of the layout.
struct Layout: Sendable {
    /// The route of a line.
    enum Route: Hashable, Sendable {
        /// From the side of the source to the side of the target, with alternating horizontal and vertical parts.
        case line([Point])
        /// Only a short piece at the source and at the target, because there are too many lines to draw all of them.
        /// Each begins at its box.
        case cut(source: [Point], target: [Point])
    }

    /// The boxes, in the order of the graph.
    var boxes: [Rect]
    /// The lines, in the order of the graph.
    var routes: [Route]
    /// The size of the whole, from (0, 0).
    var size: Size
}

extension Layout.Route {
    func moved(by offset: Point) -> Self {
        func move(_ points: [Point]) -> [Point] {
            points.map { Point(x: $0.x + offset.x, y: $0.y + offset.y) }
        }
        switch self {
        case .line(let points): return .line(move(points))
        case .cut(let source, let target): return .cut(source: move(source), target: move(target))
        }
    }
}
