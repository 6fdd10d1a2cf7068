/// The graph with every line split into segments between adjacent columns: where a line passes a column, there is a
/// bend with a position among the boxes.
struct ProperGraph {
    /// A box or a bend.
    struct Item {
        /// The box; `nil` for a bend.
        var box: Int?
        /// Its column.
        var layer: Int
        /// The segments on its left side.
        var left: [Int] = []
        /// The segments on its right side.
        var right: [Int] = []
    }

    /// A part of a line, from an item to one in the next column.
    struct Segment {
        var left: Int
        var right: Int
        /// The net: segments of the same trunk are drawn as one.
        var net: Int
    }

    /// The path of a line.
    enum Path {
        /// From box to box over segments from left to right. The line's source is at the right end if it is reversed.
        case segments([Int], isReversed: Bool)
        /// From a box to itself, on its right side.
        case loop
        /// Drawn only as a piece at each end.
        case cut
    }

    /// The boxes, with the same indices as in the graph, followed by the bends.
    private(set) var items: [Item]
    private(set) var segments: [Segment] = []
    /// The path of each edge of the graph.
    private(set) var paths: [Path] = []
    /// The number of columns.
    let layerCount: Int

    /// The maximum number of bends; beyond it, the longest lines are cut.
    static let bendLimit = 40_000

    init(_ graph: LayoutGraph, layers: [Int]) {
        items = layers.map { Item(box: nil, layer: $0) }
        for index in items.indices { items[index].box = index }
        layerCount = (layers.max() ?? -1) + 1
        let limit = Self.spanLimit(graph, layers)
        /// The bends of each trunk by column, from the one after its source on.
        var trunks: [[(bend: Int, segment: Int)]] = Array(repeating: [], count: graph.boxes.count)
        for (net, edge) in graph.edges.enumerated() {
            let (from, to) = (layers[edge.source], layers[edge.target])
            if edge.source == edge.target {
                paths.append(.loop)
            } else if abs(from - to) > limit {
                paths.append(.cut)
            } else if edge.kind == .trunk, from < to {
                paths.append(addTrunk(edge, bends: &trunks[edge.source], net: graph.edges.count + edge.source))
            } else {
                let isReversed = from > to
                let (start, end) = isReversed ? (edge.target, edge.source) : (edge.source, edge.target)
                paths.append(.segments(addLine(start, end, net: net), isReversed: isReversed))
            }
        }
    }

    /// Returns the maximum number of columns that a line may span.
    private static func spanLimit(_ graph: LayoutGraph, _ layers: [Int]) -> Int {
        var counts: [Int] = Array(repeating: 0, count: (layers.max() ?? 0) + 1)
        for edge in graph.edges { counts[abs(layers[edge.source] - layers[edge.target])] += 1 }
        var bends = 0
        for (span, count) in counts.enumerated() where span > 1 {
            bends += count * (span - 1)
            if bends > bendLimit { return span - 1 }
        }
        return counts.count
    }

    private mutating func addBend(layer: Int) -> Int {
        items.append(Item(box: nil, layer: layer))
        return items.count - 1
    }

    private mutating func addSegment(_ left: Int, _ right: Int, net: Int) -> Int {
        segments.append(Segment(left: left, right: right, net: net))
        items[left].right.append(segments.count - 1)
        items[right].left.append(segments.count - 1)
        return segments.count - 1
    }

    private mutating func addLine(_ start: Int, _ end: Int, net: Int) -> [Int] {
        var path: [Int] = []
        var current = start
        while items[current].layer + 1 < items[end].layer {
            let bend = addBend(layer: items[current].layer + 1)
            path.append(addSegment(current, bend, net: net))
            current = bend
        }
        path.append(addSegment(current, end, net: net))
        return path
    }

    private mutating func addTrunk(
        _ edge: LayoutGraph.Edge, bends: inout [(bend: Int, segment: Int)], net: Int
    ) -> Path {
        let needed = items[edge.target].layer - items[edge.source].layer - 1
        while bends.count < needed {
            let last = bends.last?.bend ?? edge.source
            let bend = addBend(layer: items[last].layer + 1)
            bends.append((bend, addSegment(last, bend, net: net)))
        }
        let shared = bends.prefix(needed)
        let last = addSegment(shared.last?.bend ?? edge.source, edge.target, net: net)
        return .segments(shared.map(\.segment) + [last], isReversed: false)
    }
}
