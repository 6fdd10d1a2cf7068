/// What is laid out: boxes of known size and the lines between them. It does not know about entities.
struct LayoutGraph: Sendable {
    /// A line from the right side of a box to the left side of another, unless a circle makes it run the other way.
    struct Edge: Sendable {
        /// How it is drawn.
        enum Kind: Sendable {
            /// By itself.
            case line
            /// Together with the other trunk edges of its source, which fork where they have to.
            case trunk
        }

        /// The box it begins at.
        var source: Int
        /// The box it leads to.
        var target: Int
        /// How it is drawn.
        var kind = Kind.line
        /// The room for what is written at the source.
        var sourceLabelWidth = 0.0
        /// The room for what is written at the target.
        var targetLabelWidth = 0.0
        /// The room for what is written at either end when the line is cut.
        var cutLabelWidth = 0.0
    }

    /// The smallest size of each box. A box can become wider, to be as wide as others in its column, and higher, to have
    /// room for its lines.
    var boxes: [Size] = []
    /// The lines.
    var edges: [Edge] = []
}

/// Where everything is.
struct Layout: Sendable {
    /// How a line runs.
    enum Route: Hashable, Sendable {
        /// From the side of the source to the side of the target, upright and level parts in turn.
        case line([Point])
        /// Only a short piece at the source and at the target: there are too many lines to draw all of them. Each begins
        /// at its box.
        case cut(source: [Point], target: [Point])
    }

    /// The boxes, in the order of the graph.
    var boxes: [Rect]
    /// The lines, in the order of the graph.
    var routes: [Route]
    /// The extent of everything, from (0, 0) on.
    var size: Size
}

extension Layout.Route {
    /// The route, moved.
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
