/// Lays out a graph that may be disconnected: each connected component is laid out separately, the components are
/// packed into rows, and boxes without lines form a grid below.
struct Components {
    private let graph: LayoutGraph

    init(_ graph: LayoutGraph) {
        self.graph = graph
    }

    /// A component: the indices of its boxes and edges in the graph, and its layout.
    private struct Part {
        var boxes: [Int]
        var edges: [Int] = []
        var layout = Layout(boxes: [], routes: [], size: Size(width: 0, height: 0))
    }

    func layout() -> Layout {
        var (parts, single) = parts()
        for index in parts.indices { parts[index].layout = Self.layout(parts[index], of: graph) }
        let blocks = parts.map(\.layout.size)
        let grid = Grid(single.map { graph.boxes[$0] })
        let width = Self.goodWidth(blocks + [grid.naturalSize])
        let rows = Rows(blocks, width: width)
        var result = Layout(
            boxes: Array(repeating: Rect(x: 0, y: 0, width: 0, height: 0), count: graph.boxes.count),
            routes: Array(repeating: .line([]), count: graph.edges.count), size: rows.size)
        for (part, offset) in zip(parts, rows.offsets) {
            for (box, rect) in zip(part.boxes, part.layout.boxes) { result.boxes[box] = rect.moved(by: offset) }
            for (edge, route) in zip(part.edges, part.layout.routes) { result.routes[edge] = route.moved(by: offset) }
        }
        guard !single.isEmpty else { return result }
        let top = parts.isEmpty ? 0 : rows.size.height + Spacing.component
        let positions = grid.positions(width: max(width, rows.size.width))
        for (box, rect) in zip(single, positions) {
            result.boxes[box] = rect.moved(by: Point(x: 0, y: top))
            result.size.width = max(result.size.width, rect.maxX)
            result.size.height = max(result.size.height, rect.maxY + top)
        }
        return result
    }

    /// Returns the connected components, large ones first, and the boxes without lines.
    private func parts() -> (parts: [Part], single: [Int]) {
        var edgesAt: [[Int]] = Array(repeating: [], count: graph.boxes.count)
        for (index, edge) in graph.edges.enumerated() {
            edgesAt[edge.source].append(index)
            if edge.target != edge.source { edgesAt[edge.target].append(index) }
        }
        var isSeen = Array(repeating: false, count: graph.boxes.count)
        var parts: [Part] = []
        var single: [Int] = []
        for start in graph.boxes.indices where !isSeen[start] {
            isSeen[start] = true
            var boxes = [start]
            var next = 0
            while next < boxes.count {
                for index in edgesAt[boxes[next]] {
                    for other in [graph.edges[index].source, graph.edges[index].target] where !isSeen[other] {
                        isSeen[other] = true
                        boxes.append(other)
                    }
                }
                next += 1
            }
            boxes.sort()
            if edgesAt[start].isEmpty { single.append(start) } else { parts.append(Part(boxes: boxes)) }
        }
        parts.sort { ($1.boxes.count, $0.boxes.first ?? 0) < ($0.boxes.count, $1.boxes.first ?? 0) }
        var partOfBox = Array(repeating: 0, count: graph.boxes.count)
        for (number, part) in parts.enumerated() {
            for box in part.boxes { partOfBox[box] = number }
        }
        for (index, edge) in graph.edges.enumerated() { parts[partOfBox[edge.source]].edges.append(index) }
        return (parts, single)
    }

    private static func layout(_ part: Part, of graph: LayoutGraph) -> Layout {
        var numbers: [Int: Int] = [:]
        var own = LayoutGraph()
        for box in part.boxes {
            numbers[box] = own.boxes.count
            own.boxes.append(graph.boxes[box])
        }
        for index in part.edges {
            var edge = graph.edges[index]
            edge.source = numbers[edge.source] ?? 0
            edge.target = numbers[edge.target] ?? 0
            own.edges.append(edge)
        }
        return LayeredLayout(own).layout()
    }

    /// Returns the width at which the whole is about one and a half times as wide as high, and no narrower than its
    /// widest component.
    private static func goodWidth(_ blocks: [Size]) -> Double {
        let area = blocks.reduce(0) { $0 + ($1.width + Spacing.component) * ($1.height + Spacing.component) }
        return max(blocks.dropLast().reduce(0) { max($0, $1.width) }, (area * 1.6).squareRoot())
    }
}

/// Blocks in rows, like words in lines.
private struct Rows {
    private(set) var offsets: [Point]
    private(set) var size = Size(width: 0, height: 0)

    init(_ blocks: [Size], width: Double) {
        offsets = Array(repeating: Point(x: 0, y: 0), count: blocks.count)
        // Tall blocks first, so that a row has blocks of about the same height. The first block stays first.
        let order =
            blocks.indices.prefix(1)
            + blocks.indices.dropFirst().sorted { (blocks[$1].height, $0) < (blocks[$0].height, $1) }
        var x = 0.0
        var top = 0.0
        var bottom = 0.0
        for index in order {
            if x > 0, x + blocks[index].width > width {
                top = bottom + Spacing.component
                x = 0
            }
            offsets[index] = Point(x: x, y: top)
            x += blocks[index].width + Spacing.component
            bottom = max(bottom, top + blocks[index].height)
            size.width = max(size.width, x - Spacing.component)
        }
        size.height = bottom
    }
}

/// Boxes of the same width in columns, each box in the shortest column so far.
private struct Grid {
    private let boxes: [Size]
    private let cell: Double

    init(_ boxes: [Size]) {
        self.boxes = boxes
        cell = boxes.reduce(0) { max($0, $1.width) }
    }

    /// The size of a grid that is about one and a half times as wide as high.
    var naturalSize: Size {
        let area = boxes.reduce(0) { $0 + (cell + Spacing.box) * ($1.height + Spacing.box) }
        return Size(width: (area * 1.6).squareRoot(), height: (area / 1.6).squareRoot())
    }

    /// Returns the rectangles of the boxes in a grid of at most the given width.
    func positions(width: Double) -> [Rect] {
        let count = max(1, min(boxes.count, Int((width + Spacing.box) / (cell + Spacing.box))))
        var heights = Array(repeating: 0.0, count: count)
        return boxes.map { box in
            var column = 0
            for candidate in heights.indices where heights[candidate] < heights[column] { column = candidate }
            defer { heights[column] += box.height + Spacing.box }
            return Rect(
                x: Double(column) * (cell + Spacing.box), y: heights[column], width: cell, height: box.height)
        }
    }
}
